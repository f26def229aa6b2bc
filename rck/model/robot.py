"""Robots: two flat arrays, items and joints, and the tree that follows from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isclose

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass import MassProperties, combine, moved
from rck.model.device import Device
from rck.model.finding import Built, Finding, RckError, Severity, errors_of
from rck.model.frame import Frame, build_frame
from rck.model.item import Item
from rck.model.joint import Joint
from rck.model.names import did_you_mean, name_findings, repeated_names
from rck.model.pair_rule import PairRule
from rck.model.tree import Tree, derive_tree


@dataclass(frozen=True, eq=False)
class Robot:
    """Items and joints in one world frame. Build one with :func:`build_robot`."""

    name: str
    items: tuple[Item, ...]
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    """Tool frames and other named places on items."""
    devices: tuple[Device, ...] = ()
    """Sensors and grippers."""
    rules: tuple[PairRule, ...] = ()
    """What is decided about testing pairs of items for collision; of two about one pair, the later counts."""

    @cached_property
    def item_index(self) -> Mapping[str, int]:
        """Where each item stands in `items`."""
        return {item.name: index for index, item in enumerate(self.items)}

    @cached_property
    def joint_index(self) -> Mapping[str, int]:
        """Where each joint stands in `joints`."""
        return {joint.name: index for index, joint in enumerate(self.joints)}

    def item(self, name: str) -> Item:
        """The item of that name; :class:`RckError` where there is none."""
        if name not in self.item_index:
            raise RckError(f"robot {self.name} has no item {name!r}{did_you_mean(name, self.item_index)}")
        return self.items[self.item_index[name]]

    def joint(self, name: str) -> Joint:
        """The joint of that name; :class:`RckError` where there is none."""
        if name not in self.joint_index:
            raise RckError(f"robot {self.name} has no joint {name!r}{did_you_mean(name, self.joint_index)}")
        return self.joints[self.joint_index[name]]

    @cached_property
    def place_names(self) -> frozenset[str]:
        """The names of all frames and items, which :meth:`place` accepts."""
        return frozenset([*self.item_index, *(frame.name for frame in self.frames)])

    def place(self, name: str) -> Frame:
        """The frame of that name, or the item of that name as one; :class:`RckError` where there is neither."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        if name not in self.item_index:
            hint = did_you_mean(name, sorted(self.place_names))
            raise RckError(f"robot {self.name} has no item or frame {name!r}{hint}")
        return Frame(name, name)

    def world_from(self, name: str) -> Floats:
        """Where an item or frame is, as the robot stands. Shape (4, 4)."""
        place = self.place(name)
        pose: Floats = self.item(place.item).pose @ place.pose
        return pose

    @cached_property
    def tree(self) -> Tree:
        """Which joint carries which item, and in what order to walk them."""
        return derive_tree(self.items, self.joints).unwrap()

    @cached_property
    def free_joints(self) -> tuple[Joint, ...]:
        """The joints that a joint vector has a number for, in order: movable, and following no other."""
        return tuple(joint for joint in self.joints if joint.kind.moves and joint.mimic is None)

    def free_joint(self, name: str) -> Joint:
        """The free joint of that name; :class:`RckError` says why it is none."""
        joint = self.joint(name)
        if not joint.kind.moves or joint.mimic is not None:
            why = f"it follows {joint.mimic.joint}" if joint.mimic else "it is fixed"
            raise RckError(f"joint {name} cannot be moved by itself: {why}")
        return joint

    @cached_property
    def positions(self) -> Floats:
        """The joint vector of the robot as it stands: one number per free joint."""
        return np.array([joint.position for joint in self.free_joints], dtype=float)

    def moved_by(self, joint: str) -> tuple[str, ...]:
        """All items that move when the joint moves, those carried along included, in item order."""
        return tuple(self.items[i].name for i in self.tree.carried_by(self.joint_index[joint]))

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Of all items together, in the world frame, as the robot stands."""
        return combine(moved(item.mass_properties, item.pose) for item in self.items)


def build_robot(
    name: str,
    items: Iterable[Item],
    joints: Iterable[Joint] = (),
    frames: Iterable[Frame] = (),
    devices: Iterable[Device] = (),
    rules: Iterable[PairRule] = (),
) -> Built[Robot]:
    """A robot whose joints and items fit together, or the findings that say why they do not."""
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
        tree = derive_tree(robot.items, robot.joints)
        findings += tree.findings
        if tree.value is not None:
            robot.__dict__["tree"] = tree.value
            findings += _weightless(robot, tree.value)
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
            message = f"follows {joint.mimic.joint}, which does not exist"
            findings.append(Finding(206, Severity.ERROR, where, message, "name the joint that leads"))
            continue
        leader = robot.joints[number]
        if leader.mimic is not None or not leader.kind.moves:
            message = f"follows {leader.name}, which does not move by itself"
            findings.append(Finding(206, Severity.ERROR, where, message, "follow the joint that leads"))
            continue
        led = joint.mimic.position_at(leader.position)
        if not isclose(led, joint.position, rel_tol=1e-6, abs_tol=1e-6):
            message = f"stands at {joint.position:.6g}, but {leader.name} leads it to {led:.6g}"
            findings.append(Finding(409, Severity.WARNING, where, message, "place it where it is led to"))
    return findings


def _weightless(robot: Robot, tree: Tree) -> list[Finding]:
    """Rigid groups that move and weigh nothing: no simulator can accelerate them."""
    findings = []
    for group in tree.rigid_groups:
        lead = robot.items[group.items[0]]
        mobile = group.joint is None and any(robot.items[i].mobile for i in group.items)
        if (group.joint is not None or mobile) and not any(robot.items[i].mass > 0 for i in group.items):
            where = f"item {lead.name}"
            findings.append(Finding(401, Severity.ERROR, where, "moves but has no mass", "give a mass or density"))
    return findings
