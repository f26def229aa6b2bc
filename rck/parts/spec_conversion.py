"""Conversion of part specifications, as manifests and assemblies state them, to part definitions."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import MassProperties, moved
from rck.geometry.transforms import identity, invert, translation
from rck.model import Built, Finding, Frame, Item, Joint, PartDefinition, Port, RckError, Severity
from rck.model.item import Origin
from rck.model.joint_spec import convert_joint
from rck.model.materials import DENSITY, FRICTION
from rck.model.quantities import Quantities, Quantity, wrong_units
from rck.model.subitem import Subitem, subitem_of
from rck.parts.manifest import PartFrame, PartItem, PartJoint, PartPort, PartSpec
from rck.parts.part_devices import part_devices
from rck.parts.part_shapes import colour_of, shape_pieces
from rck.support.finding import Cancelled, errors_of
from rck.support.job import UNOBSERVED, Job
from rck.support.names import did_you_mean


def convert_part(
    spec: PartSpec,
    name: str,
    origin: Origin,
    folder: Path,
    figures: Mapping[str, Quantity] | None = None,
    job: Job = UNOBSERVED,
) -> Built[PartDefinition]:
    """Return the definition of a part, or findings if it cannot be built.

    Mesh files are looked up in the folder; `figures` are those of the first device.
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
            items.append(item)
    if errors_of(findings):
        return Built(None, tuple(findings))
    item_from_part = {item.name: invert(item.pose) for item in items}
    ports = [
        Port(name, item, pose, spec.ports[name].kind, spec.ports[name].gender, spec.ports[name].note)
        for name, (item, pose) in _poses(spec, "ports", spec.ports, read, findings).items()
    ]
    frames = [
        Frame(name, item, frozen(item_from_part[item] @ part_from_frame))
        for name, (item, part_from_frame) in _poses(spec, "frames", spec.frames, read, findings).items()
    ]
    mounts = {port.name: (port.item, item_from_part[port.item] @ port.pose) for port in ports}
    devices = part_devices(spec, figures or {}, mounts, findings)
    if errors_of(findings):
        return Built(None, tuple(findings))
    part = PartDefinition(name, tuple(items), tuple(joints), tuple(ports), tuple(frames), tuple(devices))
    return Built(part, tuple(findings))


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
            subitems += [subitem_of(piece, colour=colour, density=density).unwrap() for piece in pieces]
        mass = _given_mass(spec, read, subitems, item_from_part)
        friction = FRICTION.get(spec.material or "") if spec.friction is None else spec.friction
    except Cancelled:
        raise
    except (RckError, ValueError) as error:
        findings.append(Finding(701, Severity.ERROR, f"items.{name}", str(error)))
        return None
    return Item(name, tuple(subitems), frame, spec.mobile, mass, (), origin, friction)


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
    from_shapes = moved(Item("shapes", tuple(subitems)).mass_properties, invert(item_from_part))
    mass = read.mass(spec.mass) if spec.mass is not None else from_shapes.mass
    centre = frozen(read.point(spec.centre)) if spec.centre is not None else from_shapes.centre
    inertia = from_shapes.inertia
    if spec.inertia is not None:
        xx, yy, zz, xy, xz, yz = spec.inertia
        inertia = frozen(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return moved(MassProperties(mass, centre, inertia), item_from_part)


def _joint(name: str, spec: PartJoint, read: Quantities, findings: list[Finding]) -> Joint | None:
    moves = (spec.moves,) if isinstance(spec.moves, str) else tuple(spec.moves)
    mimic = None if spec.follows is None else (spec.follows.joint, spec.follows.ratio, spec.follows.offset)
    try:
        frame = translation(read.point(spec.at))
        return convert_joint(spec, name, spec.base, moves, read, frame=frame, position=spec.position, mimic=mimic)
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
