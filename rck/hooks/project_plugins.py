"""Plugins of a project: Python files in its folder `rck_plugins`, loaded after the user has allowed them."""

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from shlex import quote
from types import CodeType, ModuleType

from rck.support.finding import Finding, Severity
from rck.support.units import counted

FOLDER = "rck_plugins"
PACKAGE = "rck_project_plugins"
"""Package name of project plugins; it cannot hide RCK's package `rck_plugins`."""
PROJECT = "this project"
"""Package name of project plugins in lists."""


class _FromSource(SourceFileLoader):
    """Loader that ignores cached bytecode, which may differ from the source that the user has reviewed."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


@dataclass(frozen=True, slots=True)
class FilePoint:
    """Plugin in a single file, with the interface of an entry point."""

    path: Path

    @property
    def name(self) -> str:
        """Name of the file, with hyphens."""
        return self.path.stem.replace("_", "-")

    @property
    def module(self) -> str:
        """Module name of the file."""
        return f"{PACKAGE}.{self.path.stem}"

    @property
    def value(self) -> str:
        """Path of the file."""
        return str(self.path)

    @property
    def dist(self) -> None:
        """None: it belongs to no package."""
        return None

    def load(self) -> ModuleType:
        """Import the file."""
        name = self.module
        spec = importlib.util.spec_from_file_location(name, self.path, loader=_FromSource(name, str(self.path)))
        if spec is None or spec.loader is None:
            raise ImportError(f"{self.path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def loaded_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are loaded as plugins."""
    return sorted(path for path in folder.glob("*.py") if path.is_file() and not path.name.startswith("_"))


def ignored_files(folder: Path) -> list[str]:
    """Return the entries of a folder that are not loaded, each with the reason."""
    private = [f"{path.name} (its name begins with _)" for path in folder.glob("_*.py")]
    inside = [f"{path.name}/ (only single files are loaded)" for path in folder.iterdir() if any(path.glob("*.py"))]
    return [*sorted(private), *sorted(inside)]


def fingerprints(folder: Path) -> dict[str, str]:
    """Return the digest of every Python file in a folder and below, since a plugin may import any of them."""
    files = sorted(path for path in folder.rglob("*.py") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def project_points(
    project: Path, allowed: Mapping[str, Mapping[str, str]]
) -> tuple[tuple[FilePoint, ...], tuple[Finding, ...]]:
    """Return the plugins of a project, or a finding if the user has not allowed them in their present state.

    `allowed` contains the fingerprints of the allowed folders.
    """
    folder = project / FOLDER
    try:
        files = loaded_files(folder)
        if not files:
            return (), _nothing_loaded(folder)
        known = allowed.get(str(folder.resolve()))
        changed = "" if known is None else _changes(known, fingerprints(folder))
    except OSError as error:
        return (), (Finding(607, Severity.NOTE, str(folder), f"cannot be read: {error.strerror}"),)
    here = "" if project.resolve() == Path.cwd() else f" {quote(str(project))}"
    if known is None:
        message = f"has {counted(len(files), 'plugin')}, not loaded: plugins run with your permissions"
        fix = f"review them, then run `rck plugins allow{here}`"
        return (), (Finding(607, Severity.NOTE, str(folder), message, fix),)
    if changed:
        message = f"is not loaded: changes since you allowed it: {changed}"
        fix = f"review them, then run `rck plugins allow{here}`"
        return (), (Finding(607, Severity.NOTE, str(folder), message, fix),)
    return tuple(FilePoint(path) for path in files), ()


def _nothing_loaded(folder: Path) -> tuple[Finding, ...]:
    """Return a note about files in the folder that are not loaded."""
    ignored = ignored_files(folder) if folder.is_dir() else []
    if not ignored:
        return ()
    return (Finding(607, Severity.NOTE, str(folder), f"has no plugin; not loaded: {', '.join(ignored)}"),)


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Describe the differences between fingerprints; empty if there are none."""
    changes = {
        "changed": [name for name in now if name in before and now[name] != before[name]],
        "added": [name for name in now if name not in before],
        "removed": [name for name in before if name not in now],
    }
    return "; ".join(f"{', '.join(names)} {what}" for what, names in changes.items() if names)
