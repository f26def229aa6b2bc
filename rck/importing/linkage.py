"""Links and joints as in robot description formats, and their conversion to a part definition."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import pi
from typing import Protocol, TypeVar

import numpy as np

from rck.geometry.arrays import Floats, as_point, frozen
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import frame, from_euler, identity, invert
from rck.hooks import Job
from rck.importing.file_errors import NotOfFormat
from rck.importing.import_report import Report
from rck.importing.legal_names import allowed_names
from rck.importing.link_items import item_of
from rck.importing.link_masses import MassOptions, with_masses
from rck.importing.link_shapes import PlacedShape
from rck.model import (
    Actuation,
    Actuator,
    Device,
    Frame,
    Joint,
    JointKind,
    JointLimits,
    Loop,
    LoopKind,
    Mimic,
    NamedPose,
    PairRule,
    PartDefinition,
    Port,
    Reason,
    Robot,
    Tendon,
    at_positions,
    compile_part,
)
from rck.model.closure import closure_of
from rck.model.extensions import NO_EXTENSIONS, Extensions, no_extensions
from rck.model.joint import bounds_of, check_joint
from rck.model.joint_positions import home_positions, with_loops_closed
from rck.support.finding import Built, Finding, Severity, errors_of

Value = TypeVar("Value")


class HasName(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""


Named = TypeVar("Named", bound=HasName)

ENDLESS = 1e15
"""Limits beyond this value mean no limit; some formats write them for unlimited joints."""
_SAME = 1e-6
"""Positions that differ by less, in radians or metres, are the same: files round their numbers."""


@dataclass(frozen=True, eq=False)
class Link:
    """Rigid body of a robot description."""

    name: str
    pose: Floats = field(default_factory=identity)
    """World from link, with every joint at its reference position. Shape (4, 4)."""
    collision: tuple[PlacedShape, ...] = ()
    visual: tuple[PlacedShape, ...] = ()
    mass: MassProperties | None = None
    """In the link frame, as given in the file and not yet checked; None if the file gives no mass."""
    loose: bool = False
    """True if it floats freely when no joint holds it."""
    where: str = ""
    extensions: Extensions = field(default_factory=no_extensions)


@dataclass(frozen=True, slots=True)
class LinkJoint(Joint):
    """Joint of a robot description, not yet checked: `base` is its parent link and `moves` its only child link.

    Points are in the world, and `position` is the joint position, while the links are at their poses.
    """

    target: float | None = None
    """Position to move it to, clipped to its limits."""
    where: str = ""

    @property
    def child(self) -> str:
        """Link that it moves."""
        return self.moves[0]


def link_joint(
    name: str, kind: JointKind, parent: str, child: str, start: Floats, direction: Floats, where: str = ""
) -> LinkJoint:
    """Return a joint about or along an axis: a point and a direction in the world, shape (3,) each."""
    return LinkJoint(name, kind, parent, (child,), as_point(start), as_point(start + direction), where=where)


@dataclass(frozen=True, eq=False)
class Linkage:
    """Robot of a robot description."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[LinkJoint, ...] = ()
    frames: tuple[tuple[str, str, Floats], ...] = ()
    """Name, link and pose in the link."""
    rules: tuple[PairRule, ...] = ()
    """Collision rules for pairs of links; those that already follow from the joints are dropped."""
    actuators: tuple[Actuator, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    loops: tuple[Loop, ...] = ()
    devices: tuple[Device, ...] = ()
    poses: tuple[NamedPose, ...] = ()
    """All of these refer to links, joints and frames by their names in the file."""
    frame_extensions: Mapping[str, Extensions] = field(default_factory=dict)
    """By frame."""
    extensions: Extensions = field(default_factory=no_extensions)


@dataclass(frozen=True, slots=True)
class LinkageOptions:
    """Options for importing a robot."""

    masses: MassOptions = field(default_factory=MassOptions)
    shapes: str = "either"
    """Geometry for collision: `collision`, `visual`, or `either`: the visual if there is no collision geometry."""
    visuals: bool = True
    """True to keep the visual geometry."""


def define_part(linkage: Linkage, options: LinkageOptions, file: str, report: Report, job: Job) -> PartDefinition:
    """Return the part that a linkage describes; refuse what cannot be a part, and report changes.

    Joints that are outside their limits are moved to the nearest limit, and with them the links that they carry.
    """
    linkage = _with_loops(linkage, file, report)
    links = linkage.links
    names = allowed_names((link.name for link in links), "link", file, report)
    name_of = {link.name: name for link, name in zip(reversed(links), reversed(names), strict=True)}
    joints, targets = _sound_joints(linkage, name_of, file, report)
    joint_of = {joint.source_name: joint.name for joint in reversed(joints)}
    held = {name for joint in joints for name in joint.moves}
    items = []
    for number, (link, name) in enumerate(zip(links, names, strict=True)):
        job.progress(0.2 + 0.7 * number / len(links), "convex pieces")
        item = item_of(link.collision, link.visual, options.shapes, options.visuals, link.where or file, report)
        items.append(
            replace(
                item,
                name=name,
                pose=frozen(link.pose),
                mobile=link.loose and name not in held,
                source_name=link.name,
                extensions=link.extensions,
            )
        )
    if options.shapes == "collision" and not any(item.subitems for item in items) and any(one.visuals for one in items):
        message = "the file has no collision geometry: RCK finds no collisions of this robot"
        report.note(504, file, message, "use the visual geometry with shapes=either")
    job.progress(0.9, "masses and joints")
    wheres = [link.where or file for link in links]
    items = with_masses(items, [link.mass for link in links], joints, options.masses, wheres, report)
    frames = _frames(linkage, name_of, file, report)
    part_name = allowed_names([linkage.name or "robot"], "robot", file, report)[0]
    drawn = PartDefinition(part_name, tuple(items), tuple(_unlimited(joints)), (), tuple(frames))
    robot = _move_to_targets(_accept(compile_part(drawn), file), joints, targets, file, report)
    frame_of = {old: new.name for (old, _, _), new in zip(linkage.frames, frames, strict=True)}
    definition = replace(
        _with_new_names(linkage, name_of, joint_of, frame_of, file, report),
        name=part_name,
        items=robot.items,
        joints=tuple(_limited(joint, known, file, report) for joint, known in zip(robot.joints, joints, strict=True)),
        ports=(_base_port(robot),),
        frames=robot.frames,
        rules=_rules(robot, linkage.rules, name_of),
    )
    return _at_home_if_needed(definition, file, report) if definition.loops and not targets else definition


def _at_home_if_needed(definition: PartDefinition, file: str, report: Report) -> PartDefinition:
    """Return the part at its pose `home` if its loops do not close at the reference within the limits of its joints."""
    home = home_positions(definition.poses, definition.joints)
    robot = compile_part(definition).value if home else None
    closure = None if robot is None else closure_of(robot)
    if robot is None or closure is None:
        return definition
    lower, upper = bounds_of(closure.joints)
    positions = np.array([joint.position for joint in with_loops_closed(robot, {}).coordinate_joints])
    if closure.is_closed and bool(((lower - _SAME <= positions) & (positions <= upper + _SAME)).all()):
        return definition
    message = "the loops do not close at zero within the limits of their joints: the robot is at its pose home"
    report.note(504, file, message)
    moved = with_loops_closed(robot, home)
    return replace(definition, items=moved.items, joints=moved.joints)


def _with_new_names(
    linkage: Linkage,
    item: Mapping[str, str],
    joint: Mapping[str, str],
    frame: Mapping[str, str],
    file: str,
    report: Report,
) -> PartDefinition:
    """Return a part with the actuators, tendons, loops, devices and poses of the linkage, under lawful names."""

    def named(things: Sequence[Named], what: str) -> Iterator[tuple[Named, str]]:
        return zip(things, allowed_names([thing.name for thing in things], what, file, report), strict=True)

    tendons = tuple(
        replace(one, name=name, joints=tuple((joint[other], factor) for other, factor in one.joints))
        for one, name in named(linkage.tendons, "tendon")
    )
    tendon = {old.name: new.name for old, new in zip(linkage.tendons, tendons, strict=True)} | {"": ""}
    places = {**item, **frame, "": ""}
    joints = {**joint, "": ""}
    return PartDefinition(
        linkage.name,
        (),
        devices=tuple(
            replace(
                one,
                name=name,
                item=item[one.item],
                joints=tuple(joint[other] for other in one.joints),
                source_name=one.source_name or one.name,
            )
            for one, name in named(linkage.devices, "device")
        ),
        actuators=tuple(
            replace(one, name=name, joint=joints[one.joint], tendon=tendon[one.tendon], frame=places[one.frame])
            for one, name in named(linkage.actuators, "actuator")
        ),
        tendons=tendons,
        loops=tuple(
            replace(one, name=name, items=(item[one.items[0]], item[one.items[1]]))
            for one, name in named(linkage.loops, "loop")
        ),
        poses=tuple(
            replace(one, name=name, positions={joint[other]: x for other, x in one.positions.items()})
            for one, name in named(linkage.poses, "pose")
        ),
        extensions=linkage.extensions,
    )


def _base_port(robot: Robot) -> Port:
    """Return the port that the robot is mounted by: the frame of its root link, with z pointing out of the robot."""
    roots = robot.tree.roots
    # The world link of a file may carry only frames.
    root = next((one for one in roots if robot.items[one].subitems or robot.tree.children[one]), roots[0])
    item = robot.items[root]
    return Port("base", item.name, frozen(item.pose @ from_euler((pi, 0.0, 0.0))))


def _rules(robot: Robot, rules: Iterable[PairRule], name_of: Mapping[str, str]) -> tuple[PairRule, ...]:
    """Return the rules for items, without those that only state the default."""
    neighbours = {frozenset((joint.base, name)) for joint in robot.joints if joint.kind.moves for name in joint.moves}
    groups = robot.tree.group_of_item
    kept: dict[frozenset[str], PairRule] = {}
    for rule in rules:
        one, other = (name_of[name] for name in rule.items)
        pair = frozenset((one, other))
        together = groups[robot.item_index[one]] == groups[robot.item_index[other]]
        # By default, items of one rigid group and neighbours are not tested; all other pairs are.
        if together or (pair in neighbours) != rule.tested:
            continue
        # Pairs that only the file calls adjacent are a decision of its author.
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
    """Return the joints of the tree with valid values, and the target positions of some of them."""
    tree = linkage.joints
    names = allowed_names((joint.name for joint in tree), "joint", file, report)
    new_name = {joint.name: name for joint, name in zip(reversed(tree), reversed(names), strict=True)}
    followed = {joint.name: joint for joint in tree}
    joints = []
    for joint, name in zip(tree, names, strict=True):
        where = joint.where or file
        kind, limits = _range(joint, where, report)
        leader = _leader(joint, followed, where, report)
        built = check_joint(
            replace(
                joint,
                name=name,
                kind=kind,
                base=name_of[joint.base],
                moves=(name_of[joint.child],),
                limits=None if limits is None else _around(limits, joint.position),
                speed=_positive(joint.speed, "speed", where, report),
                effort=_positive(joint.effort, "effort", where, report),
                damping=_not_negative(joint.damping, "damping", where, report),
                friction=_not_negative(joint.friction, "friction", where, report),
                mimic=None if leader is None else replace(leader, joint=new_name[leader.joint]),
                armature=_not_negative(joint.armature, "armature", where, report),
                stiffness=_not_negative(joint.stiffness, "stiffness", where, report),
                source_name=joint.name,
            )
        )
        sound = _accept(built, where)
        for finding in built.findings:
            report.add(replace(finding, where=f"{where}: {finding.where}"))
        joints.append(replace(sound, limits=limits))
    stands = {name: joint.target for joint, name in zip(tree, names, strict=True) if joint.target is not None}
    return joints, stands


def _around(limits: JointLimits, position: float) -> JointLimits:
    """Return the limits, widened to include the position."""
    return JointLimits(min(limits.lower, position), max(limits.upper, position))


def _with_loops(linkage: Linkage, file: str, report: Report) -> Linkage:
    """Return the linkage with a tree of joints: those that close it are loops. Refuse joints of unknown links."""
    poses = {link.name: link.pose for link in reversed(linkage.links)}
    carrier = {name: name for name in poses}

    def root(link: str) -> str:
        while carrier[link] != link:
            carrier[link] = carrier[carrier[link]]
            link = carrier[link]
        return link

    kept: list[LinkJoint] = []
    loops = list(linkage.loops)
    carried: set[str] = set()
    for joint in linkage.joints:
        where = joint.where or file
        for link in (joint.base, joint.child):
            if link not in poses:
                message = f"joint {joint.name} refers to link {link!r}, which does not exist"
                raise NotOfFormat(Finding(201, Severity.ERROR, where, message, "correct the name, or add the link"))
        if joint.child in carried or root(joint.base) == root(joint.child):
            world = frame(joint.start, z=joint.direction)
            ends = frozen(invert(poses[joint.base]) @ world), frozen(invert(poses[joint.child]) @ world)
            loops.append(loop_of(joint, ends, where, report))
            continue
        carried.add(joint.child)
        carrier[root(joint.child)] = root(joint.base)
        kept.append(joint)
    return replace(linkage, joints=tuple(kept), loops=tuple(loops))


_LOOP_KINDS = {
    JointKind.FIXED: LoopKind.WELD,
    JointKind.REVOLUTE: LoopKind.REVOLUTE,
    JointKind.CONTINUOUS: LoopKind.REVOLUTE,
    JointKind.PRISMATIC: LoopKind.PRISMATIC,
}


def loop_of(joint: LinkJoint, frames: tuple[Floats, Floats], where: str, report: Report) -> Loop:
    """Return a joint as a loop, and report what a loop cannot hold.

    `frames` are in its two links, with z along its axis. Shapes (4, 4).
    """
    message = f"joint {joint.name} closes a loop between {joint.base} and {joint.child}"
    lost = [
        what
        for what, has_it in (
            ("limits", joint.limits is not None and joint.kind.moves and not _is_endless(joint.limits)),
            ("mimic", joint.mimic is not None),
            ("motor", joint.actuation is Actuation.ACTUATED),
            ("spring, damping and friction", bool(joint.stiffness or joint.damping or joint.friction)),
        )
        if has_it
    ]
    if lost:
        report.warn(503, where, f"{message}; its {', '.join(lost)} were ignored", kind="values of a loop")
    else:
        report.note(504, where, message, kind="loop")
    return Loop(joint.name, _LOOP_KINDS[joint.kind], (joint.base, joint.child), frames)


def _is_endless(limits: JointLimits) -> bool:
    return limits.lower <= -ENDLESS and limits.upper >= ENDLESS


def _range(joint: LinkJoint, where: str, report: Report) -> tuple[JointKind, JointLimits | None]:
    """Return the kind and limits of a joint; reversed or infinite limits become None."""
    limits = joint.limits
    if limits is not None and limits.lower > limits.upper:
        message = f"limits {limits.lower:g} to {limits.upper:g} of joint {joint.name} are reversed and were ignored"
        report.warn(502, where, message, kind="reversed limits")
        limits = None
    if limits is not None and _is_endless(limits):
        limits = None
    if joint.kind is JointKind.REVOLUTE and limits is None:
        return JointKind.CONTINUOUS, None
    return joint.kind, limits if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC) else None


