"""Writing a robot description file."""

from collections.abc import Iterator
from math import degrees

import numpy as np

from rck.exporting.losses import lost, moving_joints, some
from rck.geometry.arrays import Floats
from rck.geometry.mesh import faces_of
from rck.geometry.sphere import Sphere, smallest_sphere
from rck.hooks import Exported, Job, Values
from rck.hooks.numbers import digits, row, units_per_metre
from rck.model import GREY, Finding, Item, Joint, Robot

_FREE = "-1"
_LOCKED_NEARBY = "-0.999999999999"


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The file, and what it could not hold."""
    per_metre = units_per_metre(values, "m")
    moving = moving_joints(robot)
    lines = [f"{len(robot.items)} {len(moving)}"]
    for number, item in enumerate(robot.items):
        job.progress(number / len(robot.items), "items")
        lines += _item_lines(item, per_metre)
    for joint in moving:
        lines += _joint_lines(robot, joint, per_metre)
    text = "\n".join(lines) + "\n"
    return Exported({name: text.encode("ascii")}, tuple(_losses(robot, name, per_metre)))


def _item_lines(item: Item, per_metre: float) -> Iterator[str]:
    pose = item.pose.copy()
    pose[:3, 3] *= per_metre
    colour = item.subitems[0].colour if item.subitems else GREY
    yield "1" if item.mobile else "0"
    yield row(colour[:3])
    yield from map(row, pose)
    vertices = [_printed(subitem.shape.vertices * per_metre) for subitem in item.subitems]
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


def _printed(numbers: Floats) -> Floats:
    """The numbers as a reader will see them, to the digits that are printed."""
    return np.array([float(digits(number)) for number in numbers.ravel().tolist()]).reshape(numbers.shape)


def _sphere_of(item: Item, vertices: list[Floats], per_metre: float) -> Sphere:
    """The item's sphere, from the vertices as printed, so that reading and writing again changes no digit."""
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
    # Both at -1 would mean that it is free; a joint that is locked there stays locked one digit beside it.
    return (low, _LOCKED_NEARBY) if low == high == _FREE else (low, high)


def _in_file_units(joint: Joint, value: float, per_metre: float) -> float:
    return degrees(value) if joint.kind.turns else value * per_metre


def _losses(robot: Robot, name: str, per_metre: float) -> Iterator[Finding]:
    """What the format has no place for."""
    moving = moving_joints(robot)
    if any(item.name != f"item{number}" for number, item in enumerate(robot.items)) or any(
        joint.name != f"joint{number}" for number, joint in enumerate(moving)
    ):
        yield lost(name, f"the names of {len(robot.items)} items and {len(moving)} joints are left out; numbers remain")
    if any(item.given_mass is not None or any(s.density != 1000.0 for s in item.subitems) for item in robot.items):
        yield lost(name, "masses and densities are left out")
    if several := [item.name for item in robot.items if len({s.colour[:3] for s in item.subitems}) > 1]:
        yield lost(name, f"an item has one colour; those of other subitems are left out in {some(several)}")
    subitems = [subitem for item in robot.items for subitem in item.subitems]
    if any(subitem.colour[3] != 1.0 for subitem in subitems):
        yield lost(name, "opacity is left out")
    if any(subitem.name or subitem.strength is not None for subitem in subitems):
        yield lost(name, "names and strengths of subitems are left out")
    if robot.frames:
        yield lost(name, f"frames are left out: {some(frame.name for frame in robot.frames)}")
    if robot.devices:
        yield lost(name, f"sensors and grippers are left out: {some(device.name for device in robot.devices)}")
    if at_rest := [joint.name for joint in robot.joints if not joint.kind.moves and _never_moves(robot, joint)]:
        yield lost(name, f"fixed joints between items that never move are left out: {some(at_rest)}")
    if followers := [joint.name for joint in moving if joint.mimic is not None]:
        yield lost(name, f"joints that follow others are written as free: {some(followers)}", matters=True)
    if any(joint.speed or joint.acceleration or joint.effort or joint.damping or joint.friction for joint in moving):
        yield lost(name, "speeds, accelerations, efforts, damping and friction of joints are left out")
    if locked := [joint.name for joint in moving if _limits(joint, per_metre)[1] == _LOCKED_NEARBY]:
        yield lost(name, f"limits that are both -1 mean a free joint; one digit was changed for {some(locked)}")


def _never_moves(robot: Robot, joint: Joint) -> bool:
    tree = robot.tree
    return tree.rigid_groups[tree.group_of_item[robot.item_index[joint.base]]].joint is None
