"""Joints: what turns or slides, about or along an axis of two points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import dist, inf, isfinite

import numpy as np

from rck.geometry.arrays import Floats, Point, as_point
from rck.geometry.transforms import identity, rotation_about, translation, unit_vector
from rck.model.finding import Built, Finding, Severity, errors_of
from rck.model.names import name_findings

SHORTEST_AXIS = 1e-9
"""Points nearer than this, in metres, give no direction."""
LONGEST_AXIS = 1e9
"""Points farther apart than this, in metres, are a wrong unit."""


class JointKind(str, Enum):
    """How a joint moves."""

    REVOLUTE = "revolute"
    """Turns within limits."""
    CONTINUOUS = "continuous"
    """Turns without end."""
    PRISMATIC = "prismatic"
    """Slides."""
    FIXED = "fixed"
    """Does not move: it holds items together."""

    @property
    def turns(self) -> bool:
        """Whether positions are angles."""
        return self in (JointKind.REVOLUTE, JointKind.CONTINUOUS)

    @property
    def moves(self) -> bool:
        """Whether it moves at all."""
        return self is not JointKind.FIXED


@dataclass(frozen=True, slots=True)
class Limits:
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
        """Where the joint stands while the one that it follows stands at `leading`."""
        return self.ratio * leading + self.offset


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint. Build one with :func:`build_joint`. Radians and metres, seconds, N m and N."""

    name: str
    kind: JointKind
    base: str
    """The item that stays."""
    moves: tuple[str, ...]
    """The items that are fastened to the moving side; what those carry in turn is `Robot.moved_by`."""
    start: Point = (0.0, 0.0, 0.0)
    """First point of the axis, in the world, while every joint stands at its `position`."""
    end: Point = (0.0, 0.0, 1.0)
    """Second point of the axis; a joint turns right-handed about, or slides along, start to end."""
    limits: Limits | None = None
    position: float = 0.0
    speed: float | None = None
    acceleration: float | None = None
    effort: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None

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
    limits: Limits | tuple[float, float] | None = None,
    position: float = 0.0,
    speed: float | None = None,
    acceleration: float | None = None,
    effort: float | None = None,
    damping: float = 0.0,
    friction: float = 0.0,
    mimic: Mimic | None = None,
) -> Built[Joint]:
    """A joint, or the findings that say why it is none.

    Limits of a joint that is fixed or turns without end mean nothing and are dropped, as is its mimic if it
    is fixed.
    """
    where = f"joint {name}"
    findings = name_findings(name, where)
    try:
        kind = JointKind(kind)
    except ValueError:
        known = ", ".join(k.value for k in JointKind)
        findings.append(Finding(104, Severity.ERROR, where, f"{kind!r} is no kind of joint", f"use {known}"))
        return Built(None, tuple(findings))
    if len(start) != 3 or len(end) != 3 or (isinstance(limits, tuple) and len(limits) != 2):
        message = "the axis takes two points of x, y and z, and limits are two numbers"
        findings.append(Finding(101, Severity.ERROR, where, message))
        return Built(None, tuple(findings))
    joint = Joint(
        name,
        kind,
        base,
        (moves,) if isinstance(moves, str) else tuple(moves),
        as_point(start),
        as_point(end),
        Limits(*limits) if isinstance(limits, tuple) else limits,
        float(position),
        speed,
        acceleration,
        effort,
        damping,
        friction,
        mimic,
    )
    findings += _number_findings(joint, where) or _sense_findings(joint, where)
    if errors_of(findings):
        return Built(None, tuple(findings))
    if kind in (JointKind.FIXED, JointKind.CONTINUOUS):
        joint = replace(joint, limits=None, mimic=mimic if kind.moves else None)
    return Built(joint, tuple(findings))


def _number_findings(joint: Joint, where: str) -> list[Finding]:
    numbers = [*joint.start, *joint.end, joint.position, joint.damping, joint.friction]
    numbers += [x for x in (joint.speed, joint.acceleration, joint.effort) if x is not None]
    numbers += [joint.limits.lower, joint.limits.upper] if joint.limits else []
    numbers += [joint.mimic.ratio, joint.mimic.offset] if joint.mimic else []
    finite = all(isfinite(x) for x in numbers)
    return [] if finite else [Finding(101, Severity.ERROR, where, "a number is not finite")]


def _sense_findings(joint: Joint, where: str) -> list[Finding]:
    """What makes no sense about a joint whose numbers are all finite."""
    findings = []
    if not joint.moves or joint.base in joint.moves or len(set(joint.moves)) < len(joint.moves):
        message = f"moves {', '.join(joint.moves)} on base {joint.base}" if joint.moves else "moves nothing"
        findings.append(Finding(204, Severity.ERROR, where, message, "name other items than the base, each once"))
    length = dist(joint.start, joint.end)
    if joint.kind.moves and not SHORTEST_AXIS <= length <= LONGEST_AXIS:
        message = f"the two points of the axis are {length:.3g} m apart"
        findings.append(Finding(205, Severity.ERROR, where, message, "give two points some way apart"))
    for label in ("speed", "acceleration", "effort", "damping", "friction"):
        value = getattr(joint, label)
        if value is not None and value < 0:
            findings.append(Finding(104, Severity.ERROR, where, f"{label} {value:g} is negative"))
    for label in ("speed", "acceleration"):
        if getattr(joint, label) == 0:
            fix = f"give a positive {label}, leave it out if it is not known, or make the joint fixed"
            findings.append(Finding(104, Severity.ERROR, where, f"{label} is 0: the joint could never move", fix))
    return findings + _limit_findings(joint.kind, joint.limits, joint.position, where)


def _limit_findings(kind: JointKind, limits: Limits | None, position: float, where: str) -> list[Finding]:
    if kind is JointKind.REVOLUTE and limits is None:
        fix = "give limits, or make it continuous"
        return [Finding(104, Severity.ERROR, where, "a revolute joint needs limits", fix)]
    if kind is JointKind.PRISMATIC and limits is None:
        return [Finding(406, Severity.WARNING, where, "slides without limits", "give limits")]
    if limits is None or kind in (JointKind.FIXED, JointKind.CONTINUOUS):
        return []
    span = f"{limits.lower:.6g} to {limits.upper:.6g} {'rad' if kind.turns else 'm'}"
    if limits.lower > limits.upper:
        return [Finding(404, Severity.ERROR, where, f"limits {span} are reversed", "swap them")]
    slack = 1e-9 * max(1.0, abs(limits.lower), abs(limits.upper))
    if not limits.lower - slack <= position <= limits.upper + slack:
        message = f"position {position:.6g} is outside its limits, {span}"
        return [Finding(405, Severity.ERROR, where, message, "move the position or widen the limits")]
    return []


def bounds_of(joints: Iterable[Joint]) -> tuple[Floats, Floats]:
    """The lower and the upper limits, infinite where there is none. Shapes (joints,), in radians or metres."""
    limits = [joint.limits or Limits(-inf, inf) for joint in joints]
    return np.array([one.lower for one in limits], float), np.array([one.upper for one in limits], float)


def motion(joint: Joint, change: float) -> Floats:
    """The motion of the moved side in the world when the position changes by so much. Shape (4, 4)."""
    if joint.kind is JointKind.FIXED:
        return identity()
    if joint.kind is JointKind.PRISMATIC:
        return translation(change * joint.direction)
    return rotation_about(joint.direction, change, joint.start)
