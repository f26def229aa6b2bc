"""Bodies of a robot for the kernels of kinematics: its rigid groups, each on a joint or fixed."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, rotation_about, translation
from rck.kernels.body_tables import BODY, FIXED, SLIDES, TURNS, WORLD, Table
from rck.model.frame import IDENTITY
from rck.model.joint import Joint, JointKind
from rck.model.robot import Robot


def body_table(robot: Robot) -> tuple[Table, list[tuple[int, Floats]]]:
    """Return the BODY records of a robot, and the body and body from item, shape (4, 4), of each item.

    Bodies are in the order of `Tree.rigid_groups`; their joints count as in `Robot.coordinate_joints`.
    """
    world_from_body = [_world_from_group(robot, number) for number in range(len(robot.tree.rigid_groups))]
    # A general inverse, because poses of items may be rigid only to a millionth.
    body_from_world: list[Floats] = [np.linalg.inv(matrix).astype(float) for matrix in world_from_body]
    item_frames = [
        # The first item of a fixed body keeps its exact pose: no product with an inverse.
        (body, IDENTITY if world_from_body[body] is item.pose else body_from_world[body] @ item.pose)
        for body, item in zip(robot.tree.group_of_item, robot.items, strict=True)
    ]
    return _bodies(robot, world_from_body, body_from_world), item_frames


def _world_from_group(robot: Robot, number: int) -> Floats:
    """Return the frame of a rigid group at the current joint positions. Shape (4, 4)."""
    group = robot.tree.rigid_groups[number]
    if group.joint is None:
        return robot.items[group.items[0]].pose
    joint = robot.joints[group.joint]
    return frame(joint.start, z=joint.direction)


def _bodies(robot: Robot, world_from_body: Sequence[Floats], body_from_world: Sequence[Floats]) -> Table:
    vector_index = {joint.name: index for index, joint in enumerate(robot.coordinate_joints)}
    table = np.zeros(len(world_from_body), BODY)
    for number, group in enumerate(robot.tree.rigid_groups):
        if group.joint is None:
            table[number] = (WORLD, FIXED, 0, 0.0, 0.0, world_from_body[number][:3])
            continue
        joint = robot.joints[group.joint]
        parent = robot.tree.group_of_item[robot.item_index[joint.base]]
        leader, ratio, offset = joint.name, 1.0, 0.0
        if joint.mimic is not None:
            leader, ratio, offset = joint.mimic.joint, joint.mimic.ratio, joint.mimic.offset
        parent_from_body = body_from_world[parent] @ world_from_body[number] @ _back_to_zero(joint)
        motion = TURNS if joint.kind.turns else SLIDES
        table[number] = (parent, motion, vector_index[leader], ratio, offset, parent_from_body[:3])
    table.setflags(write=False)
    return table


def _back_to_zero(joint: Joint) -> Floats:
    """Return the motion along or about z that moves a joint from its position to zero."""
    if joint.kind is JointKind.PRISMATIC:
        return translation((0.0, 0.0, -joint.position))
    return rotation_about((0.0, 0.0, 1.0), -joint.position)
