"""The compiler: it turns instances and mates into a Robot of items and joints, with every port placed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from types import MappingProxyType

import numpy as np

from rck.assembly.collision_rules import pair_rules
from rck.assembly.definitions import Definitions, InstanceBody
from rck.assembly.document import Assembly, Instance, Mate, Tool
from rck.assembly.mate_ends import EndFrame, end_frame, parse_end
from rck.assembly.mate_fit import Misfit, find_misfit, mate_fasteners
from rck.assembly.mates import at_from_put, joint_name, mate_joint, set_joint, wanted_position
from rck.assembly.placements import NamedBody, PlacedInstance, PlacedPort, name_body, place, with_axis
from rck.assembly.reroot import root_of
from rck.assembly.shared_elements import shared_elements
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import apply, from_euler, identity, invert, translation
from rck.model import Built, Finding, Frame, Joint, NamedPose, Port, RckError, Robot, Severity
from rck.model.extensions import freeze_extensions, merge_extensions
from rck.model.fasteners import Fastener
from rck.model.joint_positions import with_loops_closed
from rck.model.loop_checks import closure_findings
from rck.model.quantities import Quantities, Units, wrong_units
from rck.model.robot import check_robot, join_robots
from rck.model.subitem import LARGEST
from rck.support.finding import Cancelled, errors_of
from rck.support.names import did_you_mean, name_findings

__all__ = ["Compiled", "Compiler", "PlacedPort", "body_of", "free_ports"]

MOST_ITEMS = 100_000
"""Largest number of items; nested assemblies grow fast."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """A compiled assembly."""

    robot: Robot
    ports: Mapping[str, PlacedPort]
    """By end, such as `base.top`."""
    bodies: Mapping[str, InstanceBody]
    """The body of each instance."""
    instance_of_item: Mapping[str, str]
    """The instance of each item."""


@dataclass(frozen=True, eq=False, slots=True)
class _Link:
    """The geometry of a mate for the bodies at its two ends."""

    mate: Mate
    units: Units
    bodies: tuple[InstanceBody, InstanceBody]
    at: EndFrame
    put: EndFrame
    named: NamedBody
    """The attached instance, rerooted at the item that the mate holds."""
    at_part_from_part: Floats
    joint: Built[Joint]
    """In the frame of the part that stays."""
    misfit: Misfit | None
    fasteners: tuple[Fastener, ...]


@dataclass(eq=False)
class Compiler:
    """A compiler of assemblies; it caches results by instance."""

    definitions: Definitions
    _bodies: dict[str, tuple[Instance, Units, InstanceBody]] = field(default_factory=dict)
    _links: dict[str, _Link] = field(default_factory=dict)
    _named: dict[str, NamedBody] = field(default_factory=dict)
    _placed: dict[str, PlacedInstance] = field(default_factory=dict)
    _taken: dict[str, PlacedPort] = field(default_factory=dict)
    """Ports that are used by mates."""

    def compile(self, assembly: Assembly, opening: tuple[Path, ...] = ()) -> Built[Compiled]:
        """Compile an assembly into a robot, or into findings; `opening` as in :meth:`Definitions.body`."""
        return _Run(assembly, self, opening).compiled()

    def body(self, name: str, instance: Instance, assembly: Assembly, opening: tuple[Path, ...]) -> InstanceBody:
        """Return the body of an instance; files and local parts may have changed since the last call."""
        known = self._bodies.get(name)
        if known is not None and known[:2] == (instance, assembly.units) and instance.part not in assembly.local_parts:
            return known[2]
        body = self.definitions.body(instance, assembly, opening)
        if not instance.part.endswith(".rck"):
            self._bodies[name] = instance, assembly.units, body
        return body

    def taken(self, port: PlacedPort, mate: int) -> PlacedPort:
        """Return the port as used by a mate."""
        known = self._taken.get(port.end)
        if known is None or known.mate != mate or known.pose is not port.pose:
            known = self._taken[port.end] = replace(port, mate=mate)
        return known

    def link(self, name: str, mate: Mate, at_body: InstanceBody, put_body: InstanceBody, units: Units) -> _Link:
        """Return the geometry of the mate that attaches an instance."""
        known = self._links.get(name)
        if known is None or known.mate is not mate or known.bodies != (at_body, put_body) or known.units != units:
            known = self._links[name] = self._new_link(name, mate, at_body, put_body, units)
        return known

    def _new_link(self, name: str, mate: Mate, at_body: InstanceBody, put_body: InstanceBody, units: Units) -> _Link:
        at_end, put_end = parse_end(mate.at), parse_end(mate.put)
        at = end_frame(at_end, at_body.robot, at_body.ports)
        put = end_frame(put_end, put_body.robot, put_body.ports)
        read = Quantities(units)
        named = self.named(name, put_body, put.item)
        base = f"{at_end.instance}/{at.item}"
        end_from_end = at_from_put(mate, at, put, read)
        at_part_from_part = at.pose @ end_from_end @ invert(put.pose)
        joint = mate_joint(mate, joint_name(mate, name), base, named.fastened, at, read)
        misfit = find_misfit(mate, at, put, end_from_end)
        screws = mate_fasteners(mate, at, put, end_from_end, (at_body.robot, put_body.robot))
        return _Link(mate, units, (at_body, put_body), at, put, named, at_part_from_part, joint, misfit, screws)

    def named(self, name: str, body: InstanceBody, root: str) -> NamedBody:
        """Return the body with the scope of the instance."""
        known = self._named.get(name)
        if known is None or known.body is not body or known.root != root:
            known = self._named[name] = name_body(name, body, root)
        return known

    def placed(self, bodies: Mapping[str, tuple[NamedBody, Floats]]) -> list[PlacedInstance]:
        """Place the bodies, each given with its pose, world from part; unmoved ones come from the cache."""
        moved = {
            name: (named, pose)
            for name, (named, pose) in bodies.items()
            if (known := self._placed.get(name)) is None
            or known.named is not named
            or known.pose_bytes != pose.tobytes()
        }
        self._placed.update(zip(moved, place(list(moved.values())), strict=True))
        return [self._placed[name] for name in bodies]


@dataclass(eq=False)
class _Run:
    """One compilation; it collects findings."""

    assembly: Assembly
    compiler: Compiler
    opening: tuple[Path, ...]
    findings: list[Finding] = field(default_factory=list)
    bodies: dict[str, InstanceBody] = field(default_factory=dict)
    poses: dict[str, Floats] = field(default_factory=dict)
    """World from part of each instance, with every joint at its home position."""
    named: dict[str, NamedBody] = field(default_factory=dict)
    mate_joints: dict[str, Joint] = field(default_factory=dict)
    """The joint of each mated instance."""
    used: dict[str, int] = field(default_factory=dict)
    """The index of the mate that uses each end."""
    fasteners: list[Fastener] = field(default_factory=list)
    """The screws of the mates."""

    def compiled(self) -> Built[Compiled]:
        for key, message in wrong_units(self.assembly.units):
            self._error(104, f"units.{key}", message)
        self._find_bodies()
        putting = self._putting()
        if errors_of(self.findings):
            return Built(None, tuple(self.findings))
        for name in self._order(putting):
            self._put(name, putting.get(name))
        self._sort()
        self._refuse_far_away()
        if errors_of(self.findings):
            return Built(None, tuple(self.findings))
        placed = self.compiler.placed({name: (named, self.poses[name]) for name, named in self.named.items()})
        items = [item for one in placed for item in one.items]
        if len(items) > MOST_ITEMS:
            self._error(801, "", f"the assembly has {len(items)} items, more than the maximum of {MOST_ITEMS}")
            return Built(None, tuple(self.findings))
        joints = self._set(self._joints(placed))
        whole = join_robots(self.assembly.name, (named.robot for named in self.named.values()))
        poses = {item.name: item.pose for item in items}
        shared = shared_elements(self.assembly, self.findings)
        rules, lost = pair_rules(self.assembly, {name: body.robot.rules for name, body in self.bodies.items()}, poses)
        self.findings += lost
        built = check_robot(
            replace(
                whole,
                items=tuple(items),
                joints=tuple(joints),
                frames=(*whole.frames, *self._tools(poses)),
                devices=(*whole.devices, *shared.devices),
                rules=tuple(rules),
                actuators=(*whole.actuators, *shared.actuators),
                tendons=(*whole.tendons, *shared.tendons),
                loops=(*whole.loops, *shared.loops),
                poses=(*whole.poses, *self._named_poses(joints)),
                extensions=merge_extensions(freeze_extensions(self.assembly.extensions), whole.extensions),
                fasteners=(*whole.fasteners, *self.fasteners),
                prices=self.compiler.definitions.catalogue.prices,
            )
        )
        self.findings += built.findings
        ports = {port.end: port for port in self._ports()}
        self._check_references(ports, {joint.name for joint in joints})
        if built.value is None or errors_of(self.findings):
            return Built(None, tuple(self.findings))
        robot = self._at_positions(built.value)
        if errors_of(self.findings):
            return Built(None, tuple(self.findings))
        owners = {item.name: item.name.partition("/")[0] for item in items}
        return Built(Compiled(robot, ports, self.bodies, owners), tuple(self.findings))

    @cached_property
    def _parts(self) -> list[tuple[str, Instance]]:
        """Instances sorted by name: the robot does not depend on the order of editing."""
        return sorted(self.assembly.parts.items())

    def _error(self, code: int, where: str, message: str, fix: str = "", commands: tuple[str, ...] = ()) -> None:
        self.findings.append(Finding(code, Severity.ERROR, where, message, fix, commands))

    def _find_bodies(self) -> None:
        seen: set[int] = set()
        broken: dict[str, str] = {}
        for name, instance in self._parts:
            if name_findings(name, name) or "/" in name:
                fix = "use letters, digits, - and _"
                self._error(102, f"instance {name}", f"{name!r} is not a valid name of an instance", fix)
            if instance.part in broken:
                self._error(801, name, broken[instance.part])
                continue
            try:
                body = self.compiler.body(name, instance, self.assembly, self.opening)
            except Cancelled:
                raise
            except (RckError, ValueError) as error:
                self._error(801, name, str(error))
                if instance.part.endswith(".rck"):
                    # Read a broken file once, even if nested files use it many times.
                    broken[instance.part] = str(error)
                continue
            self.bodies[name] = body
            if body.findings and id(body) not in seen:
                seen.add(id(body))
                self.findings += body.findings
            if body.bought and (instance.mirror or instance.scale):
                what = "mirrored" if instance.mirror else "in other sizes"
                message = f"{body.label} is a commercial part, not sold {what}"
                self.findings.append(
                    Finding(806, Severity.WARNING, name, message, "remove the modifier, or check with the vendor")
                )

    def _putting(self) -> dict[str, int]:
        """Return the index of the mate that attaches each instance."""
        putting: dict[str, int] = {}
        for number, mate in enumerate(self.assembly.mates):
            try:
                at, put = parse_end(mate.at), parse_end(mate.put)
            except RckError as error:
                self._error(802, _where(mate), str(error))
                continue
            for end in (at, put):
                if end.instance not in self.assembly.parts:
                    hint = did_you_mean(end.instance, self.assembly.parts)
                    self._error(802, _where(mate), f"there is no instance {end.instance}{hint}")
            if put.instance in putting:
                other = self.assembly.mates[putting[put.instance]]
                message = f"{put.instance} is already attached by {_where(other)}"
                self._error(803, _where(mate), message, "detach one of the two")
            elif put.instance == at.instance:
                self._error(803, _where(mate), "an instance cannot be attached to itself")
            else:
                putting[put.instance] = number
        return putting

    def _order(self, putting: Mapping[str, int]) -> list[str]:
        """Return the instances, each after the one that it is attached to."""
        on: dict[str, list[str]] = {}
        for name, number in putting.items():
            on.setdefault(parse_end(self.assembly.mates[number].at).instance, []).append(name)
        order = [name for name, _ in self._parts if name not in putting]
        for name in order:
            order.extend(on.get(name, ()))
        if len(order) < len(self.assembly.parts):
            placed = set(order)
            left = [name for name, _ in self._parts if name not in placed]
            self._error(
                803, left[0], f"{', '.join(left[:5])} are attached to each other in a cycle", "detach one of them"
            )
        return order

    def _sort(self) -> None:
        """Sort the instances as the assembly says, which is the order of items and joints in the robot."""
        rank = {name: number for number, name in enumerate(self.assembly.order)}
        self.named = dict(sorted(self.named.items(), key=lambda entry: rank.get(entry[0], len(rank))))

    def _put(self, name: str, number: int | None) -> None:
        """Place an instance in the world or on another instance."""
        body = self.bodies[name]
        try:
            if number is None:
                place = self.assembly.parts[name].place
                self.poses[name] = identity() if place is None else Quantities(self.assembly.units).frame(place)
                named = self.compiler.named(name, body, root_of(body.robot))
            else:
                named = self._mated(name, self.assembly.mates[number], number)
        except (RckError, ValueError) as error:
            self._error(802, name if number is None else _where(self.assembly.mates[number]), str(error))
            # Go on with the instances attached to it, as if it were at the origin.
            self.poses[name] = identity()
            return
        self.named[name] = named

    def _mated(self, name: str, mate: Mate, number: int) -> NamedBody:
        at_end, put_end = parse_end(mate.at), parse_end(mate.put)
        link = self.compiler.link(name, mate, self.bodies[at_end.instance], self.bodies[name], self.assembly.units)
        if link.misfit is not None:
            misfit = link.misfit
            self.findings.append(Finding(misfit.code, Severity.WARNING, _where(mate), misfit.message, misfit.fix))
        self.fasteners += link.fasteners
        for end in (at_end, put_end):
            if end.place:
                text = str(end)
                # Mates are sorted by name, so the message names both.
                other = self.assembly.mates[self.used.setdefault(text, number)]
                if other is not mate and not (mate.force or other.force):
                    message = f"{text} is used twice: {_where(other)} and {_where(mate)}"
                    self._error(804, _where(mate), message, "choose a free port, or add --force")
        self.poses[name] = self.poses[at_end.instance] @ link.at_part_from_part
        self.findings += link.joint.findings
        if link.joint.value is not None:
            self.mate_joints[name] = _moved_axis(link.joint.value, self.poses[at_end.instance])
        return link.named

    def _refuse_far_away(self) -> None:
        if not self.poses:
            return
        places = np.array([pose[:3, 3] for pose in self.poses.values()])
        near = (np.abs(places) <= LARGEST).all(axis=1)
        for name, fine in zip(self.poses, near.tolist(), strict=True):
            if not fine:
                self._error(104, name, f"the instance is more than {LARGEST:g} m from the origin")

    def _joints(self, placed: Iterable[PlacedInstance]) -> list[Joint]:
        """Return the joints of mates and parts, parents before children."""
        joints: list[Joint] = []
        for name, one in zip(self.named, placed, strict=True):
            if name in self.mate_joints:
                joints.append(self.mate_joints[name])
            joints += one.joints
        return joints

    def _set(self, joints: list[Joint]) -> list[Joint]:
        """Return the joints with the settings of the user, except positions."""
        by_name = {joint.name: number for number, joint in enumerate(joints)}
        read = Quantities(self.assembly.units)
        for name, setting in self.assembly.joints.items():
            if name not in by_name:
                message = f"there is no such joint{did_you_mean(name, by_name)}"
                self._error(807, name, message, commands=(f"remove joint {quote(name)}",))
                continue
            try:
                joints[by_name[name]] = set_joint(joints[by_name[name]], setting, read)
            except RckError as error:
                self._error(807, name, str(error))
        return joints

    def _at_positions(self, robot: Robot) -> Robot:
        """Return the robot with its joints at the positions of the user."""
        read = Quantities(self.assembly.units)
        positions = {}
        for joint in robot.joints:
            setting = self.assembly.joints.get(joint.name)
            if setting is None and joint.limits is None:
                continue
            try:
                wanted = wanted_position(joint, setting, read)
            except RckError as error:
                self._error(405, f"joint {joint.name}", str(error), "change the position or widen the limits")
                continue
            if wanted != joint.position and joint.mimic is None:
                positions[joint.name] = wanted
        moved = with_loops_closed(robot, positions)
        self.findings += closure_findings(moved)
        return moved

    def _named_poses(self, joints: Sequence[Joint]) -> Iterator[NamedPose]:
        read = Quantities(self.assembly.units)
        turns = {joint.name: joint.kind.turns for joint in joints}
        for name, pose in self.assembly.poses.items():
            try:
                known = {joint: read.joint_position(x, turns[joint]) for joint, x in pose.items() if joint in turns}
            except RckError as error:
                self._error(810, f"pose {name}", str(error))
                continue
            extensions = freeze_extensions(self.assembly.pose_extensions.get(name, {}))
            yield NamedPose(name, MappingProxyType(known), extensions)

    def _tools(self, item_poses: Mapping[str, Floats]) -> Iterable[Frame]:
        for name, tool in self.assembly.tools.items():
            try:
                item, world = self._tool_frame(tool)
                yield Frame(name, item, frozen(invert(item_poses[item]) @ world), tool=True)
            except (RckError, ValueError) as error:
                self._error(808, f"tool {name}", str(error))

    def _tool_frame(self, tool: Tool) -> tuple[str, Floats]:
        read = Quantities(self.assembly.units)
        end = parse_end(tool.on)
        if end.instance not in self.bodies:
            raise RckError(f"there is no instance {end.instance}{did_you_mean(end.instance, self.bodies)}")
        body = self.bodies[end.instance]
        at = end_frame(end, body.robot, body.ports)
        local = translation(read.point(tool.offset))
        if tool.rpy is not None:
            local = local @ from_euler([read.angle(angle) for angle in tool.rpy])
        return f"{end.instance}/{at.item}", self.poses[end.instance] @ at.pose @ local

    def _ports(self) -> Iterable[PlacedPort]:
        """Yield every port of every instance, with the mate that uses it."""
        for named in self.named.values():
            for port in named.ports:
                mate = self.used.get(port.end)
                yield port if mate is None else self.compiler.taken(port, mate)

    def _check_references(self, ports: Mapping[str, PlacedPort], joints: set[str]) -> None:
        """Check that ports of the assembly and saved poses refer to existing ports and joints."""
        for name, end in self.assembly.ports.items():
            if end not in ports:
                self._error(809, f"port {name}", f"there is no port {end}{did_you_mean(end, ports)}")
        for name, pose in self.assembly.poses.items():
            gone = [joint for joint in pose if joint not in joints]
            if gone:
                message = f"there is no joint {', '.join(gone)}"
                fix, commands = "save the pose again, or remove it", (f"remove pose {quote(name)}",)
                self.findings.append(Finding(810, Severity.WARNING, f"pose {name}", message, fix, commands))


def _moved_axis(joint: Joint, world_from_part: Floats) -> Joint:
    if not joint.kind.moves:
        return joint
    start, end = apply(world_from_part, [joint.start, joint.end]).tolist()
    return with_axis(joint, start, end)


def _where(mate: Mate) -> str:
    return f"mate {mate.at} {mate.put}"


def free_ports(compiled: Compiled) -> dict[str, PlacedPort]:
    """Return the ports that no mate uses."""
    return {end: port for end, port in compiled.ports.items() if port.mate is None}


def body_of(assembly: Assembly, compiled: Compiled, findings: tuple[Finding, ...]) -> InstanceBody:
    """Return the assembly as the body of one instance, with its own ports or else all free ports."""
    offered = assembly.ports or {end.replace(".", "/", 1): end for end in free_ports(compiled)}
    ports = {}
    for name, end in offered.items():
        placed = compiled.ports[end]
        pose = frozen(placed.world_pose(compiled.robot))
        ports[name] = Port(name, placed.item, pose, placed.type, placed.gender, interface=placed.interface)
    files = {path: stamp for body in compiled.bodies.values() for path, stamp in body.files.items()}
    return InstanceBody(compiled.robot, ports, assembly.name, findings=findings, files=files)