def _positive(value: float | None, what: str, where: str, report: Report) -> float | None:
    """Return a velocity or effort limit; None for zero or less, which formats write for an unknown limit."""
    if value is None or value >= ENDLESS:
        return None
    if value <= 0:
        report.note(504, where, f"{what} {value:g} is not positive and was ignored", kind=f"no {what}")
        return None
    return value


def _not_negative(value: float, what: str, where: str, report: Report) -> float:
    if value < 0:
        report.warn(502, where, f"{what} {value:g} is negative and was set to 0", kind=f"negative {what}")
        return 0.0
    return value


def _leader(joint: LinkJoint, joints: Mapping[str, LinkJoint], where: str, report: Report) -> Mimic | None:
    """Resolve a chain of mimic joints to the joint that drives it; return None if no joint does."""
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
    message = f"joint {joint.name} mimics {joint.mimic.joint}, which cannot drive it; it now moves freely"
    report.warn(502, where, message, kind="mimic")
    return None


def _frames(linkage: Linkage, name_of: Mapping[str, str], file: str, report: Report) -> list[Frame]:
    names = allowed_names((name for name, _, _ in linkage.frames), "frame", file, report)
    return [
        Frame(
            name,
            name_of[link],
            frozen(pose),
            extensions=linkage.frame_extensions.get(old, NO_EXTENSIONS),
            source_name=old,
        )
        for name, (old, link, pose) in zip(names, linkage.frames, strict=True)
    ]


