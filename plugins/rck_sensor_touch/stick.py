"""The force sensor of the SEFFAS simulator: a stick between a hand that leads and one that follows.

The report's sensor tells by how much the end of the stick has moved and turned. Here it is seen from the hand that
follows: when that has come along, the sensor reads nothing again.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, rotation_vector, translation
from rck.hooks import Mount, Surroundings, Values, world_from
from rck.model import RckError, Robot


class Stick:
    """A stick from the mount along z to another item. Both hold it as they stand when it is first read."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount
        if not values["to"]:
            raise RckError(f"sensor {mount.name}: say with the option `to` which item holds the other end of the stick")
        self._other = robot.item_index[robot.item(values["to"]).name]
        self._mount_from_end = translation((0.0, 0.0, values["length"]))
        self._stiffness = values["stiffness"]
        self._other_from_end: Floats | None = None

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`displacement` in m and `turn` in rad along the axes of the world, three numbers each, and `force` in N."""
        end = world_from(world, self._mount) @ self._mount_from_end
        other = world.poses[self._other]
        if self._other_from_end is None:
            self._other_from_end = invert(other) @ end
        rest = other @ self._other_from_end
        displacement = end[:3, 3] - rest[:3, 3]
        return {
            "displacement": displacement,
            "turn": rotation_vector(end @ invert(rest)),
            "force": self._stiffness * displacement,
        }

    def memory(self) -> Any:
        """How the other hand holds the end."""
        return None if self._other_from_end is None else self._other_from_end.tolist()

    def recall(self, memory: Any) -> None:
        """Remember what :meth:`memory` gave."""
        self._other_from_end = np.array(memory)
