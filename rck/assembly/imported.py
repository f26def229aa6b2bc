"""Imported robots as pieces: a definition inside the assembly that says exactly what was read."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from rck.assembly.document import Piece
from rck.catalogue.manifest import (
    Follow,
    Hole,
    Pair,
    PartFrame,
    PartItem,
    PartJoint,
    PartPort,
    Place,
    Prism,
    Shape,
    Triple,
    Units,
)
from rck.geometry.arrays import Floats
from rck.geometry.contour import make_contour
from rck.geometry.mass import moved
from rck.geometry.transforms import apply, from_euler, identity, to_euler, translation
from rck.hooks import Imported, Plate, PortFrame
from rck.kinematics.tip import framed_tips
from rck.model import Item, Joint, PairRule, Robot, Subitem
from rck.model.units import rounded

_SAME_TURN = 1e-14
"""Rotation matrices whose entries differ by less than this are the same."""
_UNITS = Units(length="m", angle="rad", mass="kg", angular_speed="rad/s", speed="m/s")
_DIGITS = 10


def piece_of(
    robot: Robot, source: str, ports: Iterable[PortFrame] = (), summary: str = "", plates: Iterable[Plate] = ()
) -> Piece:
    """Return the robot as a local part: plates as contours, other subitems as hulls of their vertices, in SI units.

    Items keep their frames, and named frames stay frames. The ports are those that came with the robot, the flanges of
    its arms and `base`, by default at the lowest point of the first item.
    """
    items = _plain_names(item.name for item in robot.items)
    joints = _plain_names(joint.name for joint in robot.joints)
    plates_of: dict[str, list[Plate]] = {}
    for plate in plates:
        plates_of.setdefault(plate.item, []).append(plate)
    return Piece(
        items={
            items[item.name]: _item(item, _frame_of(robot, number), plates_of.get(item.name, ()))
            for number, item in enumerate(robot.items)
        },
        summary=summary or f"imported from {source}",
        source=source,
        units=_UNITS,
        joints={joints[joint.name]: _joint(joint, items, joints) for joint in robot.joints},
        ports=_ports(robot, [*ports, *_flanges(robot)], items),
        frames=_frames(robot, items),
    )


def contacts_of(robot: Robot, piece: Piece, name: str) -> list[PairRule]:
    """What is decided about pairs of the robot's items, for those that are in an instance of the piece."""
    items = {old: f"{name}/{new}" for old, new in _plain_names(item.name for item in robot.items).items()}
    return [
        replace(rule, items=(items[rule.items[0]], items[rule.items[1]]))
        for rule in robot.rules
        if all(items[one].partition("/")[2] in piece.items for one in rule.items)
    ]


def pieces_of(imported: Imported, robot: Robot, source: str, name: str) -> dict[str, Piece]:
    """The robot as pieces by name: one, or one for each mechanism where those were imported apart."""
    mechanisms = _mechanisms(robot) if imported.apart else [robot]
    if len(mechanisms) == 1:
        return {name: piece_of(robot, source, imported.ports, imported.summary, imported.plates)}
    pieces = {}
    for one in mechanisms:
        prefix = f"{one.name}-"
        ports = [
            replace(port, name=port.name.removeprefix(prefix)) for port in imported.ports if port.item in one.item_index
        ]
        pieces[one.name] = piece_of(one, source, ports, plates=imported.plates)
    return pieces


def _mechanisms(robot: Robot) -> list[Robot]:
    """What joints hold together, each under the name of the item that it stands on."""
    tree = robot.tree
    mechanisms = []
    for root in tree.roots:
        numbers = {root}
        for joint in tree.children[root]:
            numbers.update(tree.carried_by(joint))
        names = {robot.items[number].name for number in numbers}
        mechanisms.append(
            Robot(
                robot.items[root].name,
                tuple(item for item in robot.items if item.name in names),
                tuple(joint for joint in robot.joints if joint.base in names),
                tuple(frame for frame in robot.frames if frame.item in names),
                tuple(device for device in robot.devices if device.item in names),
            )
        )
    return mechanisms


_NUMBER = re.compile(r"\d+")
_SAME_PLACE = 1e-6
"""Ports no farther apart than this, in metres, are the same."""


def with_port_names(new: Piece, old: Piece) -> Piece:
    """The piece as it was read again, its numbered ports under the names that those at the same places had.

    A hole less in a drawing gives all later ones other numbers; what is fastened there is to stay.
    """
    left = dict(old.ports)
    names: dict[str, str] = {}
    for name, port in new.ports.items():
        same = [known for known, one in left.items() if _kin(known) == _kin(name) and _at_one_place(port, one)]
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


def _kin(name: str) -> str:
    """The name without its first number, which ports of one kind share."""
    return _NUMBER.sub("#", name, count=1)


def _at_one_place(port: PartPort, other: PartPort) -> bool:
    apart = [float(a) - float(b) for a, b in zip(port.at, other.at, strict=True)]
    return max(map(abs, apart)) <= _SAME_PLACE and (port.rpy, port.z, port.x) == (other.rpy, other.z, other.x)


