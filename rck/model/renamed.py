"""Robots under other names: every mention of an item, joint, frame or device goes along."""

from collections.abc import Callable
from dataclasses import replace

from rck.model.robot import Robot

NewName = Callable[[str], str]
"""From the name that something has to the one that it gets."""


def renamed(robot: Robot, item: NewName, joint: NewName, frame: NewName, device: NewName) -> Robot:
    """The robot with the names of its parts changed, each kind in its own way; its own name stays."""
    return Robot(
        robot.name,
        tuple(replace(one, name=item(one.name)) for one in robot.items),
        tuple(
            replace(
                one,
                name=joint(one.name),
                base=item(one.base),
                moves=tuple(map(item, one.moves)),
                mimic=one.mimic and replace(one.mimic, joint=joint(one.mimic.joint)),
            )
            for one in robot.joints
        ),
        tuple(replace(one, name=frame(one.name), item=item(one.item)) for one in robot.frames),
        tuple(
            replace(one, name=device(one.name), item=item(one.item), joints=tuple(map(joint, one.joints)))
            for one in robot.devices
        ),
        tuple(replace(rule, items=(item(rule.items[0]), item(rule.items[1]))) for rule in robot.rules),
    )


def scoped(robot: Robot, scope: str) -> Robot:
    """The robot with all its names in a scope: `gripper/finger` in `left` is `left/gripper/finger`."""

    def full(name: str) -> str:
        return f"{scope}/{name}"

    return renamed(robot, full, full, full, full)
