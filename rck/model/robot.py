"""Robots: flat lists of items and joints, and the tree that follows from them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from math import isclose

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.model.actuator import Actuator, Tendon, actuator_findings, tendon_findings
from rck.model.device import Device
from rck.model.extensions import NO_EXTENSIONS, Extensions, merge_extensions, no_extensions
from rck.model.fasteners import Fastener
from rck.model.frame import Frame, build_frame
from rck.model.item import Item
from rck.model.joint import Actuation, Joint
from rck.model.loop import Loop, loop_findings
from rck.model.mobility import Mobility, find_mobility
from rck.model.named_pose import NamedPose
from rck.model.origin import Price
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
    actuators: tuple[Actuator, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    loops: tuple[Loop, ...] = ()
    """Constraints that close chains; `rck.model.closure` solves them."""
    poses: tuple[NamedPose, ...] = ()
    extensions: Extensions = field(default_factory=no_extensions)
    """Data of a format about the whole model, such as the options of a simulator."""
    fasteners: tuple[Fastener, ...] = ()
    """The screws of the mates, for bills of materials; they have no mass."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """The price list of the project, by part, local part and screw; it overrides the prices of the catalogue."""

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
        """The joints of a joint vector, in order: all movable ones that no other joint, loop or spring moves."""
        if not self.closing_loops:
            return self.coordinate_joints
        led = self.mobility.dependent | self.mobility.sprung
        return tuple(joint for joint in self.coordinate_joints if joint.name not in led)

    @cached_property
    def coordinate_joints(self) -> tuple[Joint, ...]:
        """The free joints and those that loops move, in order: all movable ones without mimic joints."""
        return tuple(joint for joint in self.joints if joint.kind.moves and joint.mimic is None)

    @cached_property
    def closing_loops(self) -> tuple[Loop, ...]:
        """The loops that close chains of joints: all but those that hold a loose object."""
        if not self.loops:
            return ()
        roots = self.tree.root_of_item

        def is_closing(loop: Loop) -> bool:
            ends = {roots[self.item_index[item]] for item in loop.items}
            return len(ends) == 1 or not any(self.items[root].mobile for root in ends)

        return tuple(filter(is_closing, self.loops))

    @cached_property
    def mobility(self) -> Mobility:
        """The roles of the joints in the loops, at the current joint positions."""
        return find_mobility(self.items, self.joints, self.closing_loops, self.tree, self.driven_joints)

    def free_joint(self, name: str) -> Joint:
        """Return the free joint of that name; raise :class:`RckError` if it is not free."""
        joint = self.joint(name)
        if not joint.kind.moves or joint.mimic is not None:
            why = f"it mimics {joint.mimic.joint}" if joint.mimic else "it is fixed"
            raise RckError(f"joint {name} cannot be moved independently: {why}")
        if self.closing_loops and name in self.mobility.dependent | self.mobility.sprung:
            lead = ", ".join(one.name for one in self.free_joints if one.name in self.mobility.looped)
            raise RckError(f"joint {name} cannot be moved independently: it follows its loop; move {lead or 'nothing'}")
        return joint

    @cached_property
    def positions(self) -> Floats:
        """The current joint vector: one number per free joint."""
        return np.array([joint.position for joint in self.free_joints], dtype=float)

    @cached_property
    def driven_joints(self) -> frozenset[str]:
        """The joints that an actuator drives, directly or by a tendon."""
        on_tendon = {tendon.name: tendon.joints for tendon in self.tendons}
        driven = {actuator.joint for actuator in self.actuators if actuator.joint}
        driven.update(name for one in self.actuators for name, _ in on_tendon.get(one.tendon, ()))
        return frozenset(driven)

    def actuation_of(self, joint: Joint) -> Actuation:
        """Return whether a motor drives the joint."""
        return Actuation.ACTUATED if joint.name in self.driven_joints else joint.actuation

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
    *,
    actuators: Iterable[Actuator] = (),
    tendons: Iterable[Tendon] = (),
    loops: Iterable[Loop] = (),
    poses: Iterable[NamedPose] = (),
    extensions: Extensions = NO_EXTENSIONS,
    fasteners: Iterable[Fastener] = (),
    prices: Mapping[str, Price] | None = None,
) -> Built[Robot]:
    """Build a robot, or return the findings that prevent it."""
    built_frames = [
        build_frame(one.name, one.item, one.pose, one.tool, one.extensions, one.source_name) for one in frames
    ]
    sound_frames = tuple(built.value for built in built_frames if built.value is not None)
    robot = Robot(
        name,
        tuple(items),
        tuple(joints),
        sound_frames,
        tuple(devices),
        tuple(rules),
        tuple(actuators),
        tuple(tendons),
        tuple(loops),
        tuple(poses),
        extensions,
        tuple(fasteners),
        prices or {},
    )
    findings = name_findings(name, f"robot {name}")
    findings += [finding for built in built_frames for finding in built.findings]
    findings += repeated_names((item.name for item in robot.items), "item")
    findings += repeated_names((joint.name for joint in robot.joints), "joint")
    findings += repeated_names((frame.name for frame in robot.frames), "frame")
    findings += repeated_names((device.name for device in robot.devices), "device")
    findings += repeated_names((actuator.name for actuator in robot.actuators), "actuator")
    findings += repeated_names((tendon.name for tendon in robot.tendons), "tendon")
    findings += repeated_names((loop.name for loop in robot.loops), "loop")
    findings += repeated_names((pose.name for pose in robot.poses), "pose")
    findings += _frame_findings(robot)
    findings += _device_findings(robot)
    findings += _mimic_findings(robot)
    findings += _actuation_findings(robot)
    findings += [
        Finding(201, Severity.ERROR, f"loop {loop.name}", f"there is no item {item}", "name another item")
        for loop in robot.loops
        for item in loop.items
        if item not in robot.item_index
    ]
    findings += [finding for loop in robot.loops for finding in loop_findings(loop)]
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


def _actuation_findings(robot: Robot) -> list[Finding]:
    findings: list[Finding] = []
    tendons = {tendon.name for tendon in robot.tendons}
    for tendon in robot.tendons:
        findings += tendon_findings(tendon)
        findings += _absent_joints(f"tendon {tendon.name}", (name for name, _ in tendon.joints), robot)
    for actuator in robot.actuators:
        findings += actuator_findings(actuator)
        findings += _absent_joints(f"actuator {actuator.name}", filter(None, [actuator.joint]), robot)
        if actuator.tendon and actuator.tendon not in tendons:
            message = f"there is no tendon {actuator.tendon}"
            findings.append(Finding(210, Severity.ERROR, f"actuator {actuator.name}", message, "name another tendon"))
        if actuator.frame and actuator.frame not in robot.frame_names:
            message = f"there is no frame or item {actuator.frame}"
            findings.append(Finding(210, Severity.ERROR, f"actuator {actuator.name}", message, "name another frame"))
    for pose in robot.poses:
        findings += _absent_joints(f"pose {pose.name}", pose.positions, robot)
    return findings


def _absent_joints(where: str, joints: Iterable[str], robot: Robot) -> list[Finding]:
    return [
        Finding(210, Severity.ERROR, where, f"there is no joint {name}", "name another joint")
        for name in joints
        if name not in robot.joint_index
    ]


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
    """Return a warning for each moving rigid group without mass: most simulators refuse it."""
    findings = []
    for group in robot.tree.rigid_groups:
        lead = robot.items[group.items[0]]
        mobile = group.joint is None and any(robot.items[i].mobile for i in group.items)
        if (group.joint is not None or mobile) and not any(robot.items[i].mass > 0 for i in group.items):
            where = f"item {lead.name}"
            fix = "specify a mass or density; most simulators require one"
            findings.append(Finding(401, Severity.WARNING, where, "moves but has no mass", fix))
    return findings


NewName = Callable[[str], str]
"""A function from an old name to a new one."""


def rename_all(robot: Robot, item: NewName, joint: NewName, frame: NewName, device: NewName, other: NewName) -> Robot:
    """Rename the elements of a robot, with all references to them.

    `other` renames actuators, tendons, loops and poses.
    """
    return replace(
        robot,
        items=tuple(copy_with(old, name=item(old.name)) for old in robot.items),
        joints=tuple(
            replace(
                old,
                name=joint(old.name),
                base=item(old.base),
                moves=tuple(map(item, old.moves)),
                mimic=old.mimic and replace(old.mimic, joint=joint(old.mimic.joint)),
            )
            for old in robot.joints
        ),
        frames=tuple(replace(old, name=frame(old.name), item=item(old.item)) for old in robot.frames),
        devices=tuple(
            replace(old, name=device(old.name), item=item(old.item), joints=tuple(map(joint, old.joints)))
            for old in robot.devices
        ),
        rules=tuple(replace(rule, items=(item(rule.items[0]), item(rule.items[1]))) for rule in robot.rules),
        actuators=tuple(
            replace(
                old,
                name=other(old.name),
                joint=old.joint and joint(old.joint),
                tendon=old.tendon and other(old.tendon),
                frame=old.frame and (item if old.frame in robot.item_index else frame)(old.frame),
            )
            for old in robot.actuators
        ),
        tendons=tuple(
            replace(old, name=other(old.name), joints=tuple((joint(name), factor) for name, factor in old.joints))
            for old in robot.tendons
        ),
        loops=tuple(
            replace(old, name=other(old.name), items=(item(old.items[0]), item(old.items[1]))) for old in robot.loops
        ),
        poses=tuple(
            replace(old, name=other(old.name), positions={joint(name): x for name, x in old.positions.items()})
            for old in robot.poses
        ),
    )


def add_scope(robot: Robot, scope: str) -> Robot:
    """Put all names of a robot into a scope: `gripper/finger` in `left` becomes `left/gripper/finger`."""

    def full(name: str) -> str:
        return f"{scope}/{name}"

    return rename_all(robot, full, full, full, full, full)


def join_robots(name: str, robots: Iterable[Robot]) -> Robot:
    """Return robots in one world frame as one, not checked; they share no names. Extension data of the whole merge."""
    robots = tuple(robots)
    return Robot(
        name,
        tuple(one for robot in robots for one in robot.items),
        tuple(one for robot in robots for one in robot.joints),
        tuple(one for robot in robots for one in robot.frames),
        tuple(one for robot in robots for one in robot.devices),
        tuple(one for robot in robots for one in robot.rules),
        tuple(one for robot in robots for one in robot.actuators),
        tuple(one for robot in robots for one in robot.tendons),
        tuple(one for robot in robots for one in robot.loops),
        tuple(one for robot in robots for one in robot.poses),
        merge_extensions(*(robot.extensions for robot in robots)),
        tuple(one for robot in robots for one in robot.fasteners),
    )


def check_robot(robot: Robot) -> Built[Robot]:
    """Return a robot made of the fields of an unchecked one, or the findings that prevent it."""
    return build_robot(
        robot.name,
        robot.items,
        robot.joints,
        robot.frames,
        robot.devices,
        robot.rules,
        actuators=robot.actuators,
        tendons=robot.tendons,
        loops=robot.loops,
        poses=robot.poses,
        extensions=robot.extensions,
        fasteners=robot.fasteners,
        prices=robot.prices,
    )


def select_items(robot: Robot, items: Iterable[str]) -> Robot:
    """Return the part of a robot that these items make, not checked: with all that refers to no other item."""
    kept = frozenset(items)
    joints = tuple(one for one in robot.joints if one.base in kept and kept.issuperset(one.moves))
    moving = frozenset(joint.name for joint in joints)
    tendons = tuple(one for one in robot.tendons if moving.issuperset(name for name, _ in one.joints))
    pulled = frozenset(tendon.name for tendon in tendons)
    poses = (
        replace(pose, positions={name: x for name, x in pose.positions.items() if name in moving})
        for pose in robot.poses
    )
    frames = tuple(one for one in robot.frames if one.item in kept)
    pushed = kept | {frame.name for frame in frames}
    return replace(
        robot,
        items=tuple(one for one in robot.items if one.name in kept),
        joints=joints,
        frames=frames,
        devices=tuple(one for one in robot.devices if one.item in kept and moving.issuperset(one.joints)),
        rules=tuple(one for one in robot.rules if kept.issuperset(one.items)),
        actuators=tuple(
            one for one in robot.actuators if one.joint in moving or one.tendon in pulled or one.frame in pushed
        ),
        tendons=tendons,
        loops=tuple(one for one in robot.loops if kept.issuperset(one.items)),
        poses=tuple(pose for pose in poses if pose.positions),
    )
