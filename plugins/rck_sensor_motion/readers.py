"""Joint encoders and inertial sensors."""

from collections.abc import Callable, Mapping
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.geometry.rates import rates_at
from rck.hooks import Mount, Surroundings, Values, world_from
from rck.model import Robot
from rck.model.motion import joint_positions


class Encoder:
    """The joints of a mount, or every free joint where it names none."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._robot = robot
        self._names = mount.joints or tuple(joint.name for joint in robot.free_joints)
        counts = values["encoder-resolution"] or 2.0 ** values["bits"]
        turns = np.array([robot.joint(name).kind.turns for name in self._names])
        self._steps = np.where(turns, 2 * pi, 1.0) / counts

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """`position` in radians or metres, and `counts`, whole numbers of steps."""
        return self._counted(self._positions(world))

    def read_noisy(self, world: Surroundings, noise: Callable[[tuple[int, ...]], Floats]) -> Mapping[str, NDArray[Any]]:
        """As `read`, of positions with noise: the counts and the position still agree."""
        positions = self._positions(world)
        return self._counted(positions + noise(positions.shape))

    def _positions(self, world: Surroundings) -> Floats:
        known = joint_positions(self._robot, world.vector)
        return np.array([known[name] for name in self._names])

    def _counted(self, positions: Floats) -> Mapping[str, NDArray[Any]]:
        counts = np.round(positions / self._steps).astype(np.int64)
        return {"position": counts * self._steps, "counts": counts}


class Imu:
    """Angular velocity and specific force at the place of the sensor, in its axes."""

    def __init__(self, mount: Mount) -> None:
        self._mount = mount

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """`turning` in rad/s and `acceleration` in m/s2, as felt: at rest it points up and has the size of gravity."""
        item = world.robot.item_index[self._mount.item]
        frame = world_from(world, self._mount)
        arm = frame[:3, 3] - world.poses[item][:3, 3]
        velocity, acceleration = rates_at(world.velocities[item], world.accelerations[item], arm)
        axes = frame[:3, :3].T
        return {"turning": axes @ velocity[3:], "acceleration": axes @ (acceleration[:3] - world.gravity)}
