"""Elements of a URDF file: links, joints, materials (https://wiki.ros.org/urdf/XML)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import frame, from_quaternion, identity, translation
from rck.importing import link_shapes
from rck.importing.link_masses import mass_at, symmetric
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.linkage import Link, Linkage, LinkJoint, link_joint, loop_of
from rck.importing.robot_reader import Reading, colour_of, geometry_of, placed, pose_of
from rck.importing.xml_file import Element
from rck.model import Actuation, Colour, JointKind, JointLimits, Loop, Mimic, Texture
from rck.model.extensions import extension, merge_extensions
from rck_importers.urdf import loops, transmissions
from rck_importers.urdf.kept import GAZEBO, OF_JOINT, kept_elements
from rck_importers.urdf.leftovers import remove_xacro

_KINDS = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"}
_READ = {"link", "joint", "material", GAZEBO, *transmissions.TAGS, *loops.TAGS}
_READ_OF_LINK = {"inertial", "visual", "collision"}
_KEPT_OF_LIMIT = ("deceleration", "jerk")
"""Limits of URDF 1.2 that RCK does not interpret; the URDF exporter writes them back."""
_READ_OF_JOINT = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", *OF_JOINT}
_READ_OF_SHAPE = {"origin", "geometry", "material"}


@dataclass(frozen=True, eq=False)
class _ReadJoint:
    """Joint element with its parent and child links, before poses are computed."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    parent_from_child: Floats


def linkage_of(root: Element, reading: Reading) -> Linkage:
    """Return the links and joints of the robot, with every joint at zero."""
    if root.tag != "robot":
        raise root.refusal(f"the root is <{root.tag}>, not <robot>")
    remove_xacro(root, reading.report)
    for child in root:
        if child.tag not in _READ:
            reading.report.left_out(f"<{child.tag}>", child.where)
    elements = _by_name(root.all("link"), "link")
    if not elements:
        raise root.refusal("the robot has no links")
    joints = [_read_joint(element) for element in _by_name(root.all("joint"), "joint").values()]
    if "world" not in elements and any(joint.parent == "world" for joint in joints):
        reading.report.note(504, root.where, "there is no link world; an empty one was added")
        elements = {"world": Element("link", {"name": "world"}, root.file, root.line), **elements}
    tree, closing = _tree_of(elements, joints)
    world_from_link = _poses(elements, tree)
    materials = _materials(root, reading)
    floating = {joint.child for joint in tree if joint.kind == "floating"}
    links = []
    gazebo = root.all(GAZEBO)
    for name, element in elements.items():
        link = _link(name, element, world_from_link[name], materials, reading)
        about = kept_elements((one for one in gazebo if one.get("reference") == name), reading.report)
        links.append(replace(link, loose=name in floating, extensions=about))
    driven = transmissions.actuated_joints(root, {joint.name for joint in joints}, reading.report)
    link_joints = []
    for joint in tree:
        made, between = _joints(joint, world_from_link[joint.child], reading)
        actuation = Actuation.ACTUATED if joint.name in driven else Actuation.UNKNOWN
        held = [one for one in gazebo if one.get("reference") == joint.name and joint.name not in elements]
        data = kept_elements([*held, *(one for tag in OF_JOINT for one in joint.element.all(tag))], reading.report)
        link_joints += [
            replace(one, actuation=actuation, extensions=merge_extensions(one.extensions, data)) for one in made
        ]
        links += between
    motors = transmissions.motors_of(root, link_joints, reading.report)
    known = {*elements, *(joint.name for joint in joints)}
    general = kept_elements((one for one in gazebo if one.get("reference") not in known), reading.report)
    closed = [*(_loop(joint, driven, reading) for joint in closing), *loops.loops_of(root, elements, reading)]
    return Linkage(
        root.get("name", "robot"), tuple(links), tuple(link_joints), actuators=motors, loops=tuple(closed),
        extensions=general,
    )  # fmt: skip


def _by_name(elements: list[Element], what: str) -> dict[str, Element]:
    named: dict[str, Element] = {}
    for element in elements:
        name = element.require("name")
        if name in named:
            message = f"{what} {name} is already defined at line {named[name].line}"
            raise element.refusal(message, code=103, fix="rename one of the two")
        named[name] = element
    return named


