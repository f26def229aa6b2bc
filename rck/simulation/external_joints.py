"""Velocities of joints that are set from outside, for example to those of a real robot."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.simulation.kinematic_state import JointVector

LONGEST_GAP = 0.25
"""Settings further apart than this, in seconds, are corrections and not a motion."""
_KEPT = 3
"""Number of settings for a parabola: the rates of a uniformly accelerated joint are exact."""


@dataclass(frozen=True, eq=False, slots=True)
class ExternalJoints:
    """The last settings of joints.

    Motions of the same joints in between do not count: the two rates are added.
    """

    times: tuple[float, ...] = ()
    """Times of the last settings, increasing, in seconds."""
    offsets: tuple[JointVector, ...] = ()
    """Sum of all changes up to each of these times. Shape (free joints,), in radians and metres."""

    def placed(self, time: float, change: Floats) -> "ExternalJoints":
        """Return the settings with another one, which changed the joint vector by `change`."""
        total = frozen(change + (self.offsets[-1] if self.offsets else 0.0))
        earlier = [(at, offset) for at, offset in zip(self.times, self.offsets, strict=True) if at < time]
        kept = [*earlier[1 - _KEPT :], (time, total)]
        return ExternalJoints(tuple(at for at, _ in kept), tuple(offset for _, offset in kept))

    def rates(self, time: float, count: int) -> tuple[Floats, Floats]:
        """Return velocity and acceleration of `count` free joints if they were set shortly before a time.

        They are those of the parabola through the last three settings, or of the line through two.
        """
        velocity, acceleration = np.zeros(count), np.zeros(count)
        times = (*self.times, time)
        known = len(self.times)
        while known > 0 and times[known] - times[known - 1] <= LONGEST_GAP:
            known -= 1
        # Settings from number `known` on follow each other closely up to now.
        near, offsets = self.times[known:], self.offsets[known:]
        if len(near) >= 2:
            velocity = (offsets[-1] - offsets[-2]) / (near[-1] - near[-2])
        if len(near) >= 3:
            before = (offsets[-2] - offsets[-3]) / (near[-2] - near[-3])
            acceleration = 2.0 * (velocity - before) / (near[-1] - near[-3])
            velocity = velocity + acceleration * (near[-1] - near[-2]) / 2.0
        return velocity, acceleration
