"""No test touches the user's own folders: settings, parts and caches live in a folder of this run alone.

The folder is made once, before worker processes start, so that all of them share one index of the catalogue.
"""

import gc
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from rck.catalogue.library import Catalogue
    from rck.hooks import Plugins
    from rck.language.session import Session

# Every run tries the same examples, so that `make test` never fails by chance. `make fuzz` tries others, and more of
# them where a test does not set the number itself. There are no deadlines, since the machine may be busy.
settings.register_profile(
    "rck", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("fuzz", settings.get_profile("rck"), max_examples=1000, derandomize=False, print_blob=True)
settings.load_profile("rck")

_MADE = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="rck-tests-"))
    config.stash[_MADE] = folder
    # Each core has a worker already; more threads of the linear algebra would only wait for one another.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for variable in ("RCK_CONFIG", "RCK_DATA", "RCK_CACHE"):
        os.environ[variable] = str(folder / variable.lower())


def pytest_collection_finish() -> None:
    """What is imported by now stays; to look through it for garbage again and again takes a tenth of the time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    if _MADE in config.stash:
        shutil.rmtree(config.stash[_MADE], ignore_errors=True)


@pytest.fixture(scope="session")
def plugins() -> "Plugins":
    """The plugins that are installed, each loaded once."""
    from rck.hooks import discover

    return discover()


@pytest.fixture(scope="session")
def shipped_catalogue(plugins: "Plugins") -> "Catalogue":
    """The parts that RCK ships, each built once."""
    from rck.catalogue.library import open_catalogue

    return open_catalogue(plugins)


@pytest.fixture
def session(tmp_path: Path, plugins: "Plugins", shipped_catalogue: "Catalogue") -> "Session":
    """An empty assembly in a folder of its own, with the shipped catalogue."""
    from rck.language.session import Session

    return Session(plugins, shipped_catalogue, tmp_path)
