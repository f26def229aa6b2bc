"""Local parts of an assembly made from part definitions, such as imports."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import msgspec
import numpy as np

from rck.assembly.document import LocalPart
from rck.geometry.arrays import Floats
from rck.geometry.contour import make_contour
from rck.geometry.mass_properties import moved
from rck.geometry.transforms import apply, from_euler, identity, to_euler, translation
from rck.kinematics.tip import framed_tips
from rck.model import Item, Joint, PairRule, PartDefinition, Port, Subitem, compile_part
from rck.model.quantities import Pair, PoseSpec, Triple, Units
from rck.parts.manifest import Follow, Hole, PartFrame, PartItem, PartJoint, PartPort, Prism, Shape
from rck.support.units import rounded

_SAME_ROTATION = 1e-14
"""Rotation matrices whose entries differ by less than this are the same."""
_UNITS = Units(length="m", angle="rad", mass="kg", angular_speed="rad/s", speed="m/s")
_DIGITS = 10
_NUMBER = re.compile(r"\d+")
_SAME_POINT = 1e-6
"""Ports at most this far apart, in metres, are the same."""


def local_part_of(part: PartDefinition, source: str, summary: str = "") -> LocalPart:
    """Return a definition as a local part in SI units.

    Extrusions become contours, other subitems hulls of their vertices. The ports are those of the definition, the
    flanges of its arms and `base`, by default at the lowest point of the first item.
    """
    items = plain_names(item.name for item in part.items)
    joints = plain_names(joint.name for joint in part.joints)
    part_from_item = {item.name: item.pose for item in part.items}
    on_axis = {name: translation(joint.start) for joint in part.joints for name in joint.moves}
    return LocalPart(
        items={items[item.name]: _item(item, on_axis.get(item.name, identity())) for item in part.items},
        summary=summary or f"imported from {source}",
        source=source,
        units=_UNITS,
        joints={joints[joint.name]: _joint(joint, items, joints) for joint in part.joints},
        ports=_ports(part, items),
        frames={
            name: _frame(items[frame.item], part_from_item[frame.item] @ frame.pose)
            for frame, name in zip(part.frames, plain_names(one.name for one in part.frames).values(), strict=True)
        },
    )


def local_parts_of(parts: Sequence[PartDefinition], source: str, name: str, summary: str = "") -> dict[str, LocalPart]:
    """Return local parts by name: a single definition gets the given name, several keep their own."""
    if len(parts) == 1:
        return {name: local_part_of(parts[0], source, summary)}
    return {part.name: local_part_of(part, source) for part in parts}


def contacts_of(part: PartDefinition, instance: str) -> list[PairRule]:
    """Return the collision rules of a definition, for an instance of the local part that was made of it."""
    items = plain_names(item.name for item in part.items)
    return [
        replace(rule, items=(f"{instance}/{items[rule.items[0]]}", f"{instance}/{items[rule.items[1]]}"))
        for rule in part.rules
    ]


def with_port_names(new: LocalPart, old: LocalPart) -> LocalPart:
    """Return a part that was imported again, with the numbered ports renamed as the ports at the same points were.

    Removing a hole from a drawing renumbers all later holes; the parts mounted there must stay.
    """
    left = dict(old.ports)
    names: dict[str, str] = {}
    for name, port in new.ports.items():
        same = [known for known, one in left.items() if _stem(known) == _stem(name) and _at_same_point(port, one)]
        if same:
            names[name] = min(same, key=lambda known: known != name)
            del left[names[name]]
    taken = set(names.values())
    for name in new.ports:
        if name not in names:
            wish, number = name, 1
            while wish in taken or (wish in new.ports and wish != name):
                wish = _NUMBER.sub(str(number), name, count=1) if _NUMBER.search(name) else f"{name}-{number + 1}"
                number += 1
            names[name] = wish
            taken.add(wish)
    return msgspec.structs.replace(new, ports={names[name]: port for name, port in new.ports.items()})


def _stem(name: str) -> str:
    """Return the name without its first number; numbered ports of one kind share it."""
    return _NUMBER.sub("#", name, count=1)


def _at_same_point(port: PartPort, other: PartPort) -> bool:
    apart = [float(a) - float(b) for a, b in zip(port.at, other.at, strict=True)]
    return max(map(abs, apart)) <= _SAME_POINT and (port.rpy, port.z, port.x) == (other.rpy, other.z, other.x)


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return a unique name without `/` for each name: names in a local part have no scopes."""
    plain: dict[str, str] = {}
    for name in names:
        wish = stem = name.replace("/", "_")
        number = 2
        while wish in plain.values():
            wish = f"{stem}-{number}"
            number += 1
        plain[name] = wish
    return plain


def _pose(pose: Floats) -> PoseSpec:
    """Return a pose in metres and radians, to the last digit where angles can express it."""
    x, y, z = (float(one) + 0.0 for one in pose[:3, 3])
    if np.array_equal(pose[:3, :3], np.eye(3)):
        return PoseSpec(at=(x, y, z))
    roll, pitch, yaw = to_euler(pose)
    if np.abs(from_euler((roll, pitch, yaw)) - pose)[:3, :3].max() < _SAME_ROTATION:
        return PoseSpec(at=(x, y, z), rpy=(roll, pitch, yaw))
    (zx, zy, zz), (xx, xy, xz) = pose[:3, 2].tolist(), pose[:3, 0].tolist()
    return PoseSpec(at=(x, y, z), z=(zx, zy, zz), x=(xx, xy, xz))


