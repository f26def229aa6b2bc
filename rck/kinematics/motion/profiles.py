"""How a move gets from 0 to 1 while time goes from 0 to 1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from rck.geometry.arrays import Floats

RAMP = 1 / 3
"""The share of a trapezoidal move in which it gathers speed, and in which it loses it again."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A way of moving. Times and shares have no unit; any arrays of equal shape will do."""

    name: str
    share: Callable[[Floats], Floats]
    """How much of the way is done at a time from 0 to 1."""
    peak_speed: float
    """The highest speed, over the mean one."""
    peak_acceleration: float
    """The highest acceleration of a way of one in a time of one; infinite where the speed jumps."""


def _cubic(time: Floats) -> Floats:
    return time * time * (3.0 - 2.0 * time)


def _polynomial(time: Floats) -> Floats:
    return time**3 * (10.0 - 15.0 * time + 6.0 * time * time)


def _trapezoidal(time: Floats) -> Floats:
    top = 1.0 / (1.0 - RAMP)
    left = 1.0 - time
    rising, falling = 0.5 * top / RAMP * time * time, 1.0 - 0.5 * top / RAMP * left * left
    shares: Floats = np.where(time < RAMP, rising, np.where(left < RAMP, falling, top * (time - 0.5 * RAMP)))
    return shares


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("linear", lambda time: time, 1.0, inf),
        Profile("cubic", _cubic, 1.5, 6.0),
        # 3-4-5 polynomial: speed and acceleration are zero at both ends.
        Profile("polynomial", _polynomial, 1.875, 10.0 / sqrt(3.0)),
        Profile("trapezoidal", _trapezoidal, 1.0 / (1.0 - RAMP), 1.0 / (RAMP * (1.0 - RAMP))),
    )
}
"""The profiles by name."""
