"""Motion limits of joints: positions, velocities and accelerations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.model.joint import Joint, bounds_of
from rck.model.robot import Robot
from rck.support.finding import Finding, RckError, Severity

TURNING_SPEED = 1.0
"""Default velocity limit of revolute joints, in rad/s."""
SLIDING_SPEED = 0.25
"""Default velocity limit of prismatic joints, in m/s."""
RAMP_TIME = 0.25
"""Time to full speed, in seconds, of joints without acceleration limit."""

_SLACK = 1e-6
"""Tolerance of limits for rounding, in radians or metres."""


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """The motion limits of some joints. Make them with :func:`motion_limits`."""

    joints: tuple[str, ...]
    turning: Floats
    """1 for a joint that turns, 0 for one that slides. Shape (joints,)."""
    lower: Floats
    """Lower limits, minus infinity without a limit. Shape (joints,), in radians or metres."""
    upper: Floats
    """Upper limits, infinity without a limit."""
    speeds: Floats
    """Velocity limits, in rad/s or m/s."""
    accelerations: Floats
    """Acceleration limits, in rad/s2 or m/s2; infinite if velocity may jump."""

    def scaled(self, share: float) -> "MotionLimits":
        """Return the limits with a fraction of the velocities, reached in the same time."""
        if not share > 0:
            raise RckError(f"speed factor must be positive, not {share:g}")
        return replace(self, speeds=frozen(share * self.speeds), accelerations=frozen(share * self.accelerations))

    def outside(self, vector: ArrayLike) -> tuple[Finding, ...]:
        """Return an error for each joint outside its limits at a joint vector, shape (joints,)."""
        found = []
        for number, position in enumerate(np.asarray(vector, dtype=float)):
            low, high = self.lower[number], self.upper[number]
            if not low - _SLACK <= position <= high + _SLACK:
                span = f"{self.text(number, low)} to {self.text(number, high)}"
                message = f"would be at {self.text(number, position)}, outside its limits, {span}"
                where = f"joint {self.joints[number]}"
                found.append(Finding(904, Severity.ERROR, where, message, "choose a goal within the limits"))
        return tuple(found)

    def text(self, number: int, value: float) -> str:
        """Format a position, velocity or acceleration of a joint in degrees or millimetres."""
        return f"{degrees(value):.4g}°" if self.turning[number] else f"{1000 * value:.4g} mm"


def motion_limits(
    robot: Robot,
    joints: Sequence[str] | None = None,
    *,
    speeds: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
) -> MotionLimits:
    """Return the limits of the named free joints of a robot, by default of all of them.

    `speeds` and `accelerations`, shape (joints,) or one number for all, override those of the robot.
    """
    chosen = robot.free_joints if joints is None else [robot.free_joint(name) for name in joints]
    lower, upper = bounds_of(chosen)
    top = _per_joint(speeds, [_speed(joint) for joint in chosen], "speed")
    own = [joint.acceleration or limit / RAMP_TIME for joint, limit in zip(chosen, top, strict=True)]
    return MotionLimits(
        tuple(joint.name for joint in chosen),
        frozen(np.array([float(joint.kind.turns) for joint in chosen])),
        frozen(lower),
        frozen(upper),
        frozen(top),
        frozen(_per_joint(accelerations, own, "acceleration")),
    )


def _speed(joint: Joint) -> float:
    return joint.speed or (TURNING_SPEED if joint.kind.turns else SLIDING_SPEED)


def _per_joint(override: ArrayLike | None, known: Sequence[float], what: str) -> Floats:
    values = np.array(np.broadcast_to(np.asarray(known if override is None else override, dtype=float), len(known)))
    if not (values > 0).all():
        raise RckError(f"every joint needs a positive {what}")
    return values
