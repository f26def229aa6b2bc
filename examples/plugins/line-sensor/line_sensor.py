"""Line sensor: detects items whose name contains a word below it, and counts how often it reaches one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.hooks import Mount, Option, Sensor, SensorReader, Surroundings, Values, hookimpl, world_from
from rck.model import Robot

OPTIONS = (
    Option("line", "word in the names of the items that are lines", "text", "line"),
    Option("max-range", "largest distance to the floor", "length", "50 mm"),
)


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the sensor."""
    return [Sensor("line", "line on the floor, along the z axis of its mount", make, OPTIONS)]


def make(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    """Create the sensor at a mount."""
    lines = [number for number, item in enumerate(robot.items) if values["line"] in item.name]
    return LineReader(mount, lines, values["max-range"])


class LineReader:
    """Sensor with one ray, which remembers the lines that it has crossed."""

    def __init__(self, mount: Mount, lines: list[int], farthest: float) -> None:
        self._mount, self._lines, self._farthest = mount, lines, farthest
        self._was_on = False
        self._crossings = 0

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return 1 on a line and 0 elsewhere, and the number of lines that were reached."""
        pose = world_from(world, self._mount)
        echo = world.cast(pose[None, :3, 3], pose[None, :3, 2], self._farthest, (self._mount.item,))
        is_on = int(echo.items[0]) in self._lines
        self._crossings += int(is_on and not self._was_on)
        self._was_on = is_on
        return {"on": np.array([float(is_on)]), "crossings": np.array([float(self._crossings)])}

    def memory(self) -> Any:
        """Return the state as JSON values, for saved simulations."""
        return [self._was_on, self._crossings]

    def recall(self, memory: Any) -> None:
        """Restore the state."""
        self._was_on, self._crossings = bool(memory[0]), int(memory[1])
