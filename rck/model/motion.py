"""Moving a robot: the same robot with its joints at other positions."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply
from rck.model.finding import RckError
from rck.model.item import place_item
from rck.model.joint import motion
from rck.model.robot import Robot


def joint_positions(robot: Robot, vector: Floats) -> dict[str, float]:
    """The position of every joint that moves, followers included, for one number per free joint."""
    free = robot.free_joints
    if np.shape(vector) != (len(free),):
        raise RckError(f"robot {robot.name} takes {len(free)} joint positions, not {np.size(vector)}")
    if not np.isfinite(vector).all():
        raise RckError(f"robot {robot.name} cannot take joint positions that are not finite")
    positions = {joint.name: float(x) for joint, x in zip(free, vector, strict=True)}
    for joint in robot.joints:
        if joint.mimic is not None and joint.kind.moves:
            positions[joint.name] = joint.mimic.position_at(positions[joint.mimic.joint])
    return positions


def at_positions(robot: Robot, vector: Floats) -> Robot:
    """The robot with its free joints at the given positions, shape (free joints,), unclamped.

    Each joint transforms every item it carries and the axes of every joint it carries. This is the plain
    reference; `rck.kernels` does the same for speed, and tests compare the two.
    """
    positions = joint_positions(robot, vector)
    tree = robot.tree
    items = list(robot.items)
    joints = list(robot.joints)
    # None for what stays where it is: moving one joint of many leaves most of a robot alone.
    new_from_old: list[Floats | None] = [None] * len(items)
    for number in tree.joint_order:
        joint = robot.joints[number]
        base_motion = new_from_old[robot.item_index[joint.base]]
        here = positions.get(joint.name, joint.position)
        if base_motion is None and here == joint.position:
            continue
        item_motion = motion(joint, here - joint.position)
        if base_motion is None:
            joints[number] = replace(joint, position=here)
        else:
            (x0, y0, z0), (x1, y1, z1) = apply(base_motion, [joint.start, joint.end]).tolist()
            joints[number] = replace(joint, start=(x0, y0, z0), end=(x1, y1, z1), position=here)
            item_motion = base_motion @ item_motion
        for item in tree.moves[number]:
            new_from_old[item] = item_motion
            items[item] = place_item(items[item], item_motion @ items[item].pose)
    moved = Robot(robot.name, tuple(items), tuple(joints), robot.frames, robot.devices, robot.rules)
    moved.__dict__["tree"] = tree
    return moved


def with_positions(robot: Robot, positions: Mapping[str, float]) -> Robot:
    """The robot with the named free joints moved and the others where they are."""
    for name in positions:
        robot.free_joint(name)
    vector = [positions.get(joint.name, joint.position) for joint in robot.free_joints]
    return at_positions(robot, np.array(vector, dtype=float))
