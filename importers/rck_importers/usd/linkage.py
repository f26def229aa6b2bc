"""Conversion of a USD stage to links and joints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import NO_MASS, MassProperties
from rck.geometry.transforms import identity, invert
from rck.importing.import_report import Report
from rck.importing.link_masses import split_mass
from rck.importing.link_shapes import PlacedShape
from rck.importing.linkage import Link, Linkage, LinkJoint, link_joint
from rck.importing.robot_reader import Reading
from rck.model import Actuation, JointKind, Loop, LoopKind
from rck.model.extensions import Extensions, extension
from rck.model.joint import motion as joint_motion
from rck_importers.usd.actuators import Drives, Targets, drives_of
from rck_importers.usd.collision_filters import collision_rules
from rck_importers.usd.devices import devices_of, frames_of, is_site, poses_of
from rck_importers.usd.joint_values import JointValues, joint_data, joint_values, mimic_data
from rck_importers.usd.joints import WORLD, UsdJoint, joint_tree, joints_of, loop_pose
from rck_importers.usd.kept import MJCF, kept
from rck_importers.usd.leftovers import report_leftovers
from rck_importers.usd.masses import body_mass
from rck_importers.usd.placement import PlacedJoint, Placement, moved_by, place_bodies
from rck_importers.usd.poses import motion, rigid_part
from rck_importers.usd.scene import scene_data
from rck_importers.usd.shapes import SHAPES, ShapeReader
from rck_importers.usd.stage import Prim, Stage, unique_names

_LOOPS = {"fixed": LoopKind.WELD, "ball": LoopKind.CONNECT, "revolute": LoopKind.REVOLUTE,
          "prismatic": LoopKind.PRISMATIC}  # fmt: skip
_SHAPE_READ = frozenset({
    "points", "faceVertexCounts", "faceVertexIndices", "holeIndices", "orientation", "subdivisionScheme", "axis",
    "size", "radius", "height", "radiusBottom", "radiusTop", "doubleSided", "normals", "interpolateBoundary",
    "width", "length", "faceVaryingLinearInterpolation", "triangleSubdivisionRule", "mjc:inertia", "newton:massModel",
    "mjc:shellinertia", "cornerIndices", "cornerSharpnesses", "creaseIndices", "creaseLengths", "creaseSharpnesses",
})  # fmt: skip
_BODY_READ = frozenset({"newton:inertia", "newton:jointsAddMobility", "isaac:nameOverride"})


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, or something that stands still."""

    name: str
    prim: Prim | None
    """None for the world."""
    pose: Floats
    """World from link, where the file shows it. Shape (4, 4)."""
    moves: bool
    shapes: list[Prim]

    @property
    def colliders(self) -> list[Prim]:
        """The shapes that can collide."""
        return [prim for prim in self.shapes if _collides(prim)]


