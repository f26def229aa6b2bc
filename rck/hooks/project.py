"""Plugins of a project: single files in its folder `rck_plugins`, once the user has allowed that folder."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from rck.model.finding import Finding, Severity
from rck.model.units import counted

FOLDER = "rck_plugins"


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
        spec = importlib.util.spec_from_file_location(name, self.path)
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


def project_points(project: Path, allowed: frozenset[str]) -> tuple[tuple[FilePoint, ...], tuple[Finding, ...]]:
    """The plugins in a project's folder; a finding instead where the user has not allowed it."""
    folder = project / FOLDER
    try:
        files = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    except OSError:
        return (), ()
    if not files:
        return (), ()
    if str(folder.resolve()) not in allowed:
        message = f"has {counted(len(files), 'plugin')}, not loaded: whoever wrote them could do all that you can"
        fix = "look at them, then `rck plugins allow`"
        return (), (Finding(607, Severity.NOTE, str(folder), message, fix),)
    return tuple(FilePoint(path) for path in files), ()
