"""Default tips of a robot's arms, and the base item of an arm."""

import re
from dataclasses import dataclass

from rck.model.robot import Robot
from rck.support.finding import RckError

_TIP_NAMES = (
    re.compile(r"(.*-)?(tcp|tool|tip|pinch|grasp|grip|tool-cent(er|re)-point)(-(frame|link|site))?"),
    re.compile(r"(.*-)?tool0"),
    re.compile(r"(.*-)?flange(-(frame|link|site))?"),
    re.compile(r"(.*-)?(ee|eef|end-effector|gripper-base|attachment)(-(frame|link|site))?"),
)
"""The names of frames at the end of an arm, best first."""
_FINGER = re.compile(r"finger|thumb|jaw|knuckle|claw|grip")
"""Found in the names of joints and links of grippers."""
_LONGEST_FINGER = 4
"""Joints of a finger; longer branches are arms or legs."""


def default_tip(robot: Robot) -> str:
    """Return the default frame or item to solve an arm for.

    This is the only tool frame of the assembly. Without one, it is a frame of the arm that is named like a tool centre
    point, `tool0`, a flange or an end effector, in this order; without any of them, the last item of the arm, never a
    finger. Short side chains such as wheels do not count as arms. Raises :class:`RckError` if several are left.
    """
    tools = [frame.name for frame in robot.frames if frame.tool]
    if len(tools) == 1:
        return tools[0]
    ends = _arm_ends(robot)
    if not ends:
        what = "only a gripper moves" if gripper_joints(robot) else "no joint moves" if robot.items else "it is empty"
        raise RckError(f"robot {robot.name} has no arm: {what}")
    longest = max(end.depth for end in ends)
    tips = [tip for end in ends if 2 * end.depth > longest for tip in _tips_of(robot, end)]
    if len(tips) > 1:
        raise RckError(f"robot {robot.name} has several tips; choose one of {', '.join(tips)}")
    return tips[0]


def arm_tips(robot: Robot) -> tuple[str, ...]:
    """Return the tips of all arms: every tool frame, and the default tip of each arm that carries none."""
    return tuple(tip for end in _arm_ends(robot) for tip in _tips_of(robot, end))


def framed_tips(robot: Robot) -> tuple[str, ...]:
    """Return the tips of arms that are frames, or links without a shape, which other programs use as frames."""

    def is_frame(tip: str) -> bool:
        item = robot.item(robot.frame(tip).item)
        return tip != item.name or not (item.subitems or item.visuals)

    return tuple(tip for tip in arm_tips(robot) if is_frame(tip))


def root_of(robot: Robot, frame: str) -> str:
    """Return the item that carries an item or frame and is carried by none."""
    item = robot.item_index[robot.frame(frame).item]
    return robot.items[robot.tree.root_of_item[item]].name


def gripper_joints(robot: Robot) -> frozenset[str]:
    """Return the joints that move fingers, which are not joints of an arm.

    These are the joints of gripper devices and their mimic joints, joints named like a finger, last joints that move an
    item named like a finger, and short branches at the end of an arm, such as the fingers of a hand.
    """
    driven = {joint for device in robot.devices if device.kind.grips for joint in device.joints}
    found = driven | {joint.name for joint in robot.joints if joint.mimic and joint.mimic.joint in driven}
    groups = _groups(robot)
    for group in groups:
        if group.joint:
            names = [group.joint, *(group.items if not group.children else ())]
            if any(_FINGER.search(_last_word(name)) for name in names):
                found.add(group.joint)
    lengths = [0] * len(groups)
    for number, group in reversed(list(enumerate(groups))):
        lengths[number] = 1 + max((lengths[child] for child in group.children), default=0)
    for group in groups:
        branches = [child for child in group.children if groups[child].joint not in found]
        longest = max((lengths[child] for child in branches), default=0)
        if len(group.children) > 1 and group.depth > 1 and longest <= min(group.depth, _LONGEST_FINGER):
            found.update(groups[child].joint for child in branches)
    return frozenset(found)


@dataclass(slots=True)
class _Group:
    """A rigid group as a node of the tree of movable joints."""

    joint: str
    """The joint that moves it; empty for a root."""
    parent: int
    items: tuple[str, ...]
    depth: int
    """The moving joints that carry it."""
    children: list[int]


def _groups(robot: Robot) -> list[_Group]:
    """Return the rigid groups of a robot, each after its parent."""
    tree = robot.tree
    found: list[_Group] = []
    for number, group in enumerate(tree.rigid_groups):
        items = tuple(robot.items[item].name for item in group.items)
        if group.joint is None:
            found.append(_Group("", number, items, 0, []))
            continue
        joint = robot.joints[group.joint]
        parent = tree.group_of_item[robot.item_index[joint.base]]
        found[parent].children.append(number)
        found.append(_Group(joint.name, parent, items, found[parent].depth + 1, []))
    return found


@dataclass(frozen=True, slots=True)
class _ArmEnd:
    """The end of an arm."""

    groups: tuple[tuple[str, ...], ...]
    """The items of the last rigid group, and those of the groups that carry this end and no other."""
    depth: int
    """The moving joints that carry it."""


def _arm_ends(robot: Robot) -> list[_ArmEnd]:
    """Return the ends of the robot's arms, without fingers."""
    groups = _groups(robot)
    grips = gripper_joints(robot)
    on_arm = [True] * len(groups)
    onward = [0] * len(groups)
    for number, group in enumerate(groups):
        on_arm[number] = on_arm[group.parent] and group.joint not in grips
        if on_arm[number] and group.joint:
            onward[group.parent] += 1
    ends = []
    for number, group in enumerate(groups):
        if not group.joint or not on_arm[number] or onward[number]:
            continue
        own = [group.items]
        here = group.parent
        while groups[here].joint and onward[here] == 1:
            own.append(groups[here].items)
            here = groups[here].parent
        ends.append(_ArmEnd(tuple(own), group.depth))
    return ends


def _tips_of(robot: Robot, end: _ArmEnd) -> list[str]:
    """Return the tool frames of an arm or its best frame or item; several if they rank equally."""
    group_of = {item: number for number, items in enumerate(end.groups) for item in items}
    on_arm = [frame for frame in robot.frames if frame.item in group_of]
    if tools := [frame.name for frame in on_arm if frame.tool]:
        return tools
    candidates = {item: item for item in group_of} | {frame.name: frame.item for frame in on_arm}
    depths = _depths(robot)
    ranked = {
        name: (rank, group_of[item], -depths[item])
        for name, item in candidates.items()
        if (rank := _rank(name)) is not None
    }
    if ranked:
        best = min(ranked.values())
        return [name for name, rank in ranked.items() if rank == best]
    last = end.groups[0]
    deepest = [item for item in last if depths[item] == max(depths[other] for other in last)]
    return [deepest[0] if len(deepest) == 1 else last[0]]


def _depths(robot: Robot) -> dict[str, int]:
    """Return the number of items that carry each item."""
    depths = {robot.items[root].name: 0 for root in robot.tree.roots}
    for number in robot.tree.joint_order:
        joint = robot.joints[number]
        depths |= dict.fromkeys(joint.moves, depths[joint.base] + 1)
    return depths


def _last_word(name: str) -> str:
    return re.sub(r"[-_. ]+", "-", name.rpartition("/")[2].lower())


def _rank(name: str) -> int | None:
    """Return the rank of a name as that of a tip, 0 being the best; None if it is not one."""
    word = _last_word(name)
    return next((rank for rank, pattern in enumerate(_TIP_NAMES) if pattern.fullmatch(word)), None)
