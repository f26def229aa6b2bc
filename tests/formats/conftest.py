"""Reading and writing through the hooks, as the command line does."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rck.exporting.export import with_losses
from rck.hooks import Exported, Job
from rck.hooks.file_exchange import FileContents, compile_imported
from rck.model import Robot, Severity


@dataclass(frozen=True)
class Desk:
    """A folder to put files into, and the plugins to read and write them with."""

    folder: Path

    def read(self, plugin: ModuleType, name: str, data: bytes, **options: Any) -> FileContents:
        path = self.folder / name
        path.write_bytes(data)
        return self.open(plugin, path, **options)

    def open(self, plugin: ModuleType, path: Path, **options: Any) -> FileContents:
        (importer,) = plugin.rck_importers()
        values = {key.replace("_", "-"): value for key, value in options.items()}
        return compile_imported(importer.read(path, values, Job()), path)

    def write(self, plugin: ModuleType, thing: object, name: str, **options: Any) -> Exported:
        (exporter,) = [one for one in plugin.rck_exporters() if name.endswith(one.endings)]
        values = {key.replace("_", "-"): value for key, value in options.items()}
        done = exporter.write(thing, name, values, Job())
        return with_losses(done, thing, exporter, name, values) if isinstance(thing, Robot) else done

    def put(self, files: Exported) -> None:
        for name, data in files.files.items():
            (self.folder / name).write_bytes(data)

    def is_refused_or_whole(self, read: FileContents, name: str) -> bool:
        """Refused with exactly one error that names file and line (True), or read without any error (False)."""
        if read.robot is None and read.events is None:
            (finding,) = read.findings
            assert finding.severity is Severity.ERROR
            file, line = finding.where.split(":")[:2]
            assert file == name
            assert int(line) >= 1
            return True
        assert all(finding.severity is not Severity.ERROR for finding in read.findings)
        return False


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("formats"))


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"