def _move_to_targets(
    robot: Robot, joints: Sequence[Joint], targets: Mapping[str, float], file: str, report: Report
) -> Robot:
    """Return the robot with its joints at the targets, or where they are, as far as the limits allow."""
    by_name = {joint.name: joint for joint in joints}
    vector = []
    for joint in robot.free_joints:
        target = targets.get(joint.name, joint.position)
        limits = by_name[joint.name].limits
        allowed = target if limits is None else min(max(target, limits.lower), limits.upper)
        if abs(allowed - target) > 1e-9:
            message = f"joint {joint.name} is at its limit {allowed:.6g}, not at {target:.6g}"
            report.note(504, file, message, kind="moved to limit")
        vector.append(allowed)
    if robot.closing_loops:
        wanted = {joint.name: targets[joint.name] for joint in robot.coordinate_joints if joint.name in targets}
        wanted |= {joint.name: x for joint, x in zip(robot.free_joints, vector, strict=True)}
        return with_loops_closed(robot, wanted)
    moves = any(new != joint.position for new, joint in zip(vector, robot.free_joints, strict=True))
    return at_positions(robot, np.array(vector)) if moves or any(joint.mimic for joint in joints) else robot


def _limited(joint: Joint, known: Joint, file: str, report: Report) -> Joint:
    limits = known.limits
    if limits is not None and not limits.lower - 1e-9 <= joint.position <= limits.upper + 1e-9:
        # Only a mimic joint gets here.
        limits = JointLimits(min(limits.lower, joint.position), max(limits.upper, joint.position))
        message = f"joint {joint.name} is driven beyond its limits; they were widened to {joint.position:.6g}"
        report.warn(502, file, message, kind="led beyond limits")
    return replace(joint, kind=known.kind, limits=limits)
