"""The diagram before it is drawn: a box for every rigid body, a line for every joint that moves."""

from dataclasses import dataclass
from math import degrees

from rck.exporting.losses import some
from rck.model import Joint, JointKind, Robot

MOST_NAMES = 6
"""So many items of a body are named; the others are counted."""

_LETTERS = {JointKind.REVOLUTE: "R", JointKind.CONTINUOUS: "C", JointKind.PRISMATIC: "P"}


@dataclass(frozen=True, slots=True)
class Node:
    """A rigid body: items that never move against each other."""

    lines: tuple[str, ...]
    """The names of its items, what it weighs, its tool frames and devices."""
    parent: int | None
    """The body that carries it; None where it stands by itself."""
    edge: tuple[str, ...]
    """What is written at the line to its parent: the joint, its kind and its range."""
    kind: JointKind
    """Of the joint to its parent; fixed where there is none."""
    grounded: bool
    """Whether it stands fast in the world."""


def nodes_of(robot: Robot) -> list[Node]:
    """The bodies, each after the one that carries it."""
    tree = robot.tree
    labels: list[list[str]] = [[] for _ in tree.rigid_groups]
    for frame in robot.frames:
        labels[tree.group_of_item[robot.item_index[frame.item]]].append(f"frame {frame.name}")
    for device in robot.devices:
        labels[tree.group_of_item[robot.item_index[device.item]]].append(f"{device.kind.value} {device.name}")
    nodes = []
    for number, group in enumerate(tree.rigid_groups):
        names = [robot.items[item].name for item in group.items]
        mass = sum(robot.items[item].mass for item in group.items)
        shown = [*names[:MOST_NAMES], *([f"and {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]
        joint = None if group.joint is None else robot.joints[group.joint]
        parent = None if joint is None else tree.group_of_item[robot.item_index[joint.base]]
        nodes.append(
            Node(
                (*shown, f"{mass:.4g} kg", *labels[number]),
                parent,
                () if joint is None else _edge(joint),
                JointKind.FIXED if joint is None else joint.kind,
                joint is None and not robot.items[group.items[0]].mobile,
            )
        )
    return nodes


def _edge(joint: Joint) -> tuple[str, ...]:
    lines = [f"{_LETTERS[joint.kind]} {joint.name}"]
    if joint.limits is not None:
        scale, unit = (degrees(1.0), "deg") if joint.kind.turns else (1000.0, "mm")
        lines.append(f"{scale * joint.limits.lower:.4g} to {scale * joint.limits.upper:.4g} {unit}")
    if joint.mimic is not None:
        lines.append(f"follows {some([joint.mimic.joint])}")
    return tuple(lines)
