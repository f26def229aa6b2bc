"""Jobs: progress reports and cancellation."""

import pytest

from rck.model import RckError
from rck.support.finding import Cancelled
from rck.support.job import Job


def test_progress_is_clamped_to_the_range_zero_to_one():
    shown = []
    job = Job(lambda share, what: shown.append((share, what)))
    for share in (-0.5, 0.25, 7.0):
        job.progress(share, "items")
    job.progress(1.0)
    assert shown == [(0.0, "items"), (0.25, "items"), (1.0, "items"), (1.0, "")]


def test_job_without_observer_is_silent():
    Job().progress(0.5, "items")


def test_cancelled_job_raises_at_the_next_progress_report():
    shown = []
    job = Job(lambda share, what: shown.append(share))
    job.progress(0.1)
    job.cancel()
    with pytest.raises(Cancelled, match="nothing was changed") as caught:
        job.progress(0.2)
    assert shown == [0.1]
    assert isinstance(caught.value, RckError)


def test_part_of_a_job_reports_its_share_and_is_cancelled_with_it():
    shown = []
    job = Job(lambda share, what: shown.append((share, what)))
    part = job.part(0.5, 1.0)
    part.progress(0.5, "faces")
    job.part(0.0, 0.5, "edges").progress(0.5, "faces")
    assert shown == [(0.75, "faces"), (0.25, "edges")]
    part.cancel()
    assert job.cancelled
    with pytest.raises(Cancelled):
        part.progress(1.0)
