"""The kinematic state of a simulation: joint positions, poses of loose objects, and what grippers hold."""

from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

import numpy as np

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.transforms import invert
from rck.kernels import body_velocities, fk
from rck.kernels.array_table import ArrayTable
from rck.model.robot import Robot
from rck.model.robot_arrays import RobotArrays, robot_arrays

NO_OBJECT = -1
"""The object of an item that belongs to a robot or to the ground."""

# Numbers that state files replace by names: the annotation says of what.
ItemIndex: TypeAlias = Annotated[int, "item"]
ObjectIndex: TypeAlias = Annotated[int, "object"]
JointIndices: TypeAlias = Annotated[Ints, "joint"]
JointVector: TypeAlias = Annotated[Floats, "by joint"]
ObjectFrames: TypeAlias = Annotated[Floats, "by object"]


@dataclass(frozen=True, slots=True)
class LooseObject:
    """A rigid group of mobile items that no joint moves or connects: it can be pushed, gripped and dropped."""

    name: str
    """Name of its first item."""
    items: tuple[int, ...]
    body: int
    """Row in the table of bodies."""


@dataclass(frozen=True, eq=False, slots=True)
class Hold:
    """An object in a gripper."""

    object: ObjectIndex
    gripper: str
    item: ItemIndex
    """The item that it is fastened to."""
    frames: Floats
    """Body of that item from each item of the object. Shape (items of the object, 3, 4)."""


@dataclass(frozen=True, eq=False)
class ItemPlacement:
    """Snapshot of a kinematic state."""

    vector: JointVector
    """Positions of the free joints, in radians and metres."""
    frames: ObjectFrames
    """World from the first item of each object. Shape (objects, 4, 4)."""
    holds: tuple[Hold, ...] = ()


