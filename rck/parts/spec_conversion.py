"""Conversion of part specifications, as manifests and assemblies state them, to part definitions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import MassProperties, moved
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import identity, invert, translation
from rck.model import (
    Built,
    Finding,
    Frame,
    Item,
    Joint,
    JointLimits,
    Loop,
    LoopKind,
    NamedPose,
    PartDefinition,
    Port,
    Primitive,
    RckError,
    Severity,
    Tendon,
    Texture,
    Visual,
)
from rck.model.extensions import freeze_extensions
from rck.model.joint_spec import convert_joint
from rck.model.materials import DENSITY, FRICTION
from rck.model.origin import Origin
from rck.model.quantities import Quantities, Quantity, wrong_units
from rck.model.subitem import ContactGroups, Subitem, subitem_of
from rck.parts.interface_spec import Gender, convert_interface
from rck.parts.manifest import (
    LoopSpec,
    PartFrame,
    PartItem,
    PartJoint,
    PartPort,
    PartSpec,
    Shape,
    TendonSpec,
    VisualShape,
)
from rck.parts.part_actuators import part_actuators
from rck.parts.part_devices import part_devices
from rck.parts.part_shapes import colour_of, shape_pieces, shape_primitives, shape_surface
from rck.support.finding import Cancelled, errors_of
from rck.support.frozen_copy import copy_with
from rck.support.job import UNOBSERVED, Job
from rck.support.names import did_you_mean


def convert_part(
    spec: PartSpec,
    name: str,
    origin: Origin,
    folder: Path,
    figures: Mapping[str, Quantity] | None = None,
    job: Job = UNOBSERVED,
    mass_status: str = "",
) -> Built[PartDefinition]:
    """Return the definition of a part, or findings if it cannot be built.

    Mesh files are looked up in the folder; `figures` are those of the first device and the first actuator, and
    `mass_status` that of the items which state none.
    """
    read = Quantities(spec.units)
    findings = [Finding(701, Severity.ERROR, f"units.{key}", message) for key, message in wrong_units(spec.units)]
    if not spec.items:
        findings.append(Finding(701, Severity.ERROR, "items", "a part has at least one item"))
    if errors_of(findings):
        return Built(None, tuple(findings))
    joints = [joint for name, one in spec.joints.items() if (joint := _joint(name, one, read, findings))]
    on_axis = {moved: translation(joint.start) for joint in joints for moved in joint.moves}
    items = []
    for item_name, one in spec.items.items():
        frame = on_axis.get(item_name, identity())
        if item := _item(item_name, one, frame, origin, read, folder, findings, job):
            items.append(replace(item, mass_status=one.mass_status or mass_status))
    if errors_of(findings):
        return Built(None, tuple(findings))
    item_from_part = {item.name: invert(item.pose) for item in items}
    ports = [
        _port(name, item, pose, spec.ports[name], read, findings)
        for name, (item, pose) in _poses(spec, "ports", spec.ports, read, findings).items()
    ]
    frames = [
        Frame(
            name,
            item,
            frozen(item_from_part[item] @ part_from_frame),
            extensions=freeze_extensions(spec.frames[name].extensions),
            source_name=spec.frames[name].source_name,
        )
        for name, (item, part_from_frame) in _poses(spec, "frames", spec.frames, read, findings).items()
    ]
    mounts = {port.name: (port.item, item_from_part[port.item] @ port.pose) for port in ports}
    devices = part_devices(spec, figures or {}, mounts, findings)
    if errors_of(findings):
        return Built(None, tuple(findings))
    actuators, driven = part_actuators(spec, figures or {}, joints)
    part = PartDefinition(
        name,
        tuple(items),
        driven,
        tuple(ports),
        tuple(frames),
        tuple(devices),
        actuators=actuators,
        tendons=tuple(convert_tendon(name, one) for name, one in spec.tendons.items()),
        loops=tuple(convert_loop(name, one, read) for name, one in spec.loops.items()),
        poses=tuple(_named_poses(spec, joints, read, findings)),
        extensions=freeze_extensions(spec.extensions),
    )
    return Built(None if errors_of(findings) else part, tuple(findings))


def _port(name: str, item: str, pose: Floats, spec: PartPort, read: Quantities, findings: list[Finding]) -> Port:
    interface = None
    if spec.interface is not None:
        side: Gender = spec.gender or "male"
        try:
            interface = convert_interface(spec.interface, side, read, own=True)
        except RckError as error:
            findings.append(Finding(701, Severity.ERROR, f"ports.{name}.interface", str(error)))
    return Port(name, item, pose, spec.type, spec.gender, spec.note, interface)


def convert_tendon(name: str, spec: TendonSpec) -> Tendon:
    """Return the tendon, not checked yet."""
    return Tendon(
        name,
        tuple(spec.joints.items()),
        None if spec.limits is None else JointLimits(*spec.limits),
        spec.stiffness,
        spec.spring_length,
        spec.damping,
        spec.friction,
        spec.armature,
        freeze_extensions(spec.extensions),
    )


def convert_loop(name: str, spec: LoopSpec, read: Quantities) -> Loop:
    """Return the loop, not checked yet."""
    first, second = (frozen(read.frame(pose)) for pose in spec.frames)
    return Loop(name, LoopKind(spec.kind), spec.items, (first, second), freeze_extensions(spec.extensions))


def _named_poses(
    spec: PartSpec, joints: Sequence[Joint], read: Quantities, findings: list[Finding]
) -> Iterator[NamedPose]:
    turns = {joint.name: joint.kind.turns for joint in joints}
    for name, positions in spec.poses.items():
        if unknown := [joint for joint in positions if joint not in turns]:
            message = f"there is no joint {unknown[0]}{did_you_mean(unknown[0], turns)}"
            findings.append(Finding(210, Severity.ERROR, f"poses.{name}", message))
            continue
        try:
            values = {joint: read.joint_position(x, turns[joint]) for joint, x in positions.items()}
        except RckError as error:
            findings.append(Finding(701, Severity.ERROR, f"poses.{name}", str(error)))
            continue
        yield NamedPose(name, MappingProxyType(values), freeze_extensions(spec.pose_extensions.get(name, {})))


def _item(
    name: str,
    spec: PartItem,
    frame: Floats,
    origin: Origin,
    read: Quantities,
    folder: Path,
    findings: list[Finding],
    job: Job,
) -> Item | None:
    """Return the item in its own frame: `frame`, part from item, unless the specification gives one."""
    try:
        if spec.frame is not None:
            frame = read.frame(spec.frame)
        item_from_part = invert(frame)
        shapes = []
        for number, one in enumerate(spec.shapes):
            if number % 100 == 0:
                job.progress(number / len(spec.shapes))
            share = job.part(number / len(spec.shapes), (number + 1) / len(spec.shapes))
            shapes.append((one, shape_pieces(one, read, folder, share, item_from_part)))
        volume = sum(piece.volume for _, pieces in shapes for piece in pieces)
        density = _density(spec, read, volume)
        subitems: list[Subitem] = []
        for one, pieces in shapes:
            colour = colour_of(one.colour or spec.colour)
            if not pieces:
                continue
            model = subitem_of(pieces[0], colour=colour, density=density, name=one.name).unwrap()
            subitems += _with_details(model, pieces, one, shape_primitives(one, read, item_from_part))
        visuals = tuple(_visual(one, spec, read, folder, item_from_part) for one in spec.visuals)
        mass = _given_mass(spec, read, subitems, item_from_part)
        friction = FRICTION.get(spec.material or "") if spec.friction is None else spec.friction
    except Cancelled:
        raise
    except (RckError, ValueError) as error:
        findings.append(Finding(701, Severity.ERROR, f"items.{name}", str(error)))
        return None
    return Item(
        name,
        tuple(subitems),
        frame,
        spec.mobile,
        mass,
        visuals,
        origin,
        friction,
        spec.source_name,
        freeze_extensions(spec.extensions),
    )


def _with_details(
    model: Subitem, pieces: Sequence[Polyhedron], shape: Shape, primitives: Sequence[Primitive]
) -> Iterator[Subitem]:
    """Yield subitems like the model, one for each piece, with what the specification says beyond their polyhedra."""
    model = replace(
        model,
        friction=shape.friction,
        contact_groups=None if shape.groups is None else ContactGroups(*shape.groups),
        extensions=freeze_extensions(shape.extensions),
    )
    for number, piece in enumerate(pieces):
        yield copy_with(model, shape=piece, primitive=primitives[number] if primitives else None)


def _visual(shape: VisualShape, spec: PartItem, read: Quantities, folder: Path, item_from_part: Floats) -> Visual:
    surface, points = shape_surface(shape, read, folder, item_from_part)
    primitives = shape_primitives(shape, read, item_from_part) if shape.surface is None else ()
    return Visual(
        surface,
        colour_of(shape.colour or spec.colour),
        shape.name,
        primitives[0] if len(primitives) == 1 else None,
        None if shape.texture is None else Texture(shape.texture.name, shape.texture.content()),
        points,
        shape.roughness,
        shape.metallic,
        shape.material,
        freeze_extensions(shape.extensions),
    )


def _density(spec: PartItem, read: Quantities, volume: float) -> float:
    given = [spec.mass is not None, spec.material is not None, spec.density is not None]
    if sum(given) > 1:
        raise ValueError("give one of mass, material and density")
    if spec.mass is not None:
        return read.mass(spec.mass) / volume if volume else 0.0
    if spec.material is not None:
        if spec.material not in DENSITY:
            hint = did_you_mean(spec.material, DENSITY)
            raise ValueError(f"there is no material {spec.material}{hint}; known: {', '.join(DENSITY)}")
        return DENSITY[spec.material]
    if spec.density is not None:
        return spec.density
    raise ValueError("a mass, a material or a density is missing")


def _given_mass(
    spec: PartItem, read: Quantities, subitems: list[Subitem], item_from_part: Floats
) -> MassProperties | None:
    """Return the stated centre and inertia in the item's frame, completed from the shapes; None without either."""
    if spec.centre is None and spec.inertia is None and (spec.mass is None or subitems):
        return None
    part_from_given = invert(item_from_part) if spec.inertia_frame == "item" else identity()
    from_shapes = moved(
        Item("shapes", tuple(subitems)).mass_properties, invert(part_from_given) @ invert(item_from_part)
    )
    mass = read.mass(spec.mass) if spec.mass is not None else from_shapes.mass
    centre = frozen(read.point(spec.centre)) if spec.centre is not None else from_shapes.centre
    inertia = from_shapes.inertia
    if spec.inertia is not None:
        xx, yy, zz, xy, xz, yz = spec.inertia
        inertia = frozen(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return moved(MassProperties(mass, centre, inertia), item_from_part @ part_from_given)


def _joint(name: str, spec: PartJoint, read: Quantities, findings: list[Finding]) -> Joint | None:
    moves = (spec.moves,) if isinstance(spec.moves, str) else tuple(spec.moves)
    mimic = None if spec.follows is None else (spec.follows.joint, spec.follows.ratio, spec.follows.offset)
    try:
        frame = translation(read.point(spec.at))
        joint = convert_joint(spec, name, spec.base, moves, read, frame=frame, position=spec.position, mimic=mimic)
        return replace(joint, source_name=spec.source_name, extensions=freeze_extensions(spec.extensions))
    except RckError as error:
        findings.append(Finding(701, Severity.ERROR, f"joints.{name}", str(error)))
        return None


def _poses(
    part: PartSpec,
    section: str,
    entries: Mapping[str, PartPort] | Mapping[str, PartFrame],
    read: Quantities,
    findings: list[Finding],
) -> dict[str, tuple[str, Floats]]:
    """Return the item of each entry, and its pose in the frame of the part."""
    found: dict[str, tuple[str, Floats]] = {}
    for name, spec in entries.items():
        where = f"{section}.{name}"
        item = spec.on or (next(iter(part.items)) if len(part.items) == 1 else "")
        if item not in part.items:
            message = f"there is no item {item}{did_you_mean(item, part.items)}" if item else "give the item with `on`"
            findings.append(Finding(703, Severity.ERROR, where, message))
            continue
        try:
            found[name] = item, frozen(read.frame(spec))
        except (RckError, ValueError) as error:
            findings.append(Finding(703, Severity.ERROR, where, str(error)))
    return found
