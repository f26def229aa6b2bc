"""Compiling a large part reports progress and can be cancelled."""

import pytest

from rck.assembly.document import Assembly, Instance, LocalPart
from rck.hooks import Cancelled, Job, discover
from rck.language.session import new_session
from rck.parts.manifest import PartItem, Shape


@pytest.fixture
def session(tmp_path):
    boxes = [Shape(box=[0.01, 0.01, 0.01], at=[0.02 * number, 0.0, 0.0]) for number in range(250)]
    piece = LocalPart(items={"row": PartItem(shapes=boxes, density=1000.0)})
    session = new_session(discover(), tmp_path, "rows")
    rows = Assembly(name="rows", local_parts={"row": piece}, parts={"row": Instance(part="row")})
    session.apply("a row of boxes", rows)
    return session


def test_progress_is_reported(session):
    shares = []
    session.job = Job(lambda share, what: shares.append(share))
    assert len(session.compile().unwrap().robot.items[0].subitems) == 250
    assert shares == [0.0, 0.4, 0.8]


def test_stopped_compile_can_be_repeated(session):
    session.job = Job(lambda share, what: share and session.job.cancel())
    with pytest.raises(Cancelled, match="nothing was changed"):
        session.compile()
    session.job = Job()
    assert session.compile().unwrap().robot.items[0].name == "row/row"
