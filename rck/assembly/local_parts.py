"""Local parts of an assembly made from part definitions, such as imports."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product
from math import floor
from typing import Any, Literal, Protocol, TypeVar, cast

import msgspec
import numpy as np

from rck.assembly.document import LocalPart
from rck.geometry.arrays import Floats, as_point
from rck.geometry.contour import make_contour
from rck.geometry.geometry_file import pieces_bytes, surface_bytes
from rck.geometry.mass_properties import moved
from rck.geometry.mesh import transformed
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.transforms import apply, from_euler, identity, to_euler, translation
from rck.kinematics.tip import framed_tips
from rck.model import (
    Actuation,
    Actuator,
    Device,
    Frame,
    Item,
    Joint,
    JointLimits,
    Loop,
    PairRule,
    PartDefinition,
    Port,
    Primitive,
    PrimitiveKind,
    Range,
    Subitem,
    Tendon,
    Visual,
    compile_part,
)
from rck.model.extensions import Extensions
from rck.model.joint_positions import home_positions
from rck.model.quantities import Pair, PoseSpec, Triple, Units
from rck.parts.assets import Asset
from rck.parts.datasheet_figures import figure_quantity
from rck.parts.interface_spec import interface_spec
from rck.parts.manifest import (
    ActuatorSpec,
    Cylinder,
    DeviceSpec,
    Follow,
    Hole,
    LoopSpec,
    PartFrame,
    PartItem,
    PartJoint,
    PartPort,
    Prism,
    Shape,
    Status,
    TendonSpec,
    VisualShape,
)
from rck.parts.part_shapes import colour_text
from rck.support.units import from_si, rounded

_SAME_ROTATION = 1e-14
"""Rotation matrices whose entries differ by less than this are the same."""
_UNITS = Units(length="m", angle="rad", mass="kg", angular_speed="rad/s", speed="m/s")
_DIGITS = 10
_MOST_WRITTEN = 64
"""Convex pieces with more vertices are in a file next to the document."""
_MOST_IN_CONTOUR = 500
"""Contours with more points are in such a file, too."""
_ACTUATION: dict[Actuation, Literal["actuated", "passive", "unknown"]] = {
    Actuation.ACTUATED: "actuated",
    Actuation.PASSIVE: "passive",
    Actuation.UNKNOWN: "unknown",
}
_NUMBER = re.compile(r"\d+")
_SAME_POINT = 1e-6
"""Ports at most this far apart, in metres, are the same."""
_CELL = 1e-3
"""Size of the cells of a grid of ports, in metres."""
_Cell = tuple[int, int, int]


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


def local_part_of(part: PartDefinition, source: str, summary: str = "") -> LocalPart:
    """Return a definition as a local part in SI units.

    Extrusions become contours, other subitems hulls of their vertices. The ports are those of the definition, the
    flanges of its arms and `base`, by default at the lowest point of the first item.
    """
    items = plain_names(item.name for item in part.items)
    joints = plain_names(joint.name for joint in part.joints)
    tendons = plain_names(tendon.name for tendon in part.tendons)
    places = items | plain_names(frame.name for frame in part.frames)
    part_from_item = {item.name: item.pose for item in part.items}
    on_axis = {name: translation(joint.start) for joint in part.joints for name in joint.moves}
    ports = _ports(part, items)
    return LocalPart(
        items={items[item.name]: _item(item, on_axis.get(item.name, identity())) for item in part.items},
        summary=summary or f"imported from {source}",
        source=source,
        units=_UNITS,
        joints={joints[joint.name]: _joint(joint, items, joints) for joint in part.joints},
        ports=ports,
        frames={
            name: _frame(frame, items[frame.item], part_from_item[frame.item] @ frame.pose)
            for frame, name in _named(part.frames)
        },
        devices={name: device_spec(device, items, joints) for device, name in _named(part.devices)},
        actuators={name: actuator_spec(one, joints, tendons, places) for one, name in _named(part.actuators)},
        tendons={tendons[tendon.name]: tendon_spec(tendon, joints) for tendon in part.tendons},
        loops={name: loop_spec(loop, items) for loop, name in _named(part.loops)},
        poses={
            name: {joints[joint]: position for joint, position in pose.positions.items()}
            for pose, name in _named(part.poses)
        },
        pose_extensions={name: extension_spec(pose.extensions) for pose, name in _named(part.poses) if pose.extensions},
        extensions=extension_spec(part.extensions),
    )


def _named(things: Sequence[_Named]) -> Iterator[tuple[_Named, str]]:
    """Yield each thing with its name in the part."""
    return zip(things, plain_names(thing.name for thing in things).values(), strict=True)


def device_spec(
    device: Device, items: Mapping[str, str], joints: Mapping[str, str], units: Units = _UNITS
) -> DeviceSpec:
    """Return a device as files state it, with other names of items and joints."""
    kind = device.kind.value
    return DeviceSpec(
        sensor=None if device.kind.grips else kind,
        gripper=kind.removesuffix("-gripper") if device.kind.grips else None,
        on=items[device.item],
        pose=exact_pose(device.pose, units),
        joints=[joints[name] for name in device.joints],
        figures={name: figure_quantity(name, value) for name, value in device.values.items()},
        settings=dict(device.settings),
        source_name=device.source_name,
        extensions=extension_spec(device.extensions),
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


def home_settings(part: PartDefinition, units: Units) -> dict[str, float]:
    """Return the positions of the pose `home` in these units, by joint of the local part, where they differ."""
    names = plain_names(joint.name for joint in part.joints)
    home = home_positions(part.poses, part.joints)
    return {
        names[joint.name]: from_si(home[joint.name], *units.position_unit(joint.kind.turns))
        for joint in part.joints
        if joint.name in home and home[joint.name] != joint.position
    }


def with_port_names(new: LocalPart, old: LocalPart) -> LocalPart:
    """Return a part that was imported again, with the numbered ports renamed as the ports at the same points were.

    Removing a hole from a drawing renumbers all later holes; the parts mounted there must stay.
    """
    place_of = {known: number for number, known in enumerate(old.ports)}
    left: dict[tuple[str, _Cell], list[str]] = {}
    for known, one in old.ports.items():
        left.setdefault((_stem(known), _cells_near(one, 0.0)[0]), []).append(known)
    names: dict[str, str] = {}
    for name, port in new.ports.items():
        stem = _stem(name)
        near = [known for cell in _cells_near(port, _SAME_POINT) for known in left.get((stem, cell), ())]
        same = [known for known in near if _at_same_point(port, old.ports[known])]
        if same:
            chosen = names[name] = name if name in same else min(same, key=place_of.__getitem__)
            left[stem, _cells_near(old.ports[chosen], 0.0)[0]].remove(chosen)
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


def _cells_near(port: PartPort, distance: float) -> list[_Cell]:
    """Return the cells of a grid that have points within the distance of the port, at most twice the cell size."""
    steps = [sorted({floor((float(x) - distance) / _CELL), floor((float(x) + distance) / _CELL)}) for x in port.at]
    return [(x, y, z) for x, y, z in product(*steps)]


def _at_same_point(port: PartPort, other: PartPort) -> bool:
    apart = [float(a) - float(b) for a, b in zip(port.at, other.at, strict=True)]
    return max(map(abs, apart)) <= _SAME_POINT and (port.rpy, port.z, port.x) == (other.rpy, other.z, other.x)


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return a unique name without `/` for each name: names in a local part have no scopes."""
    plain: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        wish = stem = name.replace("/", "_")
        number = 2
        while wish in taken:
            wish = f"{stem}-{number}"
            number += 1
        plain[name] = wish
        taken.add(wish)
    return plain


