"""Serial chain of links, from the base outward, as ROBOSIM stores a robot."""

from dataclasses import replace

import numpy as np

from rck.exporting.losses import list_names
from rck.model import Finding, Item, Joint, Robot, Severity, at_positions

Chain = list[tuple[Joint | None, tuple[Item, ...]]]
"""From the base outward: the joint before each link, and the rigid group of items that forms the link."""


def serial_chain(given: Robot, name: str) -> Chain | Finding:
    """Return the links of a serial robot in order, with all joints at zero, or an error if it is not serial."""
    robot = _at_zero(given)
    tree = robot.tree
    groups = [tuple(robot.items[index] for index in group.items) for group in tree.rigid_groups]
    carriers = [group.joint for group in tree.rigid_groups]
    fix = "export a serial part of it, or choose another format"
    bases = [group for group, carrier in zip(groups, carriers, strict=True) if carrier is None]
    if len(bases) != 1:
        listed = list_names(group[0].name for group in bases) or "none"
        message = f"link files support one robot with one base; base items found: {listed}"
        return Finding(507, Severity.ERROR, name, message, fix)
    after: dict[int, int] = {}
    for number, carrier in enumerate(carriers):
        if carrier is None:
            continue
        joint = robot.joints[carrier]
        before = tree.group_of_item[robot.item_index[joint.base]]
        if before in after:
            other = carriers[after[before]]
            assert other is not None  # only groups moved by a joint follow another group
            message = (
                f"link files support only serial chains; joints {robot.joints[other].name} and {joint.name} branch"
            )
            return Finding(507, Severity.ERROR, name, message, fix)
        after[before] = number
    chain: Chain = []
    here: int | None = carriers.index(None)
    while here is not None:
        carrier = carriers[here]
        chain.append((None if carrier is None else robot.joints[carrier], groups[here]))
        here = after.get(here)
    return chain


def _at_zero(robot: Robot) -> Robot:
    """Return the robot with every joint at position zero, the pose that link files describe."""
    unled = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    return at_positions(unled, np.zeros(len(unled.free_joints)))
