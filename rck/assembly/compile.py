"""Compiling: from instances and mates to a Robot of items and joints, with every port placed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rck.assembly.document import Assembly, JointSetting, Mate, MateJoint, Tool
from rck.assembly.ends import End, EndFrame, end_frame, parse_end
from rck.assembly.pieces import Body, Pieces
from rck.assembly.rerooted import rerooted
from rck.catalogue.part import Port
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import apply, from_euler, identity, invert, rotation_about, translation
from rck.model import (
    Built,
    Finding,
    Frame,
    Item,
    Joint,
    JointKind,
    Limits,
    RckError,
    Robot,
    Severity,
    build_joint,
    build_robot,
    with_positions,
)
from rck.model.finding import errors_of
from rck.model.item import place_item
from rck.model.names import did_you_mean

_FACE_TO_FACE = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))
"""Half a turn about x: z axes opposed, x axes the same way."""


@dataclass(frozen=True, eq=False)
class PlacedPort:
    """A port of an instance in the compiled robot."""

    end: str
    """`instance.port`."""
    item: str
    pose: Floats
    """Item from port. Shape (4, 4)."""
    kind: str
    gender: str | None
    mate: int | None = None
    """The mate that uses it; None while it is free."""

    def world_pose(self, robot: Robot) -> Floats:
        """World from port, with the robot as it stands. Shape (4, 4)."""
        pose: Floats = robot.item(self.item).pose @ self.pose
        return pose


@dataclass(frozen=True, eq=False)
class Compiled:
    """An assembly made into a robot."""

    robot: Robot
    ports: Mapping[str, PlacedPort]
    """By end, such as `base.top`."""
    bodies: Mapping[str, Body]
    """What each instance is made of."""
    instance_of_item: Mapping[str, str]
    """Which instance each item belongs to."""


Placed = tuple[tuple[Item, ...], tuple[Joint, ...], tuple[Frame, ...]]


@dataclass(eq=False)
class Compiler:
    """Compiles assemblies and remembers what did not change since the last time."""

    pieces: Pieces
    _placed: dict[str, tuple[object, Placed]] = field(default_factory=dict)

    def compile(self, assembly: Assembly, opening: tuple[Path, ...] = ()) -> Built[Compiled]:
        """The robot of an assembly, or the findings that say why there is none."""
        run = _Run(assembly, self, opening)
        return run.compiled()

    def placed(self, name: str, body: Body, root: str, world_from_part: Floats) -> Placed:
        """The body's items, joints and frames in the world under the instance's name, its tree hung up at `root`."""
        key = (body, root, world_from_part.tobytes())
        known = self._placed.get(name)
        if known is None or known[0] != key:
            self._placed[name] = known = (key, _place(name, rerooted(body.robot, root), world_from_part))
        return known[1]


def _place(name: str, robot: Robot, world_from_part: Floats) -> Placed:
    def full(inner: str) -> str:
        return f"{name}/{inner}"

    items = tuple(replace(place_item(item, world_from_part @ item.pose), name=full(item.name)) for item in robot.items)
    for old, new in zip(robot.items, items, strict=True):
        # The mass of a body is worked out once, wherever it stands.
        new.__dict__["mass_properties"] = old.mass_properties
    joints = tuple(
        replace(
            joint,
            name=full(joint.name),
            base=full(joint.base),
            moves=tuple(full(item) for item in joint.moves),
            start=_moved(world_from_part, joint.start),
            end=_moved(world_from_part, joint.end),
            mimic=joint.mimic and replace(joint.mimic, joint=full(joint.mimic.joint)),
        )
        for joint in robot.joints
    )
    frames = tuple(replace(frame, name=full(frame.name), item=full(frame.item)) for frame in robot.frames)
    return items, joints, frames


def _moved(matrix: Floats, point: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = apply(matrix, point).tolist()
    return x, y, z


@dataclass(eq=False)
class _Run:
    """One compilation; gathers findings on the way."""

    assembly: Assembly
    compiler: Compiler
    opening: tuple[Path, ...]
    findings: list[Finding] = field(default_factory=list)
    bodies: dict[str, Body] = field(default_factory=dict)
    poses: dict[str, Floats] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)

    def compiled(self) -> Built[Compiled]:
        self._find_bodies()
        putting = self._putting()
        if errors_of(self.findings):
            return Built(None, tuple(self.findings))
        order = self._order(putting)
        items: list[Item] = []
        joints: list[Joint] = []
        frames: list[Frame] = []
        for name in order:
            self._put(name, putting.get(name), items, joints, frames)
        if errors_of(self.findings):
            return Built(None, tuple(self.findings))
        built = build_robot(self.assembly.name, items, self._set(joints), [*frames, *self._tools(items)])
        self.findings += built.findings
        if built.value is None or errors_of(self.findings):
            return Built(None, tuple(self.findings))
        robot = self._at_positions(built.value)
        ports = self._ports(built.value)
        owners = {item.name: item.name.partition("/")[0] for item in robot.items}
        return Built(Compiled(robot, ports, self.bodies, owners), tuple(self.findings))

    def _error(self, code: int, where: str, message: str, fix: str = "") -> None:
        self.findings.append(Finding(code, Severity.ERROR, where, message, fix))

    def _find_bodies(self) -> None:
        for name, instance in self.assembly.parts.items():
            try:
                body = self.compiler.pieces.body(instance, self.assembly, self.opening)
            except (RckError, ValueError) as error:
                self._error(801, name, str(error))
                continue
            self.bodies[name] = body
            self.findings += body.findings
            if body.bought and (instance.mirror or instance.scale):
                what = "a mirror image" if instance.mirror else "another size"
                message = f"{body.label} is a bought part; it may not be had as {what}"
                self.findings.append(Finding(806, Severity.WARNING, name, message, "check with the maker"))

    def _putting(self) -> dict[str, int]:
        """The mate that puts each instance in its place."""
        putting: dict[str, int] = {}
        for number, mate in enumerate(self.assembly.mates):
            where = f"mate {mate.at} {mate.put}"
            try:
                at, put = parse_end(mate.at), parse_end(mate.put)
            except RckError as error:
                self._error(802, where, str(error))
                continue
            for end in (at, put):
                if end.instance not in self.assembly.parts:
                    hint = did_you_mean(end.instance, self.assembly.parts)
                    self._error(802, where, f"there is no instance {end.instance}{hint}")
            if put.instance in putting:
                other = self.assembly.mates[putting[put.instance]]
                message = f"{put.instance} is put in its place by mate {other.at} {other.put} already"
                self._error(803, where, message, "detach one of the two")
            elif put.instance == at.instance:
                self._error(803, where, "a piece cannot be put on itself")
            else:
                putting[put.instance] = number
        return putting

    def _order(self, putting: Mapping[str, int]) -> list[str]:
        """Instances, each after the one that it stands on."""
        on: dict[str, list[str]] = {}
        for name, number in putting.items():
            on.setdefault(parse_end(self.assembly.mates[number].at).instance, []).append(name)
        order = [name for name in self.assembly.parts if name not in putting]
        for name in order:
            order.extend(on.get(name, ()))
        if len(order) < len(self.assembly.parts):
            left = [name for name in self.assembly.parts if name not in set(order)]
            self._error(803, left[0], f"{', '.join(left[:5])} stand on each other in a ring", "detach one of them")
        return order

    def _put(self, name: str, number: int | None, items: list[Item], joints: list[Joint], frames: list[Frame]) -> None:
        body = self.bodies[name]
        try:
            if number is None:
                self._stand(name, body)
                root = body.robot.items[0].name
            else:
                mate = self.assembly.mates[number]
                put = self._mate(name, mate, number)
                root = put.item
        except (RckError, ValueError) as error:
            where = (
                name if number is None else f"mate {self.assembly.mates[number].at} {self.assembly.mates[number].put}"
            )
            self._error(802, where, str(error))
            # What stands on it is still looked at, as if it stood at the origin.
            self.poses[name] = identity()
            return
        placed = self.compiler.placed(name, body, root, self.poses[name])
        items.extend(placed[0])
        joints.extend(placed[1])
        frames.extend(placed[2])
        if number is not None:
            joint = self._mate_joint(name, self.assembly.mates[number], root, body)
            if joint is not None:
                joints.append(joint)

    def _stand(self, name: str, body: Body) -> None:
        place = self.assembly.parts[name].place
        self.poses[name] = identity() if place is None else Quantities(self.assembly.units).frame(place)

    def _mate(self, name: str, mate: Mate, number: int) -> EndFrame:
        at_end, put_end = parse_end(mate.at), parse_end(mate.put)
        at = self._end(at_end)
        put = self._end(put_end)
        self._check_fit(mate, at, put)
        for end in (at_end, put_end):
            if end.place:
                if str(end) in self.used and not mate.force:
                    other = self.assembly.mates[self.used[str(end)]]
                    message = f"{end} is taken by mate {other.at} {other.put}"
                    self._error(804, f"mate {mate.at} {mate.put}", message, "choose a free port, or force it")
                self.used.setdefault(str(end), number)
        world_from_at = self.poses[at_end.instance] @ at.pose
        self.poses[name] = (
            world_from_at @ at_from_put(mate, at, put, Quantities(self.assembly.units)) @ invert(put.pose)
        )
        return put

    def _end(self, end: End) -> EndFrame:
        body = self.bodies[end.instance]
        return end_frame(end, body.robot, body.ports)

    def _check_fit(self, mate: Mate, at: EndFrame, put: EndFrame) -> None:
        problem = misfit(at.kind, at.gender, put.kind, put.gender)
        if problem and not mate.force:
            fix = "choose ports that fit, put an adaptor between, or force it"
            self._error(805, f"mate {mate.at} {mate.put}", problem, fix)

    def _mate_joint(self, name: str, mate: Mate, root: str, body: Body) -> Joint | None:
        at = parse_end(mate.at)
        base = f"{at.instance}/{self._end(at).item}"
        tree = body.robot.tree
        others = [
            item.name
            for number, item in enumerate(body.robot.items)
            if number in tree.roots
            and item.name != root
            and not item.mobile
            and not _same_tree(body.robot, root, number)
        ]
        moves = tuple(f"{name}/{item}" for item in (root, *others))
        spec = mate.joint
        built: Built[Joint]
        if spec is None:
            built = build_joint(f"{name}/mate", JointKind.FIXED, base, moves)
        else:
            world_from_at = self.poses[at.instance] @ self._end(at).pose
            built = mate_joint(spec, name, base, moves, world_from_at, Quantities(self.assembly.units))
        self.findings += built.findings
        return built.value

    def _set(self, joints: list[Joint]) -> list[Joint]:
        """The joints with what the user changed about them; positions come later."""
        by_name = {joint.name: number for number, joint in enumerate(joints)}
        read = Quantities(self.assembly.units)
        for name, setting in self.assembly.joints.items():
            if name not in by_name:
                self._error(807, name, f"there is no such joint{did_you_mean(name, by_name)}")
                continue
            joint = joints[by_name[name]]
            try:
                joints[by_name[name]] = set_joint(joint, setting, read)
            except RckError as error:
                self._error(807, name, str(error))
        return joints

    def _at_positions(self, robot: Robot) -> Robot:
        read = Quantities(self.assembly.units)
        positions = {}
        for name, setting in self.assembly.joints.items():
            if setting.position is None:
                continue
            joint = robot.joint(name)
            position = read.joint_position(setting.position, joint.kind.turns)
            slack = 1e-9
            if joint.mimic is not None or not joint.kind.moves:
                self._error(807, name, "it does not move by itself")
            elif joint.limits and not joint.limits.lower - slack <= position <= joint.limits.upper + slack:
                self._error(405, f"joint {name}", f"position {setting.position} is outside its limits")
            else:
                positions[name] = position
        return with_positions(robot, positions) if positions else robot

    def _tools(self, items: list[Item]) -> list[Frame]:
        poses = {item.name: item.pose for item in items}
        frames = []
        for name, tool in self.assembly.tools.items():
            try:
                item, world = self._tool_frame(tool)
                frames.append(Frame(name, item, frozen(invert(poses[item]) @ world)))
            except (RckError, ValueError, KeyError) as error:
                message = f"there is no instance {error}" if isinstance(error, KeyError) else str(error)
                self._error(808, f"tool {name}", message)
        return frames

    def _tool_frame(self, tool: Tool) -> tuple[str, Floats]:
        read = Quantities(self.assembly.units)
        end = parse_end(tool.on)
        at = self._end(end)
        local = translation(read.point(tool.offset))
        if tool.rpy is not None:
            local = local @ from_euler([read.angle(angle) for angle in tool.rpy])
        return f"{end.instance}/{at.item}", self.poses[end.instance] @ at.pose @ local

    def _ports(self, robot: Robot) -> dict[str, PlacedPort]:
        """Every port of every instance, on its item; the robot stands as it was put together."""
        ports = {}
        for name, body in self.bodies.items():
            for port in body.ports.values():
                end = f"{name}.{port.name}"
                item = f"{name}/{port.item}"
                pose = invert(robot.item(item).pose) @ self.poses[name] @ port.pose
                ports[end] = PlacedPort(end, item, frozen(pose), port.kind, port.gender, self.used.get(end))
        return ports


def _same_tree(robot: Robot, item: str, root: int) -> bool:
    """Whether the item hangs in the tree of that root."""
    number: int | None = robot.item_index[item]
    while number is not None:
        if number == root:
            return True
        number = robot.tree.parent_of_item[number]
    return False


def at_from_put(mate: Mate, at: EndFrame, put: EndFrame, read: Quantities) -> Floats:
    """Where the put end is, seen from the end that it stands on. Shape (4, 4)."""
    if isinstance(mate.offset, tuple):
        offset = read.point(mate.offset)
    else:
        offset = np.array([0.0, 0.0, read.length(mate.offset)])
    matrix = translation(offset)
    if turn := read.angle(mate.turn):
        matrix = matrix @ rotation_about((0, 0, 1), turn)
    if (at.faces and put.faces) != mate.flip:
        matrix = matrix @ _FACE_TO_FACE
    if mate.rpy is not None:
        matrix = matrix @ from_euler([read.angle(angle) for angle in mate.rpy])
    return matrix


def misfit(kind: str, gender: str | None, other_kind: str, other_gender: str | None) -> str:
    """Why two ports do not fit; empty when they do."""
    if "any" in (kind, other_kind):
        return ""
    if kind != other_kind:
        return f"{kind} does not fit {other_kind}"
    if gender is not None and gender == other_gender:
        return f"two {gender} ends of {kind} do not fit"
    return ""


def mate_joint(
    spec: MateJoint, name: str, base: str, moves: tuple[str, ...], world_from_at: Floats, read: Quantities
) -> Built[Joint]:
    """The joint that a mate asks for."""
    kinds = {kind: axis for kind in JointKind if (axis := getattr(spec, kind.value, None)) is not None}
    full = spec.name or f"{name}/mate"
    if len(kinds) != 1:
        message = "give exactly one of revolute, continuous and prismatic"
        return Built(None, (Finding(104, Severity.ERROR, f"joint {full}", message),))
    ((kind, axis),) = kinds.items()
    turns = kind.turns
    effort = spec.torque if turns else spec.force
    start = world_from_at[:3, 3]
    try:
        return build_joint(
            full,
            kind,
            base,
            moves,
            start=start.tolist(),
            end=(start + world_from_at[:3, :3] @ direction(axis)).tolist(),
            limits=None
            if spec.limits is None
            else (read.joint_position(spec.limits[0], turns), read.joint_position(spec.limits[1], turns)),
            speed=None if spec.speed is None else read.joint_speed(spec.speed, turns),
            acceleration=None if spec.acceleration is None else read.joint_acceleration(spec.acceleration, turns),
            effort=None if effort is None else (read.torque(effort) if turns else read.force(effort)),
            damping=spec.damping,
            friction=spec.friction,
        )
    except RckError as error:
        return Built(None, (Finding(104, Severity.ERROR, f"joint {full}", str(error)),))


def set_joint(joint: Joint, setting: JointSetting, read: Quantities) -> Joint:
    """The joint with the user's limits, speed and effort."""
    turns = joint.kind.turns
    if setting.limits is not None:
        if not joint.kind.moves:
            raise RckError("a fixed joint has no limits")
        lower, upper = (read.joint_position(one, turns) for one in setting.limits)
        if lower > upper:
            raise RckError(f"limits {setting.limits[0]} to {setting.limits[1]} are reversed")
        kind = JointKind.REVOLUTE if turns else joint.kind
        joint = replace(joint, kind=kind, limits=Limits(lower, upper))
    if setting.speed is not None:
        joint = replace(joint, speed=read.joint_speed(setting.speed, turns))
    effort = setting.torque if turns else setting.force
    if effort is not None:
        joint = replace(joint, effort=read.torque(effort) if turns else read.force(effort))
    return joint


def free_ports(compiled: Compiled) -> dict[str, PlacedPort]:
    """The ports that nothing is fastened to."""
    return {end: port for end, port in compiled.ports.items() if port.mate is None}


def body_of(assembly: Assembly, compiled: Compiled, findings: tuple[Finding, ...]) -> Body:
    """The whole assembly as one piece with its free ports."""
    offered = assembly.ports or {end.replace(".", "/"): end for end in free_ports(compiled)}
    ports = {}
    for name, end in offered.items():
        if end not in compiled.ports:
            raise RckError(f"{assembly.name}: the port {name} is on {end}, which does not exist")
        placed = compiled.ports[end]
        pose = frozen(placed.world_pose(compiled.robot))
        ports[name] = Port(name, placed.item, pose, placed.kind, placed.gender)  # type: ignore[arg-type]
    return Body(compiled.robot, ports, assembly.name, findings=findings)
