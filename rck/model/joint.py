"""Joints: rotation about or translation along an axis through two points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from math import dist, inf, isfinite

import numpy as np

from rck.geometry.arrays import Floats, Point, as_point
from rck.geometry.transforms import identity, rotation_about, translation, unit_vector
from rck.model.extensions import Extensions, no_extensions
from rck.support.finding import Built, Finding, Severity, errors_of
from rck.support.names import name_findings

SHORTEST_AXIS = 1e-9
"""Points closer than this, in metres, define no direction."""
LONGEST_AXIS = 1e9
"""Points farther apart than this, in metres, indicate a wrong unit."""


class JointKind(str, Enum):
    """The type of motion of a joint."""

    REVOLUTE = "revolute"
    """Rotates within limits."""
    CONTINUOUS = "continuous"
    """Rotates without limits."""
    PRISMATIC = "prismatic"
    """Translates."""
    FIXED = "fixed"
    """Does not move: it joins items rigidly."""

    @property
    def turns(self) -> bool:
        """True if positions are angles."""
        return self in (JointKind.REVOLUTE, JointKind.CONTINUOUS)

    @property
    def moves(self) -> bool:
        """True unless it is fixed."""
        return self is not JointKind.FIXED


@dataclass(frozen=True, slots=True)
class JointLimits:
    """The range of positions, in radians or metres."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Mimic:
    """Position = ratio * (position of `joint`) + offset."""

    joint: str
    ratio: float = 1.0
    offset: float = 0.0

    def position_at(self, leading: float) -> float:
        """Return the position of the mimic joint if its leader is at `leading`."""
        return self.ratio * leading + self.offset