def _plain_names(names: Iterable[str]) -> dict[str, str]:
    """Each name without scopes, which names of a piece do not have, and still unlike the others."""
    plain: dict[str, str] = {}
    for name in names:
        wish = stem = name.replace("/", "_")
        number = 2
        while wish in plain.values():
            wish = f"{stem}-{number}"
            number += 1
        plain[name] = wish
    return plain


def _frame_of(robot: Robot, number: int) -> Place | None:
    """The frame of an item; None where a manifest without one gives the same."""
    joint = robot.tree.joint_of_item[number]
    default = identity() if joint is None else translation(robot.joints[joint].start)
    pose = robot.items[number].pose
    return None if np.array_equal(pose, default) else _place(pose)


def _place(pose: Floats) -> Place:
    """The pose as a place in metres and radians, to the last digit where angles can give it."""
    x, y, z = (float(one) + 0.0 for one in pose[:3, 3])
    if np.array_equal(pose[:3, :3], np.eye(3)):
        return Place(at=(x, y, z))
    roll, pitch, yaw = to_euler(pose)
    if np.abs(from_euler((roll, pitch, yaw)) - pose)[:3, :3].max() < _SAME_TURN:
        return Place(at=(x, y, z), rpy=(roll, pitch, yaw))
    (zx, zy, zz), (xx, xy, xz) = pose[:3, 2].tolist(), pose[:3, 0].tolist()
    return Place(at=(x, y, z), z=(zx, zy, zz), x=(xx, xy, xz))


def _item(item: Item, frame: Place | None, plates: Iterable[Plate]) -> PartItem:
    body = moved(item.mass_properties, item.pose)
    inertia = body.inertia
    massive = body.mass > 0
    return PartItem(
        shapes=list(_shapes(item, plates)),
        frame=frame,
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


def _shapes(item: Item, plates: Iterable[Plate]) -> Iterator[Shape]:
    """What the item is made of: a shape for each plate, and for each subitem that is in none."""
    prisms = {plate.subitems: _prism(plate, item) for plate in plates}
    inside = {number: subitems for subitems, shape in prisms.items() if shape for number in subitems}
    for number, subitem in enumerate(item.subitems):
        if number not in inside:
            yield _shape(subitem, item)
        elif number == inside[number].start and (shape := prisms[inside[number]]):
            yield shape


def _prism(plate: Plate, item: Item) -> Shape | None:
    """The plate as its contour; None where rounding its corners for the file would make them touch."""
    main, *holes = ([_pair(point) for point in ring] for ring in (plate.contour.main, *plate.contour.holes))
    try:
        make_contour(main, holes)
    except ValueError:
        return None
    middle = item.pose @ plate.pose @ translation((0.0, 0.0, plate.thickness / 2))
    prism = Prism(_round(plate.thickness), contour=main, holes=[Hole(contour=hole) for hole in holes])
    colour = _colour(item.subitems[plate.subitems.start])
    roll, pitch, yaw = (rounded(float(angle), 15) for angle in to_euler(middle))
    return Shape(at=_triple(middle[:3, 3]), rpy=(roll, pitch, yaw), prism=prism, colour=colour)


def _pair(point: Floats) -> Pair:
    x, y = (rounded(float(one), 12) for one in point)
    return x, y


def _shape(subitem: Subitem, item: Item) -> Shape:
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


def _frames(robot: Robot, items: Mapping[str, str]) -> dict[str, PartFrame]:
    names = _plain_names(frame.name for frame in robot.frames)
    found = {}
    for frame in robot.frames:
        place = _place(robot.item(frame.item).pose @ frame.pose)
        found[names[frame.name]] = PartFrame(place.at, place.rpy, place.z, place.x, items[frame.item])
    return found


def _flanges(robot: Robot) -> Iterator[PortFrame]:
    """The frames at the tips of the robot's arms, which other parts are mounted at."""
    for tip in framed_tips(robot):
        place = robot.place(tip)
        yield PortFrame(tip, place.item, place.pose)


def _ports(robot: Robot, frames: Sequence[PortFrame], items: Mapping[str, str]) -> dict[str, PartPort]:
    names = _plain_names(dict.fromkeys(frame.name for frame in frames))
    given: dict[str, PartPort] = {}
    for frame in frames:
        pose = robot.item(frame.item).pose @ frame.pose
        place = PartPort(
            at=_triple(pose[:3, 3]),
            rpy=_triple(np.array(to_euler(pose))),
            on=items[frame.item],
            kind=frame.kind,
            note=frame.note,
        )
        given.setdefault(names[frame.name], place)
    with_shape = [item for item in robot.items if item.subitems]
    if "base" in given or not with_shape:
        return given
    first = with_shape[0]
    corners = np.concatenate([apply(first.pose, subitem.shape.vertices) for subitem in first.subitems])
    lowest = corners[corners[:, 2] <= corners[:, 2].min() + 1e-6]
    return {**given, "base": PartPort(on=items[first.name], at=_triple(lowest.mean(axis=0)), z="-z")}


def _triple(point: Floats) -> tuple[float, float, float]:
    x, y, z = (_round(float(one)) for one in point)
    return x, y, z


def _round(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}") + 0.0
