"""A robot as ROBOSIM has it: links one after the other, from the base outward."""

from dataclasses import replace

import numpy as np

from rck.exporting.losses import some
from rck.model import Finding, Item, Joint, Robot, Severity, at_positions

Chain = list[tuple[Joint | None, tuple[Item, ...]]]
"""From the base outward: the joint before each link, and the rigid group of items that the link is."""


def serial_chain(given: Robot, name: str) -> Chain | Finding:
    """The links of a robot one after the other, at position zero, or why there is no such order."""
    robot = _at_zero(given)
    tree = robot.tree
    groups = [tuple(robot.items[index] for index in group.items) for group in tree.rigid_groups]
    carriers = [group.joint for group in tree.rigid_groups]
    fix = "export a serial part of it, or choose another format"
    bases = [group for group, carrier in zip(groups, carriers, strict=True) if carrier is None]
    if len(bases) != 1:
        listed = some(group[0].name for group in bases) or "none"
        message = f"link files hold one robot on one base; items that stand by themselves: {listed}"
        return Finding(507, Severity.ERROR, name, message, fix)
    after: dict[int, int] = {}
    for number, carrier in enumerate(carriers):
        if carrier is None:
            continue
        joint = robot.joints[carrier]
        before = tree.group_of_item[robot.item_index[joint.base]]
        if before in after:
            other = carriers[after[before]]
            assert other is not None  # only groups that a joint carries come after another
            message = f"link files hold serial chains; joints {robot.joints[other].name} and {joint.name} branch"
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
    """The robot with every joint at position zero, which is what the files describe."""
    unled = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    return at_positions(unled, np.zeros(len(unled.free_joints)))