class KinematicState:
    """Joint positions and object poses of a robot or scene, with the poses of all items."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot = loosened(robot)
        self.arrays: RobotArrays = robot_arrays(robot)
        self.objects = loose_objects(self.arrays)
        self.object_of_item = np.full(len(robot.items), NO_OBJECT, dtype=np.int64)
        for number, thing in enumerate(self.objects):
            self.object_of_item[list(thing.items)] = number
        self.vector = np.array(self.arrays.reference)
        self.coordinates = self.vector if self.arrays.closure is None else np.array(self.arrays.closure.seed)
        """The positions that the bodies take: the joint vector, completed by the joints that loops move."""
        self.places = np.array(self.arrays.items)
        self.carrier_of_item = np.arange(len(robot.items), dtype=np.int64)
        """The item that carries each item; itself if none does. Shape (items,)."""
        self.riders: Ints = np.empty(0, dtype=np.int64)
        """The items that others carry."""
        self.holds: tuple[Hold, ...] = ()
        self._bodies = np.array(self.arrays.bodies)
        # Both arrays are changed in place, so that the table stays valid.
        self._table = ArrayTable(self._bodies, self.places)
        self._poses = np.empty((len(robot.items), 4, 4))
        self._placed = False

    @property
    def poses(self) -> Floats:
        """World from item. Shape (items, 4, 4); do not write to it."""
        if not self._placed:
            fk.forward_frames.unchecked(self._table.address, self.coordinates, self._poses)
            self._placed = True
        return self._poses

    def poses_at(self, vector: Floats) -> Floats:
        """Return world from item for another joint vector. Shape (items, 4, 4)."""
        poses = np.empty_like(self._poses)
        fk.forward_frames.unchecked(self._table.address, self.coordinates_at(vector), poses)
        return poses

    def coordinates_at(self, vector: Floats) -> Floats:
        """Return the positions that the bodies take at a joint vector, on the present branch of the loops."""
        closure = self.arrays.closure
        return vector if closure is None else closure.complete(vector, self.coordinates)

    def rates(self, velocities: Floats, accelerations: Floats) -> tuple[Floats, Floats]:
        """Return velocity and acceleration of all items for those of the free joints. Shape (items, 6) each.

        Rows are as in `rck.geometry.transforms`. Objects that nothing carries are at rest.
        """
        result = np.empty((len(self._poses), 6)), np.empty((len(self._poses), 6))
        here, closure = self.vector, self.arrays.closure
        if closure is not None:
            here, velocities, accelerations = closure.rates(here, velocities, accelerations, self.coordinates)
        body_velocities.frame_rates.unchecked(self._bodies, self.places, here, velocities, accelerations, *result)
        return result

    def move_to(self, vector: Floats) -> None:
        """Set the free joints, shape (free joints,); carried objects move with their carriers."""
        self.vector = np.array(vector, dtype=float)
        self.coordinates = self.coordinates_at(self.vector)
        self._placed = False

    def carry(self, number: int, item: int) -> Floats:
        """Let an item of a robot carry an object from its present pose; return the frames of a hold."""
        body_from_world = invert(self._body_pose(int(self.places[item]["body"])))
        frames: Floats = (body_from_world @ self.poses[list(self.objects[number].items)])[:, :3]
        self._attach_riders(number, item, frames)
        return frozen(frames)

    def settle(self, number: int) -> None:
        """Leave an object at its present pose, carried by nothing."""
        self.put(number, self.poses[self.objects[number].items[0]])

    def put(self, number: int, frame: Floats) -> None:
        """Set the pose of an object: `frame` is world from its first item, shape (4, 4)."""
        thing = self.objects[number]
        self._bodies[thing.body]["parent_from_body"] = frame[:3]
        for item in thing.items:
            self.places[item] = self.arrays.items[item]
            self.carrier_of_item[item] = item
        self._moved_riders()

    def grip(self, number: int, gripper: str, item: int) -> None:
        """Fasten an object to an item of a gripper."""
        hold = Hold(number, gripper, item, self.carry(number, item))
        self.holds = (*(other for other in self.holds if other.object != number), hold)

    def release(self, gripper: str) -> tuple[int, ...]:
        """Release and return the objects that a gripper holds."""
        freed = tuple(hold.object for hold in self.holds if hold.gripper == gripper)
        for number in freed:
            self.settle(number)
        self.holds = tuple(hold for hold in self.holds if hold.gripper != gripper)
        return freed

    def holder_of(self, number: int) -> Hold | None:
        """Return the hold of an object, if a gripper holds it."""
        return next((hold for hold in self.holds if hold.object == number), None)

    def placement(self) -> ItemPlacement:
        """Return a snapshot."""
        firsts = [thing.items[0] for thing in self.objects]
        return ItemPlacement(frozen(self.vector.copy()), frozen(self.poses[firsts].copy()), self.holds)

    def restore(self, placement: ItemPlacement) -> None:
        """Restore a snapshot."""
        self.move_to(placement.vector)
        for number, frame in enumerate(placement.frames):
            self.put(number, frame)
        for hold in placement.holds:
            self._attach_riders(hold.object, hold.item, hold.frames)
        self.holds = placement.holds

    def _attach_riders(self, number: int, item: int, frames: Floats) -> None:
        body = int(self.places[item]["body"])
        for rider, frame in zip(self.objects[number].items, frames, strict=True):
            self.places[rider] = (body, frame)
            self.carrier_of_item[rider] = self.carrier_of_item[item]
        self._moved_riders()

    def _moved_riders(self) -> None:
        self.riders = np.flatnonzero(self.carrier_of_item != np.arange(len(self.carrier_of_item)))
        self._placed = False

    def _body_pose(self, body: int) -> Floats:
        poses = np.empty((len(self._bodies), 4, 4))
        fk.forward_bodies.unchecked(self._table.address, self.coordinates, poses)
        pose: Floats = poses[body]
        return pose


def loosened(robot: Robot) -> Robot:
    """Return the robot without the fixed joints of mobile items on fixed ones, such as a cube on a table."""
    tree = robot.tree
    fastened = tuple(
        joint
        for joint in robot.joints
        if joint.kind.moves
        or robot.item(joint.base).mobile
        or tree.rigid_groups[tree.group_of_item[robot.item_index[joint.base]]].joint is not None
        or not all(robot.item(name).mobile for name in joint.moves)
    )
    if len(fastened) == len(robot.joints):
        return robot
    return replace(robot, joints=fastened)


def loose_objects(arrays: RobotArrays) -> tuple[LooseObject, ...]:
    """Return the loose objects of a scene, in the order of their items."""
    robot = arrays.robot
    carrying = set(arrays.bodies["parent"].tolist())
    return tuple(
        LooseObject(robot.items[group.items[0]].name, group.items, body)
        for body, group in enumerate(robot.tree.rigid_groups)
        if group.joint is None and body not in carrying and any(robot.items[item].mobile for item in group.items)
    )
