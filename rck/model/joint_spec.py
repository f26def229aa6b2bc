"""Joints as files state them, and their conversion to :class:`rck.model.Joint`."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from rck.geometry.arrays import Floats, as_point
from rck.model.joint import Actuation, Joint, JointKind, JointLimits, Mimic
from rck.model.quantities import Axis, Pair, Quantities, Quantity, direction
from rck.support.finding import RckError
from rck.support.typed_yaml import Strict


class JointRatings(Strict, frozen=True):
    """Limits of a joint, in the units of the file; every record of a joint in a file has them."""

    limits: Pair | None = None
    speed: Quantity | None = None
    torque: Quantity | None = None
    """Effort limit of a joint that turns."""
    force: Quantity | None = None
    """Effort limit of a joint that slides."""


class JointSpec(JointRatings, frozen=True):
    """A joint, in the units of the file. Exactly one of the kinds is given, with its axis."""

    revolute: Axis | None = None
    continuous: Axis | None = None
    prismatic: Axis | None = None
    acceleration: Quantity | None = None
    """In the angle or length unit of the file, per second squared."""
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    """Inertia of the rotor and the gears, seen from the joint, in kg m2 or kg."""
    stiffness: float = 0.0
    """Stiffness of the spring of the joint, in N m/rad or N/m."""
    spring: Quantity = 0.0
    """The position at which the spring is relaxed."""
    actuation: Literal["actuated", "passive", "unknown"] | None = None
    """The source of its motion (default: actuated if it has a torque or force, else unknown)."""


JOINT_KEYS = (
    "piece", "kind", "base", "moves", "revolute", "continuous", "prismatic", "fixed", "at", "name", "position",
    "limits", "reverse", "speed", "acceleration", "torque", "force", "damping", "friction",
    "armature", "stiffness", "spring", "actuation", "follows", "source_name", "extensions",
)  # fmt: skip
"""The order of the keys of a joint in files."""


def in_key_order(keys: Iterable[str]) -> list[str]:
    """Sort the keys of a joint as files do."""
    return sorted(keys, key=JOINT_KEYS.index)


class SIRatings(NamedTuple):
    """Limits of a joint, in SI units."""

    limits: JointLimits | None
    speed: float | None
    effort: float | None


def convert_ratings(ratings: JointRatings, turns: bool, read: Quantities) -> SIRatings:
    """Return the limits in SI units; refuse the torque of a joint that slides and the force of one that turns."""
    if (ratings.force if turns else ratings.torque) is not None:
        raise RckError("a joint that turns has a torque" if turns else "a joint that slides has a force")
    effort = None
    if turns and ratings.torque is not None:
        effort = read.torque(ratings.torque)
    elif ratings.force is not None:
        effort = read.force(ratings.force)
    return SIRatings(
        None if ratings.limits is None else read.joint_limits(ratings.limits, turns),
        None if ratings.speed is None else read.joint_speed(ratings.speed, turns),
        effort,
    )


def joint_axis(spec: JointSpec) -> tuple[JointKind, Axis]:
    """Return the kind of a joint and its axis; refuse a joint with no kind or several."""
    possible = [kind for kind in JointKind if hasattr(spec, kind.value)]
    stated = [kind for kind in possible if getattr(spec, kind.value) is not None]
    if len(stated) != 1:
        *names, last = [kind.value for kind in possible]
        raise RckError(f"give exactly one of {', '.join(names)} and {last}")
    return stated[0], getattr(spec, stated[0].value)


def convert_joint(
    spec: JointSpec,
    name: str,
    base: str,
    moves: tuple[str, ...],
    read: Quantities,
    *,
    frame: Floats,
    position: Quantity = 0.0,
    mimic: tuple[str, float, Quantity] | None = None,
) -> Joint:
    """Return the joint in SI units, not checked yet; raise :class:`RckError` for bad quantities.

    The axis goes through the origin of `frame`, shape (4, 4), and its direction is given in that frame.
    """
    start = frame[:3, 3]
    kind, axis = joint_axis(spec)
    turns = kind.turns
    limits, speed, effort = convert_ratings(spec, turns, read)
    return Joint(
        name,
        kind,
        base,
        moves,
        as_point(start),
        as_point(start + frame[:3, :3] @ direction(axis)),
        limits,
        read.joint_position(position, turns),
        speed,
        None if spec.acceleration is None else read.joint_acceleration(spec.acceleration, turns),
        effort,
        spec.damping,
        spec.friction,
        None if mimic is None else Mimic(mimic[0], mimic[1], read.joint_position(mimic[2], turns)),
        _actuation(spec, effort),
        spec.armature,
        spec.stiffness,
        read.joint_position(spec.spring, turns),
    )


def _actuation(spec: JointSpec, effort: float | None) -> Actuation:
    """Return what the specification says, or else that a joint with an effort limit has a motor."""
    if spec.actuation is not None:
        return Actuation(spec.actuation)
    return Actuation.UNKNOWN if effort is None else Actuation.ACTUATED
