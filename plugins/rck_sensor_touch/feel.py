"""Touch, and the load of a wrist."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.rates import rates_at
from rck.hooks import Mount, Press, Surroundings, world_from
from rck.model import Robot

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
        """`pressed`, 1 or 0, and under physics `force`: how hard others press on its item, all in all, in N."""
        pressed = {"pressed": np.array([int(self._is_pressed(world))])}
        if world.presses is None:
            return pressed
        force = sum((force for _, force in pushes_on(world.presses, {self._mount.item})), np.zeros(3))
        return {**pressed, "force": np.array([float(np.sqrt(force @ force))])}

    def _is_pressed(self, world: Surroundings) -> bool:
        if self._joint is not None and self._limits is not None:
            low, high = self._limits.lower, self._limits.upper
            return bool(world.vector[self._joint] > low + PUSHED * (high - low))
        return any(self._mount.item in pair for pair in world.touching())


class Wrist:
    """The force and the moment of all that is beyond it, held objects included.

    That is its weight, what it takes to move it as it moves, and under physics what presses on it from outside.
    """

    def __init__(self, robot: Robot, mount: Mount) -> None:
        self._mount = mount
        item = robot.item_index[mount.item]
        self._beyond = [other for joint in robot.tree.children[item] for other in robot.tree.carried_by(joint)]
        self._masses = [robot.items[other].mass_properties for other in self._beyond]

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`force` in N and `moment` in N m, each of three numbers along the axes of the sensor."""
        frame = world_from(world, self._mount)
        here = frame[:3, 3]
        force, moment = np.zeros(3), np.zeros(3)
        items = list(zip(self._beyond, self._masses, strict=True))
        for name, hand in world.held.items():
            number = world.robot.item_index[name]
            if world.robot.item_index[hand] in self._beyond or hand == self._mount.item:
                items.append((number, world.robot.items[number].mass_properties))
        for number, body in items:
            turn, origin = world.poses[number][:3, :3], world.poses[number][:3, 3]
            centre = turn @ body.centre
            velocity, acceleration = rates_at(world.velocities[number], world.accelerations[number], centre)
            load = body.mass * (world.gravity - acceleration[:3])
            inertia = turn @ body.inertia @ turn.T
            spin, spin_up = velocity[3:], acceleration[3:]
            force += load
            moment += np.cross(origin + centre - here, load) - inertia @ spin_up - np.cross(spin, inertia @ spin)
        beyond = {world.robot.items[number].name for number, _ in items}
        for point, push in pushes_on(world.presses or (), beyond):
            force += push
            moment += np.cross(point - here, push)
        return {"force": frame[:3, :3].T @ force, "moment": frame[:3, :3].T @ moment}


def pushes_on(presses: Sequence[Press], items: Collection[str]) -> list[tuple[Floats, Floats]]:
    """Where, and with which force, others press on some items: points and forces in the world."""
    pushes = []
    for press in presses:
        first, second = (name in items for name in press.items)
        if first != second:
            pushes.append((press.point, press.force if second else -press.force))
    return pushes
