"""Definitions of instances: parts of the catalogue, local parts, and files of other assemblies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from rck.assembly.document import Assembly, Instance, LocalPart
from rck.assembly.modifiers import changed_body
from rck.model import Finding, Origin, Port, RckError, Robot, compile_part
from rck.parts.library import Catalogue
from rck.parts.spec_conversion import convert_part
from rck.support.files import Stamp, stamp_of
from rck.support.job import UNOBSERVED, Job
from rck.support.lru_cache import LruCache
from rck.support.names import did_you_mean

DEEPEST = 20
"""Largest nesting depth of assemblies."""


@dataclass(frozen=True, eq=False)
class InstanceBody:
    """The items, joints, ports and frames of an instance, in the frame of the part."""

    robot: Robot
    ports: Mapping[str, Port]
    label: str
    """Name for messages: the name of the part or of the file."""
    bought: bool = False
    """True for a commercial part, which is not available mirrored or scaled."""
    findings: tuple[Finding, ...] = ()
    files: Mapping[Path, Stamp] = field(default_factory=dict)
    """The files of assemblies that it was read from, including nested ones."""


@dataclass(eq=False)
class Definitions:
    """A cache of the bodies of instances.

    Bodies are shared: a thousand screws are one body. They stay valid while the catalogue and the files stay the same,
    which makes compiling after an edit fast.
    """

    catalogue: Catalogue
    folder: Path
    """The folder that relative file names start from."""
    compile_file: Callable[[Path, "Definitions", tuple[Path, ...]], InstanceBody]
    """Compiles the file of another assembly; gets the files that are being read, outermost first."""
    job: Job = UNOBSERVED
    """Receives the progress of building large bodies and can cancel it."""
    _known: LruCache[object, tuple[object, InstanceBody]] = field(default_factory=LruCache)
    """By key: the source of the body, which keeps its id valid, and the body."""
    _files: dict[Path, InstanceBody] = field(default_factory=dict)
    _asked: set[Path] = field(default_factory=set)

    def body(self, instance: Instance, assembly: Assembly, opening: tuple[Path, ...] = ()) -> InstanceBody:
        """Return the body of an instance; `opening` are the files that are being read, outermost first."""
        plain = self._plain(instance, assembly, opening)
        change = (instance.scale, instance.mirror, instance.colour, instance.loose)
        if change == (None, None, None, False):
            return plain
        return self._remembered((id(plain), change), plain, lambda: _changed(plain, instance))

    def stamps(self) -> Mapping[Path, Stamp]:
        """Return the state of all files that were used so far; a robot is outdated if one of them has changed."""
        return {path: stamp_of(path) for path in self._asked}

    def _remembered(self, key: object, source: object, make: Callable[[], InstanceBody]) -> InstanceBody:
        return self._known.get(key, lambda: (source, make()))[1]

    def _plain(self, instance: Instance, assembly: Assembly, opening: tuple[Path, ...]) -> InstanceBody:
        name = instance.part
        if name.endswith(".rck"):
            return self._file(name, instance, opening)
        if name in assembly.local_parts:
            if instance.with_:
                raise RckError(f"the local part {name} has no parameters")
            piece, folder = assembly.local_parts[name], self._folder(opening)
            made = partial(_local_part_body, name, piece, folder, self.catalogue, self.job)
            return self._remembered((name, id(piece), folder), piece, made)
        if "/" not in name:
            hint = did_you_mean(name, [*assembly.local_parts, *self.catalogue.entries])
            raise RckError(f"there is no part {name!r}{hint}")
        part = self.catalogue.part(name, instance.with_, assembly.units)
        bought = bool(part.manifest.vendor)
        return self._remembered(
            id(part), part, lambda: InstanceBody(part.robot, part.ports, part.manifest.name, bought)
        )

    def _folder(self, opening: tuple[Path, ...]) -> Path:
        return opening[-1].parent if opening else self.folder

    def _file(self, name: str, instance: Instance, opening: tuple[Path, ...]) -> InstanceBody:
        if instance.with_:
            raise RckError(f"the assembly {name} has no parameters")
        path = (self._folder(opening) / name).resolve()
        if path in opening:
            loop = " → ".join(one.name for one in (*opening[opening.index(path) :], path))
            raise RckError(f"{name} contains itself: {loop}")
        if len(opening) >= DEEPEST:
            raise RckError(f"{name} is nested more than {DEEPEST} assemblies deep")
        self._asked.add(path)
        known = self._files.get(path)
        if known is None or any(stamp_of(file) != stamp for file, stamp in known.files.items()):
            # Take the stamp before reading: a file that changes in between is read again next time.
            stamp = stamp_of(path)
            if stamp == (0, 0):
                raise RckError(f"there is no file {path}")
            read = self.compile_file(path, self, opening)
            known = self._files[path] = replace(read, files={path: stamp, **read.files})
        if not known.robot.items:
            raise RckError(f"{name} is empty")
        return known


def _local_part_body(name: str, part: LocalPart, folder: Path, catalogue: Catalogue, job: Job) -> InstanceBody:
    converted = convert_part(part, name, Origin(f"piece/{name}", name), folder, job=job)
    definition = converted.unwrap()
    robot = compile_part(definition)
    ports = catalogue.port_types.resolved({port.name: port for port in definition.ports})
    return InstanceBody(robot.unwrap(), ports, name, findings=(*converted.findings, *robot.findings))


def _changed(body: InstanceBody, instance: Instance) -> InstanceBody:
    robot, ports = changed_body(body.robot, body.ports, instance)
    return replace(body, robot=robot, ports=ports)