def exact_pose(pose: Floats, units: Units = _UNITS) -> PoseSpec:
    """Return a pose in the units of a file (default: SI), with angles where they can express it to the last digit."""
    x, y, z = (from_si(float(one), "length", units.length) + 0.0 for one in pose[:3, 3])
    if np.array_equal(pose[:3, :3], np.eye(3)):
        return PoseSpec(at=(x, y, z))
    roll, pitch, yaw = to_euler(pose)
    if np.abs(from_euler((roll, pitch, yaw)) - pose)[:3, :3].max() < _SAME_ROTATION:
        roll, pitch, yaw = (from_si(angle, "angle", units.angle) for angle in (roll, pitch, yaw))
        return PoseSpec(at=(x, y, z), rpy=(roll, pitch, yaw))
    (zx, zy, zz), (xx, xy, xz) = pose[:3, 2].tolist(), pose[:3, 0].tolist()
    return PoseSpec(at=(x, y, z), z=(zx, zy, zz), x=(xx, xy, xz))


def _item(item: Item, default_frame: Floats) -> PartItem:
    body = moved(item.mass_properties, item.pose)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
    is_massive = body.mass > 0
    return PartItem(
        shapes=list(_shapes(item)),
        frame=None if np.array_equal(item.pose, default_frame) else exact_pose(item.pose),
        mass=body.mass,
        centre=as_point(body.centre) if is_massive else None,
        inertia=(xx, yy, zz, xy, xz, yz) if is_massive else None,
        colour=colour_text(item.subitems[0].colour) if item.subitems else "#b2b2b8",
        mobile=item.mobile,
        friction=item.friction,
        visuals=[_visual(visual, item) for visual in item.visuals],
        source_name=item.source_name,
        extensions=extension_spec(item.extensions),
        mass_status=cast("Status | None", item.mass_status or None),
    )


