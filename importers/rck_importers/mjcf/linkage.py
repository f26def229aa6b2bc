"""Conversion of MJCF bodies to links and joints; several joints of one body become a chain of links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import NO_MASS, MassProperties, combine
from rck.geometry.transforms import from_quaternion, identity, translation
from rck.importing.link_masses import scaled, split_mass
from rck.importing.linkage import Link, Linkage, LinkJoint, link_joint
from rck.importing.xml_file import Element
from rck.model import Actuation, Actuator, JointKind, JointLimits, Tendon
from rck.model.extensions import Extensions, extension, merge_extensions
from rck_importers.mjcf.actuators import actuators_of, effort_at, efforts
from rck_importers.mjcf.attachments import sources_of, with_attachments
from rck_importers.mjcf.bodies import BodyJoint, MjcfBody, bodies_of
from rck_importers.mjcf.compiler import READ_SETTINGS, CompilerSettings
from rck_importers.mjcf.contacts import contact_pairs, contact_rules, kept_excludes
from rck_importers.mjcf.equalities import Equalities, equalities_of
from rck_importers.mjcf.extension_data import FORMAT, POSE, kept, rest, xml_of
from rck_importers.mjcf.height_fields import kept_height_fields
from rck_importers.mjcf.keyframes import keyframe_positions, poses_of
from rck_importers.mjcf.materials import kept_assets
from rck_importers.mjcf.sensors import sensors_of
from rck_importers.mjcf.source import Source
from rck_importers.mjcf.tendons import tendons_of

_KINDS = {"hinge": JointKind.REVOLUTE, "slide": JointKind.PRISMATIC}
_READ = frozenset({
    "compiler", "default", "asset", "worldbody", "actuator", "equality", "tendon", "contact", "sensor", "keyframe",
})  # fmt: skip
_KEPT = ("option", "size", "statistic", "visual", "custom")
"""Top-level elements that RCK keeps for exports without interpreting them."""
_JOINT_READ = frozenset({
    "name", "type", "pos", "axis", "range", "limited", "armature", "springref", "ref", "frictionloss", "stiffness",
    "damping", "actuatorfrcrange", "actuatorfrclimited",
})  # fmt: skip


def linkage_of(source: Source, keyframe: str) -> Linkage:
    """Return the robot of the model."""
    for child in source.root:
        if child.tag not in (*_READ, *_KEPT):
            source.reading.report.lost(f"<{child.tag}>", child.where)
    for element in source.root.all("compiler"):
        for name in sorted(element.attributes.keys() - READ_SETTINGS):
            source.reading.report.lost(f"{name} of <compiler>", element.where)
    bodies = bodies_of(source)
    source = with_attachments(source, bodies)
    joints = [joint for body in bodies for joint in body.joints]
    poses = _poses(bodies, keyframe_positions(source, keyframe, joints))
    sites = {site.name: (body.name, site.pose) for body in bodies for site in body.sites}
    tendons = tendons_of(source, frozenset(joint.name for joint in joints if joint.kind in ("hinge", "slide")))
    actuators = actuators_of(source, joints, tendons)
    world_from_body = {body.name: pose for body, pose in poses.items()}
    equalities = equalities_of(source, joints, (one.name for one in tendons), world_from_body, sites)
    drives = _Drives(
        efforts(actuators),
        frozenset(_driven(actuators, tendons)),
        equalities,
        keyframe_positions(source, keyframe, joints),
    )
    links: list[Link] = []
    link_joints: list[LinkJoint] = []
    for body, mass in zip(bodies, _masses(bodies, source.compiler), strict=True):
        chain = _chain(body, poses[body], drives, source)
        between, own = split_mass(mass, len(chain) - 1) if len(chain) > 1 else (mass, mass)
        split = extension(FORMAT, {"split-from": body.name})
        links += [Link(joint.child, poses[body], mass=between, where=joint.where, extensions=split)
                  for joint in chain[:-1]]  # fmt: skip
        links.append(_link(body, poses[body], own))
        link_joints += chain
    singles = {joint.name: tuple(one.name for one in _singles(joint)) for joint in joints if joint.kind != "free"}
    devices = [
        *(camera for body in bodies for camera in body.cameras),
        *sensors_of(source, sites, world_from_body, singles),
    ]
    used = {joint.base for joint in link_joints} | {item for loop in equalities.loops for item in loop.items}
    used |= {device.item for device in devices} | {body for body, _ in sites.values()}
    world = links[0]
    if not (world.collision or world.visual or "world" in used) and len(links) > 1:
        links = links[1:]
    all_sites = [(site, body.name) for body in bodies for site in body.sites]
    return Linkage(
        source.root.get("model", "robot"),
        tuple(links),
        tuple(link_joints),
        tuple((site.name, body, site.pose) for site, body in all_sites),
        tuple(contact_rules(source, bodies)),
        actuators,
        tuple(_with_equalities(tendon, equalities) for tendon in tendons),
        tuple(equalities.loops),
        tuple(device if device.item else replace(device, item=links[0].name) for device in devices),
        poses_of(source, joints),
        {site.name: site.extensions for site, _ in all_sites},
        extension(FORMAT, _model_data(source, bodies)),
    )


@dataclass(frozen=True, slots=True)
class _Drives:
    """Drives of the joints."""

    efforts: Mapping[str, float]
    actuated: frozenset[str]
    equalities: Equalities
    positions: Mapping[str, Sequence[float]]
    """Positions in the keyframe that was chosen, by joint."""


def _driven(actuators: Iterable[Actuator], tendons: Iterable[Tendon]) -> Iterator[str]:
    pulled = {tendon.name: tendon.joints for tendon in tendons}
    for actuator in actuators:
        yield actuator.joint
        yield from (joint for joint, _ in pulled.get(actuator.tendon, ()))


def _with_equalities(tendon: Tendon, equalities: Equalities) -> Tendon:
    constraints = equalities.others.get(tendon.name)
    if not constraints:
        return tendon
    data = extension(FORMAT, {"<equality>": constraints})
    return replace(tendon, extensions=merge_extensions(tendon.extensions, data))


def _model_data(source: Source, bodies: Sequence[MjcfBody]) -> dict[str, str]:
    """Return what the file says about the whole model and its surroundings, as XML by tag."""
    world = bodies[0]
    data = {"model": source.root.get("model", "")}
    if any(element.get("fusestatic") == "true" for element in source.root.all("compiler")):
        data["fusestatic"] = "true"
    if world.surroundings:
        data["<worldbody>"] = "".join(world.surroundings)
    for tag in _KEPT:
        if found := source.root.all(tag):
            data[f"<{tag}>"] = "".join(map(xml_of, found))
    if pairs := contact_pairs(source):
        data["<pair>"] = pairs
    kept = [kept_assets(one) for one in sources_of(bodies)]
    for tag, texts in zip(("material", "texture"), zip(*kept, strict=True), strict=True):
        if any(texts):
            data[f"<{tag}>"] = "".join(texts)
    if fields := "".join(map(kept_height_fields, sources_of(bodies))):
        data["<hfield>"] = fields
    if excludes := kept_excludes(source, bodies):
        data["<exclude>"] = excludes
    return data


def _poses(bodies: Sequence[MjcfBody], positions: Mapping[str, Sequence[float]]) -> dict[MjcfBody, Floats]:
    """Return the pose of each body in the world, with every joint at its reference."""
    poses: dict[MjcfBody, Floats] = {}
    for body in bodies:
        poses[body] = _pose(body, poses, positions)
    return poses


def _pose(body: MjcfBody, poses: Mapping[MjcfBody, Floats], positions: Mapping[str, Sequence[float]]) -> Floats:
    if body.parent is None:
        return identity()
    for joint in body.joints:
        if joint.kind == "free" and joint.name in positions:
            place = positions[joint.name]
            return translation(place[:3]) @ from_quaternion(place[3:])
    return poses[body.parent] @ body.pose


def _chain(body: MjcfBody, world_from_body: Floats, drives: _Drives, source: Source) -> list[LinkJoint]:
    """Return the joints from the parent to the body, with a link between consecutive joints."""
    is_mocap = body.element.get("mocap") == "true"
    if body.parent is None or is_mocap or any(joint.kind == "free" for joint in body.joints):
        return []
    for joint in body.joints:
        if joint.kind == "ball":
            message = f"ball joint {joint.name} was replaced by three hinges about x, y and z"
            source.reading.report.note(504, joint.element.where, message, kind="ball")
    single = [(one, joint) for joint in body.joints for one in _singles(joint)]
    if not single:
        where = f"{body.element.where}: body {body.name}"
        return [LinkJoint(f"{body.name}-fixed", JointKind.FIXED, body.parent.name, (body.name,), where=where)]
    links = [body.parent.name, *(f"{body.name}-on-{joint.name}" for joint, _ in single[:-1]), body.name]
    return [
        _link_joint(one, joint, links[number], links[number + 1], world_from_body, drives)
        for number, (one, joint) in enumerate(single)
    ]


def _link_joint(
    joint: BodyJoint, of_file: BodyJoint, base: str, child: str, world_from_body: Floats, drives: _Drives
) -> LinkJoint:
    """Return a joint; `of_file` is the joint itself, or the ball joint that it is a hinge of."""
    turn = world_from_body[:3, :3]
    start = turn @ joint.place + world_from_body[:3, 3]
    target = drives.positions.get(joint.name)
    where = f"{joint.element.where}: joint {joint.name}"
    made = link_joint(joint.name, _KINDS[joint.kind], base, child, start, turn @ joint.axis, where)
    element = joint.element
    return replace(
        made,
        limits=None if joint.limits is None else JointLimits(*joint.limits),
        position=joint.reference,
        target=None if target is None else target[0],
        effort=effort_at(joint, drives.efforts),
        damping=_first(element, "damping"),
        friction=element.number("frictionloss", 0.0),
        mimic=drives.equalities.mimics.get(joint.name),
        actuation=Actuation.ACTUATED if joint.name in drives.actuated else Actuation.PASSIVE,
        armature=element.number("armature", 0.0),
        stiffness=_first(element, "stiffness"),
        spring_position=joint.spring_reference,
        extensions=_joint_data(joint, of_file, drives.equalities),
    )


def _joint_data(joint: BodyJoint, of_file: BodyJoint, equalities: Equalities) -> Extensions:
    element = joint.element
    read = set(_JOINT_READ)
    # Numbers beyond the first are higher-order terms.
    read -= {name for name in ("damping", "stiffness") if len(element.get(name).split()) > 1}
    data = rest(element, read)
    if "actuatorfrcrange" in element.attributes and element.get("actuatorfrclimited", "auto") != "false":
        data["actuatorfrcrange"] = element.get("actuatorfrcrange")
    if joint.reference:
        data["ref"] = repr(joint.reference)
    if of_file is not joint:
        data["ball"] = of_file.name
        if of_file.limits is not None:
            data["range"] = f"0 {of_file.limits[1]!r}"
    for tag, known in (("equality", equalities.others), ("mimic", equalities.mimic_data)):
        if joint.name in known:
            data[f"<{tag}>"] = known[joint.name]
    return extension(FORMAT, data)


def _singles(joint: BodyJoint) -> list[BodyJoint]:
    """Return the joint itself, or for a ball joint three hinges in series about the x, y and z axes of the body."""
    if joint.kind != "ball":
        return [joint]
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
        _body_data(body),
    )


def _body_data(body: MjcfBody) -> Extensions:
    if body.parent is None:
        return extension(FORMAT, {"world": "true"})
    free = "".join(
        xml_of(joint.element, rest(joint.element, ("type", "pos", "axis", "range", "limited", "ref", "springref")))
        for joint in body.joints
        if joint.kind == "free"
    )
    return kept(body.element, POSE | {"name"}, freejoint=free, body="".join(body.surroundings))


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
    if compiler.balances_inertia and mass.mass > 0:
        low, middle, high = np.linalg.eigvalsh(mass.inertia).tolist()
        if low + middle < high:
            mass = replace(mass, inertia=frozen(np.eye(3) * (low + middle + high) / 3))
    return mass