def _read_joint(element: Element) -> _ReadJoint:
    name, kind = element.require("name"), element.require("type")
    if kind not in _KINDS:
        raise element.refusal(f"unknown joint type {kind!r}", code=104, fix=f"use {', '.join(sorted(_KINDS))}")
    ends = []
    for tag in ("parent", "child"):
        end = element.first(tag)
        if end is None:
            raise element.refusal(f"joint {name} has no <{tag}>")
        ends.append(end.require("link"))
    return _ReadJoint(element, name, kind, ends[0], ends[1], _origin(element))


def _origin(element: Element) -> Floats:
    origin = element.first("origin")
    if origin is None:
        return identity()
    xyz = origin.numbers("xyz", 3, (0, 0, 0))
    if "quat_xyzw" not in origin.attributes:
        return pose_of(xyz, origin.numbers("rpy", 3, (0, 0, 0)))
    if "rpy" in origin.attributes:
        message = "the origin has two orientations, rpy and quat_xyzw"
        raise origin.refusal(message, code=104, fix="keep one of the two")
    quaternion = origin.numbers("quat_xyzw", 4, (0, 0, 0, 1))
    if not np.linalg.norm(quaternion) > 1e-12:
        raise origin.refusal("the quaternion of the origin is zero", code=104)
    x, y, z, w = quaternion.tolist()
    return translation(xyz) @ from_quaternion((w, x, y, z))


def _tree_of(links: Mapping[str, Element], joints: list[_ReadJoint]) -> tuple[list[_ReadJoint], list[_ReadJoint]]:
    """Return the joints of the tree, and those that close loops: further joints of a link that another one moves."""
    tree: list[_ReadJoint] = []
    closing: list[_ReadJoint] = []
    carried: dict[str, _ReadJoint] = {}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in links:
                message = f"joint {joint.name} refers to link {link}, which does not exist"
                raise joint.element.refusal(message, code=201, fix="add the link, or correct the name")
        if joint.child in carried:
            if joint.kind in ("floating", "planar"):
                message = f"link {joint.child} is the child of joints {carried[joint.child].name} and {joint.name}"
                fix = f"a {joint.kind} joint cannot close a loop: remove it, or make it revolute, prismatic or fixed"
                raise joint.element.refusal(message, code=203, fix=fix)
            closing.append(joint)
            continue
        carried[joint.child] = joint
        tree.append(joint)
    return tree, closing


def _poses(links: Mapping[str, Element], joints: list[_ReadJoint]) -> dict[str, Floats]:
    """Return world from link for each link at zero; links without a parent joint are at the origin."""
    by_parent: dict[str, list[_ReadJoint]] = {}
    for joint in joints:
        by_parent.setdefault(joint.parent, []).append(joint)
    carried = {joint.child: joint for joint in joints}
    poses = {name: identity() for name in links if name not in carried}
    waiting = list(poses)
    for parent in waiting:
        for joint in by_parent.get(parent, ()):
            poses[joint.child] = poses[parent] @ joint.parent_from_child
            waiting.append(joint.child)
    missed = [joint for name, joint in carried.items() if name not in poses]
    if missed:
        message = f"joint {missed[0].name} is part of a loop without a root: each of its links has a parent"
        fix = "swap parent and child of one joint, so that one link is the root and another one has two parents"
        raise missed[0].element.refusal(message, code=202, fix=fix)
    return poses


def _loop(joint: _ReadJoint, driven: Collection[str], reading: Reading) -> Loop:
    """Return the loop that a further joint of a link closes; its frames are those of the joint in both links."""
    (made,), _ = _joints(joint, identity(), reading)
    actuation = Actuation.ACTUATED if joint.name in driven else made.actuation
    own = frame((0.0, 0.0, 0.0), z=made.direction)
    where = f"{joint.element.where}: joint {joint.name}"
    ends = frozen(joint.parent_from_child @ own), frozen(own)
    return loop_of(replace(made, actuation=actuation), ends, where, reading.report)


@dataclass(frozen=True, eq=False)
class _Material:
    """A material element."""

    colour: Colour | None = None
    texture: Texture | None = None


