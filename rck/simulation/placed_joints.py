"""Velocities of joints that are put into place from outside, such as those of a real robot that leads."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, frozen

LONGEST_GAP = 0.25
"""Placements further apart than this, in seconds, are corrections and not a motion."""
_KEPT = 3
"""As many as a parabola needs: the rates of a uniformly accelerated joint are exact."""


@dataclass(frozen=True, eq=False, slots=True)
class PlacedJoints:
    """The last placements of joints.

    Only placements count, and not what motions did to the same joints in between: the two rates add up.
    """

    times: tuple[float, ...] = ()
    """When joints were last placed, rising, in seconds."""
    offsets: tuple[Floats, ...] = ()
    """The sum of all placements up to each of these times. Shape (free joints,), in radians and metres."""

    def placed(self, time: float, change: Floats) -> "PlacedJoints":
        """Add a placement that changed the joint vector by `change`; one at the same time as the last joins it."""
        total = frozen(change + (self.offsets[-1] if self.offsets else 0.0))
        earlier = [(at, offset) for at, offset in zip(self.times, self.offsets, strict=True) if at < time]
        kept = [*earlier[1 - _KEPT :], (time, total)]
        return PlacedJoints(tuple(at for at, _ in kept), tuple(offset for _, offset in kept))

    def rates(self, time: float, count: int) -> tuple[Floats, Floats]:
        """Velocity and acceleration of `count` free joints at the last placement, if that was shortly before a time.

        They are those of the parabola through the last three placements, or of the line through two.
        """
        velocity, acceleration = np.zeros(count), np.zeros(count)
        times = (*self.times, time)
        known = len(self.times)
        while known > 0 and times[known] - times[known - 1] <= LONGEST_GAP:
            known -= 1
        # Placements from number `known` on follow each other closely up to now.
        near, offsets = self.times[known:], self.offsets[known:]
        if len(near) >= 2:
            velocity = (offsets[-1] - offsets[-2]) / (near[-1] - near[-2])
        if len(near) >= 3:
            before = (offsets[-2] - offsets[-3]) / (near[-2] - near[-3])
            acceleration = 2.0 * (velocity - before) / (near[-1] - near[-3])
            velocity = velocity + acceleration * (near[-1] - near[-2]) / 2.0
        return velocity, acceleration
