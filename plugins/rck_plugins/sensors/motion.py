"""Proprioceptive sensors: joint encoders and inertial measurement units."""

from collections.abc import Callable, Mapping
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rates_at
from rck.hooks import Mount, Option, Sensor, Surroundings, Values, hookimpl, world_from
from rck.model import Robot
from rck.model.joint_positions import joint_positions

_ENCODER_OPTIONS = (
    Option("encoder-resolution", "counts per revolution, or per metre; 0 to use bits", "number", 0.0),
    Option("bits", "resolution in bits per revolution, or per metre", "number", 12.0),
)


class Encoder:
    """An encoder of the joints of a mount, or of every free joint if the mount names none."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._robot = robot
        self._names = mount.joints or tuple(joint.name for joint in robot.free_joints)
        counts = values["encoder-resolution"] or 2.0 ** values["bits"]
        turns = np.array([robot.joint(name).kind.turns for name in self._names])
        self._steps = np.where(turns, 2 * pi, 1.0) / counts

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return `position` in radians or metres, and `counts`, whole numbers of encoder steps."""
        return self._quantise(self._positions(world))

    def read_noisy(self, world: Surroundings, noise: Callable[[tuple[int, ...]], Floats]) -> Mapping[str, NDArray[Any]]:
        """Return the channels of `read` for noisy positions; position and counts still agree."""
        positions = self._positions(world)
        return self._quantise(positions + noise(positions.shape))

    def _positions(self, world: Surroundings) -> Floats:
        positions = joint_positions(self._robot, world.vector)
        return np.array([positions[name] for name in self._names])

    def _quantise(self, positions: Floats) -> Mapping[str, NDArray[Any]]:
        counts = np.round(positions / self._steps).astype(np.int64)
        return {"position": counts * self._steps, "counts": counts}


class Imu:
    """An inertial measurement unit: angular velocity and specific force, in the axes of the sensor."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return `turning` in rad/s and `acceleration`, the specific force in m/s2: at rest, gravity pointing up."""
        item = world.robot.item_index[self._mount.item]
        frame = world_from(world, self._mount)
        arm = frame[:3, 3] - world.poses[item][:3, 3]
        velocity, acceleration = rates_at(world.velocities[item], world.accelerations[item], arm)
        axes = frame[:3, :3].T
        return {"turning": axes @ velocity[3:], "acceleration": axes @ (acceleration[:3] - world.gravity)}


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the encoder and the inertial measurement unit."""
    return [
        Sensor("encoder", "joint positions, quantised to encoder counts", Encoder, _ENCODER_OPTIONS),
        Sensor("imu", "angular velocity and specific force in the sensor's axes", Imu),
    ]
