"""What tests of importers share: reading through the plugin as the command line does."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from rck.hooks import Importer, Job
from rck.hooks.file_exchange import FileContents, compile_imported
from rck.hooks.options import read_options

PACKAGE_OF = {
    "mesh": "rck_importers.mesh",
    "step": "rck_importers.step",
    "urdf": "rck_importers.urdf",
    "srdf": "rck_importers.urdf",
    "mjcf": "rck_importers.mjcf",
    "sdf": "rck_importers.sdf",
    "usd": "rck_importers.usd",
    "open3d": "rck_importers.open3d",
}


@pytest.fixture
def importer() -> Callable[[str], Importer]:
    """The importer of a name."""

    def find(name: str) -> Importer:
        return next(one for one in import_module(PACKAGE_OF[name]).rck_importers() if one.name == name)

    return find


@pytest.fixture
def read(importer: Callable[[str], Importer]) -> Callable[..., FileContents]:
    """Read a file with the importer of a name and options as the user types them."""

    def run(name: str, path: Path, options: Mapping[str, str] | None = None, job: Job | None = None) -> FileContents:
        chosen = importer(name)
        imported = chosen.read(path, read_options(chosen.options, options or {}), job or Job())
        return compile_imported(imported, path)

    return run


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a text to a file in a folder of the test's own."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
