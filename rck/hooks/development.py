"""Plugins in development: loaded from the folder of their author, without installation, and again after changes."""

import importlib
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from rck.hooks.project_plugins import FOLDER, FilePoint, loaded_files
from rck.support.finding import Finding, RckError, Severity

DEVELOPED = "in development"
"""Package name of plugins in development, in lists."""
_SKIPPED = frozenset({"__pycache__", ".venv", "venv", "build", "dist", "node_modules"})
_MOST_FILES = 2000


@dataclass(frozen=True, slots=True)
class DevPoint:
    """Entry point of a package that is loaded from its source folder."""

    name: str
    value: str
    folder: Path
    """The folder that contains the package; it is put on the module path."""

    @property
    def dist(self) -> None:
        """None: it is not installed."""
        return None

    def load(self) -> ModuleType:
        """Import the module, or return the object that the entry point names."""
        if str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        importlib.invalidate_caches()
        module, _, attribute = self.value.partition(":")
        found = importlib.import_module(module.strip())
        for part in filter(None, attribute.strip().split(".")):
            found = getattr(found, part)
        return found


@dataclass(frozen=True, slots=True)
class DevFile(FilePoint):
    """Single-file plugin in development."""


def is_developed(point: object) -> bool:
    """Return True if the plugin is in development."""
    return isinstance(point, DevPoint | DevFile)


def dev_points(path: Path) -> tuple[DevPoint | DevFile, ...]:
    """Return the plugins at a path: a single file, a folder of single files, or a package with a pyproject.toml."""
    if path.is_file():
        if path.suffix != ".py":
            raise RckError(f"{path} is not a Python file")
        return (DevFile(path.resolve()),)
    if not path.is_dir():
        raise RckError(f"{path} does not exist")
    if (path / "pyproject.toml").is_file():
        return _package_points(path.resolve())
    folder = path / FOLDER if (path / FOLDER).is_dir() else path
    files = loaded_files(folder.resolve())
    if not files:
        raise RckError(f"{path} has neither a pyproject.toml nor Python files; `rck plugins new` creates a plugin")
    return tuple(map(DevFile, files))


def _package_points(folder: Path) -> tuple[DevPoint, ...]:
    project = folder / "pyproject.toml"
    try:
        data = tomllib.loads(project.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RckError(f"{project}: {error}") from error
    points = data.get("project", {}).get("entry-points", {}).get("rck", {})
    if not isinstance(points, Mapping) or not points:
        raise RckError(f"{project} declares no plugin: add the table [project.entry-points.rck] with NAME = MODULE")
    root = folder / "src" if (folder / "src").is_dir() else folder
    return tuple(DevPoint(str(name), str(value), root) for name, value in points.items())


def developed_points(paths: Iterable[str]) -> tuple[tuple[DevPoint | DevFile, ...], tuple[Finding, ...]]:
    """Return the plugins at all paths, and findings about paths without any."""
    points: list[DevPoint | DevFile] = []
    findings = []
    for path in sorted(paths):
        try:
            points += dev_points(Path(path))
        except (RckError, OSError) as error:
            fix = f"rck plugins dev --stop {path}"
            findings.append(Finding(601, Severity.WARNING, f"plugin in development {path}", str(error), fix))
    return tuple(points), tuple(findings)


def forget_modules(point: object) -> None:
    """Remove the modules of a plugin in development from Python, so that its next import reads the files again."""
    if isinstance(point, DevPoint):
        root = point.value.partition(":")[0].strip().partition(".")[0]
        for name in [name for name in sys.modules if name == root or name.startswith(f"{root}.")]:
            del sys.modules[name]
        importlib.invalidate_caches()


Stamps = Mapping[str, tuple[int, int]]
"""Time of modification and size of files, by path."""


def file_stamps(point: object) -> Stamps:
    """Return the stamps of the files of a plugin in development."""
    if isinstance(point, DevFile):
        return _stamps([point.path])
    if not isinstance(point, DevPoint):
        return {}
    root = point.folder / point.value.partition(":")[0].strip().partition(".")[0]
    if not root.is_dir():
        return _stamps([root.with_suffix(".py")])
    files = (path for path in root.rglob("*") if not _SKIPPED.intersection(path.relative_to(root).parts))
    return _stamps([path for path, _ in zip(files, range(_MOST_FILES), strict=False)])


def _stamps(paths: Iterable[Path]) -> Stamps:
    stamps = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        stamps[str(path)] = (status.st_mtime_ns, status.st_size)
    return stamps
