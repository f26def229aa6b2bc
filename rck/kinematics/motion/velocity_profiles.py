"""Velocity profiles of moves from 0 to 1 in a time from 0 to 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.motion.path import JointPath, path_of
from rck.support.names import entry_named

RAMP = 1 / 3
"""Fraction of a trapezoidal move for acceleration, unless an acceleration limit determines it."""


@dataclass(frozen=True, eq=False)
class Profile:
    """A velocity profile. Times and fractions are dimensionless."""

    name: str
    law: JointPath
    """The completed fraction of the move, as a path of one joint in a time of one."""
    peak_speed: float
    """The peak velocity over the mean velocity."""
    peak_acceleration: float
    """The peak acceleration of a unit move in unit time; infinite if the velocity jumps."""

    def share(self, time: Floats) -> Floats:
        """Return the completed fraction at times from 0 to 1, any shape."""
        return self.law.at(time)[..., 0]

    def time(self, share: Floats) -> Floats:
        """Return the times at which fractions from 0 to 1, any shape, are completed, by bisection."""
        low, high = np.zeros_like(share), np.ones_like(share)
        for _ in range(48):
            middle = (low + high) / 2
            before = self.share(middle) < share
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        times: Floats = (low + high) / 2
        return times


def _law(times: tuple[float, ...], *pieces: tuple[float, ...]) -> JointPath:
    return path_of(("share",), times, [[np.array([number]) for number in piece] for piece in pieces])


def trapezoid(ramp: float) -> Profile:
    """Return the trapezoidal profile that accelerates for a fraction of the time; a triangle for 0.5."""
    top = 1.0 / (1.0 - ramp)
    rise, cruise = 0.5 * top * ramp, top * (1.0 - 2.0 * ramp)
    law = _law(
        (0.0, ramp, 1.0 - ramp, 1.0),
        (0.0, 0.0, rise),
        (rise, cruise),
        (1.0 - rise, 2.0 * rise, -rise),
    )
    return Profile("trapezoidal", law, top, top / ramp)


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("linear", _law((0.0, 1.0), (0.0, 1.0)), 1.0, inf),
        Profile("cubic", _law((0.0, 1.0), (0.0, 0.0, 3.0, -2.0)), 1.5, 6.0),
        # 3-4-5 polynomial: velocity and acceleration are zero at both ends.
        Profile("polynomial", _law((0.0, 1.0), (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)), 1.875, 10.0 / sqrt(3.0)),
        trapezoid(RAMP),
    )
}
"""The profiles by name."""


def fitting_profile(name: str, speed: float, acceleration: float) -> Profile:
    """Return the profile of that name with the fastest unit move for a velocity and acceleration limit.

    Only the trapezoidal profile has a parameter: the end of its acceleration.
    """
    profile = entry_named(name, PROFILES, "profile")
    if name != "trapezoidal" or acceleration == inf or speed == inf:
        return profile
    if speed * speed >= acceleration:
        return trapezoid(0.5)
    return trapezoid(speed * speed / (acceleration + speed * speed))


def least_duration(profile: Profile, speed: float, acceleration: float) -> float:
    """Return the shortest time for a unit move with a velocity and acceleration limit.

    A linear move starts at full speed and ignores the acceleration limit.
    """
    needed = profile.peak_speed / speed
    return needed if profile.peak_acceleration == inf else max(needed, sqrt(profile.peak_acceleration / acceleration))
