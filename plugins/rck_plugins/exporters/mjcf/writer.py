"""Write MJCF (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from collections.abc import Iterator
from pathlib import PurePath
from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting import (
    ExportLink,
    ExportShape,
    LinkTree,
    Merge,
    MeshAssets,
    legal_name,
    link_tree,
    list_names,
    loss,
    shapes_of,
    untested_pairs,
)
from rck.exporting.file_text import Value, add, element, tidy, tidy_colour, tidy_tensor, valid_inertia, xml_bytes
from rck.exporting.losses import moving_joints
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_quaternion
from rck.hooks import Exported, Job, Values
from rck.model import Finding, Joint, Primitive, PrimitiveKind, Robot, Severity
from rck.model.joint_positions import joint_positions
from rck_plugins.exporters.mjcf.devices import (
    add_adhesions,
    add_devices,
    add_sensors,
    adhesions,
    device_losses,
    pose_attributes,
)

KEYFRAME = "reference"
"""The name of the keyframe with the joint positions of the robot."""

DEEPEST = 490
"""Largest number of nested bodies; MuJoCo reads XML to a depth of 500."""

LEAST_INERTIA = 1e-14
"""Smallest principal moment of inertia, in kg m2; MuJoCo treats less than 1e-15 as zero."""

NARROWEST = 1e-9
"""The range of a locked joint, in radians or metres; MuJoCo treats an empty range as no limits."""

_REMARK = "Written by RCK. Metres, radians, kilograms, seconds, newtons."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the model and its meshes."""
    folder = f"{legal_name(PurePath(name).stem)}_meshes"
    whole = shapes_of(robot, folder, values.get("meshes", "stl"), tuple(PrimitiveKind))
    shapes = _without_triangles(whole)
    job.progress(0.5, "bodies")
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.NONE
    tree = link_tree(robot, merge=merge, taken=("world",))
    if too_deep := _too_deep(tree, name):
        return Exported(findings=(too_deep,))
    root = element("mujoco", model=tree.name)
    # Masses are given: a body without one must not get the mass of its shapes.
    add(root, "compiler", angle="radian", inertiafromgeom="false")
    # By default, MuJoCo ignores contacts between the whole rigid groups on the two sides of a joint.
    add(add(root, "option"), "flag", filterparent="disable")
    _add_classes(root, shapes)
    _add_meshes(root, shapes)
    _add_bodies(root, tree, shapes)
    _add_excluded(root, tree)
    _add_mimics(root, tree)
    if values.get("motors", True):
        _add_actuators(root, tree)
    add_sensors(root, tree)
    _add_keyframe(root, tree)
    findings = (*_losses(robot, whole, shapes, name), *device_losses(tree, name))
    return Exported({name: xml_bytes(root, _REMARK), **shapes.files}, findings)


def _too_deep(tree: LinkTree, where: str) -> Finding | None:
    depths: list[int] = []
    for link in tree.links:
        depths.append(1 if link.parent is None else depths[link.parent] + 1)
    if max(depths, default=0) <= DEEPEST:
        return None
    message = f"bodies are nested {max(depths)} deep; MuJoCo reads {DEEPEST}"
    return Finding(507, Severity.ERROR, where, message, "export with merge-fixed=yes")


def _without_triangles(shapes: MeshAssets) -> MeshAssets:
    """Return the shapes with four or more vertices; MuJoCo refuses meshes with fewer."""
    of_item = tuple(tuple(shape for shape in shapes if len(shape.surface.vertices) > 3) for shapes in shapes.of_item)
    used = {shape.mesh for shapes in of_item for shape in shapes}
    return MeshAssets(of_item, {path: content for path, content in shapes.files.items() if path in used})


def _add_classes(root: Element, shapes: MeshAssets) -> None:
    """Add default classes for visual and collision shapes if they differ, in groups that MuJoCo's viewer can hide."""
    if all(_is_both(shape) for of_item in shapes.of_item for shape in of_item):
        return
    classes = add(root, "default")
    add(add(classes, "default", class_="visual"), "geom", contype="0", conaffinity="0", group="2")
    add(add(classes, "default", class_="collision"), "geom", group="3")


def _is_both(shape: ExportShape) -> bool:
    return shape.seen and shape.solid


def _add_meshes(root: Element, shapes: MeshAssets) -> None:
    if not shapes.files:
        return
    assets = add(root, "asset")
    for path in shapes.files:
        # The inertia of a shell is defined for every mesh, even a tiny or open one. Bodies have explicit inertias.
        add(assets, "mesh", name=_mesh_name(path), file=path, inertia="shell")


def _mesh_name(path: str) -> str:
    return PurePath(path).stem


def _add_bodies(root: Element, tree: LinkTree, shapes: MeshAssets) -> None:
    bodies: list[Element] = []
    world = add(root, "worldbody")
    for link in tree.links:
        outer = world if link.parent is None else bodies[link.parent]
        body = add(outer, "body", name=link.name, **pose_attributes(link.pose))
        bodies.append(body)
        if link.floats:
            add(body, "freejoint", name=link.joint_name)
        elif link.mover is not None:
            add(body, "joint", name=link.joint_name, **_joint(link.mover, link))
        _add_inertial(body, link)
        for placed in link.items:
            for shape in shapes.of_item[placed.number]:
                _add_geom(body, shape, placed.pose)
        for frame in link.frames:
            add(body, "site", name=frame.name, **pose_attributes(frame.pose))
        add_devices(body, link.devices)


