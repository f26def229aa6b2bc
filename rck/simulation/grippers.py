"""Grippers: what they can hold, how their fingers move, what they hold, and what they may touch."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from rck.collision.pairs import carried_items
from rck.geometry.arrays import Floats
from rck.hooks import Gripper, Mount, Plugins, Surroundings, Values, world_from
from rck.model.forward_kinematics import forward
from rck.model.robot import Robot
from rck.model.robot_arrays import RobotArrays
from rck.simulation.contacts import ContactChecker
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.sensors import device_values, mount_of
from rck.simulation.state import SimulationState
from rck.support.finding import RckError

DEFAULT_STROKE_TIME = 0.5
"""Time that fingers take from open to closed if their joint has no velocity limit, in seconds."""


@dataclass(frozen=True, slots=True)
class Fingers:
    """The joint that moves the fingers of a gripper."""

    joint: str
    open: float
    """Joint position of the open fingers, in radians or metres."""
    closed: float
    speed: float
    """In rad/s or m/s."""
    widest: float
    """Distance between the open fingers, in metres; 0 if unknown."""
    narrowest: float = 0.0
    """Distance between the closed fingers, in metres."""

    def at_opening(self, opening: float) -> float:
        """Return the joint position for a distance between the fingers in metres; 0 means fully open."""
        if not opening or not self.widest:
            return self.open
        share = (opening - self.narrowest) / (self.widest - self.narrowest)
        return self.closed + min(max(share, 0.0), 1.0) * (self.open - self.closed)


@dataclass(frozen=True, eq=False, slots=True)
class GripperUnit:
    """A gripper on a robot."""

    name: str
    kind: Gripper
    mount: Mount
    values: Values
    items: tuple[int, ...]
    """Its own items, which may touch what it holds."""
    fingers: Fingers | None

    def choose(self, world: Surroundings, kinematics: KinematicState, wanted: str = "") -> tuple[int | None, str]:
        """Return the nearest object that it can hold, or the reason why it cannot hold any."""
        here = world_from(world, self.mount)[:3, 3]
        names = [thing.name for thing in kinematics.objects]
        if wanted and wanted not in names:
            return None, f"there is no object {wanted}; objects: {', '.join(names) or 'none'}"
        order = sorted(range(len(names)), key=lambda number: _distance(world, kinematics, number, here))
        refusals: list[str] = []
        for number in order:
            thing = kinematics.objects[number]
            if wanted and thing.name != wanted:
                continue
            reasons = [self._refusal(world, world.robot.items[item].name) for item in thing.items]
            if "" in reasons:
                return number, ""
            refusals.append(f"{thing.name}: {reasons[0]}")
        return None, refusals[0] if refusals else "there is no object to hold"

    def _refusal(self, world: Surroundings, item: str) -> str:
        """Return why it cannot hold an item; a plugin that fails cannot hold anything."""
        try:
            return self.kind.holds(world, self.mount, self.values, item)
        except RckError as error:
            return str(error)


class Grasps:
    """The grippers of a simulation and the objects that they hold or have just held."""

    def __init__(
        self,
        kinematics: KinematicState,
        contacts: ContactChecker,
        state: SimulationState,
        grippers: Mapping[str, GripperUnit],
        *,
        yielding: bool = False,
    ) -> None:
        """Take the grippers by name. With `yielding`, held objects are no obstacles: physics moves them."""
        self.grippers = grippers
        self._kinematics = kinematics
        self._contacts = contacts
        self._state = state
        self._yielding = yielding
        self.refresh()

    def held_by(self, gripper: str) -> list[str]:
        """Return the names of the objects in a gripper."""
        kinematics = self._kinematics
        return [kinematics.objects[hold.object].name for hold in kinematics.holds if hold.gripper == gripper]

    def choose(self, gripper: str, world: Surroundings, wanted: str = "") -> tuple[int | None, str]:
        """Return the object that a gripper can take now, even from another gripper, or the reason why it cannot."""
        held = self.held_by(gripper)
        if held:
            return None, f"it already holds {', '.join(held)}"
        return self.grippers[gripper].choose(world, self._kinematics, wanted)

    def take(self, gripper: str, number: int) -> None:
        """Fasten an object to a gripper."""
        robot = self._kinematics.robot
        self._kinematics.grip(number, gripper, robot.item_index[self.grippers[gripper].mount.item])
        self.refresh()

    def release(self, gripper: str) -> tuple[int, ...]:
        """Release and return the objects in a gripper; it may touch them until :meth:`part`."""
        freed = self._kinematics.release(gripper)
        self._contacts.forget_near_pairs()
        return freed

    def part(self, gripper: str, still: frozenset[int] = frozenset()) -> None:
        """Forbid an open gripper to touch what it held, except the objects that are `still` falling out of it."""
        self._state.touched[gripper] &= still
        self.refresh()

    def refresh(self) -> None:
        """Allow the contacts of grippers with what they hold or held, and no others."""
        everything = range(len(self._kinematics.robot.items))
        # A gripper may touch what it holds until it has opened again.
        touched = {name: self._state.touched.get(name, set()) for name in self.grippers}
        for hold in self._kinematics.holds:
            touched[hold.gripper].add(hold.object)
        self._state.touched = touched
        objects = self._kinematics.objects
        self._contacts.allow(
            pair
            for name, numbers in touched.items()
            for number in numbers
            for pair in product(objects[number].items, everything if self._yielding else self.grippers[name].items)
            if pair[0] != pair[1]
        )


def _distance(world: Surroundings, kinematics: KinematicState, number: int, point: Floats) -> float:
    """Return the distance of the bounding spheres of an object from a point, in metres."""
    spheres = kinematics.arrays.solids.item_spheres
    distances = []
    for item in kinematics.objects[number].items:
        pose = world.poses[item]
        centre = pose[:3, :3] @ spheres[item, :3] + pose[:3, 3]
        distances.append(float(np.linalg.norm(centre - point)) - float(spheres[item, 3]))
    return min(distances)


def grippers_of(plugins: Plugins, kinematics: KinematicState) -> Mapping[str, GripperUnit]:
    """Return the grippers of a scene whose kind a plugin supports, by the name of the device."""
    kinds = {kind.name: kind for kind in plugins.all(Gripper)}
    grippers = {}
    for device in kinematics.robot.devices:
        if device.kind.grips and device.kind.value in kinds:
            kind = kinds[device.kind.value]
            mount = mount_of(device)
            values = device_values(kind.options, device)
            items = _own_items(kinematics.robot, mount)
            fingers = fingers_of(kinematics.arrays, mount, values)
            grippers[device.name] = GripperUnit(device.name, kind, mount, values, items, fingers)
    return grippers


def _own_items(robot: Robot, mount: Mount) -> tuple[int, ...]:
    tree = robot.tree
    own = set(tree.rigid_groups[tree.group_of_item[robot.item_index[mount.item]]].items)
    for joint in mount.joints:
        own.update(np.flatnonzero(carried_items(robot, _leader(robot, joint))).tolist())
    return tuple(sorted(own))


def _leader(robot: Robot, name: str) -> str:
    joint = robot.joint(name)
    return joint.name if joint.mimic is None else joint.mimic.joint


def fingers_of(arrays: RobotArrays, mount: Mount, values: Values) -> Fingers | None:
    """Return the fingers of a gripper; they are closed where they are nearest to its z axis."""
    robot = arrays.robot
    if not mount.joints:
        return None
    joint = robot.joint(_leader(robot, mount.joints[0]))
    if joint.limits is None:
        return None
    column = arrays.joint_names.index(joint.name)
    moved = carried_items(robot, joint.name) & (arrays.solids.item_spheres[:, 3] > 0)
    ends = joint.limits.lower, joint.limits.upper
    spreads = [_spread(arrays, mount, moved.nonzero()[0].tolist(), column, end) for end in ends]
    closed, opened = (ends[0], ends[1]) if spreads[0] < spreads[1] else (ends[1], ends[0])
    speed = joint.speed or abs(opened - closed) / DEFAULT_STROKE_TIME
    widest = values.get("opening") or values.get("stroke") or 0.0
    stroke = values.get("stroke") or widest
    return Fingers(joint.name, opened, closed, speed, widest, widest - min(stroke, widest))


def _spread(arrays: RobotArrays, mount: Mount, items: list[int], column: int, position: float) -> float:
    """Return the mean distance of items from the z axis of a gripper with one joint at a position, in metres."""
    vector = np.array(arrays.reference)
    vector[column] = position
    poses = forward(arrays, vector)
    frame = poses[arrays.robot.item_index[mount.item]] @ mount.pose
    centres = [poses[item] @ np.append(arrays.solids.item_spheres[item, :3], 1.0) for item in items]
    seen = np.linalg.inv(frame) @ np.array(centres).T
    return float(np.hypot(seen[0], seen[1]).mean()) if items else 0.0
