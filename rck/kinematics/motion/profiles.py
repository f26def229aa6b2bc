"""How a move gets from 0 to 1 while time goes from 0 to 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.motion.path import Path, path_of
from rck.model.names import entry_named

RAMP = 1 / 3
"""The share of a trapezoidal move in which it gathers speed, where no acceleration says otherwise."""


@dataclass(frozen=True, eq=False)
class Profile:
    """A way of moving. Times and shares have no unit."""

    name: str
    law: Path
    """The share of the way that is done, as a path of one joint in a time of one."""
    peak_speed: float
    """The highest speed, over the mean one."""
    peak_acceleration: float
    """The highest acceleration of a way of one in a time of one; infinite where the speed jumps."""

    def share(self, time: Floats) -> Floats:
        """How much of the way is done at times from 0 to 1, any shape."""
        return self.law.at(time)[..., 0]

    def time(self, share: Floats) -> Floats:
        """When so much of the way is done, by halving: shares from 0 to 1, any shape."""
        low, high = np.zeros_like(share), np.ones_like(share)
        for _ in range(48):
            middle = (low + high) / 2
            before = self.share(middle) < share
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        times: Floats = (low + high) / 2
        return times


def _law(times: tuple[float, ...], *pieces: tuple[float, ...]) -> Path:
    return path_of(("share",), times, [[np.array([number]) for number in piece] for piece in pieces])


def trapezoid(ramp: float) -> Profile:
    """Speed that rises evenly during a share of the time, stays, and falls again; a triangle at half the time."""
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
        # 3-4-5 polynomial: speed and acceleration are zero at both ends.
        Profile("polynomial", _law((0.0, 1.0), (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)), 1.875, 10.0 / sqrt(3.0)),
        trapezoid(RAMP),
    )
}
"""The profiles by name."""


def fitting_profile(name: str, speed: float, acceleration: float) -> Profile:
    """The profile of that name that makes a way of one soonest with a highest speed and acceleration.

    Only the trapezoidal one has a choice: when to stop gathering speed.
    """
    profile = entry_named(name, PROFILES, "profile")
    if name != "trapezoidal" or acceleration == inf or speed == inf:
        return profile
    if speed * speed >= acceleration:
        return trapezoid(0.5)
    return trapezoid(speed * speed / (acceleration + speed * speed))


def least_duration(profile: Profile, speed: float, acceleration: float) -> float:
    """The shortest time for a way of one with a highest speed and acceleration.

    A linear move has speed at once, so that accelerations mean nothing to it.
    """
    needed = profile.peak_speed / speed
    return needed if profile.peak_acceleration == inf else max(needed, sqrt(profile.peak_acceleration / acceleration))