def linkage_of(stage: Stage, reading: Reading) -> Linkage:
    """Return the robot of a stage."""
    report = reading.report
    bodies, owner = _bodies(stage)
    names = {path: body.name for path, body in bodies.items()}
    joints = joints_of(stage, owner, report)
    floating = [body.prim for body in bodies.values() if body.moves and body.prim is not None]
    still = [path for path, body in bodies.items() if path and not body.moves]
    tree = joint_tree(joints, still, floating, stage)
    placement = place_bodies(tree, {path: body.pose for path, body in bodies.items()}, report)
    joint_names = unique_names([joint.prim for joint in joints])
    groups = [group for group in placement.groups if not _is_anchor(group, bodies, placement)]
    frames = frames_of(stage, owner, placement.poses, names)
    freedoms = {
        (one.joint.prim.path, freedom.instance or str(freedom.axis)): (
            one.joint.freedom_name(joint_names[one.joint.prim.path], freedom),
            freedom.turns,
        )
        for group in groups
        for one in group
        for freedom in one.joint.freedoms
    }
    drives = drives_of(stage, Targets(freedoms, frames.names, {path: name for path, name in names.items() if path}),
                       report)  # fmt: skip
    chains = _Chains(stage, names, joint_names, drives, placement.poses, report)
    shapes = ShapeReader(stage, reading)
    anchored = {group[-1].joint.moves for group in placement.groups} - {group[-1].joint.moves for group in groups}
    chain_of = {group[-1].joint.moves: chains.joints(group) for group in groups}
    links: list[Link] = []
    for path, body in bodies.items():
        link = _link(body, placement.poses[path], path in anchored, stage, shapes, report)
        chain = chain_of.get(path, [])
        if len(chain) > 1:
            between, own = split_mass(link.mass or NO_MASS, len(chain) - 1)
            mark = extension(MJCF, {"split-from": body.name})
            poses = _poses_between(chain, link.pose)
            links += [
                Link(one.child, pose, mass=between, where=one.where, extensions=mark)
                for one, pose in zip(chain[:-1], poses, strict=True)
            ]
            link = replace(link, mass=own)
        links.append(link)
    loops = [loop for joint in tree.loops for loop in _loops(joint, joint_names, bodies, placement, report)]
    colliders = {path: [prim.path for prim in body.colliders] for path, body in bodies.items()}
    rules = tuple(collision_rules(stage, names, colliders, owner, joints, report))
    devices = devices_of(stage, owner, placement.poses, names, joint_names)
    report_leftovers(stage, report)
    place = {prim.path: number for number, prim in enumerate(stage.prims)}
    in_file = sorted(groups, key=lambda group: place[group[0].joint.prim.path])
    link_joints = [joint for group in in_file for joint in chain_of[group[-1].joint.moves]]
    world = names[WORLD]
    used = {joint.base for joint in link_joints} | {item for loop in loops for item in loop.items}
    used |= {device.item for device in devices} | {link for _, link, _ in frames.frames}
    if world not in used and not (links[0].collision or links[0].visual) and len(links) > 1:
        links, rules = links[1:], tuple(rule for rule in rules if world not in rule.items)
    return Linkage(
        stage.default or reading.path.stem,
        tuple(links),
        tuple(link_joints),
        tuple(frames.frames),
        rules,
        tuple(drives.actuators),
        tuple(drives.tendons),
        tuple(loops),
        tuple(devices),
        tuple(poses_of(stage, {name: name for name, _ in freedoms.values()}, drives.targets)),
        frames.extensions,
        scene_data(stage),
    )


def _bodies(stage: Stage) -> tuple[dict[str, Body], dict[str, str]]:
    """Return the bodies by path, the world first, and the path of the body that each prim belongs to."""
    found = {prim.path: prim for prim in stage.prims if _is_body(prim) or "item" in prim.rck}
    names = unique_names(list(found.values()))
    # Without rigid bodies, everything is one item that stands still.
    world = "world" if found else stage.default or "world"
    while world in names.values():
        world += "-of-stage"
    bodies = {WORLD: Body(world, None, identity(), False, [])}
    for path, prim in found.items():
        moves = _is_body(prim) and not prim.flag("physics:kinematicEnabled", False)
        bodies[path] = Body(names[path], prim, rigid_part(prim.matrix), moves, [])
    owner: dict[str, str] = {}
    for prim in stage.prims:
        owner[prim.path] = prim.path if prim.path in bodies else owner.get(prim.parent, WORLD)
        if prim.type in SHAPES and not is_site(prim):
            bodies[owner[prim.path]].shapes.append(prim)
    return bodies, owner


def _is_body(prim: Prim) -> bool:
    return prim.has("PhysicsRigidBodyAPI") and prim.flag("physics:rigidBodyEnabled", True)


def _collides(prim: Prim) -> bool:
    return prim.has("PhysicsCollisionAPI") and prim.flag("physics:collisionEnabled", True)


