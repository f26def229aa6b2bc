"""Links and joints, as robot formats have them, into a robot of items and joints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import MassProperties
from rck.geometry.transforms import identity
from rck.hooks import Job
from rck.importing.bodies import item_of
from rck.importing.masses import weighed
from rck.importing.names import lawful_names
from rck.importing.refusals import NotOfFormat
from rck.importing.report import Report
from rck.importing.shapes import Placed
from rck.model import (
    Frame,
    Joint,
    JointKind,
    Limits,
    Mimic,
    PairRule,
    Reason,
    Robot,
    at_positions,
    build_joint,
    build_robot,
)
from rck.model.finding import Built, Finding, Severity, errors_of

Value = TypeVar("Value")

ENDLESS = 1e15
"""Limits farther away than this are none: formats write them for joints that have no limits."""


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body as robot formats have it."""

    name: str
    pose: Floats = field(default_factory=identity)
    """World from link, with every joint at its reference. Shape (4, 4)."""
    collision: tuple[Placed, ...] = ()
    visual: tuple[Placed, ...] = ()
    mass: MassProperties | None = None
    """In the link's frame, as the file says it, sound or not; None where it says nothing."""
    loose: bool = False
    """Whether it is free to go anywhere unless a joint holds it."""
    where: str = ""


@dataclass(frozen=True, slots=True)
class LinkJoint:
    """A joint as robot formats have it; points are in the world, with every joint at its reference."""

    name: str
    kind: JointKind
    base: str
    moves: str
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    limits: tuple[float, float] | None = None
    reference: float = 0.0
    """The position at which the links stand where their poses say."""
    stand: float | None = None
    """Where it is to stand instead, as far as its limits allow."""
    speed: float | None = None
    effort: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    where: str = ""


@dataclass(frozen=True, eq=False)
class Linkage:
    """A whole robot as robot formats have it."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[LinkJoint, ...] = ()
    frames: tuple[tuple[str, str, Floats], ...] = ()
    """Name, link and pose in the link."""
    rules: tuple[PairRule, ...] = ()
    """Which pairs of links are tested for collision; those that do not follow from the joints are kept."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a robot is to come in."""

    density: float = 1000.0
    """In kg/m3, of what has no mass in the file."""
    shapes: str = "either"
    """Which geometry touches: `collision`, `visual`, or `either`: the visual where there is no other."""
    visuals: bool = True
    """Whether to keep how links look."""


def assemble(linkage: Linkage, wishes: Wishes, file: str, report: Report, job: Job) -> Robot:
    """The robot; what cannot be one is refused, and what was changed is reported.

    Joints that stand outside their limits at the reference are moved to the nearest limit, and with them what
    they carry.
    """
    links = linkage.links
    names = lawful_names((link.name for link in links), "link", file, report)
    name_of = {link.name: name for link, name in zip(reversed(links), reversed(names), strict=True)}
    joints, stands = _sound_joints(linkage, name_of, file, report)
    held = {name for joint in joints for name in joint.moves}
    items = []
    for number, (link, name) in enumerate(zip(links, names, strict=True)):
        job.progress(0.2 + 0.7 * number / len(links), "convex pieces")
        item = item_of(link.collision, link.visual, wishes.shapes, wishes.visuals, link.where or file, report)
        items.append(replace(item, name=name, pose=frozen(link.pose), mobile=link.loose and name not in held))
    job.progress(0.9, "masses and joints")
    wheres = [link.where or file for link in links]
    items = weighed(items, [link.mass for link in links], joints, wishes.density, wheres, report)
    frames = _frames(linkage, name_of, file, report)
    robot_name = lawful_names([linkage.name or "robot"], "robot", file, report)[0]
    robot = _accept(build_robot(robot_name, items, _unlimited(joints), frames), file)
    robot = replace(robot, rules=_rules(robot, linkage.rules, name_of))
    return _standing(robot, joints, stands, file, report)