def _item(item: Item, default_frame: Floats) -> PartItem:
    body = moved(item.mass_properties, item.pose)
    inertia = body.inertia
    massive = body.mass > 0
    return PartItem(
        shapes=list(_shapes(item)),
        frame=None if np.array_equal(item.pose, default_frame) else _pose(item.pose),
        mass=_round(body.mass),
        centre=_triple(body.centre) if massive else None,
        inertia=(
            float(inertia[0, 0]),
            float(inertia[1, 1]),
            float(inertia[2, 2]),
            float(inertia[0, 1]),
            float(inertia[0, 2]),
            float(inertia[1, 2]),
        )
        if massive
        else None,
        colour=_colour(item.subitems[0]) if item.subitems else "#b2b2b8",
        mobile=item.mobile,
        friction=item.friction,
    )


def _shapes(item: Item) -> Iterator[Shape]:
    """Yield a shape for each extrusion, and for each subitem that is not a piece of one."""
    for _, group in groupby(item.subitems, lambda subitem: id(subitem.extrusion)):
        pieces = list(group)
        prism = _prism(pieces[0], item) if pieces[0].extrusion is not None else None
        if prism is not None:
            yield prism
        else:
            yield from (_hull(piece, item) for piece in pieces)


def _prism(piece: Subitem, item: Item) -> Shape | None:
    """Return the extrusion as its contour; None where rounding its points for the file would make them touch."""
    extrusion = piece.extrusion
    assert extrusion is not None
    rings = (extrusion.contour.main, *extrusion.contour.holes)
    main, *holes = ([_pair(point) for point in ring] for ring in rings)
    try:
        make_contour(main, holes)
    except ValueError:
        return None
    middle = item.pose @ extrusion.pose @ translation((0.0, 0.0, extrusion.thickness / 2))
    prism = Prism(_round(extrusion.thickness), contour=main, holes=[Hole(contour=hole) for hole in holes])
    roll, pitch, yaw = (rounded(float(angle), 15) for angle in to_euler(middle))
    return Shape(at=_triple(middle[:3, 3]), rpy=(roll, pitch, yaw), prism=prism, colour=_colour(piece))


def _pair(point: Floats) -> Pair:
    x, y = (rounded(float(one), 12) for one in point)
    return x, y


def _hull(subitem: Subitem, item: Item) -> Shape:
    points: list[Triple] = [_triple(point) for point in apply(item.pose, subitem.shape.vertices)]
    return Shape(hull=points, colour=_colour(subitem))


def _colour(subitem: Subitem) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in subitem.colour)


def _joint(joint: Joint, items: Mapping[str, str], joints: Mapping[str, str]) -> PartJoint:
    x, y, z = joint.direction.tolist() if joint.kind.moves else (0.0, 0.0, 1.0)
    return PartJoint(
        base=items[joint.base],
        moves=[items[name] for name in joint.moves],
        **{joint.kind.value: (x, y, z)},
        at=joint.start,
        limits=None if joint.limits is None else (joint.limits.lower, joint.limits.upper),
        position=joint.position,
        speed=joint.speed,
        acceleration=joint.acceleration,
        torque=joint.effort if joint.kind.turns else None,
        force=None if joint.kind.turns else joint.effort,
        damping=joint.damping,
        friction=joint.friction,
        follows=None
        if joint.mimic is None
        else Follow(joints[joint.mimic.joint], joint.mimic.ratio, joint.mimic.offset),
    )


def _frame(item: str, part_from_frame: Floats) -> PartFrame:
    pose = _pose(part_from_frame)
    return PartFrame(pose.at, pose.rpy, pose.z, pose.x, item)


def _ports(part: PartDefinition, items: Mapping[str, str]) -> dict[str, PartPort]:
    ports = [*part.ports, *_flanges(part)]
    names = plain_names(dict.fromkeys(port.name for port in ports))
    found: dict[str, PartPort] = {}
    for port in ports:
        spec = PartPort(
            at=_triple(port.pose[:3, 3]),
            rpy=_triple(np.array(to_euler(port.pose))),
            on=items[port.item],
            kind=port.kind,
            gender=port.gender,
            note=port.note,
        )
        found.setdefault(names[port.name], spec)
    first = next((item for item in part.items if item.subitems), None)
    if "base" in found or first is None:
        return found
    corners = np.concatenate([apply(first.pose, subitem.shape.vertices) for subitem in first.subitems])
    lowest = corners[corners[:, 2] <= corners[:, 2].min() + 1e-6]
    return {**found, "base": PartPort(on=items[first.name], at=_triple(lowest.mean(axis=0)), z="-z")}


def _flanges(part: PartDefinition) -> Iterator[Port]:
    """Yield ports at the tips of the arms."""
    if not part.joints:
        return
    robot = compile_part(part).unwrap()
    for tip in framed_tips(robot):
        place = robot.frame(tip)
        yield Port(tip, place.item, robot.item(place.item).pose @ place.pose)


def _triple(point: Floats) -> tuple[float, float, float]:
    x, y, z = (_round(float(one)) for one in point)
    return x, y, z


def _round(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}") + 0.0
