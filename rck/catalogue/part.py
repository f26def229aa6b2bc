"""Parts: a manifest with its parameters filled in, built into items, joints and ports."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rck.catalogue.devices import part_devices
from rck.catalogue.expressions import FUNCTIONS, ExpressionError, substitute
from rck.catalogue.figures import FIGURES
from rck.catalogue.manifest import Manifest, Parameter, PartFrame, PartItem, PartJoint, PartPort, Quantity, Units
from rck.catalogue.quantities import Quantities, direction, figure_value, wrong_units
from rck.catalogue.shapes import colour_of, shape_pieces
from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import MassProperties, moved
from rck.geometry.monotone import Watch, unwatched
from rck.geometry.transforms import identity, invert, translation
from rck.model import (
    Built,
    Finding,
    Frame,
    Item,
    Joint,
    JointKind,
    Mimic,
    RckError,
    Robot,
    Severity,
    build_item,
    build_joint,
    build_robot,
)
from rck.model.finding import Cancelled, errors_of
from rck.model.materials import DENSITY, FRICTION
from rck.model.names import did_you_mean
from rck.model.origin import Origin
from rck.model.plain_yaml import line_of
from rck.model.subitem import Subitem, subitem_of
from rck.model.typed_yaml import FileError, Strict, convert, parse, read_text
from rck.model.units import UNITS, convert_unit, dimension_of, parse_quantity, split_quantity

_ID = re.compile(r"[a-z0-9][a-z0-9._+-]*(/[a-z0-9][a-z0-9._+-]*)+")


@dataclass(frozen=True, eq=False)
class Port:
    """A place on a part where another part can be fastened."""

    name: str
    item: str
    pose: Floats
    """Part from port: z points out of the part. Shape (4, 4)."""
    kind: str = "any"
    gender: Literal["male", "female"] | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Part:
    """A part as it can be placed: items and joints in the part's own frame, and its ports."""

    id: str
    manifest: Manifest
    parameters: Mapping[str, float]
    robot: Robot
    ports: Mapping[str, Port]


@dataclass(frozen=True, eq=False)
class PartFile:
    """A manifest as read: checked at its default parameters, ready to be built with others."""

    path: Path
    text: str
    raw: Mapping[str, Any]

    @cached_property
    def manifest(self) -> Manifest:
        """With the default parameters."""
        return self.filled(self.defaults)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What the user may choose."""
        raw = {"parameters": self.raw["parameters"]} if "parameters" in self.raw else {}
        parameters = convert(raw, _Parameters, self.text, str(self.path)).parameters
        for name, parameter in parameters.items():
            problem = _parameter_problem(name, parameter)
            if problem:
                raise self.error(problem, "parameters", name)
        return parameters

    @property
    def defaults(self) -> dict[str, float]:
        """The default of each parameter."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    def filled(self, values: Mapping[str, float]) -> Manifest:
        """The manifest with the parameters put in."""
        try:
            data = {
                key: one if key == "parameters" else substitute(one, values, (key,)) for key, one in self.raw.items()
            }
        except ExpressionError as error:
            raise self.error(str(error), *error.keys) from None
        manifest = convert(data, Manifest, self.text, str(self.path))
        if not _ID.fullmatch(manifest.part):
            raise self.error(f"{manifest.part!r} is not an id such as robotis/xm540-w270", "part")
        return manifest

    def error(self, message: str, *keys: str | int) -> FileError:
        """What is wrong with the value under the keys."""
        return FileError(str(self.path), line_of(self.text, keys), keys, message)


class _Parameters(Strict, frozen=True):
    """The parameters of a manifest, which are read before anything else can be."""

    parameters: dict[str, Parameter] = {}


def _parameter_problem(name: str, parameter: Parameter) -> str:
    """Why a parameter makes no sense; empty when it does."""
    if not name.isidentifier() or name == "pi" or name in FUNCTIONS:
        return "a parameter's name is a word of letters, digits and _ that expressions do not use otherwise"
    if not parameter.min <= parameter.default <= parameter.max:
        return f"the default {parameter.default:g} is not within {parameter.min:g} to {parameter.max:g}"
    if parameter.step is not None and not parameter.step > 0:
        return f"the step {parameter.step:g} is not greater than zero"
    if parameter.unit and dimension_of(parameter.unit) == "number":
        return f"{parameter.unit!r} is no unit{did_you_mean(parameter.unit, [u for us in UNITS.values() for u in us])}"
    return ""


def read_part_file(path: Path) -> PartFile:
    """The manifest in a file; an error names file, line and path of keys."""
    text = read_text(path)
    return PartFile(path, text, parse(text, str(path)))


