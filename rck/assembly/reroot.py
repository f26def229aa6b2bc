"""Rerooting of a kinematic tree, so that a servo can be attached by its horn."""

from dataclasses import replace

from rck.geometry.arrays import Point, as_point
from rck.model import Joint, JointKind, Robot


def root_of(robot: Robot) -> str:
    """Return the root of a robot: the first item that no joint moves."""
    return robot.items[robot.tree.roots[0]].name


def rerooted(robot: Robot, root: str) -> Robot:
    """Return the same robot with another root: the joints between the old root and the new one are reversed.

    A reversed joint keeps its name, limits and position; base and moved item are exchanged.
    """
    path = _path(robot, root)
    if not path:
        return robot
    joints = list(robot.joints)
    for number, item in path:
        joint = robot.joints[number]
        joints[number] = replace(joint, base=item, moves=(joint.base,), end=opposite_end(joint))
        others = tuple(other for other in joint.moves if other != item)
        if others:
            joints.append(Joint(f"{joint.name}-fixed", JointKind.FIXED, item, others))
    return replace(robot, joints=tuple(joints))


def _path(robot: Robot, root: str) -> list[tuple[int, str]]:
    """Return the joints from an item to the root, each with the moved item on that path."""
    tree = robot.tree
    path = []
    item = robot.item_index[root]
    while (number := tree.joint_of_item[item]) is not None:
        path.append((number, robot.items[item].name))
        item = robot.item_index[robot.joints[number].base]
    return path


def opposite_end(joint: Joint) -> Point:
    """Return the second point of the reversed axis."""
    return as_point(2 * a - b for a, b in zip(joint.start, joint.end, strict=True))
