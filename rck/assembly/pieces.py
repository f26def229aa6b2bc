"""Resolving what an instance is: a part of the catalogue, a piece of this file, or another assembly's file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from rck.assembly.changed import changed_body
from rck.assembly.document import Assembly, Instance, Piece
from rck.catalogue.library import Catalogue
from rck.catalogue.manifest import Manifest
from rck.catalogue.part import Port, part_from_manifest
from rck.catalogue.recent import Recent
from rck.geometry.monotone import Watch, unwatched
from rck.model import Finding, RckError, Robot
from rck.model.files import Stamp, stamp_of
from rck.model.names import did_you_mean

DEEPEST = 20
"""So many assemblies may contain one another."""


@dataclass(frozen=True, eq=False)
class Body:
    """What an instance is made of, in the instance's own frame: items and joints, ports, tool frames."""

    robot: Robot
    ports: Mapping[str, Port]
    label: str
    """What people call it: the part's name, or the file's."""
    bought: bool = False
    """Whether it is a commercial part, which cannot be had as a mirror image or in another size."""
    findings: tuple[Finding, ...] = ()
    files: Mapping[Path, Stamp] = field(default_factory=dict)
    """The assemblies that it was read from, down to the innermost."""


@dataclass(eq=False)
class Pieces:
    """Finds and remembers the bodies of instances.

    Bodies are shared: a thousand screws are one body. What was built stays as long as the catalogue and the
    files stay the same, which is why compiling again after an edit is quick.
    """

    catalogue: Catalogue
    folder: Path
    """Where relative file names in the assembly start from."""
    compile_file: Callable[[Path, "Pieces", tuple[Path, ...]], Body]
    """Makes a body of another assembly's file; gets the files being read, outermost first."""
    watch: Watch = unwatched
    """Told how far the making of a large body is; it may raise to stop that."""
    _known: Recent[object, tuple[object, Body]] = field(default_factory=Recent)
    """By key: what the body was made from, kept so that its id stays its own; and the body."""
    _files: dict[Path, Body] = field(default_factory=dict)
    _asked: set[Path] = field(default_factory=set)

    def body(self, instance: Instance, assembly: Assembly, opening: tuple[Path, ...] = ()) -> Body:
        """The body of an instance; `opening` are the files being read, outermost first."""
        plain = self._plain(instance, assembly, opening)
        change = (instance.scale, instance.mirror, instance.colour, instance.loose)
        if change == (None, None, None, False):
            return plain
        return self._remembered((id(plain), change), plain, lambda: _changed(plain, instance))

    def stamps(self) -> Mapping[Path, Stamp]:
        """The files that were looked for so far, as they are now: a robot is old when one of them has changed."""
        return {path: stamp_of(path) for path in self._asked}

    def _remembered(self, key: object, source: object, make: Callable[[], Body]) -> Body:
        return self._known.get(key, lambda: (source, make()))[1]

    def _plain(self, instance: Instance, assembly: Assembly, opening: tuple[Path, ...]) -> Body:
        name = instance.part
        if name.endswith(".rck"):
            return self._file(name, instance, opening)
        if name in assembly.pieces:
            if instance.with_:
                raise RckError(f"the piece {name} has no parameters")
            piece, folder = assembly.pieces[name], self._folder(opening)
            made = partial(_piece_body, name, piece, folder, self.watch)
            return self._remembered((name, id(piece), folder), piece, made)
        if "/" not in name:
            hint = did_you_mean(name, [*assembly.pieces, *self.catalogue.entries])
            raise RckError(f"there is no piece or part {name!r}{hint}")
        part = self.catalogue.part(name, instance.with_, assembly.units)
        bought = bool(part.manifest.vendor)
        return self._remembered(id(part), part, lambda: Body(part.robot, part.ports, part.manifest.name, bought))

    def _folder(self, opening: tuple[Path, ...]) -> Path:
        return opening[-1].parent if opening else self.folder

    def _file(self, name: str, instance: Instance, opening: tuple[Path, ...]) -> Body:
        if instance.with_:
            raise RckError(f"the assembly {name} has no parameters")
        path = (self._folder(opening) / name).resolve()
        if path in opening:
            loop = " → ".join(one.name for one in (*opening[opening.index(path) :], path))
            raise RckError(f"{name} contains itself: {loop}")
        if len(opening) >= DEEPEST:
            raise RckError(f"{name} is {DEEPEST} assemblies deep, one within the other")
        self._asked.add(path)
        known = self._files.get(path)
        if known is None or any(stamp_of(file) != stamp for file, stamp in known.files.items()):
            # Looked at before it is read: a file that changes in between is read again next time.
            stamp = stamp_of(path)
            if stamp == (0, 0):
                raise RckError(f"there is no file {path}")
            read = self.compile_file(path, self, opening)
            known = self._files[path] = replace(read, files={path: stamp, **read.files})
        if not known.robot.items:
            raise RckError(f"{name} is empty")
        return known


def _piece_body(name: str, piece: Piece, folder: Path, watch: Watch) -> Body:
    manifest = Manifest(
        part=f"piece/{name}",
        name=name,
        category="piece",
        summary=piece.summary,
        source=piece.source,
        items=piece.items,
        units=piece.units,
        joints=piece.joints,
        ports=piece.ports,
        frames=piece.frames,
        devices=piece.devices,
    )
    built = part_from_manifest(manifest, folder, {}, watch)
    part = built.unwrap()
    return Body(part.robot, part.ports, name, findings=built.findings)


def _changed(body: Body, instance: Instance) -> Body:
    robot, ports = changed_body(body.robot, body.ports, instance)
    return replace(body, robot=robot, ports=ports)