def choose_parameters(file: PartFile, given: Mapping[str, Quantity], units: Units | None = None) -> dict[str, float]:
    """Return the value of every parameter in its own unit: what the user gave, else the default.

    A bare number is in `units`, those of the assembly; without any, in the parameter's own unit.
    """
    chosen = file.defaults
    for name, quantity in given.items():
        parameter = file.parameters.get(name)
        if parameter is None:
            known = ", ".join(file.parameters) or "none"
            raise RckError(
                f"{file.raw.get('part')}: there is no parameter {name}{did_you_mean(name, chosen)}; known: {known}"
            )
        chosen[name] = _parameter_value(name, parameter, quantity, units)
    return chosen


def _parameter_value(name: str, parameter: Parameter, quantity: Quantity, units: Units | None) -> float:
    value = _in_own_unit(parameter, quantity, units)
    slack = 1e-9 * max(1.0, abs(parameter.min), abs(parameter.max))
    if not parameter.min - slack <= value <= parameter.max + slack:
        unit = f" {parameter.unit}" if parameter.unit else ""
        raise RckError(f"{name} = {value:g}{unit} is not within {parameter.min:g} to {parameter.max:g}{unit}")
    if parameter.step and abs(value / parameter.step - round(value / parameter.step)) > 1e-6:
        raise RckError(f"{name} = {value:g} is not a multiple of {parameter.step:g}")
    return value


def _in_own_unit(parameter: Parameter, quantity: Quantity, units: Units | None) -> float:
    """Return a quantity as a number of the parameter's own unit."""
    dimension, unit = bare_unit(parameter, units)
    if not isinstance(quantity, str):
        return convert_unit(float(quantity), dimension, unit, parameter.unit)
    if dimension == "number":
        return parse_quantity(quantity, dimension, parameter.unit)
    number, stated = split_quantity(quantity, dimension)
    return convert_unit(number, dimension, stated or unit, parameter.unit)


def bare_unit(parameter: Parameter, units: Units | None) -> tuple[str, str]:
    """Return the dimension of a parameter and the unit of a bare number for it in a file with these units."""
    dimension = dimension_of(parameter.unit)
    return dimension, (units and units.of(dimension)) or parameter.unit


def build_part(file: PartFile, given: Mapping[str, Quantity] | None = None) -> Built[Part]:
    """The part with these parameters, bare ones in their own units, or the findings that say why it cannot be."""
    values = choose_parameters(file, given or {})
    return part_from_manifest(file.filled(values), file.path.parent, values)


def part_from_manifest(
    manifest: Manifest, folder: Path, parameters: Mapping[str, float], watch: Watch = unwatched
) -> Built[Part]:
    """The part that a filled-in manifest describes; mesh files are looked for in the folder."""
    read = Quantities(manifest.units)
    findings = [Finding(701, Severity.ERROR, f"units.{key}", message) for key, message in wrong_units(manifest.units)]
    findings += _figure_findings(manifest)
    if not manifest.items:
        findings.append(Finding(701, Severity.ERROR, "items", "a part has at least one item"))
    if errors_of(findings):
        return Built(None, tuple(findings))
    origin = _origin(manifest, parameters)
    joints = [joint for name, one in manifest.joints.items() if (joint := _joint(name, one, read, findings))]
    on_axis = {moved: translation(joint.start) for joint in joints for moved in joint.moves}
    items = []
    for name, one in manifest.items.items():
        frame = on_axis.get(name, identity())
        if item := _item(name, one, frame, origin, read, folder, findings, watch):
            items.append(item)
    if errors_of(findings):
        return Built(None, tuple(findings))
    part_from_item = {item.name: item.pose for item in items}
    ports = _ports(manifest, read, findings)
    frames = _frames(manifest, part_from_item, read, findings)
    places = {name: (port.item, invert(part_from_item[port.item]) @ port.pose) for name, port in ports.items()}
    devices = part_devices(manifest, places, findings)
    if errors_of(findings):
        return Built(None, tuple(findings))
    robot = build_robot(manifest.part.replace(".", "-"), items, joints, frames, devices)
    findings += robot.findings
    if robot.value is None:
        return Built(None, tuple(findings))
    return Built(Part(manifest.part, manifest, parameters, robot.value, ports), tuple(findings))


def _figure_findings(manifest: Manifest) -> list[Finding]:
    findings = []
    for name, quantity in manifest.figures.items():
        if name not in FIGURES:
            message = f"there is no figure {name}{did_you_mean(name, FIGURES)}"
            findings.append(Finding(704, Severity.ERROR, f"figures.{name}", message))
            continue
        try:
            figure_value(name, quantity)
        except RckError as error:
            findings.append(Finding(704, Severity.ERROR, f"figures.{name}", str(error)))
    return findings


def _origin(manifest: Manifest, parameters: Mapping[str, float]) -> Origin:
    """What a bill of materials says of the part."""
    price = manifest.figures.get("price")
    chosen = ((name, value, manifest.parameters[name].unit) for name, value in parameters.items())
    return Origin(
        manifest.part,
        manifest.name,
        manifest.vendor,
        None if price is None else figure_value("price", price),
        tuple(chosen),
    )