def _materials(root: Element, reading: Reading) -> dict[str, _Material]:
    """Return the materials of the file by name; the first definition of a name counts."""
    found: dict[str, _Material] = {}
    everywhere = [visual.first("material") for link in root.all("link") for visual in link.all("visual")]
    for element in [*root.all("material"), *everywhere]:
        if element is None or element.get("name") in found:
            continue
        material = _material(element, reading)
        if material.colour is not None or material.texture is not None:
            found[element.get("name")] = material
    return found


def _material(element: Element, reading: Reading) -> _Material:
    colour, image = element.first("color"), element.first("texture")
    rgba = None if colour is None or "rgba" not in colour.attributes else _rgba(colour)
    if image is None or not image.get("filename"):
        return _Material(rgba)
    texture = reading.texture(image, lambda: reading.assets.find(image.get("filename")))
    # A texture alone shows its own colours.
    return _Material(rgba or (1.0, 1.0, 1.0, 1.0) if texture is not None else rgba, texture)


def _rgba(element: Element) -> Colour:
    numbers = element.numbers_of(element.get("rgba"), "rgba")
    if len(numbers) == 3:
        numbers = np.append(numbers, 1.0)
    if len(numbers) != 4:
        raise element.refusal(f"rgba takes 4 numbers, not {len(numbers)}", code=104)
    return colour_of(numbers)


def _link(name: str, element: Element, pose: Floats, materials: Mapping[str, _Material], reading: Reading) -> Link:
    for child in element:
        if child.tag not in _READ_OF_LINK:
            reading.report.left_out(f"<{child.tag}> of a link", child.where)
    collision = tuple(one for child in element.all("collision") for one in _geometry(child, materials, reading))
    visual = tuple(one for child in element.all("visual") for one in _geometry(child, materials, reading))
    inertial = element.first("inertial")
    mass = None if inertial is None else _mass(inertial)
    return Link(name, pose, collision, visual, mass, where=f"{element.where}: link {name}")


def _mass(element: Element) -> MassProperties:
    mass = element.first("mass")
    inertia = element.first("inertia")
    value = 0.0 if mass is None else mass.number("value", 0.0)
    matrix = np.zeros((3, 3))
    if inertia is not None:
        matrix = symmetric(*(inertia.number(f"i{axes}", 0.0) for axes in ("xx", "yy", "zz", "xy", "xz", "yz")))
    return mass_at(_origin(element), value, matrix)


def _geometry(element: Element, materials: Mapping[str, _Material], reading: Reading) -> tuple[PlacedShape, ...]:
    for child in element:
        if child.tag not in _READ_OF_SHAPE:
            reading.report.left_out(f"<{child.tag}> of a {element.tag}", child.where)
    named = element.first("material")
    material = _Material()
    if named is not None:
        has_own = any(named.first(tag) is not None for tag in ("color", "texture"))
        material = _material(named, reading) if has_own else materials.get(named.get("name"), material)
    name = "" if named is None else named.get("name")
    shapes = placed(_shape(geometry_of(element), reading), _origin(element), material.colour, element.get("name"))
    return tuple(replace(shape, material=name, texture=material.texture) for shape in shapes)


def _shape(element: Element, reading: Reading) -> LinkShape | None:
    tag = element.tag.rpartition(":")[2]
    if tag == "box":
        x, y, z = element.numbers_of(element.require("size"), "size", 3).tolist()
        return reading.solid(element, lambda: link_shapes.box(x, y, z))
    if tag == "mesh":
        return reading.mesh(element, element.require("filename"), _scale(element, reading))
    if tag == "ellipsoid":
        a, b, c = (element.one_of(element.require(name), name) for name in "abc")
        return reading.solid(element, lambda: link_shapes.ellipsoid(a, b, c))
    if tag not in ("sphere", "cylinder", "capsule"):
        reading.report.left_out(f"<{element.tag}> geometry", element.where)
        return None
    radius = element.one_of(element.require("radius"), "radius")
    if tag == "sphere":
        return reading.solid(element, lambda: link_shapes.sphere(radius))
    length = element.one_of(element.require("length"), "length")
    return reading.solid(
        element, lambda: (link_shapes.cylinder if tag == "cylinder" else link_shapes.capsule)(radius, length)
    )


