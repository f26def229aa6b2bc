"""Jobs: progress that users see, and work that stops when they ask."""

import pytest

from rck.hooks import Cancelled, Job
from rck.model import RckError


def test_progress_is_shown_as_a_share_between_nothing_and_all():
    shown = []
    job = Job(lambda share, what: shown.append((share, what)))
    for share in (-0.5, 0.25, 7.0):
        job.progress(share, "items")
    job.progress(1.0)
    assert shown == [(0.0, "items"), (0.25, "items"), (1.0, "items"), (1.0, "")]


def test_a_job_that_nobody_watches_goes_on_in_silence():
    Job().progress(0.5, "items")


def test_work_stops_at_the_next_word_of_progress_after_the_user_asked():
    shown = []
    job = Job(lambda share, what: shown.append(share))
    job.progress(0.1)
    job.cancel()
    with pytest.raises(Cancelled, match="nothing was changed") as caught:
        job.progress(0.2)
    assert shown == [0.1]
    assert isinstance(caught.value, RckError)
