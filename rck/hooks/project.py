"""Plugins of a project: single files in its folder `rck_plugins`, once the user has allowed that folder as it is."""

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from shlex import quote
from types import CodeType, ModuleType

from rck.model.finding import Finding, Severity
from rck.model.units import counted

FOLDER = "rck_plugins"
PROJECT = "this project"
"""Stands where other plugins have the name of their package."""


class _FromSource(SourceFileLoader):
    """Compiles what the user has looked at: bytecode that lies beside it may be of something else."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


@dataclass(frozen=True, slots=True)
class FilePoint:
    """A plugin that is one file; it answers as an entry point of a package does."""

    path: Path

    @property
    def name(self) -> str:
        """The name of the file, with hyphens as names of plugins have them."""
        return self.path.stem.replace("_", "-")

    @property
    def value(self) -> str:
        """Where it is."""
        return str(self.path)

    @property
    def dist(self) -> None:
        """It belongs to no package."""
        return None

    def load(self) -> ModuleType:
        """Import the file."""
        # Under a name of its own: it must not hide a module that happens to be called the same.
        name = f"{FOLDER}.{self.path.stem}"
        spec = importlib.util.spec_from_file_location(name, self.path, loader=_FromSource(name, str(self.path)))
        if spec is None or spec.loader is None:
            raise ImportError(f"{self.path} is not Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def loaded_files(folder: Path) -> list[Path]:
    """The files of a folder that are plugins."""
    return sorted(path for path in folder.glob("*.py") if path.is_file() and not path.name.startswith("_"))


def ignored_files(folder: Path) -> list[str]:
    """What lies beside them and is none, each with the reason."""
    private = [f"{path.name} (its name begins with _)" for path in folder.glob("_*.py")]
    inside = [f"{path.name}/ (only single files are loaded)" for path in folder.iterdir() if any(path.glob("*.py"))]
    return [*sorted(private), *sorted(inside)]


def fingerprints(folder: Path) -> dict[str, str]:
    """The digest of every Python file in a folder and below, by its path there: what one loads may read another."""
    files = sorted(path for path in folder.rglob("*.py") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def project_points(
    project: Path, allowed: Mapping[str, Mapping[str, str]]
) -> tuple[tuple[FilePoint, ...], tuple[Finding, ...]]:
    """The plugins in a project's folder; a finding instead where the user has not allowed it as it is now.

    `allowed` has the fingerprints of folders when they were allowed.
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
        message = f"has {counted(len(files), 'plugin')}, not loaded: whoever wrote them could do all that you can"
        return (), (Finding(607, Severity.NOTE, str(folder), message, f"look at them, then `rck plugins allow{here}`"),)
    if changed:
        message = f"is not loaded: since you allowed it, {changed}"
        fix = f"look at that, then `rck plugins allow{here}` allows it again"
        return (), (Finding(607, Severity.NOTE, str(folder), message, fix),)
    return tuple(FilePoint(path) for path in files), ()


def _nothing_loaded(folder: Path) -> tuple[Finding, ...]:
    """Who put something there wants to know why it does nothing."""
    ignored = ignored_files(folder) if folder.is_dir() else []
    if not ignored:
        return ()
    return (Finding(607, Severity.NOTE, str(folder), f"has no plugin: not loaded are {', '.join(ignored)}"),)


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What is otherwise than it was; nothing where all is the same."""
    told = {
        "changed": [name for name in now if name in before and now[name] != before[name]],
        "was added": [name for name in now if name not in before],
        "is gone": [name for name in before if name not in now],
    }
    return "; ".join(f"{', '.join(names)} {what}" for what, names in told.items() if names)
