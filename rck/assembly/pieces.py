"""Resolving what an instance is: a part of the catalogue, a piece of this file, or another assembly's file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rck.assembly.document import Assembly, Instance, Piece
from rck.catalogue.library import Catalogue
from rck.catalogue.manifest import Manifest
from rck.catalogue.part import Port, part_from_manifest
from rck.catalogue.shapes import colour_of
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import AXES, apply, frame, invert, mirror, scaling
from rck.model import Finding, Frame, Item, RckError, Robot
from rck.model.mapped import map_item
from rck.model.names import did_you_mean


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
    _known: dict[object, tuple[object, Body]] = field(default_factory=dict)
    """By key: what the body was made from, kept so that its id stays its own; and the body."""

    def body(self, instance: Instance, assembly: Assembly, opening: tuple[Path, ...] = ()) -> Body:
        """The body of an instance; `opening` are the files being read, outermost first."""
        plain = self._plain(instance, assembly, opening)
        change = (instance.scale, instance.mirror, instance.colour, instance.loose)
        if change == (None, None, None, False):
            return plain
        return self._remembered((id(plain), change), plain, lambda: _changed(plain, instance))

    def _remembered(self, key: object, source: object, make: Callable[[], Body]) -> Body:
        if key not in self._known:
            self._known[key] = (source, make())
        return self._known[key][1]

    def _plain(self, instance: Instance, assembly: Assembly, opening: tuple[Path, ...]) -> Body:
        name = instance.part
        if name.endswith(".rck"):
            return self._file(name, instance, opening)
        if name in assembly.pieces:
            if instance.with_:
                raise RckError(f"the piece {name} has no parameters")
            piece = assembly.pieces[name]
            return self._remembered((name, id(piece)), piece, lambda: self._piece(name, piece))
        if "/" not in name:
            hint = did_you_mean(name, [*assembly.pieces, *self.catalogue.entries])
            raise RckError(f"there is no piece or part {name!r}{hint}")
        part = self.catalogue.part(name, instance.with_)
        bought = bool(part.manifest.vendor)
        return self._remembered(id(part), part, lambda: Body(part.robot, part.ports, part.manifest.name, bought))

    def _file(self, name: str, instance: Instance, opening: tuple[Path, ...]) -> Body:
        if instance.with_:
            raise RckError(f"the assembly {name} has no parameters")
        here = opening[-1].parent if opening else self.folder
        path = (here / name).resolve()
        if path in opening:
            loop = " → ".join(one.name for one in (*opening[opening.index(path) :], path))
            raise RckError(f"{name} contains itself: {loop}")
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            raise RckError(f"there is no file {path}") from None
        return self._remembered((path, stamp), path, lambda: self.compile_file(path, self, opening))

    def _piece(self, name: str, piece: Piece) -> Body:
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
            devices=piece.devices,
        )
        built = part_from_manifest(manifest, self.folder, {})
        part = built.unwrap()
        return Body(part.robot, part.ports, name, findings=built.findings)


def _changed(body: Body, instance: Instance) -> Body:
    """The body scaled, mirrored, coloured or made loose."""
    matrix = np.eye(4)
    if instance.scale is not None:
        matrix = scaling(instance.scale)
    if instance.mirror is not None:
        matrix = mirror(AXES[instance.mirror]) @ matrix
    colour = colour_of(instance.colour) if instance.colour is not None else None
    robot = body.robot
    items = tuple(map_item(item, matrix, colour, instance.loose) for item in robot.items)
    joints = tuple(
        replace(
            joint,
            start=_point(matrix, joint.start),
            end=_axis_end(matrix, joint.start, joint.end, joint.kind.turns),
        )
        for joint in robot.joints
    )
    frames = tuple(replace(one, pose=_frame_on(robot, one, items, matrix)) for one in robot.frames)
    ports = {name: replace(port, pose=frozen(_mapped_frame(matrix, port.pose))) for name, port in body.ports.items()}
    return replace(body, robot=Robot(robot.name, items, joints, frames), ports=ports)


def _point(matrix: Floats, point: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = apply(matrix, point).tolist()
    return x, y, z


def _axis_end(
    matrix: Floats, start: tuple[float, float, float], end: tuple[float, float, float], turns: bool
) -> tuple[float, float, float]:
    """The mapped second point; in a mirror a turn goes the other way round."""
    if turns and np.linalg.det(matrix[:3, :3]) < 0:
        end = tuple(2 * a - b for a, b in zip(start, end, strict=True))  # type: ignore[assignment]
    return _point(matrix, end)


def _mapped_frame(matrix: Floats, pose: Floats) -> Floats:
    """The frame that the map brings `pose` to, made right-handed and square again: origin, z and x are kept."""
    turned = matrix[:3, :3]
    # Normals go by the inverse transpose, so that a port stays square to its face under any scale.
    normal = np.linalg.inv(turned).T @ pose[:3, 2]
    return frame(apply(matrix, pose[:3, 3]), z=normal, x=turned @ pose[:3, 0])


def _frame_on(robot: Robot, one: Frame, items: tuple[Item, ...], matrix: Floats) -> Floats:
    world = robot.item(one.item).pose @ one.pose
    return frozen(invert(items[robot.item_index[one.item]].pose) @ _mapped_frame(matrix, world))
