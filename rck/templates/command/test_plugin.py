from collections.abc import Callable
from pathlib import Path

import pytest

from rck.hooks import Plugins
from rck.language.session import Session, new_session
from rck.model import RckError

pytest_plugins = ["rck.testing.fixtures"]


@pytest.fixture
def session(installed_plugins: Plugins, tmp_path: Path) -> Session:
    session = new_session(installed_plugins, tmp_path)
    session.do("create structure/plate top")
    return session


def test_command_keeps_its_contract(command_contract: Callable[..., None], session: Session) -> None:
    command_contract("my-plugin", session.document, ["#cc3333"])


def test_every_instance_is_painted_and_the_command_can_be_undone(session: Session) -> None:
    before = session.assembly
    assert session.do("my-plugin #cc3333").message == "painted top"
    assert session.assembly.parts["top"].colour == "#cc3333"
    session.do("undo")
    assert session.assembly == before


def test_invalid_colour_is_refused(session: Session) -> None:
    with pytest.raises(RckError, match="not a colour"):
        session.do("my-plugin reddish")
