"""Strict reader of robot description files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.bounding_sphere import Sphere
from rck.geometry.mass_properties import NO_MASS, MassProperties
from rck.hooks import Imported, Job, Values
from rck.hooks.options import units_per_metre
from rck.importing.file_errors import NotOfFormat, load
from rck.importing.import_options import density_of
from rck.importing.import_report import Report
from rck.importing.legal_names import name_of
from rck.importing.tokens import Tokens
from rck.model import (
    Colour,
    Finding,
    Item,
    Joint,
    JointKind,
    PartDefinition,
    Severity,
    Subitem,
    build_item,
    build_joint,
    build_subitem,
    compile_part,
)
from rck.model.tree import direct_moves
from rck.support.finding import errors_of

FREE = -1.0
"""A joint whose minimum and maximum both have this value has no limits."""

_LEAST_SIDE = 0.01
"""Side, in metres, of the cube whose mass is assumed for a moving item without shape."""
_LEAST_ITEM = 24  # flag, colour, matrix, sphere
_LEAST_JOINT = 13  # type, ends, limits and position, base, one moved item and their count
_LEAST_POINTS = 4  # a smaller number ends the list of subitems


@dataclass(frozen=True, slots=True)
class Conventions:
    """Conventions that the file does not state."""

    per_metre: float
    """Number of file length units per metre."""
    density: float
    """In kg/m3."""
    row_vectors: bool
    """True if matrices have the translation in the last row."""


@dataclass(frozen=True, slots=True)
class ReadJoint:
    """A joint as listed in the file; `moved` includes items carried along by other joints."""

    at: int
    """Index of its first token."""
    kind: JointKind
    start: Sequence[float]
    end: Sequence[float]
    limits: tuple[float, float] | None
    position: float
    base: str
    moved: tuple[str, ...]


def read(path: Path, values: Values, job: Job) -> Imported:
    """Return the robot in the file, or one error that names the line."""
    try:
        density = density_of(values)
        conventions = Conventions(units_per_metre(values, "m"), density, bool(values.get("row-vectors", False)))
        part, findings = parse(Tokens(path.name, load(path)), name_of(path), conventions, job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    report = Report()
    for finding in findings:
        report.add(finding, kind="of one code")
    return Imported((part,), findings=report.findings)


def parse(tokens: Tokens, name: str, conventions: Conventions, job: Job) -> tuple[PartDefinition, list[Finding]]:
    """Return the robot and its findings; any deviation from the format is an error."""
    item_count = tokens.count("the number of items", _LEAST_ITEM)
    joint_count = tokens.count("the number of joints", _LEAST_JOINT)
    if joint_count and not item_count:
        raise tokens.refusal("there are joints but no items", 1)
    items: list[Item] = []
    starts: dict[str, int] = {}
    findings: list[Finding] = []
    for number in range(item_count):
        job.progress(0.9 * number / item_count, "items")
        starts[f"item item{number}"] = tokens.at
        item, noticed = _read_item(tokens, number, item_count, conventions)
        items.append(item)
        findings += noticed
    joints = []
    for number in range(joint_count):
        starts[f"joint joint{number}"] = tokens.at
        joints.append(_read_joint(tokens, number, item_count, conventions))
    tokens.end("raise the number of items or joints at the top, or remove the rest")
    job.progress(0.95, "joints")
    built, noticed = _build_joints(tokens, joints)
    findings += noticed
    if any(item.subitems for item in items):
        message = f"the density {conventions.density:g} kg/m3 was assumed for every solid"
        findings.append(Finding(408, Severity.NOTE, tokens.name, message, "set the option density"))
    items, noticed = _with_least_masses(tokens.name, items, built, conventions.density)
    findings += noticed
    part = PartDefinition(name, tuple(items), tuple(built))
    if errors := errors_of(compile_part(part).findings):
        first = errors[0]
        raise NotOfFormat(replace(first, where=f"{tokens.where(starts[first.where])}: {first.where}"))
    return part, findings


def _read_item(tokens: Tokens, number: int, item_count: int, conventions: Conventions) -> tuple[Item, list[Finding]]:
    name = f"item{number}"
    start = tokens.at
    mobile = tokens.integer(f"the mobile flag of {name} (a subitem has at least {_LEAST_POINTS} points)", 0, 1) == 1
    red, green, blue = tokens.numbers(3, f"red, green and blue of {name}", 0.0, 1.0).tolist()
    pose = _read_pose(tokens, name, conventions)
    sphere_at = tokens.at
    sphere = _read_sphere(tokens, name, conventions)
    findings: list[Finding] = []
    subitems: list[Subitem] = []
    while not _subitems_end(tokens, number, item_count):
        where = f"subitem {len(subitems)} of {name}"
        subitem, noticed = _read_subitem(tokens, where, (red, green, blue, 1.0), conventions)
        subitems.append(subitem)
        findings += noticed
    item, noticed = tokens.accept(build_item(name, subitems, pose=pose, mobile=mobile), start)
    if subitems:
        reach = max(np.linalg.norm(one.shape.vertices - sphere.centre, axis=1).max() for one in subitems)
        if reach > sphere.radius * (1 + 1e-6) + 1e-9:
            message = f"the bounding sphere of {name} does not contain every vertex; recomputed"
            noticed.append(Finding(308, Severity.NOTE, tokens.where(sphere_at), message))
    return item, findings + noticed


def _subitems_end(tokens: Tokens, number: int, item_count: int) -> bool:
    """Return True if the next number is not a point count; the format stores no count of subitems."""
    last = number + 1 == item_count
    if not tokens.left:
        return True
    try:
        return int(tokens.peek()) < _LEAST_POINTS
    except ValueError:
        after = "the type of joint0" if last else f"the mobile flag of item{number + 1}"
        what = f"the number of points of a subitem of item{number}, or {after}"
        raise tokens.unexpected(what, tokens.at) from None


def _read_pose(tokens: Tokens, name: str, conventions: Conventions) -> Floats:
    start = tokens.at
    matrix = tokens.numbers(16, f"the matrix of {name}").reshape(4, 4)
    if conventions.row_vectors:
        matrix = matrix.T
    if not _is_last_of_rigid(matrix[3]):
        found, other = ("last row", "last column")[:: -1 if conventions.row_vectors else 1]
        if not _is_last_of_rigid(matrix[:, 3]):
            raise tokens.refusal(f"the {found} of the matrix of {name} is not 0 0 0 1", start, code=309)
        message = f"the matrix of {name} has its translation in the {found}, not in the {other}"
        fix = "leave out the option row-vectors" if conventions.row_vectors else "set the option row-vectors"
        raise tokens.refusal(message, start, fix=fix)
    pose = matrix.copy()
    pose[:3, 3] /= conventions.per_metre
    pose[3] = (0.0, 0.0, 0.0, 1.0)
    return pose


def _is_last_of_rigid(numbers: Floats) -> bool:
    return all(abs(a - b) < 1e-6 for a, b in zip(numbers.tolist(), (0.0, 0.0, 0.0, 1.0), strict=True))


def _read_sphere(tokens: Tokens, of_what: str, conventions: Conventions) -> Sphere:
    radius = tokens.number(f"the bounding radius of {of_what}", low=0.0)
    centre = tokens.numbers(3, f"the centre of the bounding sphere of {of_what}")
    return Sphere(frozen(centre / conventions.per_metre), radius / conventions.per_metre)


def _read_subitem(
    tokens: Tokens, where: str, colour: Colour, conventions: Conventions
) -> tuple[Subitem, list[Finding]]:
    start = tokens.at
    points = tokens.count(f"the number of points of {where}", each=3, low=_LEAST_POINTS)
    sphere = _read_sphere(tokens, where, conventions)
    vertices = tokens.numbers(3 * points, f"the points of {where}").reshape(-1, 3) / conventions.per_metre
    polygons = tokens.count(f"the number of polygons of {where}", each=4, low=4)
    sizes = tokens.integers(polygons, f"the number of vertices of a polygon of {where}", low=3, high=points)
    total = sum(sizes)
    if total > tokens.left:
        raise tokens.refusal(
            f"the polygons of {where} need {total} vertex numbers; {tokens.left} are left", tokens.at - 1
        )
    indices = tokens.integers(total, f"a vertex number of {where}", low=0, high=points - 1)
    faces = []
    used = 0
    for size in sizes:
        faces.append(indices[used : used + size])
        used += size
    built = build_subitem(vertices, faces, colour=colour, density=conventions.density, sphere=sphere, where=where)
    return tokens.accept(built, start)


def _read_joint(tokens: Tokens, number: int, item_count: int, conventions: Conventions) -> ReadJoint:
    name = f"joint{number}"
    start = tokens.at
    turns = tokens.integer(f"the type of {name} (1 revolute, 2 prismatic)", 1, 2) == 1
    ends = (tokens.numbers(6, f"the two ends of the axis of {name}") / conventions.per_metre).tolist()
    low, high, position = tokens.numbers(3, f"minimum, maximum and position of {name}").tolist()
    unit = 180 / pi if turns else conventions.per_metre
    free = low == high == FREE
    base = tokens.integer(f"the base item of {name}", 0, item_count - 1)
    count = tokens.count(f"the number of items that {name} moves", each=1, low=1)
    moved = tokens.integers(count, f"an item that {name} moves", 0, item_count - 1)
    if base in moved or len(set(moved)) < count:
        message = f"{name} moves its own base" if base in moved else f"{name} moves an item twice"
        raise tokens.refusal(message, start, code=204, fix="name other items than the base, each once")
    turning = JointKind.CONTINUOUS if free else JointKind.REVOLUTE
    kind = turning if turns else JointKind.PRISMATIC
    limits = None if free else (low / unit, high / unit)
    names = tuple(f"item{index}" for index in moved)
    return ReadJoint(start, kind, ends[:3], ends[3:], limits, position / unit, f"item{base}", names)


def _build_joints(tokens: Tokens, listed: Sequence[ReadJoint]) -> tuple[list[Joint], list[Finding]]:
    names = [f"joint{number}" for number in range(len(listed))]
    direct = direct_moves(names, [joint.base for joint in listed], [joint.moved for joint in listed])
    if direct.value is None:
        first = direct.findings[0]
        at = listed[names.index(first.where.removeprefix("joint "))].at
        raise NotOfFormat(replace(first, where=f"{tokens.where(at)}: {first.where}"))
    joints, findings = [], []
    for name, joint, moves in zip(names, listed, direct.value, strict=True):
        if not moves:
            message = f"{name} moves only items that another joint moves too"
            fix = "put an item between the two joints; it may have no subitems"
            raise tokens.refusal(message, joint.at, code=203, fix=fix)
        built = build_joint(
            name,
            joint.kind,
            joint.base,
            moves,
            start=joint.start,
            end=joint.end,
            limits=joint.limits,
            position=joint.position,
        )
        value, noticed = tokens.accept(built, joint.at)
        joints.append(value)
        findings += noticed
    return joints, findings


def _with_least_masses(
    name: str, items: Sequence[Item], joints: Iterable[Joint], density: float
) -> tuple[list[Item], list[Finding]]:
    """Give moving items without a shape the mass of one cubic centimetre, since a moving group needs a mass."""
    shapeless = {item.name for item in items if not item.subitems}
    groups = [joint.moves for joint in joints]
    carried = {name for group in groups for name in group}
    groups += [(item.name,) for item in items if item.mobile and item.name not in carried]
    weightless = {group[0] for group in groups if shapeless.issuperset(group)}
    if not weightless:
        return list(items), []
    least = _least_mass(density)
    message = f"{len(weightless)} moving items have no shape; the mass of a cubic centimetre was assumed for each"
    given = [replace(item, given_mass=least) if item.name in weightless else item for item in items]
    return given, [Finding(408, Severity.WARNING, name, message)]


def _least_mass(density: float) -> MassProperties:
    """Return the mass assumed for a moving item without shape."""
    mass = density * _LEAST_SIDE**3
    return MassProperties(mass, NO_MASS.centre, frozen(np.eye(3) * mass * _LEAST_SIDE**2 / 6))
