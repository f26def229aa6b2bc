"""Velocities and accelerations of rigid bodies.

Both are rows of 6, linear over angular, along the axes of the world: m/s and rad/s, m/s2 and rad/s2. The linear part
is that of one point of the body.
"""

import numpy as np

from rck.geometry.arrays import Floats


def rates_at(velocity: Floats, acceleration: Floats, arm: Floats) -> tuple[Floats, Floats]:
    """Velocity and acceleration of another point of a rigid body, `arm` away from the one that the rates are of.

    Rates have shape (..., 6); `arm`, shape (..., 3), in metres, is along the axes of the world.
    """
    there, pushed = np.array(velocity), np.array(acceleration)
    around = np.cross(velocity[..., 3:], arm)
    there[..., :3] += around
    pushed[..., :3] += np.cross(acceleration[..., 3:], arm) + np.cross(velocity[..., 3:], around)
    return there, pushed
