"""Conversion of MJCF bodies to links and joints; several joints of one body become a chain of links."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import NO_MASS, MassProperties, combine
from rck.geometry.transforms import from_quaternion, identity, to_euler, translation
from rck.importing.link_masses import scaled, split_mass
from rck.importing.linkage import Link, Linkage, LinkJoint, link_joint
from rck.importing.xml_file import Element
from rck.model import JointKind, JointLimits, Mimic
from rck_importers.mjcf.actuators import effort_at, efforts, followers
from rck_importers.mjcf.bodies import BodyJoint, MjcfBody, bodies_of
from rck_importers.mjcf.compiler import CompilerSettings
from rck_importers.mjcf.source import Source

_KINDS = {"hinge": JointKind.REVOLUTE, "slide": JointKind.PRISMATIC}
_SILENT = {"compiler", "default", "asset", "worldbody", "size", "statistic", "visual", "actuator", "equality"}
"""Top-level elements that are imported, or that do not describe the robot itself."""


def linkage_of(source: Source, keyframe: str) -> Linkage:
    """Return the links, joints and sites of the model."""
    for child in source.root:
        if child.tag not in _SILENT:
            source.reading.report.left_out(f"<{child.tag}>", child.where)
    bodies = bodies_of(source)
    joints = [joint for body in bodies for joint in body.joints]
    positions = _keyframe(source, keyframe, joints)
    driven, following = efforts(source), followers(source, joints)
    masses = _masses(bodies, source.compiler)
    poses: dict[MjcfBody, Floats] = {}
    links: list[Link] = []
    link_joints: list[LinkJoint] = []
    for body, mass in zip(bodies, masses, strict=True):
        poses[body] = _pose(body, poses, positions)
        chain = _chain(body, poses[body], driven, following, positions, source)
        between, own = split_mass(mass, len(chain) - 1) if len(chain) > 1 else (mass, mass)
        links += [Link(joint.child, poses[body], mass=between, where=joint.where) for joint in chain[:-1]]
        links.append(_link(body, poses[body], own))
        link_joints += chain
    used = {joint.base for joint in link_joints}
    world = links[0]
    if not (world.collision or world.visual or "world" in used or bodies[0].sites) and len(links) > 1:
        links = links[1:]
    # A scanner may have hundreds of beams; their sites are useless without the sensor.
    beams = {element.get("site") for element in source.sections("sensor") if element.tag == "rangefinder"}
    frames = tuple((name, body.name, pose) for body in bodies for name, pose in body.sites if name not in beams)
    return Linkage(source.root.get("model", "robot"), tuple(links), tuple(link_joints), frames)


def _pose(body: MjcfBody, poses: dict[MjcfBody, Floats], positions: dict[str, Sequence[float]]) -> Floats:
    if body.parent is None:
        return identity()
    for joint in body.joints:
        if joint.kind == "free" and joint.name in positions:
            place = positions[joint.name]
            return translation(place[:3]) @ from_quaternion(place[3:])
    return poses[body.parent] @ body.pose


def _chain(
    body: MjcfBody,
    world_from_body: Floats,
    driven: dict[str, float],
    following: dict[str, Mimic],
    positions: dict[str, Sequence[float]],
    source: Source,
) -> list[LinkJoint]:
    """Return the joints from the parent to the body, with a link between consecutive joints."""
    if body.parent is None or any(joint.kind == "free" for joint in body.joints):
        return []
    if body.element.get("mocap") == "true":
        source.reading.report.left_out("mocap", body.element.where)
        return []
    single = [one for joint in body.joints for one in _singles(joint, source)]
    if not single:
        where = f"{body.element.where}: body {body.name}"
        return [LinkJoint(f"{body.name}-fixed", JointKind.FIXED, body.parent.name, (body.name,), where=where)]
    links = [body.parent.name, *(f"{body.name}-on-{joint.name}" for joint in single[:-1]), body.name]
    turn = world_from_body[:3, :3]
    chain = []
    for number, joint in enumerate(single):
        start = turn @ joint.place + world_from_body[:3, 3]
        target = positions.get(joint.name)
        where = f"{joint.element.where}: joint {joint.name}"
        axis = turn @ joint.axis
        made = link_joint(joint.name, _KINDS[joint.kind], links[number], links[number + 1], start, axis, where)
        chain.append(
            replace(
                made,
                limits=None if joint.limits is None else JointLimits(*joint.limits),
                position=joint.reference,
                target=None if target is None else target[0],
                effort=effort_at(joint, driven),
                damping=_first(joint.element, "damping"),
                friction=_first(joint.element, "frictionloss"),
                mimic=following.get(joint.name),
            )
        )
        for attribute in ("stiffness", "armature"):
            if _first(joint.element, attribute):
                source.reading.report.left_out(f"{attribute} of a joint", joint.element.where)
    return chain


def _singles(joint: BodyJoint, source: Source) -> list[BodyJoint]:
    """Return the joint itself, or for a ball joint three hinges in series about the x, y and z axes of the body."""
    if joint.kind != "ball":
        return [joint]
    message = f"ball joint {joint.name} was replaced by three hinges about x, y and z"
    source.reading.report.note(504, joint.element.where, message, kind="ball")
    if source.compiler.bounds(joint.element) is not None:
        source.reading.report.left_out("range of a ball joint", joint.element.where)
    return [
        replace(joint, kind="hinge", name=f"{joint.name}-{letter}", axis=axis, limits=None, reference=0.0)
        for letter, axis in zip("xyz", np.eye(3), strict=True)
    ]


def _first(element: Element, name: str) -> float:
    """Return the first number of an attribute; further numbers are higher-order terms."""
    numbers = element.numbers_of(element.get(name, "0"), name)
    return float(numbers[0]) if len(numbers) else 0.0


def _link(body: MjcfBody, pose: Floats, mass: MassProperties) -> Link:
    where = f"{body.element.where}: body {body.name}"
    return Link(
        body.name,
        pose,
        tuple(geom.placed for geom in body.geoms if geom.touches),
        tuple(geom.placed for geom in body.geoms if geom.looks),
        mass,
        any(joint.kind == "free" for joint in body.joints),
        where,
    )


def _masses(bodies: Sequence[MjcfBody], compiler: CompilerSettings) -> list[MassProperties]:
    """Return the mass properties of each body; the world has no mass."""
    masses = [NO_MASS, *(_mass(body) for body in bodies[1:])]
    total = sum(mass.mass for mass in masses)
    if compiler.total_mass > 0 and total > 0:
        share = compiler.total_mass / total
        masses = [scaled(one, share) for one in masses]
    return masses


def _mass(body: MjcfBody) -> MassProperties:
    assert body.source is not None
    compiler = body.source.compiler
    mass = body.inertial
    if mass is None or compiler.inertia_from_shapes == "true":
        low, high = compiler.inertia_groups
        counted = [geom for geom in body.geoms if low <= geom.group <= high]
        mass = combine(geom.body for geom in counted)
    if mass.mass < compiler.least_mass or compiler.least_inertia > 0:
        principal, axes = np.linalg.eigh(mass.inertia)
        inertia = axes @ np.diag(np.maximum(principal, compiler.least_inertia)) @ axes.T
        mass = MassProperties(max(mass.mass, compiler.least_mass), mass.centre, frozen(inertia))
    return mass


def _keyframe(source: Source, name: str, joints: Sequence[BodyJoint]) -> dict[str, Sequence[float]]:
    """Return the joint positions of the named keyframe."""
    if not name:
        return {}
    for key in source.sections("keyframe"):
        if key.get("name") == name:
            break
    else:
        known = ", ".join(key.get("name") for key in source.sections("keyframe")) or "none"
        raise source.root.refusal(f"there is no keyframe {name!r}; known: {known}", code=104)
    sizes = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}
    numbers = key.numbers_of(key.get("qpos"), "qpos").tolist()
    if len(numbers) != sum(sizes[joint.kind] for joint in joints):
        wanted = sum(sizes[joint.kind] for joint in joints)
        raise key.refusal(f"keyframe {name} has {len(numbers)} positions; the joints take {wanted}", code=506)
    positions: dict[str, Sequence[float]] = {}
    for joint in joints:
        own, numbers = numbers[: sizes[joint.kind]], numbers[sizes[joint.kind] :]
        if joint.kind == "ball":
            turned = to_euler(from_quaternion(own), "XYZ")
            positions |= {f"{joint.name}-{letter}": (angle,) for letter, angle in zip("xyz", turned, strict=True)}
        else:
            positions[joint.name] = own
    return positions