def extension_spec(extensions: Extensions) -> dict[str, dict[str, str]]:
    """Return extension data as files state them."""
    return {name: dict(attributes) for name, attributes in extensions.items()}


def _shapes(item: Item) -> Iterator[Shape]:
    """Yield a shape for each extrusion, each primitive, and each run of other subitems that differ only in shape."""

    def kind(subitem: Subitem) -> tuple[object, ...]:
        alone = id(subitem) if subitem.primitive is not None else None
        return (alone, id(subitem.extrusion), subitem.name, subitem.colour, subitem.friction, subitem.contact_groups,
                id(subitem.extensions))  # fmt: skip

    for _, group in groupby(item.subitems, kind):
        pieces = list(group)
        first = pieces[0]
        prism = _prism(first, item) if first.extrusion is not None else None
        if prism is not None:
            shapes = [prism]
        elif first.primitive is not None:
            shapes = [_primitive(first.primitive, item, Shape)]
        elif sum(len(piece.shape.vertices) for piece in pieces) > _MOST_WRITTEN:
            shapes = [Shape(pieces=_pieces_asset(pieces, item))]
        else:
            shapes = [Shape(hull=_hull(piece, item)) for piece in pieces]
        for shape in shapes:
            yield msgspec.structs.replace(
                shape,
                colour=colour_text(first.colour),
                name=first.name,
                friction=first.friction,
                groups=first.contact_groups and (first.contact_groups.member_of, first.contact_groups.tests),
                extensions=extension_spec(first.extensions),
            )


def _prism(piece: Subitem, item: Item) -> Shape | None:
    """Return the extrusion as its contour; None if it has many points, or if rounding would make its points touch."""
    extrusion = piece.extrusion
    assert extrusion is not None
    rings = (extrusion.contour.main, *extrusion.contour.holes)
    if len(extrusion.contour.points) > _MOST_IN_CONTOUR:
        return None
    main, *holes = ([_pair(point) for point in ring] for ring in rings)
    try:
        make_contour(main, holes)
    except ValueError:
        return None
    middle = item.pose @ extrusion.pose @ translation((0.0, 0.0, extrusion.thickness / 2))
    prism = Prism(_round(extrusion.thickness), contour=main, holes=[Hole(contour=hole) for hole in holes])
    roll, pitch, yaw = (rounded(float(angle), 15) for angle in to_euler(middle))
    return Shape(at=_triple(middle[:3, 3]), rpy=(roll, pitch, yaw), prism=prism)


def _pair(point: Floats) -> Pair:
    x, y = (rounded(float(one), 12) for one in point)
    return x, y


ShapeKind = TypeVar("ShapeKind", bound=Shape)


def _primitive(primitive: Primitive, item: Item, kind: type[ShapeKind]) -> ShapeKind:
    """Return a primitive as a shape of that kind."""
    pose = exact_pose(item.pose @ primitive.pose)
    place: dict[str, Any] = {"at": pose.at, "rpy": pose.rpy, "z": pose.z, "x": pose.x}
    sizes = primitive.sizes
    if primitive.kind is PrimitiveKind.BOX:
        return kind(**place, box=as_point(sizes))
    if primitive.kind is PrimitiveKind.SPHERE:
        return kind(**place, sphere=2 * sizes[0])
    if primitive.kind is PrimitiveKind.CYLINDER:
        return kind(**place, cylinder=Cylinder(2 * sizes[0], sizes[1]))
    if primitive.kind is PrimitiveKind.CAPSULE:
        return kind(**place, capsule=Cylinder(2 * sizes[0], sizes[1] + 2 * sizes[0]))
    return kind(**place, ellipsoid=as_point(2 * size for size in sizes))


def _pieces_asset(pieces: Sequence[Subitem], item: Item) -> Asset:
    return Asset.of(pieces_bytes([move_polyhedron(piece.shape, item.pose) for piece in pieces]), "geometry")


def _hull(subitem: Subitem, item: Item) -> list[Triple]:
    return [_triple(point) for point in apply(item.pose, subitem.shape.vertices)]