class Actuation(str, Enum):
    """Drive of a joint: a motor, none, or unknown."""

    ACTUATED = "actuated"
    PASSIVE = "passive"
    UNKNOWN = "unknown"
    """The source does not say, as a URDF file without transmissions."""


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint, in radians or metres, seconds, and N m or N. Build one with :func:`build_joint`."""

    name: str
    kind: JointKind
    base: str
    """The item that carries the joint."""
    moves: tuple[str, ...]
    """The items fixed to the moving side; `Robot.moved_by` adds those that they carry in turn."""
    start: Point = (0.0, 0.0, 0.0)
    """First point of the axis, in the world, with every joint at its `position`."""
    end: Point = (0.0, 0.0, 1.0)
    """Second point of the axis; the joint rotates right-handed about, or moves along, start to end."""
    limits: JointLimits | None = None
    position: float = 0.0
    speed: float | None = None
    acceleration: float | None = None
    effort: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    actuation: Actuation = Actuation.UNKNOWN
    armature: float = 0.0
    """Inertia of the rotor and the gears, seen from the joint, in kg m2 or kg."""
    stiffness: float = 0.0
    """Stiffness of the spring of the joint, in N m/rad or N/m."""
    spring_position: float = 0.0
    """The position at which the spring is relaxed."""
    source_name: str = ""
    """Its name in the file that it was imported from, which exports use again; empty to use `name`."""
    extensions: Extensions = field(default_factory=no_extensions)

    @property
    def direction(self) -> Floats:
        """Unit vector from start to end. Shape (3,)."""
        return unit_vector(np.subtract(self.end, self.start))


def build_joint(
    name: str,
    kind: JointKind | str,
    base: str,
    moves: tuple[str, ...] | str,
    *,
    start: Sequence[float] = (0.0, 0.0, 0.0),
    end: Sequence[float] = (0.0, 0.0, 1.0),
    limits: JointLimits | tuple[float, float] | None = None,
    position: float = 0.0,
    speed: float | None = None,
    acceleration: float | None = None,
    effort: float | None = None,
    damping: float = 0.0,
    friction: float = 0.0,
    mimic: Mimic | None = None,
    actuation: Actuation = Actuation.UNKNOWN,
    armature: float = 0.0,
    stiffness: float = 0.0,
    spring_position: float = 0.0,
) -> Built[Joint]:
    """Build a joint, or return the findings that prevent it; see :func:`check_joint`."""
    where = f"joint {name}"
    findings = name_findings(name, where)
    try:
        kind = JointKind(kind)
    except ValueError:
        known = ", ".join(k.value for k in JointKind)
        findings.append(Finding(104, Severity.ERROR, where, f"unknown joint kind {kind!r}", f"use {known}"))
        return Built(None, tuple(findings))
    if len(start) != 3 or len(end) != 3 or (isinstance(limits, tuple) and len(limits) != 2):
        message = "the axis needs two points of x, y and z, and limits are two numbers"
        findings.append(Finding(101, Severity.ERROR, where, message))
        return Built(None, tuple(findings))
    return check_joint(
        Joint(
            name,
            kind,
            base,
            (moves,) if isinstance(moves, str) else tuple(moves),
            as_point(start),
            as_point(end),
            JointLimits(*limits) if isinstance(limits, tuple) else limits,
            float(position),
            speed,
            acceleration,
            effort,
            damping,
            friction,
            mimic,
            actuation,
            armature,
            stiffness,
            spring_position,
        )
    )


def check_joint(joint: Joint) -> Built[Joint]:
    """Return a joint made of the fields of an unchecked one, or the findings that prevent it.

    It has no limits if it is fixed or continuous, and no mimic if it is fixed.
    """
    where = f"joint {joint.name}"
    findings = name_findings(joint.name, where)
    findings += _number_findings(joint, where) or _value_findings(joint, where)
    if errors_of(findings):
        return Built(None, tuple(findings))
    values = {field.name: getattr(joint, field.name) for field in fields(Joint)}
    if joint.kind in (JointKind.FIXED, JointKind.CONTINUOUS):
        values["limits"] = None
    if joint.kind is JointKind.FIXED:
        values["mimic"] = None
    return Built(Joint(**values), tuple(findings))


def _number_findings(joint: Joint, where: str) -> list[Finding]:
    numbers = [*joint.start, *joint.end, joint.position, joint.damping, joint.friction]
    numbers += [joint.armature, joint.stiffness, joint.spring_position]
    numbers += [x for x in (joint.speed, joint.acceleration, joint.effort) if x is not None]
    numbers += [joint.limits.lower, joint.limits.upper] if joint.limits else []
    numbers += [joint.mimic.ratio, joint.mimic.offset] if joint.mimic else []
    finite = all(isfinite(x) for x in numbers)
    return [] if finite else [Finding(101, Severity.ERROR, where, "a number is not finite")]


def _value_findings(joint: Joint, where: str) -> list[Finding]:
    """Return the findings for invalid values of a joint whose numbers are all finite."""
    findings = []
    if not joint.moves or joint.base in joint.moves or len(set(joint.moves)) < len(joint.moves):
        message = f"moves {', '.join(joint.moves)} on base {joint.base}" if joint.moves else "moves nothing"
        findings.append(Finding(204, Severity.ERROR, where, message, "name items other than the base, each once"))
    length = dist(joint.start, joint.end)
    if joint.kind.moves and not SHORTEST_AXIS <= length <= LONGEST_AXIS:
        message = f"the two points of the axis are {length:.3g} m apart"
        findings.append(Finding(205, Severity.ERROR, where, message, "use two distinct points"))
    for label in ("speed", "acceleration", "effort", "damping", "friction", "armature", "stiffness"):
        value = getattr(joint, label)
        if value is not None and value < 0:
            findings.append(Finding(104, Severity.ERROR, where, f"{label} {value:g} is negative"))
    for label in ("speed", "acceleration"):
        if getattr(joint, label) == 0:
            fix = f"use a positive {label}, omit it if unknown, or make the joint fixed"
            findings.append(Finding(104, Severity.ERROR, where, f"{label} is 0, so the joint cannot move", fix))
    return findings + _limit_findings(joint.kind, joint.limits, joint.position, where)


def _limit_findings(kind: JointKind, limits: JointLimits | None, position: float, where: str) -> list[Finding]:
    if kind is JointKind.REVOLUTE and limits is None:
        fix = "set limits, or make it continuous"
        return [Finding(104, Severity.ERROR, where, "a revolute joint needs limits", fix)]
    if kind is JointKind.PRISMATIC and limits is None:
        return [Finding(406, Severity.WARNING, where, "has no limits", "set limits")]
    if limits is None or kind in (JointKind.FIXED, JointKind.CONTINUOUS):
        return []
    span = f"{limits.lower:.6g} to {limits.upper:.6g} {'rad' if kind.turns else 'm'}"
    if limits.lower > limits.upper:
        return [
            Finding(404, Severity.ERROR, where, f"limits {span} are reversed", "swap the lower and the upper limit")
        ]
    slack = 1e-9 * max(1.0, abs(limits.lower), abs(limits.upper))
    if not limits.lower - slack <= position <= limits.upper + slack:
        message = f"position {position:.6g} is outside its limits, {span}"
        return [Finding(405, Severity.ERROR, where, message, "change the position or widen the limits")]
    return []


def bounds_of(joints: Iterable[Joint]) -> tuple[Floats, Floats]:
    """Return lower and upper limits, infinite if there are none. Shapes (joints,), in radians or metres."""
    limits = [joint.limits or JointLimits(-inf, inf) for joint in joints]
    return np.array([pair.lower for pair in limits], float), np.array([pair.upper for pair in limits], float)


def motion(joint: Joint, change: float) -> Floats:
    """Return the motion of the moving side in the world for a change of position. Shape (4, 4)."""
    if joint.kind is JointKind.FIXED:
        return identity()
    if joint.kind is JointKind.PRISMATIC:
        return translation(change * joint.direction)
    return rotation_about(joint.direction, change, joint.start)
