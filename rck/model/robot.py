"""Robots: flat lists of items and joints, and the tree that follows from them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from math import isclose

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.model.device import Device
from rck.model.frame import Frame, build_frame
from rck.model.item import Item
from rck.model.joint import Joint
from rck.model.tree import Tree, derive_tree
from rck.support.finding import Built, Finding, RckError, Severity, errors_of
from rck.support.frozen_copy import copy_with
from rck.support.names import did_you_mean, name_findings, repeated_names


class Reason(str, Enum):
    """The reason why a pair of items is tested or not."""

    USER = "user"
    """Decided by a user."""
    ADJACENT = "adjacent"
    """The two are joined by a joint or rigidly."""
    NEVER = "never"
    """In contact at none of the sampled joint vectors."""
    ALWAYS = "always"
    """In contact at all of them."""
    DEFAULT = "default"
    """In contact at the joint positions of the robot."""
    SOMETIMES = "sometimes"
    """In contact at some of them, or one of the two is loose."""


@dataclass(frozen=True, slots=True)
class PairRule:
    """A decision whether two items are tested for collision, and their friction."""

    items: tuple[str, str]
    tested: bool
    reason: Reason = Reason.USER
    friction: float | None = None
    """Coefficient of friction of this pair; None to use those of the items."""


@dataclass(frozen=True, eq=False)
class Robot:
    """Items and joints in one world frame. Build one with :func:`build_robot`."""

    name: str
    items: tuple[Item, ...]
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    """Tool frames and other named frames on items."""
    devices: tuple[Device, ...] = ()
    """Sensors and grippers."""
    rules: tuple[PairRule, ...] = ()
    """Rules for collision tests of pairs; of two rules for one pair, the later counts."""

    @cached_property
    def item_index(self) -> Mapping[str, int]:
        """Index of each item in `items`."""
        return {item.name: index for index, item in enumerate(self.items)}

    @cached_property
    def joint_index(self) -> Mapping[str, int]:
        """Index of each joint in `joints`."""
        return {joint.name: index for index, joint in enumerate(self.joints)}

    def item(self, name: str) -> Item:
        """Return the item of that name; raise :class:`RckError` if it does not exist."""
        if name not in self.item_index:
            raise RckError(f"robot {self.name} has no item {name!r}{did_you_mean(name, self.item_index)}")
        return self.items[self.item_index[name]]

    def joint(self, name: str) -> Joint:
        """Return the joint of that name; raise :class:`RckError` if it does not exist."""
        if name not in self.joint_index:
            raise RckError(f"robot {self.name} has no joint {name!r}{did_you_mean(name, self.joint_index)}")
        return self.joints[self.joint_index[name]]

    @cached_property
    def frame_names(self) -> frozenset[str]:
        """The names of all frames and items, which :meth:`frame` accepts."""
        return frozenset([*self.item_index, *(frame.name for frame in self.frames)])

    def frame(self, name: str) -> Frame:
        """Return the frame, or the item's frame, of that name; raise :class:`RckError` if there is neither."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        if name not in self.item_index:
            hint = did_you_mean(name, sorted(self.frame_names))
            raise RckError(f"robot {self.name} has no item or frame {name!r}{hint}")
        return Frame(name, name)

    def world_from(self, name: str) -> Floats:
        """Return the pose of an item or frame at the current joint positions. Shape (4, 4)."""
        frame = self.frame(name)
        pose: Floats = self.item(frame.item).pose @ frame.pose
        return pose

    @cached_property
    def built_tree(self) -> Built[Tree]:
        """The tree, or the findings that prevent it."""
        return derive_tree(self.items, self.joints)

    @property
    def tree(self) -> Tree:
        """The joint that carries each item, and the order in which to visit them."""
        return self.built_tree.unwrap()

    @cached_property
    def free_joints(self) -> tuple[Joint, ...]:
        """The joints of a joint vector, in order: all movable ones without mimic joints."""
        return tuple(joint for joint in self.joints if joint.kind.moves and joint.mimic is None)

    def free_joint(self, name: str) -> Joint:
        """Return the free joint of that name; raise :class:`RckError` if it is not free."""
        joint = self.joint(name)
        if not joint.kind.moves or joint.mimic is not None:
            why = f"it mimics {joint.mimic.joint}" if joint.mimic else "it is fixed"
            raise RckError(f"joint {name} cannot be moved independently: {why}")
        return joint

    @cached_property
    def positions(self) -> Floats:
        """The current joint vector: one number per free joint."""
        return np.array([joint.position for joint in self.free_joints], dtype=float)

    def moved_by(self, joint: str) -> tuple[str, ...]:
        """Return all items that move with the joint, directly or carried, in item order."""
        return tuple(self.items[i].name for i in self.tree.carried_by(self.joint_index[joint]))

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass properties of all items together, in the world frame, at the current joint positions."""
        return combine(moved(item.mass_properties, item.pose) for item in self.items)


def build_robot(
    name: str,
    items: Iterable[Item],
    joints: Iterable[Joint] = (),
    frames: Iterable[Frame] = (),
    devices: Iterable[Device] = (),
    rules: Iterable[PairRule] = (),
) -> Built[Robot]:
    """Build a robot, or return the findings that prevent it."""
    built_frames = [build_frame(frame.name, frame.item, frame.pose, frame.tool) for frame in frames]
    sound_frames = tuple(built.value for built in built_frames if built.value is not None)
    robot = Robot(name, tuple(items), tuple(joints), sound_frames, tuple(devices), tuple(rules))
    findings = name_findings(name, f"robot {name}")
    findings += [finding for built in built_frames for finding in built.findings]
    findings += repeated_names((item.name for item in robot.items), "item")
    findings += repeated_names((joint.name for joint in robot.joints), "joint")
    findings += repeated_names((frame.name for frame in robot.frames), "frame")
    findings += repeated_names((device.name for device in robot.devices), "device")
    findings += _frame_findings(robot)
    findings += _device_findings(robot)
    findings += _mimic_findings(robot)
    if not errors_of(findings):
        findings += robot.built_tree.findings
        if robot.built_tree.value is not None:
            findings += _massless_findings(robot)
    return Built(None if errors_of(findings) else robot, tuple(findings))


def _frame_findings(robot: Robot) -> list[Finding]:
    return [
        Finding(207, Severity.ERROR, f"frame {frame.name}", f"there is no item {frame.item}", "name another item")
        for frame in robot.frames
        if frame.item not in robot.item_index
    ]


def _device_findings(robot: Robot) -> list[Finding]:
    findings = []
    for device in robot.devices:
        where = f"device {device.name}"
        if device.item not in robot.item_index:
            message = f"there is no item {device.item}"
            findings.append(Finding(209, Severity.ERROR, where, message, "name another item"))
        findings += [
            Finding(209, Severity.ERROR, where, f"there is no joint {joint}", "name another joint")
            for joint in device.joints
            if joint not in robot.joint_index
        ]
    return findings


def _mimic_findings(robot: Robot) -> list[Finding]:
    findings = []
    for joint in robot.joints:
        if joint.mimic is None:
            continue
        where = f"joint {joint.name}"
        number = robot.joint_index.get(joint.mimic.joint)
        if number is None:
            message = f"mimics {joint.mimic.joint}, which does not exist"
            findings.append(Finding(206, Severity.ERROR, where, message, "name an existing joint"))
            continue
        leader = robot.joints[number]
        if leader.mimic is not None or not leader.kind.moves:
            message = f"mimics {leader.name}, which is not a free joint"
            findings.append(Finding(206, Severity.ERROR, where, message, "mimic a free joint"))
            continue
        led = joint.mimic.position_at(leader.position)
        if not isclose(led, joint.position, rel_tol=1e-6, abs_tol=1e-6):
            message = f"is at {joint.position:.6g}, but {leader.name} requires {led:.6g}"
            findings.append(Finding(409, Severity.WARNING, where, message, "move it to the required position"))
    return findings


def _massless_findings(robot: Robot) -> list[Finding]:
    """Return an error for each moving rigid group without mass: no simulator can accelerate it."""
    findings = []
    for group in robot.tree.rigid_groups:
        lead = robot.items[group.items[0]]
        mobile = group.joint is None and any(robot.items[i].mobile for i in group.items)
        if (group.joint is not None or mobile) and not any(robot.items[i].mass > 0 for i in group.items):
            where = f"item {lead.name}"
            findings.append(Finding(401, Severity.ERROR, where, "moves but has no mass", "specify a mass or density"))
    return findings


NewName = Callable[[str], str]
"""A function from an old name to a new one."""


def rename_all(robot: Robot, item: NewName, joint: NewName, frame: NewName, device: NewName) -> Robot:
    """Rename the items, joints, frames and devices of a robot, with all references to them."""
    return Robot(
        robot.name,
        tuple(copy_with(old, name=item(old.name)) for old in robot.items),
        tuple(
            replace(
                old,
                name=joint(old.name),
                base=item(old.base),
                moves=tuple(map(item, old.moves)),
                mimic=old.mimic and replace(old.mimic, joint=joint(old.mimic.joint)),
            )
            for old in robot.joints
        ),
        tuple(replace(old, name=frame(old.name), item=item(old.item)) for old in robot.frames),
        tuple(
            replace(old, name=device(old.name), item=item(old.item), joints=tuple(map(joint, old.joints)))
            for old in robot.devices
        ),
        tuple(replace(rule, items=(item(rule.items[0]), item(rule.items[1]))) for rule in robot.rules),
    )


def add_scope(robot: Robot, scope: str) -> Robot:
    """Put all names of a robot into a scope: `gripper/finger` in `left` becomes `left/gripper/finger`."""

    def full(name: str) -> str:
        return f"{scope}/{name}"

    return rename_all(robot, full, full, full, full)
