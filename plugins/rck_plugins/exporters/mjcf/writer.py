"""Write MJCF (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from collections.abc import Mapping
from pathlib import PurePath
from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting import (
    LEAST_BODY,
    LinkTree,
    Merge,
    MeshAssets,
    legal_name,
    link_tree,
    list_names,
    loss,
    massless_links,
    shapes_of,
)
from rck.exporting.file_text import Value, add, element, xml_bytes
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, nearest_inertia
from rck.geometry.transforms import frame
from rck.hooks import Exported, Job, Values
from rck.model import Finding, Joint, Primitive, PrimitiveKind, Robot, Severity, Visual
from rck.model.frame import IDENTITY
from rck_plugins.exporters.mjcf.actuators import add_actuators, add_tendons, servo_damping
from rck_plugins.exporters.mjcf.added_servos import with_servos
from rck_plugins.exporters.mjcf.bodies import Body
from rck_plugins.exporters.mjcf.closed_reference import with_closed_reference
from rck_plugins.exporters.mjcf.constraints import add_contacts, add_equalities
from rck_plugins.exporters.mjcf.dc_motors import add_integrator
from rck_plugins.exporters.mjcf.default_classes import share_defaults
from rck_plugins.exporters.mjcf.devices import add_devices, add_sensors, pose_attributes
from rck_plugins.exporters.mjcf.keyframes import KEYFRAME, add_keyframes
from rck_plugins.exporters.mjcf.materials import Materials, as_png, png_path
from rck_plugins.exporters.mjcf.model import Geom, MjcfModel, model_of
from rck_plugins.exporters.mjcf.names import data_of, xml_in
from rck_plugins.exporters.mjcf.numbers import exact
from rck_plugins.exporters.mjcf.scene import add_scene
from rck_plugins.exporters.mjcf.surroundings import add_surroundings

__all__ = ["KEYFRAME", "write"]

DEEPEST = 490
"""Largest number of nested bodies; MuJoCo reads XML to a depth of 500."""

LEAST_INERTIA = 1e-14
"""Smallest principal moment of inertia, in kg m2; MuJoCo treats less than 1e-15 as zero."""

NARROWEST = 1e-9
"""The range of a locked joint, in radians or metres; MuJoCo treats an empty range as no limits."""

_ROUNDING = 1e-15
"""Products of inertia up to this fraction of the largest moment are rounding errors: the body axes are principal axes,
and MuJoCo treats the body as a simple one."""

_REMARK = "Written by RCK. Metres, radians, kilograms, seconds, newtons."
_KEPT = ("size", "statistic", "visual", "custom")
_MARKS = frozenset({"name", "geom", "friction", "ref", "ball", "range", "world", "split-from", "material"})
"""Extension data that are no attributes, or that are written together with others."""


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the model and its meshes."""
    robot = with_closed_reference(robot)
    motors = bool(values.get("motors", True))
    added: Mapping[str, float] = {}
    if motors and values.get("servos", True):
        robot, added = with_servos(robot)
    folder = f"{legal_name(PurePath(name).stem)}_meshes"
    whole = shapes_of(robot, folder, values.get("meshes", "stl"), tuple(PrimitiveKind))
    shapes = _without_triangles(whole)
    job.progress(0.5, "bodies")
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.NONE
    tree = link_tree(robot, merge=merge, taken=("world",))
    if too_deep := _too_deep(tree, name):
        return Exported(findings=(too_deep,))
    model = model_of(tree, shapes, added)
    root = element("mujoco", model=tree.name)
    # Masses are given: a body without one must not get the mass of its shapes.
    fused = {"fusestatic": "true"} if "fusestatic" in data_of(robot.extensions) else {}
    add(root, "compiler", angle="radian", inertiafromgeom="false", **fused)
    option = _add_options(root, robot)
    for tag in _KEPT:
        root.extend(xml_in(robot.extensions, tag))
    classes = _add_classes(root, model)
    _add_assets(root, model)
    bodies = _add_bodies(root, model)
    lost = [
        *add_surroundings(root, bodies, model),
        *add_contacts(root, option, model),
        *add_tendons(root, model),
        *add_equalities(root, model, bodies),
        *add_actuators(root, model, motors),
        *add_sensors(root, tree, model.references),
    ]
    add_integrator(option, robot)
    partial = add_keyframes(root, model)
    if values.get("scene", False):
        add_scene(root, robot)
    share_defaults(root, classes)
    for one in (option, classes):
        if not one.attrib and not len(one):
            root.remove(one)
    findings = []
    if dropped := sum(map(len, whole.of_item)) - sum(map(len, shapes.of_item)):
        findings.append(loss(name, f"not supported by MJCF: {dropped} meshes of a single triangle"))
    if lost:
        message = f"elements that refer to what is no longer in the model were left out: {list_names(lost)}"
        findings.append(loss(name, message, changes_behaviour=True))
    if partial:
        findings.append(loss(name, f"controls and velocities of poses were left out: {list_names(partial)}"))
    # One geom may stand for a visual and a collision shape.
    unused = {path for path in shapes.files if path.endswith((".stl", ".obj"))} - set(_used_meshes(model))
    files = {path: content for path, content in shapes.files.items() if path not in unused}
    return Exported({name: xml_bytes(root, _REMARK), **files}, tuple(findings))


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
    kept = [shape for shapes in of_item for shape in shapes]
    files = {path: shapes.files[path] for path in dict.fromkeys(shape.mesh for shape in kept) if path}
    # Materials are assets of MJCF: the libraries of OBJ files are not needed.
    images = dict.fromkeys(shape.image for shape in kept if shape.image)
    return MeshAssets(of_item, files | {png_path(path): as_png(shapes.files[path]) for path in images})


