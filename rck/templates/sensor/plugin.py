"""A sensor: how far it is to what lies straight ahead, along the z axis of the place where it is fastened."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.hooks import Mount, Option, Sensor, SensorReader, Surroundings, Values, hookimpl, world_from
from rck.model import Robot


@hookimpl
def rck_sensors() -> list[Sensor]:
    """What this plugin adds."""
    farthest = Option("max-range", "what is farther is not seen", "length", "2 m")
    return [Sensor("my-plugin", "distance straight ahead", make, (farthest,))]


def make(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    """The sensor at one place."""
    return Ahead(mount, values["max-range"])


@dataclass(frozen=True, eq=False)
class Ahead:
    """One ray."""

    mount: Mount
    farthest: float

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """The distance in metres; the farthest where nothing is seen."""
        pose = world_from(world, self.mount)
        echo = world.cast(pose[None, :3, 3], pose[None, :3, 2], self.farthest, (self.mount.item,))
        return {"distance": np.minimum(echo.distances, self.farthest)}
