"""A small arm to try commands on."""

from collections.abc import Callable

import pytest

from rck.catalogue.library import Catalogue
from rck.hooks import Plugins
from rck.language.session import Session, run_script

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
    """A session in which the script was run."""
    session = Session(plugins, shipped_catalogue, tmp_path_factory.mktemp("scripted"))
    run_script(session, ARM, "arm.rcks")
    return session


@pytest.fixture
def arm(session: Session, scripted: Session) -> Session:
    """A base, two servos with a link between them, a plate on a joint, a table; and something in every section."""
    session.history, session._entries = scripted.history, scripted._entries
    return session


@pytest.fixture
def again(arm: Session) -> Callable[[], Session]:
    """Gives the arm as it was at first, however often it is asked."""
    first = arm.history

    def reset() -> Session:
        arm.history = first
        return arm

    return reset
