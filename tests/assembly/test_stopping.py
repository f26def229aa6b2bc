"""Making a large piece tells its progress, and can be stopped without harm."""

import pytest

from rck.assembly.document import Assembly, Instance, Piece
from rck.catalogue.manifest import PartItem, Shape
from rck.hooks import Cancelled, Job, discover
from rck.language.session import new_session


@pytest.fixture
def session(tmp_path):
    boxes = [Shape(box=[0.01, 0.01, 0.01], at=[0.02 * number, 0.0, 0.0]) for number in range(250)]
    piece = Piece(items={"row": PartItem(shapes=boxes, density=1000.0)})
    session = new_session(discover(), tmp_path, "rows")
    rows = Assembly(name="rows", pieces={"row": piece}, parts={"row": Instance(part="row")})
    session.history = session.history.then("a row of boxes", rows)
    return session


def test_progress_is_told(session):
    shares = []
    session.job = Job(lambda share, what: shares.append(share))
    assert len(session.compile().unwrap().robot.items[0].subitems) == 250
    assert shares == [0.0, 0.4, 0.8]


def test_it_can_be_stopped_and_done_later(session):
    session.job = Job(lambda share, what: share and session.job.cancel())
    with pytest.raises(Cancelled, match="nothing was changed"):
        session.compile()
    session.job = Job()
    assert session.compile().unwrap().robot.items[0].name == "row/row"