def _add_options(root: Element, robot: Robot) -> Element:
    """Add the options of the simulator that the source file has, and return the element."""
    option = add(root, "option")
    for kept in xml_in(robot.extensions, "option"):
        option.attrib.update(kept.attrib)
        for flags in kept.findall("flag"):
            known = option.find("flag")
            (add(option, "flag") if known is None else known).attrib.update(flags.attrib)
    return option


def _add_classes(root: Element, model: MjcfModel) -> Element:
    """Add default classes for visual and collision shapes if they differ, in groups that MuJoCo's viewer can hide."""
    classes = add(root, "default")
    if all(_is_both(geom) for of_item in model.geoms for geom in of_item):
        return classes
    add(add(classes, "default", class_="visual"), "geom", contype="0", conaffinity="0", group="2")
    add(add(classes, "default", class_="collision"), "geom", group="3")
    return classes


def _is_both(geom: Geom) -> bool:
    return (geom.seen is not None and geom.solid is not None) or (geom.shape.seen and geom.shape.solid)


def _add_assets(root: Element, model: MjcfModel) -> None:
    assets = add(root, "asset")
    model.materials.add_to(assets)
    assets.extend(xml_in(model.robot.extensions, "hfield"))
    for path in _used_meshes(model):
        # The inertia of a shell is defined for every mesh, even a tiny or open one. Bodies have explicit inertias.
        add(assets, "mesh", name=_mesh_name(path), file=path, inertia="shell")
    if not len(assets):
        root.remove(assets)


def _used_meshes(model: MjcfModel) -> list[str]:
    return list(dict.fromkeys(geom.shape.mesh for of_item in model.geoms for geom in of_item if geom.shape.mesh))


def _mesh_name(path: str) -> str:
    return PurePath(path).stem


def _add_bodies(root: Element, model: MjcfModel) -> dict[str, Element]:
    """Add the bodies; return their elements by name."""
    world = add(root, "worldbody")
    massless = frozenset(massless_links(model.tree))
    found: list[Element] = []
    for body in model.bodies:
        outer = world if body.parent is None else found[body.parent]
        found.append(world if body.is_world else _add_body(outer, body, model, massless))
        _add_contents(found[-1], body, model)
    return {body.name: made for body, made in zip(model.bodies, found, strict=True)}


def _add_body(outer: Element, body: Body, model: MjcfModel, massless: frozenset[str]) -> Element:
    item = body.links[-1].items[0].item
    kept = {name: text for name, text in data_of(item.extensions).items() if name not in _MARKS}
    made = add(outer, "body", name=body.name, **pose_attributes(body.pose), **kept)
    if body.floats:
        elements = xml_in(item.extensions, "freejoint")
        free = elements[0] if elements else element("freejoint")
        if not elements or free.get("name"):
            free.set("name", model.free_joints[item.name])
        if free.tag == "joint":
            free.set("type", "free")
        made.append(free)
    for link, joint in body.movers:
        if joint.name in model.ball_hinges and joint.name not in model.balls:
            continue
        anchor = _ball_anchor(body, joint) if joint.name in model.balls else link.anchor
        add(
            made,
            "joint",
            name=model.balls.get(joint.name) or link.joint_name,
            **_joint(joint, link.axis, anchor, model),
        )
    moves = body.floats or any(body.movers)
    _add_inertial(made, LEAST_BODY if moves and body.links[-1].name in massless else body.mass_properties)
    return made


def _add_contents(made: Element, body: Body, model: MjcfModel) -> None:
    for link in body.links:
        for placed in link.items:
            for geom in model.geoms[placed.number]:
                _add_geom(made, geom, placed.pose, model.materials)
        for frame_on_link in link.frames:
            data = data_of(frame_on_link.frame.extensions)
            kept = {name: text for name, text in data.items() if name not in _MARKS}
            if data.get("material") in model.materials.kept:
                kept["material"] = data["material"]
            name = model.sites[frame_on_link.frame.name]
            add(made, "site", name=name, **pose_attributes(frame_on_link.pose), **kept)
        add_devices(made, link.devices)