def _scale(element: Element, reading: Reading) -> Floats:
    numbers = element.numbers_of(element.get("scale", "1 1 1"), "scale")
    if len(numbers) in (0, 2):
        raise element.refusal(f"scale takes 3 numbers, not {len(numbers)}", code=104)
    if len(numbers) > 3:
        message = f"scale has {len(numbers)} numbers; the first three were used"
        reading.report.warn(502, element.where, message, kind="scale")
    return np.broadcast_to(numbers[:3], 3)


def _joints(joint: _ReadJoint, world_from_child: Floats, reading: Reading) -> tuple[list[LinkJoint], list[Link]]:
    """Return the joint as joints of one degree of freedom, with intermediate links if it has more."""
    element = joint.element
    for child in element:
        if child.tag not in _READ_OF_JOINT:
            reading.report.left_out(f"<{child.tag}> of a joint", child.where)
    where = f"{element.where}: joint {joint.name}"
    if joint.kind == "floating":
        return [], []
    axis = element.first("axis")
    direction = np.array([1.0, 0.0, 0.0]) if axis is None else axis.numbers("xyz", 3, (1, 0, 0))
    length = float(np.linalg.norm(direction))
    if joint.kind != "fixed" and not length > 1e-9:
        raise (axis or element).refusal(f"the axis of joint {joint.name} is zero", code=205)
    unit = direction / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    if joint.kind == "planar":
        return _planar(joint, unit, world_from_child, where, reading)
    return [_one_freedom(joint, JointKind(joint.kind), unit, world_from_child, where, reading)], []


def _one_freedom(
    joint: _ReadJoint, kind: JointKind, unit: Floats, world_from_child: Floats, where: str, reading: Reading
) -> LinkJoint:
    direction = world_from_child[:3, :3] @ unit
    made = link_joint(joint.name, kind, joint.parent, joint.child, world_from_child[:3, 3], direction, where)
    if kind is JointKind.FIXED:
        return made
    limit, dynamics, mimic = (joint.element.first(tag) for tag in ("limit", "dynamics", "mimic"))
    if limit is not None:
        made = replace(
            made,
            limits=JointLimits(limit.number("lower", 0.0), limit.number("upper", 0.0)),
            effort=limit.number("effort", 0.0) if "effort" in limit.attributes else None,
            speed=limit.number("velocity", 0.0) if "velocity" in limit.attributes else None,
            acceleration=_acceleration(limit, reading),
            extensions=extension("urdf", {name: limit.get(name) for name in _KEPT_OF_LIMIT if limit.get(name)}),
        )
    if dynamics is not None:
        made = replace(made, damping=dynamics.number("damping", 0.0), friction=dynamics.number("friction", 0.0))
    if mimic is not None:
        leads = Mimic(mimic.require("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
        made = replace(made, mimic=leads)
    return made


def _acceleration(limit: Element, reading: Reading) -> float | None:
    """Return the acceleration limit of URDF 1.2; None for zero or less, which stands for an unknown limit."""
    if "acceleration" not in limit.attributes:
        return None
    value = limit.number("acceleration", 0.0)
    if value > 0:
        return value
    message = f"acceleration {value:g} is not positive and was ignored"
    reading.report.note(504, limit.where, message, kind="no acceleration")
    return None


def _planar(
    joint: _ReadJoint, normal: Floats, world_from_child: Floats, where: str, reading: Reading
) -> tuple[list[LinkJoint], list[Link]]:
    """Return two prismatic joints in the plane and a continuous joint about its normal."""
    plane = frame((0.0, 0.0, 0.0), normal)
    message = f"planar joint {joint.name} was replaced by two prismatic joints and a continuous joint"
    reading.report.note(504, where, message, kind="planar")
    names = [f"{joint.name}-{letter}" for letter in ("x", "y", "turn")]
    links = [joint.parent, *(f"{joint.child}-on-{name}" for name in names[:2]), joint.child]
    kinds = (JointKind.PRISMATIC, JointKind.PRISMATIC, JointKind.CONTINUOUS)
    start = world_from_child[:3, 3]
    made = [
        link_joint(name, kind, base, moves, start, world_from_child[:3, :3] @ plane[:3, column])
        for column, (name, kind, (base, moves)) in enumerate(zip(names, kinds, pairwise(links), strict=True))
    ]
    return made, [Link(name, world_from_child, where=where) for name in links[1:-1]]