def _joint(joint: Joint, link: ExportLink) -> dict[str, Value]:
    attributes: dict[str, Value] = {"type": "hinge" if joint.kind.turns else "slide", "axis": tidy(link.axis)}
    if link.anchor.any():
        attributes["pos"] = tidy(link.anchor)
    if joint.limits is not None:
        lower, upper = joint.limits.lower, joint.limits.upper
        attributes["range"] = (lower, max(upper, lower + NARROWEST))
    if joint.effort:
        attributes["actuatorfrcrange"] = (-joint.effort, joint.effort)
    if joint.damping:
        attributes["damping"] = joint.damping
    if joint.friction:
        attributes["frictionloss"] = joint.friction
    return attributes


def _add_inertial(body: Element, link: ExportLink) -> None:
    properties = link.mass_properties
    if properties.mass <= 0.0:
        return
    inertia = tidy_tensor(valid_inertia(properties.inertia, LEAST_INERTIA))
    diagonal_first = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    add(body, "inertial", pos=tidy(properties.centre), mass=properties.mass, fullinertia=diagonal_first)


def _add_geom(body: Element, shape: ExportShape, link_from_item: Floats) -> None:
    kind: dict[str, Value] = {}
    if not _is_both(shape):
        kind["class_"] = "visual" if shape.seen else "collision"
    if shape.primitive is not None:
        kind |= {"type": shape.primitive.kind.value, "size": _sizes(shape.primitive)}
    else:
        kind |= {"type": "mesh", "mesh": _mesh_name(shape.mesh)}
    place = pose_attributes(link_from_item @ shape.pose)
    add(body, "geom", name=shape.name, **kind, **place, rgba=tidy_colour(shape.colour))


def _sizes(primitive: Primitive) -> Floats:
    """Return the sizes of a geom: MuJoCo takes half sides and half lengths, radii and semi-axes."""
    first, *rest = primitive.sizes
    if primitive.kind is PrimitiveKind.BOX:
        return tidy(np.array(primitive.sizes) / 2)
    if primitive.kind in (PrimitiveKind.CYLINDER, PrimitiveKind.CAPSULE):
        return tidy([first, rest[0] / 2])
    return tidy(primitive.sizes)


def _add_excluded(root: Element, tree: LinkTree) -> None:
    """Exclude the pairs of bodies that RCK never tests. MuJoCo never tests bodies of one rigid group."""
    pairs = untested_pairs(tree)
    if pairs:
        contact = add(root, "contact")
        for one, other in pairs:
            add(contact, "exclude", body1=tree.links[one].name, body2=tree.links[other].name)


def _add_mimics(root: Element, tree: LinkTree) -> None:
    mimics = [(link.joint_name, link.mimic) for link in tree.links if link.mimic is not None]
    if not mimics:
        return
    equality = add(root, "equality")
    for name, mimic in mimics:
        polynomial = (mimic.offset, mimic.ratio, 0.0, 0.0, 0.0)
        add(equality, "joint", joint1=name, joint2=tree.joint_names[mimic.joint], polycoef=polynomial)


def _add_actuators(root: Element, tree: LinkTree) -> None:
    free = tree.robot.free_joints
    if not free and not adhesions(tree):
        return
    actuators = add(root, "actuator")
    for joint in free:
        name = tree.joint_names[joint.name]
        reach: dict[str, Value] = {"ctrlrange": (-joint.effort, joint.effort)} if joint.effort else {}
        add(actuators, "motor", name=name, joint=name, **reach)
    add_adhesions(actuators, tree)


def _add_keyframe(root: Element, tree: LinkTree) -> None:
    """Add a keyframe with the positions of all joints, in MuJoCo's order."""
    positions = joint_positions(tree.robot, tree.robot.positions)
    numbers: list[float] = []
    waiting = list(reversed(tree.roots))
    while waiting:
        number = waiting.pop()
        link = tree.links[number]
        if link.floats:
            numbers += [*tidy(link.pose[:3, 3]), *tidy(to_quaternion(link.pose))]
        elif link.mover is not None:
            numbers.append(positions[link.mover.name])
        waiting += reversed(tree.children[number])
    if numbers:
        add(add(root, "keyframe"), "key", name=KEYFRAME, qpos=numbers)


def _losses(robot: Robot, before: MeshAssets, after: MeshAssets, where: str) -> Iterator[Finding]:
    limited = [(joint.name, joint.limits) for joint in moving_joints(robot) if joint.limits is not None]
    if locked := [name for name, limits in limited if limits.upper - limits.lower < NARROWEST]:
        yield loss(where, f"locked joints get a range of {NARROWEST:g}: {list_names(locked)}")
    dropped = sum(map(len, before.of_item)) - sum(map(len, after.of_item))
    if dropped:
        yield loss(where, f"not supported by MJCF: {dropped} meshes of a single triangle")
