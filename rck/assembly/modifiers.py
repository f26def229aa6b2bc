"""Modifiers of instances: scale, mirror, colour and loose."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rck.assembly.document import Instance
from rck.assembly.reroot import opposite_end
from rck.geometry.arrays import Floats, as_point, frozen
from rck.geometry.transforms import AXES, apply, frame, invert, mirror, scaling
from rck.model import Item, Joint, JointKind, JointLimits, Loop, Port, RckError, Robot
from rck.model.interface import Interface, mirrored_interface
from rck.model.item import map_item
from rck.parts.part_shapes import colour_of

SMALLEST, LARGEST = 1e-6, 1e6
"""Range of scale factors."""


def changed_body(robot: Robot, ports: Mapping[str, Port], instance: Instance) -> tuple[Robot, Mapping[str, Port]]:
    """Return the robot and its ports with the modifiers of the instance applied."""
    matrix = _map(instance)
    colour = colour_of(instance.colour) if instance.colour is not None else None
    items = tuple(map_item(item, matrix, colour, instance.loose) for item in robot.items)
    stretch = {joint.name: _stretch(joint, matrix) for joint in robot.joints}
    joints = tuple(_mapped_joint(joint, matrix, stretch) for joint in robot.joints)
    changed = replace(
        robot,
        items=items,
        joints=joints,
        frames=tuple(replace(one, pose=_frame_on(robot, one.item, one.pose, items, matrix)) for one in robot.frames),
        devices=tuple(replace(one, pose=_frame_on(robot, one.item, one.pose, items, matrix)) for one in robot.devices),
        loops=tuple(replace(loop, poses=_loop_poses(robot, loop, items, matrix)) for loop in robot.loops),
        poses=tuple(
            replace(pose, positions={name: x * stretch[name] for name, x in pose.positions.items()})
            for pose in robot.poses
        ),
    )
    mapped = {
        name: replace(
            port, pose=frozen(_mapped_frame(matrix, port.pose)), interface=_changed_interface(port.interface, instance)
        )
        for name, port in ports.items()
    }
    return changed, mapped


def _changed_interface(interface: Interface | None, instance: Instance) -> Interface | None:
    """Return the geometry of a port of a changed instance; None for a scaled one, because screws do not scale."""
    if interface is None or instance.scale is not None:
        return None
    return interface if instance.mirror is None else mirrored_interface(interface)


def _map(instance: Instance) -> Floats:
    """Return the linear map of the modifiers, in the frame of the part. Shape (4, 4)."""
    matrix = np.eye(4)
    if instance.scale is not None:
        if not all(SMALLEST <= factor <= LARGEST for factor in np.ravel(instance.scale)):
            raise RckError(f"a scale factor must be between {SMALLEST:g} and {LARGEST:g}")
        matrix = scaling(instance.scale)
    if instance.mirror is not None:
        matrix = mirror(AXES[instance.mirror]) @ matrix
    return matrix


def _stretch(joint: Joint, matrix: Floats) -> float:
    """Return the factor for the travel of a prismatic joint; 1 for other joints."""
    if joint.kind is not JointKind.PRISMATIC:
        return 1.0
    return float(np.linalg.norm(matrix[:3, :3] @ joint.direction))


def _mapped_joint(joint: Joint, matrix: Floats, stretch: Mapping[str, float]) -> Joint:
    """Return the joint between the mapped items; mirroring reverses rotations."""
    is_reversed = joint.kind.turns and np.linalg.det(matrix[:3, :3]) < 0
    end = opposite_end(joint) if is_reversed else joint.end
    by = stretch[joint.name]
    mimic = joint.mimic
    if mimic is not None:
        mimic = replace(mimic, ratio=mimic.ratio * by / stretch[mimic.joint], offset=mimic.offset * by)
    return replace(
        joint,
        start=as_point(apply(matrix, joint.start)),
        end=as_point(apply(matrix, end)),
        limits=joint.limits and JointLimits(joint.limits.lower * by, joint.limits.upper * by),
        position=joint.position * by,
        spring_position=joint.spring_position * by,
        speed=None if joint.speed is None else joint.speed * by,
        acceleration=None if joint.acceleration is None else joint.acceleration * by,
        mimic=mimic,
    )


def _mapped_frame(matrix: Floats, pose: Floats) -> Floats:
    """Return the mapped frame, orthonormal and right-handed; origin, z and x axis follow the map. Shape (4, 4)."""
    turned = matrix[:3, :3]
    # Normals transform by the inverse transpose: a port stays normal to its face under any scale.
    normal = np.linalg.inv(turned).T @ pose[:3, 2]
    return frame(apply(matrix, pose[:3, 3]), z=normal, x=turned @ pose[:3, 0])


def _frame_on(robot: Robot, item: str, pose: Floats, items: tuple[Item, ...], matrix: Floats) -> Floats:
    """Return the mapped pose of a frame, mapped item from frame; `pose` is that before, item from frame."""
    world = robot.item(item).pose @ pose
    return frozen(invert(items[robot.item_index[item]].pose) @ _mapped_frame(matrix, world))


def _loop_poses(robot: Robot, loop: Loop, items: tuple[Item, ...], matrix: Floats) -> tuple[Floats, Floats]:
    first, second = (
        _frame_on(robot, item, pose, items, matrix) for item, pose in zip(loop.items, loop.poses, strict=True)
    )
    return first, second
