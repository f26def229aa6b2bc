"""Hands: the grippers of robots, what they can hold, and how their fingers move."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rck.collision.pairs import carried_items
from rck.geometry.arrays import Floats
from rck.hooks import Gripper, Mount, Plugins, Surroundings, Values, world_from
from rck.model.arrays import RobotArrays
from rck.model.finding import RckError
from rck.model.forward import forward
from rck.model.robot import Robot
from rck.simulation.sensing import device_values, mount_of
from rck.simulation.stage import Stage

UNHURRIED = 0.5
"""How long fingers take from open to closed where their joint does not state a speed, in seconds."""


@dataclass(frozen=True, slots=True)
class Fingers:
    """The joint that moves the fingers, and where it stands when they are open and when they are closed."""

    joint: str
    open: float
    closed: float
    speed: float
    """In rad/s or m/s."""
    widest: float
    """How far they are apart when they are open, in metres; 0 where that is not known."""
    narrowest: float = 0.0
    """How far they are apart when they are closed, in metres."""

    def at_opening(self, opening: float) -> float:
        """Where the joint stands when the fingers are so far apart, in metres; 0 for as far as they go."""
        if not opening or not self.widest:
            return self.open
        share = (opening - self.narrowest) / (self.widest - self.narrowest)
        return self.closed + min(max(share, 0.0), 1.0) * (self.open - self.closed)


@dataclass(frozen=True, eq=False, slots=True)
class Hand:
    """A gripper on a robot."""

    name: str
    kind: Gripper
    mount: Mount
    values: Values
    items: tuple[int, ...]
    """Its own items: they may touch what it holds."""
    fingers: Fingers | None

    def choose(self, world: Surroundings, stage: Stage, wanted: str = "") -> tuple[int | None, str]:
        """The object that it can hold, the nearest first, or why there is none."""
        here = world_from(world, self.mount)[:3, 3]
        names = [thing.name for thing in stage.objects]
        if wanted and wanted not in names:
            return None, f"there is no object {wanted}; objects: {', '.join(names) or 'none'}"
        order = sorted(range(len(stage.objects)), key=lambda number: _away(world, stage, number, here))
        refusals: list[str] = []
        for number in order:
            thing = stage.objects[number]
            if wanted and thing.name != wanted:
                continue
            why = [self._refusal(world, world.robot.items[item].name) for item in thing.items]
            if "" in why:
                return number, ""
            refusals.append(f"{thing.name}: {why[0]}")
        return None, refusals[0] if refusals else "there is nothing that could be held"

    def _refusal(self, world: Surroundings, item: str) -> str:
        """Why it cannot hold an item; a plugin that fails holds nothing."""
        try:
            return self.kind.holds(world, self.mount, self.values, item)
        except RckError as error:
            return str(error)


def _away(world: Surroundings, stage: Stage, number: int, here: Floats) -> float:
    """How far the sphere of an object is from a point, in metres."""
    spheres = stage.arrays.solids.item_spheres
    away = []
    for item in stage.objects[number].items:
        pose = world.poses[item]
        centre = pose[:3, :3] @ spheres[item, :3] + pose[:3, 3]
        away.append(float(np.linalg.norm(centre - here)) - float(spheres[item, 3]))
    return min(away)


def hands_of(plugins: Plugins, stage: Stage) -> Mapping[str, Hand]:
    """The hands of a scene for which a plugin knows the kind, by the name of the device."""
    kinds = {kind.name: kind for kind in plugins.all(Gripper)}
    hands = {}
    for device in stage.robot.devices:
        if device.kind.grips and device.kind.value in kinds:
            kind = kinds[device.kind.value]
            mount = mount_of(device)
            values = device_values(kind.options, device)
            items = _hand_items(stage.robot, mount)
            fingers = fingers_of(stage.arrays, mount, values)
            hands[device.name] = Hand(device.name, kind, mount, values, items, fingers)
    return hands


def _hand_items(robot: Robot, mount: Mount) -> tuple[int, ...]:
    tree = robot.tree
    own = set(tree.rigid_groups[tree.group_of_item[robot.item_index[mount.item]]].items)
    for joint in mount.joints:
        own.update(np.flatnonzero(carried_items(robot, _leader(robot, joint))).tolist())
    return tuple(sorted(own))


def _leader(robot: Robot, name: str) -> str:
    joint = robot.joint(name)
    return joint.name if joint.mimic is None else joint.mimic.joint


def fingers_of(arrays: RobotArrays, mount: Mount, values: Values) -> Fingers | None:
    """The fingers of a hand with its opening and stroke; closed is where they are nearest to its z axis."""
    robot = arrays.robot
    if not mount.joints:
        return None
    joint = robot.joint(_leader(robot, mount.joints[0]))
    if joint.limits is None:
        return None
    column = arrays.joint_names.index(joint.name)
    moved = carried_items(robot, joint.name) & (arrays.solids.item_spheres[:, 3] > 0)
    ends = joint.limits.lower, joint.limits.upper
    wide = [_spread(arrays, mount, moved.nonzero()[0].tolist(), column, end) for end in ends]
    closed, opened = (ends[0], ends[1]) if wide[0] < wide[1] else (ends[1], ends[0])
    speed = joint.speed or abs(opened - closed) / UNHURRIED
    widest = values.get("opening") or values.get("stroke") or 0.0
    stroke = values.get("stroke") or widest
    return Fingers(joint.name, opened, closed, speed, widest, widest - min(stroke, widest))


def _spread(arrays: RobotArrays, mount: Mount, items: list[int], column: int, position: float) -> float:
    """How far items are from the z axis of a hand, on average, with one joint at a position, in metres."""
    vector = np.array(arrays.reference)
    vector[column] = position
    poses = forward(arrays, vector)
    frame = poses[arrays.robot.item_index[mount.item]] @ mount.pose
    centres = [poses[item] @ np.append(arrays.solids.item_spheres[item, :3], 1.0) for item in items]
    seen = np.linalg.inv(frame) @ np.array(centres).T
    return float(np.hypot(seen[0], seen[1]).mean()) if items else 0.0