def _rules(robot: Robot, rules: Iterable[PairRule], name_of: Mapping[str, str]) -> tuple[PairRule, ...]:
    """The rules about items; one that says nothing new is left out."""
    neighbours = {frozenset((joint.base, name)) for joint in robot.joints if joint.kind.moves for name in joint.moves}
    groups = robot.tree.group_of_item
    kept: dict[frozenset[str], PairRule] = {}
    for rule in rules:
        one, other = (name_of[name] for name in rule.items)
        pair = frozenset((one, other))
        together = groups[robot.item_index[one]] == groups[robot.item_index[other]]
        # Unless a rule says otherwise, what never moves against each other and neighbours are not tested, all else is.
        if together or (pair in neighbours) != rule.tested:
            continue
        # Those that only the file calls neighbours somebody has decided about.
        reason = Reason.USER if rule.reason is Reason.ADJACENT else rule.reason
        kept[pair] = PairRule((one, other), rule.tested, reason)
    return tuple(kept.values())


def _unlimited(joints: Sequence[Joint]) -> list[Joint]:
    free = {JointKind.REVOLUTE: JointKind.CONTINUOUS}
    return [replace(joint, kind=free.get(joint.kind, joint.kind), limits=None) for joint in joints]


def _accept(built: Built[Value], where: str) -> Value:
    if built.value is None:
        first = errors_of(built.findings)[0]
        raise NotOfFormat(replace(first, where=f"{where}: {first.where}"))
    return built.value


def _sound_joints(
    linkage: Linkage, name_of: Mapping[str, str], file: str, report: Report
) -> tuple[list[Joint], dict[str, float]]:
    """The joints that make a tree, each with values that a joint can have, and where some are to stand."""
    tree = _without_loops(linkage.joints, name_of, file, report)
    names = lawful_names((joint.name for joint in tree), "joint", file, report)
    new_name = {joint.name: name for joint, name in zip(reversed(tree), reversed(names), strict=True)}
    followed = {joint.name: joint for joint in tree}
    joints = []
    for joint, name in zip(tree, names, strict=True):
        where = joint.where or file
        kind, limits = _range(joint, where, report)
        leader = _leader(joint, followed, where, report)
        built = build_joint(
            name,
            kind,
            name_of[joint.base],
            name_of[joint.moves],
            start=joint.start,
            end=tuple(a + b for a, b in zip(joint.start, joint.direction, strict=True)),
            position=joint.reference,
            speed=_positive(joint.speed, "speed", where, report),
            effort=_positive(joint.effort, "effort", where, report),
            damping=_not_negative(joint.damping, "damping", where, report),
            friction=_not_negative(joint.friction, "friction", where, report),
            mimic=None if leader is None else replace(leader, joint=new_name[leader.joint]),
            limits=None if limits is None else _around(limits, joint.reference),
        )
        sound = _accept(built, where)
        for finding in built.findings:
            report.add(replace(finding, where=f"{where}: {finding.where}"))
        joints.append(replace(sound, limits=None if limits is None else Limits(*limits)))
    stands = {name: joint.stand for joint, name in zip(tree, names, strict=True) if joint.stand is not None}
    return joints, stands


def _around(limits: tuple[float, float], reference: float) -> tuple[float, float]:
    """Limits that hold the reference too, for the time that the joint stands there."""
    return min(limits[0], reference), max(limits[1], reference)


def _without_loops(
    joints: Sequence[LinkJoint], name_of: Mapping[str, str], file: str, report: Report
) -> list[LinkJoint]:
    """The joints that hang links onto links that exist, without closing a loop."""
    carrier = {name: name for name in name_of}

    def root(link: str) -> str:
        while carrier[link] != link:
            carrier[link] = carrier[carrier[link]]
            link = carrier[link]
        return link

    kept: list[LinkJoint] = []
    carried: set[str] = set()
    for joint in joints:
        where = joint.where or file
        for link in (joint.base, joint.moves):
            if link not in name_of:
                message = f"joint {joint.name} refers to link {link!r}, which does not exist"
                raise NotOfFormat(Finding(201, Severity.ERROR, where, message, "correct the name, or add the link"))
        if joint.moves in carried or root(joint.base) == root(joint.moves):
            message = f"joint {joint.name} closes a loop and was left out: items and joints form a tree"
            report.warn(503, where, message, kind="loop")
            continue
        carried.add(joint.moves)
        carrier[root(joint.moves)] = root(joint.base)
        kept.append(joint)
    return kept