def _is_anchor(group: Sequence[PlacedJoint], bodies: Mapping[str, Body], placement: Placement) -> bool:
    """Return True for a joint that only fixes a body to the world: the body then is a root that cannot move."""
    (one, *others) = group
    return not others and one.joint.kind == "fixed" and one.joint.base == WORLD


def _link(body: Body, pose: Floats, anchored: bool, stage: Stage, shapes: ShapeReader, report: Report) -> Link:
    collision: list[PlacedShape] = []
    visual: list[PlacedShape] = []
    massive: list[tuple[Prim, PlacedShape]] = []
    has_render = any(prim.purpose == "render" for prim in body.shapes)
    for number, prim in enumerate(body.shapes):
        collider = shape = None
        # The number tells the exporter to MJCF which visual and which collision shape are one geom.
        extensions = kept(prim, _SHAPE_READ, geom=str(number), name=prim.name, friction=shapes.friction(prim))
        if prim.has("PhysicsCollisionAPI"):
            collider = shapes.collider(prim, body.pose, body.moves, extensions)
        if collider is not None:
            # Shapes whose collisions are disabled still have a mass.
            massive.append((prim, collider))
            collision += [collider] if _collides(prim) else []
        if prim.visible and prim.purpose != "guide" and not (prim.purpose == "proxy" and has_render):
            is_same = collider is not None and prim.text("physics:approximation") != "boundingSphere"
            shape = collider if is_same else shapes.placed(prim, body.pose, extensions)
        visual += [] if shape is None else [shape]
    mass: MassProperties = NO_MASS
    if body.prim is not None and (_is_body(body.prim) or body.prim.has("PhysicsMassAPI")):
        mass = body_mass(body.prim, body.pose, massive, stage, report)
    return Link(
        body.name,
        pose,
        tuple(collision),
        tuple(visual),
        mass,
        body.moves and not anchored,
        stage.file if body.prim is None else body.prim.where,
        extension(MJCF, {"world": "true"}) if body.prim is None else kept(body.prim, _BODY_READ),
    )


@dataclass(frozen=True, eq=False)
class _Chains:
    """Makes joints of one degree of freedom."""

    stage: Stage
    names: Mapping[str, str]
    """Names of the bodies, by path."""
    joint_names: Mapping[str, str]
    drives: Drives
    poses: Mapping[str, Floats]
    report: Report

    def joints(self, group: Sequence[PlacedJoint]) -> list[LinkJoint]:
        """Return the joints between two bodies, in series; bodies without shape are between them."""
        child = group[-1].joint.moves
        singles = [single for one in group for single in self._singles(one)]
        if not singles:
            one = group[0].joint
            name = self.joint_names[one.prim.path]
            return [LinkJoint(name, JointKind.FIXED, self.names[one.base], (self.names[child],), where=one.prim.where)]
        if len(singles) > 1:
            message = "a joint of several degrees of freedom became joints in series"
            self.report.note(504, group[0].joint.prim.where, message, kind="joints in series")
        between = (f"{self.names[child]}-on-{joint.name.rpartition('/')[2]}" for joint in singles[:-1])
        links = [self.names[group[0].joint.base], *between, self.names[child]]
        return [replace(joint, base=a, moves=(b,)) for joint, (a, b) in zip(singles, pairwise(links), strict=True)]

    def _singles(self, placed: PlacedJoint) -> Iterator[LinkJoint]:
        joint = placed.joint
        frame = placed.base_frame
        if joint.kind == "ball":
            # As in MJCF, the three hinges are about the axes of the body.
            frame = self.poses[joint.moves].copy()
            frame[:3, 3] = placed.moving_frame[:3, 3]
            frame = frame @ invert(moved_by(joint, placed.positions))
        leaders = {path: name for path, name in self.joint_names.items() if self._is_single(path)}
        for freedom, position in zip(joint.freedoms, placed.positions, strict=True):
            direction = joint.direction(freedom)
            start = placed.moving_frame if len(joint.freedoms) == 1 else frame
            kind = JointKind.REVOLUTE if freedom.turns else JointKind.PRISMATIC
            name = joint.freedom_name(self.joint_names[joint.prim.path], freedom)
            made = link_joint(name, kind, "", "", start[:3, 3], start[:3, :3] @ direction, joint.prim.where)
            values = joint_values(joint, freedom, self.stage, leaders, self.report)
            yield self._with_values(made, joint, values, position)
            frame = frame @ motion(freedom.turns, direction, position)

    def _is_single(self, path: str) -> bool:
        return self.stage.by_path[path].type in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint")

    def _with_values(self, made: LinkJoint, joint: UsdJoint, values: JointValues, position: float) -> LinkJoint:
        known = self.drives.efforts.get(made.name)
        efforts = [effort for effort in (values.effort, known) if effort is not None]
        is_driven = made.name in self.drives.driven
        actuation = Actuation.ACTUATED if is_driven else Actuation.PASSIVE
        if "actuation" in joint.prim.rck:
            actuation = Actuation(joint.prim.rck["actuation"])
        return replace(
            made,
            limits=values.limits,
            position=position + values.reference,
            speed=values.speed,
            effort=min(efforts, default=None),
            damping=values.damping,
            friction=values.friction,
            armature=values.armature,
            stiffness=values.stiffness,
            spring_position=values.spring_position,
            mimic=values.mimic,
            actuation=actuation,
            extensions=_data(joint, self.joint_names[joint.prim.path], values),
        )


