"""Touch sensors: contact switches, wrist force-torque sensors and force sticks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, rates_at, rotation_vector, translation
from rck.hooks import Mount, Option, Press, Sensor, Surroundings, Values, hookimpl, world_from
from rck.model import RckError, Robot

_PRESSED = 0.5
"""The share of its travel by which a joint must be pushed to close the switch."""


class ContactSensor:
    """A switch that closes when something touches its item, or when its joint is past the middle of its travel."""

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount
        free = [joint.name for joint in robot.free_joints]
        self._joint = free.index(mount.joints[0]) if mount.joints and mount.joints[0] in free else None
        self._limits = robot.joint(mount.joints[0]).limits if self._joint is not None else None

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `pressed`, 1 or 0, and under physics `force`, the magnitude of the contact force on its item in N."""
        pressed = {"pressed": np.array([int(self._is_pressed(world))])}
        if world.presses is None:
            return pressed
        force = sum((force for _, force in _external_forces(world.presses, {self._mount.item})), np.zeros(3))
        return {**pressed, "force": np.array([float(np.sqrt(force @ force))])}

    def _is_pressed(self, world: Surroundings) -> bool:
        if self._joint is not None and self._limits is not None:
            low, high = self._limits.lower, self._limits.upper
            return bool(world.vector[self._joint] > low + _PRESSED * (high - low))
        return any(self._mount.item in pair for pair in world.touching())


class WristSensor:
    """A force-torque sensor for everything that it carries, held objects included.

    It measures weight and inertial forces, and under physics also contact forces.
    """

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount
        item = robot.item_index[mount.item]
        self._carried = [other for joint in robot.tree.children[item] for other in robot.tree.carried_by(joint)]
        self._masses = [robot.items[other].mass_properties for other in self._carried]

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `force` in N and `moment` in N m, in the axes of the sensor. Shape (3,) each."""
        frame = world_from(world, self._mount)
        here = frame[:3, 3]
        force, moment = np.zeros(3), np.zeros(3)
        items = list(zip(self._carried, self._masses, strict=True))
        for name, hand in world.held.items():
            number = world.robot.item_index[name]
            if world.robot.item_index[hand] in self._carried or hand == self._mount.item:
                items.append((number, world.robot.items[number].mass_properties))
        for number, body in items:
            rotation, origin = world.poses[number][:3, :3], world.poses[number][:3, 3]
            centre = rotation @ body.centre
            velocity, acceleration = rates_at(world.velocities[number], world.accelerations[number], centre)
            load = body.mass * (world.gravity - acceleration[:3])
            inertia = rotation @ body.inertia @ rotation.T
            spin, spin_up = velocity[3:], acceleration[3:]
            force += load
            moment += np.cross(origin + centre - here, load) - inertia @ spin_up - np.cross(spin, inertia @ spin)
        carried = {world.robot.items[number].name for number, _ in items}
        for point, push in _external_forces(world.presses or (), carried):
            force += push
            moment += np.cross(point - here, push)
        return {"force": frame[:3, :3].T @ force, "moment": frame[:3, :3].T @ moment}


class ForceStick:
    """A stick from the mount along z to a second item, as in the SEFFAS simulator.

    Both items hold the stick as they are at the first reading. The sensor measures how far the end of the stick has
    moved and rotated relative to the second item: when that has followed, the reading is zero again.
    """

    def __init__(self, robot: Robot, mount: Mount, values: Values) -> None:
        self._mount = mount
        if not values["to"]:
            raise RckError(
                f"sensor {mount.name}: no item at the other end of the stick; set the option `to` to an item"
            )
        self._other = robot.item_index[robot.item(values["to"]).name]
        self._mount_from_end = translation((0.0, 0.0, values["length"]))
        self._stiffness = values["stiffness"]
        self._other_from_end: Floats | None = None

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """Return `displacement` in m, `turn` in rad and `force` in N, in the axes of the world. Shape (3,) each."""
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
        """Return the pose of the end in the frame of the other item."""
        return None if self._other_from_end is None else self._other_from_end.tolist()

    def recall(self, memory: Any) -> None:
        """Restore the state that :meth:`memory` returned."""
        self._other_from_end = np.array(memory)


def _external_forces(presses: Sequence[Press], items: Collection[str]) -> list[tuple[Floats, Floats]]:
    """Return the contact forces of other items on these: points and forces in the world. Shape (3,) each."""
    forces = []
    for press in presses:
        first, second = (name in items for name in press.items)
        if first != second:
            forces.append((press.point, press.force if second else -press.force))
    return forces


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Return the touch sensors."""
    stick = (
        Option("to", "item at the other end of the stick"),
        Option("length", "length of the stick, along z", "length", "200 mm"),
        Option("stiffness", "force per displacement of the end, in N/m", "number", 1000.0),
    )
    return [
        Sensor("contact", "contact with its item, or actuation of its joint; under physics also force", ContactSensor),
        Sensor("force-torque", "force and torque of everything it carries, in the sensor's axes", WristSensor),
        Sensor("force-stick", "displacement and rotation of a stick between two hands", ForceStick, stick),
    ]
