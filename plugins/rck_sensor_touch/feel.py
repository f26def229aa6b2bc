"""Touch, and the weight at a wrist."""

from collections.abc import Mapping

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Mount, Surroundings, world_from
from rck.model import Robot

GRAVITY = np.array([0.0, 0.0, -9.80665])
PUSHED = 0.5
"""The share of its way that a joint must be pushed to make contact."""


class Contact:
    """A switch: pressed when something touches its item, or when its joint is past the middle of its way."""

    def __init__(self, robot: Robot, mount: Mount) -> None:
        self._mount = mount
        free = [joint.name for joint in robot.free_joints]
        self._joint = free.index(mount.joints[0]) if mount.joints and mount.joints[0] in free else None
        self._limits = robot.joint(mount.joints[0]).limits if self._joint is not None else None

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`pressed`, 1 or 0."""
        return {"pressed": np.array([int(self._is_pressed(world))])}

    def _is_pressed(self, world: Surroundings) -> bool:
        if self._joint is not None and self._limits is not None:
            low, high = self._limits.lower, self._limits.upper
            return bool(world.vector[self._joint] > low + PUSHED * (high - low))
        return any(self._mount.item in pair for pair in world.touching())


class Wrist:
    """The force and the moment of the weight of all that is beyond it, held objects included."""

    def __init__(self, robot: Robot, mount: Mount) -> None:
        self._mount = mount
        item = robot.item_index[mount.item]
        self._beyond = [other for joint in robot.tree.children[item] for other in robot.tree.carried_by(joint)]
        self._masses = [robot.items[other].mass_properties for other in self._beyond]

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`force` in N and `moment` in N m, each of three numbers along the axes of the sensor."""
        frame = world_from(world, self._mount)
        force, moment = np.zeros(3), np.zeros(3)
        items = list(zip(self._beyond, self._masses, strict=True))
        for name, hand in world.held.items():
            number = world.robot.item_index[name]
            if world.robot.item_index[hand] in self._beyond or hand == self._mount.item:
                items.append((number, world.robot.items[number].mass_properties))
        for number, body in items:
            pose = world.poses[number]
            weight = body.mass * GRAVITY
            force += weight
            moment += np.cross(pose[:3, :3] @ body.centre + pose[:3, 3] - frame[:3, 3], weight)
        return {"force": frame[:3, :3].T @ force, "moment": frame[:3, :3].T @ moment}
