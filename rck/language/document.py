"""The document that a command gets and returns: an assembly in its context."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rck.assembly.compiler import Compiled, Compiler, body_of
from rck.assembly.definitions import Definitions, InstanceBody
from rck.assembly.document import Assembly, Instance, replaced
from rck.assembly.instance_poses import InstancePoses
from rck.assembly.native_file import read_assembly
from rck.hooks import Job, Plugins
from rck.model import Built, Finding, RckError, Robot, Severity
from rck.model.quantities import Units
from rck.parts.library import Catalogue
from rck.support.files import Stamp
from rck.support.finding import errors_of

_COMPILED = 4
"""Number of compiled assemblies that a context keeps: the present one and previews."""


class AssemblyContext:
    """A project folder with its catalogue, its plugins, and a compiler that caches its results."""

    def __init__(self, plugins: Plugins, catalogue: Catalogue, folder: Path, job: Job | None = None) -> None:
        self.plugins = plugins
        self.catalogue = catalogue
        self.folder = folder
        self.compiler = Compiler(Definitions(catalogue, folder, compile_file, job or Job()))
        self._compiled: list[tuple[Assembly, Mapping[Path, Stamp], Built[Compiled]]] = []

    def compile(self, assembly: Assembly, path: Path | None = None) -> Built[Compiled]:
        """Compile an assembly, or return the cached result if neither it nor a file that it uses has changed.

        `path` is the file of the assembly: an instance that contains that file would contain itself.
        """
        stamps = self.compiler.definitions.stamps()
        for known, known_stamps, built in self._compiled:
            if known is assembly and known_stamps == stamps:
                return built
        built = self._inspected(assembly, self.compiler.compile(assembly, _opening(path)))
        others = [entry for entry in self._compiled if entry[0] is not assembly]
        self._compiled = [*others[1 - _COMPILED :], (assembly, self.compiler.definitions.stamps(), built)]
        return built

    def _inspected(self, assembly: Assembly, built: Built[Compiled]) -> Built[Compiled]:
        """Add the findings of plugins; an error makes the assembly invalid."""
        if built.value is None:
            return built
        try:
            found = self.plugins.inspect("rck_on_compile", assembly=assembly, robot=built.value.robot)
        except RckError as refusal:
            found = (Finding(611, Severity.ERROR, f"assembly {assembly.name}", str(refusal)),)
        if not found:
            return built
        return Built(None if errors_of(found) else built.value, (*built.findings, *found))


@dataclass(frozen=True)
class Document:
    """An assembly in its context. It is immutable: a command returns another document.

    Two documents are equal if their assemblies are.
    """

    assembly: Assembly
    context: AssemblyContext = field(repr=False, compare=False)
    path: Path | None = field(default=None, compare=False)
    """The file of the assembly; None before the first save."""
    job: Job = field(default_factory=Job, repr=False, compare=False)
    """Takes the progress of slow commands; a cancelled job stops them."""

    @property
    def units(self) -> Units:
        """The units of numbers without a unit."""
        return self.assembly.units

    @property
    def catalogue(self) -> Catalogue:
        """The parts that instances can be made of."""
        return self.context.catalogue

    @property
    def folder(self) -> Path:
        """The folder that relative file names start from."""
        return self.context.folder

    @property
    def plugins(self) -> Plugins:
        """The plugins of this run."""
        return self.context.plugins

    def with_assembly(self, assembly: Assembly) -> "Document":
        """Return a document with another assembly."""
        return self if assembly is self.assembly else replace(self, assembly=assembly)

    def with_changes(self, **changes: object) -> "Document":
        """Return a document with some fields of the assembly replaced, such as `parts` or `mates`."""
        return self.with_assembly(replaced(self.assembly, **changes))

    def compile(self) -> Built[Compiled]:
        """Return the robot with its ports, or the findings that prevent it."""
        return self.context.compile(self.assembly, self.path)

    @property
    def compiled(self) -> Compiled:
        """The robot with its ports; raises :class:`RckError` if the assembly has errors."""
        return self.compile().unwrap()

    @property
    def robot(self) -> Robot:
        """The robot; raises :class:`RckError` if the assembly has errors."""
        return self.compiled.robot

    def body(self, name: str) -> InstanceBody:
        """Return the items, joints and ports of an instance."""
        return self._body(self.assembly.parts[name])

    def part_body(self, part: str) -> InstanceBody:
        """Return the items, joints and ports that a new instance of a part would have."""
        return self._body(Instance(part))

    def _body(self, instance: Instance) -> InstanceBody:
        return self.context.compiler.definitions.body(instance, self.assembly, _opening(self.path))

    @cached_property
    def poses(self) -> InstancePoses:
        """The poses of the instances in the world; errors elsewhere in the assembly do not matter."""
        return InstancePoses(self.assembly, self.context.compiler, _opening(self.path))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Document":
        return replace(self, assembly=deepcopy(self.assembly, memo))


def _opening(path: Path | None) -> tuple[Path, ...]:
    return () if path is None else (path.resolve(),)


def compile_file(path: Path, definitions: Definitions, opening: tuple[Path, ...]) -> InstanceBody:
    """Compile the assembly in a file into the body of one instance."""
    assembly = read_assembly(path)
    built = Compiler(definitions).compile(assembly, (*opening, path))
    if built.value is None:
        raise RckError(f"{path.name}: {plain_text(errors_of(built.findings)[0])}")
    return body_of(assembly, built.value, built.findings)


def plain_text(finding: Finding) -> str:
    """Return the text of a finding without its code and severity."""
    where = f"{finding.where}: " if finding.where else ""
    return f"{where}{finding.message}" + (f" ({finding.fix})" if finding.fix else "")
