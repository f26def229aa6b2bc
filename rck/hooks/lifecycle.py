"""Lifecycle hooks: functions of plugins that RCK calls before, after and during its work.

Each takes any of the arguments of its specification, by name, and returns findings or None. To refuse the action, it
raises :class:`rck.model.RckError` with the reason. RCK calls the hooks of its own plugins first, then those of the
others in order of their names; `@hookimpl(tryfirst=True)`, `@hookimpl(trylast=True)` and `@hookimpl(wrapper=True)`
change that as in pluggy.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pluggy

from rck.hooks.kinds import Exported
from rck.hooks.surroundings import Surroundings
from rck.model.robot import Robot
from rck.support.finding import Finding

hookspec = pluggy.HookspecMarker("rck")

Found: TypeAlias = Iterable[Finding] | None
"""Return value of a lifecycle hook."""


class LifecycleSpecs:
    """One method per hook. Documents are :class:`rck.language.document.Document` objects."""

    @hookspec
    def rck_before_command(self, document: Any, line: str) -> Found:
        """Inspect a line of the command language before it runs; a refusal changes nothing."""

    @hookspec
    def rck_after_command(self, before: Any, after: Any, line: str) -> Found:
        """Inspect the document after a command, before it is accepted; a refusal discards an edit."""

    @hookspec
    def rck_on_open(self, path: Path, document: Any) -> Found:
        """Inspect a document that was read from an assembly file; a refusal keeps it closed."""

    @hookspec
    def rck_before_save(self, path: Path, document: Any) -> Found:
        """Inspect a document before it is written; a refusal leaves the file unchanged."""

    @hookspec
    def rck_after_save(self, path: Path, document: Any) -> Found:
        """React to a document that was written to a file."""

    @hookspec
    def rck_on_import(self, path: Path, contents: Any) -> Found:
        """Inspect an imported file (`rck.hooks.file_exchange.FileContents`); a refusal cancels the import."""

    @hookspec
    def rck_on_export(self, exporter: str, path: Path, robot: Any, exported: Exported) -> Found:
        """Inspect the files of an export before they are written; a refusal writes none."""

    @hookspec
    def rck_on_compile(self, assembly: Any, robot: Robot) -> Found:
        """Inspect a compiled robot; it must return the same for the same robot, and an error makes it invalid."""

    @hookspec
    def rck_on_simulation_step(self, world: Surroundings) -> Found:
        """Inspect the world after a step of a simulation; a refusal ends the run."""

    @hookspec
    def rck_on_simulation_end(self, world: Surroundings) -> Found:
        """Inspect the world at the end of a simulation."""


LIFECYCLE = frozenset(name for name in vars(LifecycleSpecs) if name.startswith("rck_"))
"""Names of the lifecycle hooks."""
