"""Moving a robot: the same robot with its joints at other positions (SEEDS L4)."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply
from rck.model.item import place_item
from rck.model.joint import Joint, motion
from rck.model.robot import Robot


def joint_positions(robot: Robot, vector: Floats) -> dict[str, float]:
    """The position of every joint, followers included, for a joint vector of one number per free joint."""
    positions = {joint.name: float(x) for joint, x in zip(robot.free_joints, vector, strict=True)}
    for joint in robot.joints:
        if joint.mimic is not None and joint.kind.moves:
            positions[joint.name] = joint.mimic.ratio * positions[joint.mimic.joint] + joint.mimic.offset
    return positions


def at_positions(robot: Robot, vector: Floats) -> Robot:
    """The robot with its free joints at the given positions, shape (free joints,), unclamped.

    Each joint transforms every item it carries and the axes of every joint it carries. This is the plain
    reference; `rck.kernels` does the same for speed, and tests compare the two.
    """
    positions = joint_positions(robot, vector)
    tree = robot.tree
    moved_by: dict[int, Floats] = {}
    items = list(robot.items)
    joints: list[Joint] = list(robot.joints)
    world_motion: list[Floats] = [np.eye(4) for _ in robot.items]
    for number in tree.joint_order:
        joint = robot.joints[number]
        carried = world_motion[robot.item_index[joint.base]]
        here = positions.get(joint.name, joint.position)
        moved_by[number] = carried @ motion(joint, here - joint.position)
        start, end = apply(carried, [joint.start, joint.end]).tolist()
        joints[number] = replace(joint, start=tuple(start), end=tuple(end), position=here)
        for item in tree.moves[number]:
            world_motion[item] = moved_by[number]
            items[item] = place_item(items[item], world_motion[item] @ items[item].pose)
    moved = Robot(robot.name, tuple(items), tuple(joints), robot.frames)
    moved.__dict__["tree"] = tree
    return moved


def with_positions(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """The robot with the named free joints moved and the others where they are."""
    vector = [positions.get(joint.name, joint.position) for joint in robot.free_joints]
    return at_positions(robot, np.array(vector, dtype=float))
