"""What joints may do on the way: how far, how fast, and how quickly they may gather speed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.model.finding import Finding, RckError, Severity
from rck.model.joint import Joint, bounds_of
from rck.model.robot import Robot

TURNING_SPEED = 1.0
"""For joints that do not say how fast they may turn, in rad/s."""
SLIDING_SPEED = 0.25
"""For joints that do not say how fast they may slide, in m/s."""
GATHERING = 0.25
"""The time, in seconds, in which joints that do not state an acceleration gather their full speed."""

_SLACK = 1e-6
"""How far, in radians or metres, a position may lie beyond a limit because of rounding."""


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """The limits of some joints. Make them with :func:`motion_limits`."""

    joints: tuple[str, ...]
    turning: Floats
    """1 for a joint that turns, 0 for one that slides. Shape (joints,)."""
    lower: Floats
    """Lowest positions, minus infinity where there is none. Shape (joints,), in radians or metres."""
    upper: Floats
    """Highest positions, infinity where there is none."""
    speeds: Floats
    """Highest speeds, in rad/s or m/s."""
    accelerations: Floats
    """Highest accelerations, in rad/s2 or m/s2; infinite where speed may jump."""

    def scaled(self, share: float) -> "MotionLimits":
        """The same with that share of the speeds, gathered in the same time."""
        if not share > 0:
            raise RckError(f"a robot cannot move at {share:g} times its speed; give a share above zero")
        return replace(self, speeds=frozen(share * self.speeds), accelerations=frozen(share * self.accelerations))

    def outside(self, vector: ArrayLike) -> tuple[Finding, ...]:
        """An error for each joint that a joint vector, shape (joints,), takes beyond its limits."""
        found = []
        for number, position in enumerate(np.asarray(vector, dtype=float)):
            low, high = self.lower[number], self.upper[number]
            if not low - _SLACK <= position <= high + _SLACK:
                span = f"{self.text(number, low)} to {self.text(number, high)}"
                message = f"would stand at {self.text(number, position)}; its limits are {span}"
                where = f"joint {self.joints[number]}"
                found.append(Finding(904, Severity.ERROR, where, message, "choose a goal within the limits"))
        return tuple(found)

    def text(self, number: int, value: float) -> str:
        """A position, speed or acceleration of a joint for people: degrees or millimetres."""
        return f"{degrees(value):.4g}°" if self.turning[number] else f"{1000 * value:.4g} mm"


def motion_limits(
    robot: Robot,
    joints: Sequence[str] | None = None,
    *,
    speeds: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
) -> MotionLimits:
    """The limits of the named free joints of a robot, by default of all of them.

    `speeds` and `accelerations`, shape (joints,) or one number for all, take the place of what the robot says.
    """
    chosen = robot.free_joints if joints is None else [robot.free_joint(name) for name in joints]
    lower, upper = bounds_of(chosen)
    top = _all(speeds, [_speed(joint) for joint in chosen], "speed")
    given = [joint.acceleration or limit / GATHERING for joint, limit in zip(chosen, top, strict=True)]
    return MotionLimits(
        tuple(joint.name for joint in chosen),
        frozen(np.array([float(joint.kind.turns) for joint in chosen])),
        frozen(lower),
        frozen(upper),
        frozen(top),
        frozen(_all(accelerations, given, "acceleration")),
    )


def _speed(joint: Joint) -> float:
    return joint.speed or (TURNING_SPEED if joint.kind.turns else SLIDING_SPEED)


def _all(asked: ArrayLike | None, known: Sequence[float], what: str) -> Floats:
    values = np.array(np.broadcast_to(np.asarray(known if asked is None else asked, dtype=float), len(known)))
    if not (values > 0).all():
        raise RckError(f"every joint needs a {what} above zero to move")
    return values
