"""Parts that are scaled, mirrored, coloured or made loose."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rck.assembly.document import Instance
from rck.assembly.rerooted import opposite_end
from rck.catalogue.part import Port
from rck.catalogue.shapes import colour_of
from rck.geometry.arrays import Floats, as_point, frozen
from rck.geometry.transforms import AXES, apply, frame, invert, mirror, scaling
from rck.model import Device, Frame, Item, Joint, JointKind, Limits, RckError, Robot
from rck.model.mapped import map_item

SMALLEST, LARGEST = 1e-6, 1e6
"""What a scale may be."""


def changed_body(robot: Robot, ports: Mapping[str, Port], instance: Instance) -> tuple[Robot, Mapping[str, Port]]:
    """The robot and its ports as the instance wants them."""
    matrix = _map(instance)
    colour = colour_of(instance.colour) if instance.colour is not None else None
    items = tuple(map_item(item, matrix, colour, instance.loose) for item in robot.items)
    stretch = {joint.name: _stretch(joint, matrix) for joint in robot.joints}
    joints = tuple(_mapped_joint(joint, matrix, stretch) for joint in robot.joints)
    frames = tuple(replace(one, pose=_frame_on(robot, one, items, matrix)) for one in robot.frames)
    devices = tuple(replace(one, pose=_frame_on(robot, one, items, matrix)) for one in robot.devices)
    mapped = {name: replace(port, pose=frozen(_mapped_frame(matrix, port.pose))) for name, port in ports.items()}
    return Robot(robot.name, items, joints, frames, devices, robot.rules), mapped


def _map(instance: Instance) -> Floats:
    """New from old, in the frame of the part. Shape (4, 4)."""
    matrix = np.eye(4)
    if instance.scale is not None:
        if not all(SMALLEST <= factor <= LARGEST for factor in np.ravel(instance.scale)):
            raise RckError(f"a scale lies between {SMALLEST:g} and {LARGEST:g}")
        matrix = scaling(instance.scale)
    if instance.mirror is not None:
        matrix = mirror(AXES[instance.mirror]) @ matrix
    return matrix


def _stretch(joint: Joint, matrix: Floats) -> float:
    """How much farther a joint that slides goes; angles stay what they are."""
    if joint.kind is not JointKind.PRISMATIC:
        return 1.0
    return float(np.linalg.norm(matrix[:3, :3] @ joint.direction))


def _mapped_joint(joint: Joint, matrix: Floats, stretch: Mapping[str, float]) -> Joint:
    """The joint on the mapped parts; in a mirror a turn goes the other way round."""
    turned_round = joint.kind.turns and np.linalg.det(matrix[:3, :3]) < 0
    end = opposite_end(joint) if turned_round else joint.end
    by = stretch[joint.name]
    mimic = joint.mimic
    if mimic is not None:
        mimic = replace(mimic, ratio=mimic.ratio * by / stretch[mimic.joint], offset=mimic.offset * by)
    return replace(
        joint,
        start=as_point(apply(matrix, joint.start)),
        end=as_point(apply(matrix, end)),
        limits=joint.limits and Limits(joint.limits.lower * by, joint.limits.upper * by),
        position=joint.position * by,
        speed=None if joint.speed is None else joint.speed * by,
        acceleration=None if joint.acceleration is None else joint.acceleration * by,
        mimic=mimic,
    )


def _mapped_frame(matrix: Floats, pose: Floats) -> Floats:
    """The frame that the map brings `pose` to, made right-handed and square again: origin, z and x are kept."""
    turned = matrix[:3, :3]
    # Normals go by the inverse transpose, so that a port stays square to its face under any scale.
    normal = np.linalg.inv(turned).T @ pose[:3, 2]
    return frame(apply(matrix, pose[:3, 3]), z=normal, x=turned @ pose[:3, 0])


def _frame_on(robot: Robot, one: Frame | Device, items: tuple[Item, ...], matrix: Floats) -> Floats:
    world = robot.item(one.item).pose @ one.pose
    return frozen(invert(items[robot.item_index[one.item]].pose) @ _mapped_frame(matrix, world))