def _item(
    name: str,
    spec: PartItem,
    frame: Floats,
    origin: Origin,
    read: Quantities,
    folder: Path,
    findings: list[Finding],
    watch: Watch,
) -> Item | None:
    """The item in its own frame: `frame`, part from item, unless the manifest gives one."""
    where = f"items.{name}"
    try:
        if spec.frame is not None:
            frame = read.frame(spec.frame)
        item_from_part = invert(frame)
        shapes = []
        for number, one in enumerate(spec.shapes):
            if number % 100 == 0:
                watch(number / len(spec.shapes))
            share = _part_of(watch, number, len(spec.shapes))
            shapes.append((one, shape_pieces(one, read, folder, share, item_from_part)))
        volume = sum(piece.volume for _, pieces in shapes for piece in pieces)
        density = _density(spec, read, volume)
        subitems: list[Subitem] = []
        for one, pieces in shapes:
            colour = colour_of(one.colour or spec.colour)
            subitems += [subitem_of(piece, colour=colour, density=density).unwrap() for piece in pieces]
        mass = _given_mass(spec, read, subitems, item_from_part)
        friction = FRICTION.get(spec.material or "") if spec.friction is None else spec.friction
        built = build_item(name, subitems, pose=frame, mobile=spec.mobile, mass=mass, origin=origin, friction=friction)
    except Cancelled:
        raise
    except (RckError, ValueError) as error:
        findings.append(Finding(701, Severity.ERROR, where, str(error)))
        return None
    findings += built.findings
    return built.value


def _part_of(watch: Watch, number: int, count: int) -> Watch:
    return lambda share: watch((number + share) / count)


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
    """The centre and inertia of the data sheet in the item's frame, completed from the shapes; None without either."""
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
    where = f"joints.{name}"
    kinds = {kind: axis for kind in JointKind if (axis := getattr(spec, kind.value)) is not None}
    if len(kinds) != 1:
        message = "give exactly one of revolute, continuous, prismatic and fixed"
        findings.append(Finding(701, Severity.ERROR, where, message))
        return None
    ((kind, axis),) = kinds.items()
    turns = kind.turns
    try:
        start = read.point(spec.at)
        effort = spec.torque if turns else spec.force
        built = build_joint(
            name,
            kind,
            spec.base,
            spec.moves if isinstance(spec.moves, str) else tuple(spec.moves),
            start=start.tolist(),
            end=(start + direction(axis)).tolist(),
            limits=None if spec.limits is None else read.joint_limits(spec.limits, turns),
            position=read.joint_position(spec.position, turns),
            speed=None if spec.speed is None else read.joint_speed(spec.speed, turns),
            acceleration=None if spec.acceleration is None else read.joint_acceleration(spec.acceleration, turns),
            effort=None if effort is None else (read.torque(effort) if turns else read.force(effort)),
            damping=spec.damping,
            friction=spec.friction,
            mimic=None
            if spec.follows is None
            else Mimic(spec.follows.joint, spec.follows.ratio, read.joint_position(spec.follows.offset, turns)),
        )
    except (RckError, ValueError) as error:
        findings.append(Finding(701, Severity.ERROR, where, str(error)))
        return None
    findings += built.findings
    return built.value


def _ports(manifest: Manifest, read: Quantities, findings: list[Finding]) -> dict[str, Port]:
    placed = _places(manifest, "ports", manifest.ports, read, findings)
    return {
        name: Port(name, item, pose, spec.kind, spec.gender, spec.note)
        for name, spec in manifest.ports.items()
        if name in placed
        for item, pose in [placed[name]]
    }


def _frames(
    manifest: Manifest, part_from_item: Mapping[str, Floats], read: Quantities, findings: list[Finding]
) -> list[Frame]:
    placed = _places(manifest, "frames", manifest.frames, read, findings)
    return [
        Frame(name, item, frozen(invert(part_from_item[item]) @ part_from_frame))
        for name, (item, part_from_frame) in placed.items()
    ]


def _places(
    manifest: Manifest,
    section: str,
    entries: Mapping[str, PartPort] | Mapping[str, PartFrame],
    read: Quantities,
    findings: list[Finding],
) -> dict[str, tuple[str, Floats]]:
    """The item of each entry, and its pose in the part's frame."""
    found: dict[str, tuple[str, Floats]] = {}
    for name, spec in entries.items():
        where = f"{section}.{name}"
        item = spec.on or (next(iter(manifest.items)) if len(manifest.items) == 1 else "")
        if item not in manifest.items:
            message = (
                f"there is no item {item}{did_you_mean(item, manifest.items)}" if item else "say which item it is on"
            )
            findings.append(Finding(703, Severity.ERROR, where, message))
            continue
        try:
            found[name] = item, frozen(read.frame(spec))
        except (RckError, ValueError) as error:
            findings.append(Finding(703, Severity.ERROR, where, str(error)))
    return found