def _visual(visual: Visual, item: Item) -> VisualShape:
    if visual.primitive is not None and visual.texture_points is None:
        shape = _primitive(visual.primitive, item, VisualShape)
    else:
        surface = transformed(visual.surface, item.pose)
        shape = VisualShape(surface=Asset.of(surface_bytes(surface, visual.texture_points), "geometry"))
    texture = visual.texture
    return msgspec.structs.replace(
        shape,
        colour=colour_text(visual.colour),
        name=visual.name,
        texture=texture and Asset.of(texture.content, "png" if texture.name.lower().endswith(".png") else "jpg"),
        roughness=visual.roughness,
        metallic=visual.metallic,
        material=visual.material,
        extensions=extension_spec(visual.extensions),
    )


def _joint(joint: Joint, items: Mapping[str, str], joints: Mapping[str, str]) -> PartJoint:
    x, y, z = joint.direction.tolist() if joint.kind.moves else (0.0, 0.0, 1.0)
    axis: dict[str, Any] = {joint.kind.value: (x, y, z)}
    default = Actuation.UNKNOWN if joint.effort is None else Actuation.ACTUATED
    return PartJoint(
        base=items[joint.base],
        moves=[items[name] for name in joint.moves],
        **axis,
        at=joint.start,
        limits=_bounds(joint.limits),
        position=joint.position,
        speed=joint.speed,
        acceleration=joint.acceleration,
        torque=joint.effort if joint.kind.turns else None,
        force=None if joint.kind.turns else joint.effort,
        damping=joint.damping,
        friction=joint.friction,
        armature=joint.armature,
        stiffness=joint.stiffness,
        spring=joint.spring_position,
        actuation=None if joint.actuation is default else _ACTUATION[joint.actuation],
        follows=None
        if joint.mimic is None
        else Follow(joints[joint.mimic.joint], joint.mimic.ratio, joint.mimic.offset),
        source_name=joint.source_name,
        extensions=extension_spec(joint.extensions),
    )


def _bounds(limits: JointLimits | Range | None) -> tuple[float, float] | None:
    return None if limits is None else (limits.lower, limits.upper)


def actuator_spec(
    actuator: Actuator, joints: Mapping[str, str], tendons: Mapping[str, str], places: Mapping[str, str]
) -> ActuatorSpec:
    """Return an actuator as files state it, with other names of joints, tendons, and frames or items."""
    return ActuatorSpec(
        actuator.kind.value,
        joints.get(actuator.joint, ""),
        tendons.get(actuator.tendon, ""),
        places.get(actuator.frame, ""),
        actuator.gear,
        actuator.gain,
        actuator.bias,
        _bounds(actuator.force),
        _bounds(actuator.control),
        dict(actuator.values),
        extension_spec(actuator.extensions),
    )


def tendon_spec(tendon: Tendon, joints: Mapping[str, str]) -> TendonSpec:
    """Return a tendon as files state it, with other names of joints."""
    return TendonSpec(
        {joints[name]: coefficient for name, coefficient in tendon.joints},
        _bounds(tendon.limits),
        tendon.stiffness,
        tendon.spring_length,
        tendon.damping,
        tendon.friction,
        tendon.armature,
        extension_spec(tendon.extensions),
    )


def loop_spec(loop: Loop, items: Mapping[str, str], units: Units = _UNITS) -> LoopSpec:
    """Return a loop as files state it, with other names of items."""
    first, second = (exact_pose(pose, units) for pose in loop.poses)
    return LoopSpec(
        loop.kind.value,
        (items[loop.items[0]], items[loop.items[1]]),
        (first, second),
        extension_spec(loop.extensions),
    )


def _frame(frame: Frame, item: str, part_from_frame: Floats) -> PartFrame:
    pose = exact_pose(part_from_frame)
    return PartFrame(pose.at, pose.rpy, pose.z, pose.x, item, frame.source_name, extension_spec(frame.extensions))


def _ports(part: PartDefinition, items: Mapping[str, str]) -> dict[str, PartPort]:
    ports = [*part.ports, *_flanges(part)]
    names = plain_names(dict.fromkeys(port.name for port in ports))
    found: dict[str, PartPort] = {}
    for port in ports:
        turn = to_euler(port.pose)
        spec = PartPort(
            at=_triple(port.pose[:3, 3]),
            rpy=_triple(np.array(turn)) if any(turn) else None,
            on=items[port.item],
            type=port.type,
            gender=port.gender,
            note=port.note,
            interface=None if port.interface is None else interface_spec(port.interface, port.gender or "male"),
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