def _range(joint: LinkJoint, where: str, report: Report) -> tuple[JointKind, tuple[float, float] | None]:
    """The kind and limits that are meant: limits that are reversed or endless are none."""
    limits = joint.limits
    if limits is not None and limits[0] > limits[1]:
        message = f"limits {limits[0]:g} to {limits[1]:g} of joint {joint.name} are reversed; taken as none"
        report.warn(502, where, message, kind="reversed limits")
        limits = None
    if limits is not None and limits[0] <= -ENDLESS and limits[1] >= ENDLESS:
        limits = None
    if joint.kind is JointKind.REVOLUTE and limits is None:
        return JointKind.CONTINUOUS, None
    return joint.kind, limits if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC) else None


def _positive(value: float | None, what: str, where: str, report: Report) -> float | None:
    """A bound on speed or effort; formats write zero or less for one that they do not know."""
    if value is None or value >= ENDLESS:
        return None
    if value <= 0:
        report.note(504, where, f"{what} {value:g} was taken as unknown", kind=f"no {what}")
        return None
    return value


def _not_negative(value: float, what: str, where: str, report: Report) -> float:
    if value < 0:
        report.warn(502, where, f"{what} {value:g} is negative and was taken as 0", kind=f"negative {what}")
        return 0.0
    return value


def _leader(joint: LinkJoint, joints: Mapping[str, LinkJoint], where: str, report: Report) -> Mimic | None:
    """The joint that leads in the end, however many follow one another; None where none moves."""
    if joint.mimic is None:
        return None
    ratio, offset, name = joint.mimic.ratio, joint.mimic.offset, joint.mimic.joint
    seen = {joint.name}
    while name in joints and name not in seen:
        seen.add(name)
        leader = joints[name]
        if leader.kind is JointKind.FIXED:
            break
        if leader.mimic is None:
            return Mimic(name, ratio, offset)
        offset += ratio * leader.mimic.offset
        ratio *= leader.mimic.ratio
        name = leader.mimic.joint
    message = f"joint {joint.name} follows {joint.mimic.joint}, which does not move by itself; now it moves freely"
    report.warn(502, where, message, kind="mimic")
    return None


def _frames(linkage: Linkage, name_of: Mapping[str, str], file: str, report: Report) -> list[Frame]:
    names = lawful_names((name for name, _, _ in linkage.frames), "frame", file, report)
    return [
        Frame(name, name_of[link], frozen(pose)) for name, (_, link, pose) in zip(names, linkage.frames, strict=True)
    ]


def _standing(robot: Robot, joints: Sequence[Joint], wished: Mapping[str, float], file: str, report: Report) -> Robot:
    """The robot at the wished positions as far as the limits allow, with its limits."""
    by_name = {joint.name: joint for joint in joints}
    vector = []
    for joint in robot.free_joints:
        wish = wished.get(joint.name, joint.position)
        limits = by_name[joint.name].limits
        here = wish if limits is None else min(max(wish, limits.lower), limits.upper)
        if abs(here - wish) > 1e-9:
            message = f"joint {joint.name} stands at {here:.6g}, its limit, not at {wish:.6g}"
            report.note(504, file, message, kind="moved to limit")
        vector.append(here)
    if any(here != joint.position for here, joint in zip(vector, robot.free_joints, strict=True)) or any(
        joint.mimic for joint in joints
    ):
        robot = at_positions(robot, np.array(vector))
    limited = [_limited(joint, by_name[joint.name], file, report) for joint in robot.joints]
    return _accept(build_robot(robot.name, robot.items, limited, robot.frames, rules=robot.rules), file)


def _limited(joint: Joint, known: Joint, file: str, report: Report) -> Joint:
    limits = known.limits
    if limits is not None and not limits.lower - 1e-9 <= joint.position <= limits.upper + 1e-9:
        # Only a joint that follows another gets here.
        limits = Limits(min(limits.lower, joint.position), max(limits.upper, joint.position))
        message = f"joint {joint.name} is led beyond its limits, which were widened to {joint.position:.6g}"
        report.warn(502, file, message, kind="led beyond limits")
    return replace(joint, kind=known.kind, limits=limits)
