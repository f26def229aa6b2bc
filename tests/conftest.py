"""Shared fixtures. Settings, parts and caches are in a temporary folder, so that no test touches the user's folders.

The folder is created before worker processes start, so that all of them share one catalogue index.
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
    from rck.hooks import Plugins
    from rck.language.session import Session
    from rck.parts.library import Catalogue

# `make test` runs the same examples every time, so that it never fails by chance. `make fuzz` runs random examples, and
# more of them unless a test sets the number itself. There are no deadlines, because the machine may be busy.
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
    # Each core already has a worker: more BLAS threads would only compete.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for variable in ("RCK_CONFIG", "RCK_DATA", "RCK_CACHE"):
        os.environ[variable] = str(folder / variable.lower())


def pytest_collection_finish() -> None:
    """Exclude imported modules from garbage collection, which saves a tenth of the run time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    if _MADE in config.stash:
        shutil.rmtree(config.stash[_MADE], ignore_errors=True)


@pytest.fixture(scope="session")
def plugins() -> "Plugins":
    """Installed plugins, each loaded once."""
    from rck.hooks import discover

    return discover()


@pytest.fixture(scope="session")
def shipped_catalogue(plugins: "Plugins") -> "Catalogue":
    """The built-in parts, each built once."""
    from rck.parts.library import open_catalogue

    return open_catalogue(plugins)


@pytest.fixture
def session(tmp_path: Path, plugins: "Plugins", shipped_catalogue: "Catalogue") -> "Session":
    """An empty assembly in a temporary folder, with the built-in catalogue."""
    from rck.language.session import Session

    return Session(plugins, shipped_catalogue, tmp_path)
