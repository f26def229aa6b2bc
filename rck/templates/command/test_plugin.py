from pathlib import Path

import pytest

from rck.hooks import discover
from rck.language.session import Session, new_session
from rck.model import RckError


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = new_session(discover(), tmp_path)
    session.do("create structure/plate top")
    return session


def test_it_paints_every_piece_and_can_be_undone(session: Session) -> None:
    before = session.assembly
    session.do("my-plugin #cc3333")
    assert session.assembly.parts["top"].colour == "#cc3333"
    session.do("undo")
    assert session.assembly == before


def test_what_is_no_colour_is_refused(session: Session) -> None:
    with pytest.raises(RckError, match="needs one colour"):
        session.do("my-plugin reddish")
