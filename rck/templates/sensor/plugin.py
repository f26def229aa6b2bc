"""Range sensor: distance to the first surface along the z axis of its mount."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.hooks import Mount, Option, Sensor, SensorReader, Surroundings, Values, hookimpl, world_from
from rck.model import Robot


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the sensor."""
    farthest = Option("max-range", "maximum distance that is measured", "length", "2 m")
    return [Sensor("my-plugin", "distance straight ahead", make, (farthest,))]


def make(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    """Create the sensor at a mount."""
    return Ahead(mount, values["max-range"])


@dataclass(frozen=True, eq=False)
class Ahead:
    """Sensor with one ray."""

    mount: Mount
    farthest: float

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return the distance in metres; the maximum range without a hit."""
        pose = world_from(world, self.mount)
        echo = world.cast(pose[None, :3, 3], pose[None, :3, 2], self.farthest, (self.mount.item,))
        return {"distance": np.minimum(echo.distances, self.farthest)}
