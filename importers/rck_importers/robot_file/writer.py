"""Write a robot description file."""

from collections.abc import Iterator
from math import degrees

import numpy as np

from rck.exporting.losses import list_names, loss, moving_joints
from rck.geometry.arrays import Floats
from rck.geometry.bounding_sphere import Sphere, smallest_sphere
from rck.geometry.mesh import faces_of
from rck.hooks import Exported, Job, Values
from rck.hooks.options import units_per_metre
from rck.model import GREY, Item, Joint, Robot
from rck.support.units import digits, row

_FREE = "-1"
_LOCKED_NEARBY = "-0.999999999999"


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the file."""
    per_metre = units_per_metre(values, "m")
    moving = moving_joints(robot)
    lines = [f"{len(robot.items)} {len(moving)}"]
    for number, item in enumerate(robot.items):
        job.progress(number / len(robot.items), "items")
        lines += _item_lines(item, per_metre)
    for joint in moving:
        lines += _joint_lines(robot, joint, per_metre)
    text = "\n".join(lines) + "\n"
    static = [joint.name for joint in robot.joints if not joint.kind.moves and _never_moves(robot, joint)]
    message = f"fixed joints between items that never move are not exported: {list_names(static)}"
    return Exported({name: text.encode("ascii")}, (loss(name, message),) if static else ())


def _item_lines(item: Item, per_metre: float) -> Iterator[str]:
    pose = item.pose.copy()
    pose[:3, 3] *= per_metre
    colour = item.subitems[0].colour if item.subitems else GREY
    yield "1" if item.mobile else "0"
    yield row(colour[:3])
    yield from map(row, pose)
    vertices = [_rounded(subitem.shape.vertices * per_metre) for subitem in item.subitems]
    yield from _sphere_lines(_sphere_of(item, vertices, per_metre), per_metre)
    for subitem, points in zip(item.subitems, vertices, strict=True):
        shape = subitem.shape
        yield str(len(points))
        yield from _sphere_lines(shape.sphere, per_metre)
        yield from map(row, points)
        faces = faces_of(shape)
        yield str(len(faces))
        yield " ".join(str(len(face)) for face in faces)
        for face in faces:
            yield " ".join(map(str, face))


def _rounded(numbers: Floats) -> Floats:
    """Round the numbers to the digits that are written."""
    return np.array([float(digits(number)) for number in numbers.ravel().tolist()]).reshape(numbers.shape)


def _sphere_of(item: Item, vertices: list[Floats], per_metre: float) -> Sphere:
    """Return the sphere of an item from the rounded vertices, so that reading and writing changes no digit."""
    if not item.subitems:
        return Sphere(np.zeros(3), 0.0)
    if len(item.subitems) == 1:
        return item.subitems[0].shape.sphere
    return smallest_sphere(np.concatenate(vertices) / per_metre)


def _sphere_lines(sphere: Sphere, per_metre: float) -> tuple[str, str]:
    return digits(sphere.radius * per_metre), row(sphere.centre * per_metre)


def _joint_lines(robot: Robot, joint: Joint, per_metre: float) -> Iterator[str]:
    moved = robot.moved_by(joint.name)
    yield "1" if joint.kind.turns else "2"
    yield row(np.multiply(joint.start, per_metre))
    yield row(np.multiply(joint.end, per_metre))
    yield from _limits(joint, per_metre)
    yield digits(_in_file_units(joint, joint.position, per_metre))
    yield str(robot.item_index[joint.base])
    yield str(len(moved))
    yield " ".join(str(robot.item_index[item]) for item in moved)


def _limits(joint: Joint, per_metre: float) -> tuple[str, str]:
    if joint.limits is None:
        return _FREE, _FREE
    low, high = (digits(_in_file_units(joint, end, per_metre)) for end in (joint.limits.lower, joint.limits.upper))
    # Both at -1 would mean no limits: change one digit of a joint that is locked there.
    return (low, _LOCKED_NEARBY) if low == high == _FREE else (low, high)


def _in_file_units(joint: Joint, value: float, per_metre: float) -> float:
    return degrees(value) if joint.kind.turns else value * per_metre


def _never_moves(robot: Robot, joint: Joint) -> bool:
    tree = robot.tree
    return tree.rigid_groups[tree.group_of_item[robot.item_index[joint.base]]].joint is None
