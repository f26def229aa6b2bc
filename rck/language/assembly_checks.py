"""Checks of an assembly beyond its compilation: loose ends, gaps between mated parts, and faces of different size."""

from collections.abc import Iterator

import numpy as np

from rck.assembly.compiler import Compiled
from rck.assembly.document import Assembly, Mate
from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import is_tool_tip
from rck.assembly.placements import PlacedPort
from rck.collision.pairs import Pairs
from rck.collision.scene import HullScene
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import apply, invert
from rck.model import Finding, Item, Robot, Severity
from rck.model.robot import select_items
from rck.support.units import amount

TOUCHING = 3e-3
"""Largest gap between mated parts, in metres: washers, and simplified shapes."""
_STANDING = 1e-3
"""Height in metres up to which an instance stands on the floor."""
_COPLANAR = 1e-3
_PARALLEL = 1e-3
_LEAST_CARRIED = 0.5
"""Smallest share of the face of an attached part that lies on the face that carries it."""


def check_assembly(assembly: Assembly, compiled: Compiled) -> list[Finding]:
    """Return warnings about instances and mates of a compiled assembly."""
    return [
        *_unattached(assembly, compiled),
        *_gaps(assembly, compiled),
        *_unequal_faces(assembly, compiled),
    ]


def _unattached(assembly: Assembly, compiled: Compiled) -> Iterator[Finding]:
    mated = {parse_end(end).instance for mate in assembly.mates for end in (mate.at, mate.put)}
    if len(assembly.parts) < 2:
        return
    for name, instance in assembly.parts.items():
        if name in mated or instance.loose:
            continue
        items = [item for item in compiled.robot.items if compiled.instance_of_item[item.name] == name]
        if all(item.mobile for item in items) or _lowest(items) <= _STANDING:
            continue
        fix = f"mate it: `mate END {name}`; or let it move freely: `set {name} loose=yes`"
        message = "the instance is neither mated nor loose, and does not stand on the floor"
        yield Finding(813, Severity.WARNING, name, message, fix)


def _lowest(items: list[Item]) -> float:
    """Return the height of the lowest point of items; infinite for items without shapes."""
    heights = [
        float(apply(item.pose, subitem.shape.vertices)[:, 2].min()) for item in items for subitem in item.subitems
    ]
    return min(heights, default=np.inf)


def _rigid_mates(assembly: Assembly) -> list[Mate]:
    """Return the mates that hold two parts together without a joint, except those that the user forced."""
    return [mate for mate in assembly.mates if not mate.force and not (mate.joint is not None and mate.joint.moves)]


def _gaps(assembly: Assembly, compiled: Compiled) -> Iterator[Finding]:
    mates = _rigid_mates(assembly)
    pairs = {(parse_end(mate.at).instance, parse_end(mate.put).instance): mate for mate in mates}
    if not pairs:
        return
    robot, owners = compiled.robot, compiled.instance_of_item
    scene = HullScene(robot, _all_pairs(robot))
    near = {(owners[one], owners[other]) for one, other in _near_items(scene, robot)}
    shaped = {owners[item.name] for item in robot.items if item.subitems}
    for (at, put), mate in pairs.items():
        if (at, put) in near or (put, at) in near or at not in shaped or put not in shaped:
            continue
        if any(_is_reference(end, compiled) for end in (mate.at, mate.put)):
            continue
        gap = _distance(robot, [item.name for item in robot.items if owners[item.name] in (at, put)], compiled, at)
        message = f"{put} is mated to {at} but does not touch it; the gap is {amount(1000 * gap)} mm"
        fix = "remove the offset, or insert the part that fills the gap"
        yield Finding(814, Severity.WARNING, f"mate {mate.at} {mate.put}", message, fix)


def _near_items(scene: HullScene, robot: Robot) -> list[tuple[str, str]]:
    return [clearance.items for clearance in scene.clearances(robot.positions, TOUCHING)]


def _all_pairs(robot: Robot) -> Pairs:
    """Return all pairs of items of a robot."""
    count = len(robot.items)
    groups = frozen(np.arange(count, dtype=np.int64))
    return Pairs(group_of_item=groups, scope_of_item=frozen(np.zeros(count, dtype=np.int64)), exempt=frozenset())


def _distance(robot: Robot, items: list[str], compiled: Compiled, at: str) -> float:
    """Return the distance of two instances, in metres."""
    pair = select_items(robot, items)
    owners = compiled.instance_of_item
    gaps = [
        clearance.distance
        for clearance in HullScene(pair, _all_pairs(pair)).clearances(np.array([item.pose for item in pair.items]))
        if (owners[clearance.items[0]] == at) != (owners[clearance.items[1]] == at)
    ]
    return min(gaps, default=0.0)


def _is_reference(end: str, compiled: Compiled) -> bool:
    """Return True for a reference point of a tool, such as the middle between fingertips."""
    parsed = parse_end(end)
    port = compiled.bodies[parsed.instance].ports.get(parsed.place)
    return port is not None and is_tool_tip(port)


def _unequal_faces(assembly: Assembly, compiled: Compiled) -> Iterator[Finding]:
    for mate in _rigid_mates(assembly):
        at, put = compiled.ports.get(mate.at), compiled.ports.get(mate.put)
        if at is None or put is None or not (_is_plain(at, compiled) and _is_plain(put, compiled)):
            continue
        world_from_at = at.world_pose(compiled.robot)
        carrying, carried = (_face_box(port, world_from_at, compiled.robot) for port in (at, put))
        if carrying is None or carried is None:
            continue
        (low, high), (other_low, other_high) = carrying, carried
        shared = np.clip(np.minimum(high, other_high) - np.maximum(low, other_low), 0.0, None).prod()
        own = (other_high - other_low).prod()
        if own > 0 and shared < _LEAST_CARRIED * own:
            sizes = f"{_size(carried)} mm on {_size(carrying)} mm"
            message = f"plain faces of different size: {sizes}, {100 * shared / own:.0f} % in contact"
            fix = "insert a plate that carries the larger face, or choose another port"
            yield Finding(815, Severity.WARNING, f"mate {mate.at} {mate.put}", message, fix)


def _size(box: tuple[Floats, Floats]) -> str:
    """Return a size such as `40 x 20`, in millimetres."""
    return " x ".join(amount(1000 * float(size)) for size in box[1] - box[0])


def _is_plain(port: PlacedPort, compiled: Compiled) -> bool:
    end = parse_end(port.end)
    return port.type == "any" and port.interface is None and not compiled.bodies[end.instance].ports[end.place].note


def _face_box(port: PlacedPort, world_from_plane: Floats, robot: Robot) -> tuple[Floats, Floats] | None:
    """Return the corners of the bounding rectangle of the face that a port is on, in a plane; None without a face."""
    item = robot.item(port.item)
    normal, origin = port.pose[:3, 2], port.pose[:3, 3]
    points = []
    for subitem in item.subitems:
        shape = subitem.shape
        for face, plane in zip(shape.faces, shape.planes, strict=True):
            if plane[:3] @ normal > 1 - _PARALLEL and abs(plane[:3] @ origin - plane[3]) < _COPLANAR:
                points.append(shape.vertices[list(face)])
    if not points:
        return None
    flat = apply(invert(world_from_plane) @ item.pose, np.concatenate(points))[:, :2]
    return flat.min(axis=0), flat.max(axis=0)
