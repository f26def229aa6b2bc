"""Hanging a robot up by another item, so that a servo can be fastened by its horn."""

from dataclasses import replace

from rck.geometry.arrays import Point, as_point
from rck.model import Joint, JointKind, Robot


def root_of(robot: Robot) -> str:
    """The item that a robot stands on: the first that nothing moves."""
    return robot.items[robot.tree.roots[0]].name


def rerooted(robot: Robot, root: str) -> Robot:
    """The same robot with `root` as the item that stays: the joints on the way to it are turned round.

    A joint that is turned round keeps its name, limits and position: its moving side stays, and what was
    its base moves the other way.
    """
    path = _path(robot, root)
    if not path:
        return robot
    joints = list(robot.joints)
    for number, item in path:
        joint = robot.joints[number]
        joints[number] = replace(joint, base=item, moves=(joint.base,), end=opposite_end(joint))
        beside = tuple(other for other in joint.moves if other != item)
        if beside:
            joints.append(Joint(f"{joint.name}-beside", JointKind.FIXED, item, beside))
    return Robot(robot.name, robot.items, tuple(joints), robot.frames, robot.devices, robot.rules)


def _path(robot: Robot, root: str) -> list[tuple[int, str]]:
    """The joints from the item up to its old root, each with the item on its moving side that leads there."""
    tree = robot.tree
    path = []
    item = robot.item_index[root]
    while (number := tree.joint_of_item[item]) is not None:
        path.append((number, robot.items[item].name))
        item = robot.item_index[robot.joints[number].base]
    return path


def opposite_end(joint: Joint) -> Point:
    """The second point of the axis the other way round."""
    return as_point(2 * a - b for a, b in zip(joint.start, joint.end, strict=True))
