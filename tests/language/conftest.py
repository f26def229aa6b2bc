"""Fixtures: sessions with a small arm."""

from collections.abc import Callable

import pytest

from rck.hooks import Plugins
from rck.language.session import Session
from rck.parts.library import Catalogue

ARM = """\
create structure/round-base base diameter=160
create robotis/xm540-w270 shoulder --at base.top
create structure/bar-link upper length=200 --at shoulder.horn --by a
create robotis/xm430-w350 elbow --at upper.b --by back
make box plate size=60,40,10 material=steel
mate elbow.horn plate.bottom --joint revolute --limits -90..90 --name wrist
make box table size=400,300,20
tool grip plate.top --offset 0,0,20
port mount base.floor
pose folded shoulder/axis=30 elbow/axis=-60
view front --eye 0,-900,300
group hand plate elbow
allow base hand
"""


@pytest.fixture(scope="session")
def scripted(plugins: Plugins, shipped_catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Return a session after running the script."""
    session = Session(plugins, shipped_catalogue, tmp_path_factory.mktemp("scripted"))
    session.run_script(ARM, "arm.rcks")
    return session


@pytest.fixture
def arm(session: Session, scripted: Session) -> Session:
    """Return an arm of base, servos, link and plate, plus a table; every section of the file has an entry."""
    session._change(history=scripted.history, unsaved_entries=scripted.state.unsaved_entries)
    return session


@pytest.fixture
def again(arm: Session) -> Callable[[], Session]:
    """Return a function that gives a fresh copy of the arm on each call."""
    first = arm.history

    def reset() -> Session:
        arm.replace_history(first)
        return arm

    return reset