def _ball_anchor(body: Body, first: Joint) -> Floats:
    """Return the centre of a ball joint, where its three hinges meet; each hinge states its place up to its axis."""
    anchors = {joint.name: link.anchor for link, joint in body.movers}
    about_x, about_y = anchors[first.name], anchors[f"{first.name.removesuffix('x')}y"]
    return np.array([about_y[0], *about_x[1:]])


def _joint(joint: Joint, axis: Floats, anchor: Floats, model: MjcfModel) -> dict[str, Value]:
    data = data_of(joint.extensions)
    ball = joint.name in model.ball_hinges
    attributes: dict[str, Value] = {"type": "ball"} if ball else {
        "type": "hinge" if joint.kind.turns else "slide", "axis": exact(axis)
    }  # fmt: skip
    if anchor.any():
        attributes["pos"] = exact(anchor)
    if ball and "range" in data:
        attributes["range"] = data["range"]
    elif joint.limits is not None:
        lower, upper = joint.limits.lower, joint.limits.upper
        attributes["range"] = exact([lower, max(upper, lower + NARROWEST)])
    if joint.effort and joint.name not in model.robot.driven_joints:
        attributes["actuatorfrcrange"] = exact([-joint.effort, joint.effort])
    damping = joint.damping + servo_damping(model, joint)
    values = {"damping": damping, "frictionloss": joint.friction, "armature": joint.armature,
              "stiffness": joint.stiffness, "springref": joint.spring_position}  # fmt: skip
    attributes |= {name: exact([value]) for name, value in values.items() if value}
    if "ref" in data and not ball:
        attributes["ref"] = data["ref"]
    return attributes | {name: text for name, text in data.items() if name not in _MARKS}


def _add_inertial(body: Element, properties: MassProperties) -> None:
    if properties.mass <= 0.0:
        return
    inertia = nearest_inertia(properties.inertia, LEAST_INERTIA)
    moments, turn = np.diag(inertia).copy(), IDENTITY
    if np.abs(inertia - np.diag(moments)).max() > _ROUNDING * moments.max():
        moments, axes = np.linalg.eigh(inertia)
        turn = frame((0.0, 0.0, 0.0), z=axes[:, 2], x=axes[:, 0])
    # MuJoCo refuses a moment above the sum of the others, even by a rounding error.
    most = int(moments.argmax())
    missing = 2 * moments[most] - moments.sum()
    if missing >= 0.0:
        moments[np.arange(3) != most] += missing / 2 + 4 * np.finfo(float).eps * moments[most]
    place = {name: value for name, value in pose_attributes(turn).items() if name == "quat"}
    add(body, "inertial", pos=exact(properties.centre), **place, mass=exact([properties.mass]),
        diaginertia=exact(moments))  # fmt: skip


def _add_geom(body: Element, geom: Geom, link_from_item: Floats, materials: Materials) -> None:
    shape, solid = geom.shape, geom.solid
    is_solid = solid is not None
    attributes: dict[str, Value] = {"name": geom.name} if geom.name else {}
    if not _is_both(geom):
        attributes["class_"] = "collision" if is_solid else "visual"
    if shape.primitive is not None:
        attributes |= {"type": shape.primitive.kind.value, "size": _sizes(shape.primitive)}
    else:
        attributes |= {"type": "mesh", "mesh": _mesh_name(shape.mesh)}
    attributes |= pose_attributes(link_from_item @ shape.pose)
    material = materials.name_of(shape)
    if material:
        attributes["material"] = material
    if not materials.paints(material, shape.colour):
        attributes["rgba"] = exact(shape.colour)
    source = shape.source if solid is None else solid.source
    data = data_of(source.extensions)
    if "geom" in data and not _is_both(geom):
        # The class must not change the group of the file.
        attributes["group"] = "0"
    if solid is not None and not isinstance(source, Visual):
        if source.contact_groups is not None:
            attributes["contype"] = str(source.contact_groups.member_of)
            attributes["conaffinity"] = str(source.contact_groups.tests)
        if source.friction is not None:
            further = data.get("friction", "").split()[1:]
            attributes["friction"] = " ".join([exact([source.friction]), *further])
    attributes |= {name: text for name, text in data.items() if name not in _MARKS}
    add(body, "geom", **attributes)


def _sizes(primitive: Primitive) -> str:
    """Return the sizes of a geom: MuJoCo takes half sides and half lengths, radii and semi-axes."""
    first, *rest = primitive.sizes
    if primitive.kind is PrimitiveKind.BOX:
        return exact(size / 2 for size in primitive.sizes)
    if primitive.kind in (PrimitiveKind.CYLINDER, PrimitiveKind.CAPSULE):
        return exact([first, rest[0] / 2])
    return exact(primitive.sizes)