def _poses_between(chain: Sequence[LinkJoint], last: Floats) -> list[Floats]:
    """Return the poses of the bodies without shape: each has the frame of the last where its joints are at zero."""
    poses = [last]
    for joint in reversed(chain[1:]):
        reference = float(joint.extensions.get(MJCF, {}).get("ref", "0"))
        poses.append(joint_motion(joint, reference - joint.position) @ poses[-1])
    return poses[:0:-1]


def _data(joint: UsdJoint, name: str, values: JointValues) -> Extensions:
    data = {"ref": repr(values.reference)} if values.reference else {}
    if joint.kind == "ball":
        data["ball"] = name
        cone = joint.prim.number("physics:coneAngle0Limit", -1.0)
        if cone >= 0:
            data["range"] = f"0 {np.radians(cone)!r}"
    if values.mimic is not None:
        data |= mimic_data(joint.prim)
    return joint_data(joint, **data)


def _loops(
    joint: UsdJoint,
    names: Mapping[str, str],
    bodies: Mapping[str, Body],
    placement: Placement,
    report: Report,
) -> Iterator[Loop]:
    """Yield the loop that a joint closes; report what a loop cannot hold."""
    kind = _LOOPS.get(joint.kind)
    if joint.kind == "free axes":
        freedoms = [freedom.turns for freedom in joint.freedoms]
        kinds = {(): LoopKind.WELD, (True,): LoopKind.REVOLUTE, (False,): LoopKind.PRISMATIC,
                 (True, True, True): LoopKind.CONNECT}  # fmt: skip
        kind = kinds.get(tuple(freedoms))
    if kind is None:
        report.lost("joint of several degrees of freedom that closes a loop", joint.prim.where)
        return
    prim = joint.prim
    if {"physics:lowerLimit", "physics:upperLimit"} & prim.values.keys() or prim.has("PhysicsDriveAPI"):
        report.lost("limit or drive of a joint that closes a loop", prim.where)
    ends = ((joint.base, joint.base_frame), (joint.moves, joint.moving_frame))
    poses = [frozen(invert(bodies[path].pose) @ loop_pose(joint, frame)) for path, frame in ends]
    yield Loop(
        names[prim.path],
        kind,
        (bodies[joint.base].name, bodies[joint.moves].name),
        (poses[0], poses[1]),
        kept(prim),
    )
