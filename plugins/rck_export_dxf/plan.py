"""What goes into the drawing: which robot, on which layers, and where the axes of joints are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rck.exporting import legal_names
from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply
from rck.model import Item, Joint, JointKind, Robot

SHORTEST = 1e-3
"""In metres; a shorter line would be lost in the drawing."""

_LETTERS = {JointKind.REVOLUTE: "R", JointKind.CONTINUOUS: "C", JointKind.PRISMATIC: "P", JointKind.FIXED: "F"}


@dataclass(frozen=True, eq=False)
class DrawnJoint:
    """A joint as a line on a layer of its own."""

    layer: str
    """Such as JOINT_R_elbow."""
    name: str
    """What the importer will call it."""
    joint: Joint
    base: str
    """The layer of the item that stays."""
    moves: tuple[str, ...]
    """The layers of the items on the moving side."""
    line: Floats
    """The two ends of the axis, in metres. Shape (2, 3)."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A robot laid out on layers."""

    robot: Robot
    layers: Mapping[str, str]
    """The layer of each item that has a shape."""
    joints: tuple[DrawnJoint, ...]
    adrift: tuple[str, ...]
    """The joints that cannot be drawn, since nothing on one of their sides has a shape."""


def plan_of(robot: Robot) -> Plan:
    """The layout of a robot."""
    solid = [item for item in robot.items if item.subitems]
    item_layers = _item_layers(solid)
    wanted = [_joint_layer(joint) for joint in robot.joints]
    joint_layers = legal_names(wanted, taken=item_layers.values(), any_case=True)
    joints, adrift = [], []
    for joint, layer in zip(robot.joints, joint_layers, strict=True):
        base = _standing_in(robot, joint.base, item_layers)
        moves = tuple(name for name in joint.moves if name in item_layers)
        # An item without a shape is stood for by one that never moves against it.
        moves = moves or tuple(filter(None, [_standing_in(robot, joint.moves[0], item_layers)]))
        if base is None or not moves:
            adrift.append(joint.name)
            continue
        if base in moves:
            # It only holds what has no shape.
            continue
        line = _line(joint, [robot.item(name) for name in moves], robot.item(base))
        name = layer.split("_", 2)[2]
        name = f"joint{name}" if name.isdigit() else name
        joints.append(DrawnJoint(layer, name, joint, item_layers[base], tuple(item_layers[one] for one in moves), line))
    return Plan(robot, item_layers, tuple(joints), tuple(adrift))


def _item_layers(items: Sequence[Item]) -> dict[str, str]:
    """A layer for each item; what is called like a joint or a port would be taken for one."""
    names = [f"item_{one.name}" if one.name.lower().startswith(("joint", "port")) else one.name for one in items]
    # Layer 0 is where blocks find the layer of their insert.
    layers = legal_names(names, taken=("0", "Defpoints"), any_case=True)
    return {item.name: layer for item, layer in zip(items, layers, strict=True)}


def _joint_layer(joint: Joint) -> str:
    return f"JOINT_{_LETTERS[joint.kind]}_{joint.name}"


def _standing_in(robot: Robot, name: str, layers: Mapping[str, str]) -> str | None:
    """The item itself or, where it has no shape, one that has and never moves against it: first what carries it."""
    tree = robot.tree
    number: int | None = robot.item_index[name]
    group = tree.group_of_item[robot.item_index[name]]
    carriers: list[int] = []
    while number is not None and tree.group_of_item[number] == group:
        carriers.append(number)
        number = tree.parent_of_item[number]
    together = (robot.items[one].name for one in (*carriers, *tree.rigid_groups[group].items))
    return next((one for one in together if one in layers), None)


def _line(joint: Joint, moves: Sequence[Item], base: Item) -> Floats:
    """The axis, as long as what it moves; of a joint that slides, as long as its way; of a fixed one, between items."""
    corners = np.concatenate([_corners(item) for item in moves])
    if not joint.kind.moves:
        ends = np.array([_corners(base).mean(axis=0), corners.mean(axis=0)])
        if np.linalg.norm(ends[1] - ends[0]) < SHORTEST:
            ends[1] = ends[0] + (0.0, 0.0, SHORTEST)
        return ends
    start, direction = np.array(joint.start), joint.direction
    heights = (corners - start) @ direction
    low, high = float(heights.min()), float(heights.max())
    if joint.kind is JointKind.PRISMATIC and joint.limits is not None:
        high = low + joint.limits.upper - joint.limits.lower
    return np.array([start + low * direction, start + max(high, low + SHORTEST) * direction])


def _corners(item: Item) -> Floats:
    return apply(item.pose, np.concatenate([piece.shape.vertices for piece in item.subitems]))
