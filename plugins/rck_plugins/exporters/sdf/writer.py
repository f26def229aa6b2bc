"""Write SDFormat (http://sdformat.org/spec)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting import (
    LEAST_BODY,
    ExportLink,
    ExportShape,
    LinkModel,
    LinkTree,
    Merge,
    MeshAssets,
    legal_name,
    legal_names,
    link_tree,
    list_names,
    massless_links,
    models_of,
    shapes_of,
)
from rck.exporting.ball_joints import BallJoint, ball_joints
from rck.exporting.closed_at_zero import closed_at_zero
from rck.exporting.file_text import add, element, format_value, tidy, tidy_colour, tidy_tensor, valid_inertia, xml_bytes
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import to_euler, translation
from rck.hooks import Exported, Job, Values
from rck.model import Finding, Joint, LoopKind, Primitive, PrimitiveKind, Robot, Severity, Subitem, Visual
from rck_plugins.exporters.sdf.devices import device_losses, gripper_elements, sensor_elements, wrench_elements

WITH_MIMIC = "1.11"
WITHOUT_MIMIC = "1.9"

_REFERENCES = frozenset({"parent", "child", "gripper_link", "palm_link", "collision"})
"""Elements whose text may be the name of a link, a joint or a shape."""
_LOOP_TYPES = {
    LoopKind.CONNECT: "ball",
    LoopKind.WELD: "fixed",
    LoopKind.REVOLUTE: "continuous",
    LoopKind.PRISMATIC: "prismatic",
}

_REMARK = "Written by RCK. Metres, radians, kilograms, seconds, newtons."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the model or world with its meshes."""
    moved = closed_at_zero(robot)
    findings = []
    if moved is not robot and any(joint.position for joint in robot.joints):
        message = "joint positions count from the exported ones, because SDFormat closes loops at zero"
        findings.append(Finding(504, Severity.NOTE, name, message))
    robot = moved
    shapes = shapes_of(
        robot, f"{legal_name(PurePath(name).stem)}_meshes", values.get("meshes", "stl"), tuple(PrimitiveKind)
    )
    job.progress(0.5, "links")
    # A link without a mass gets a kilogram, and a mass must not be zero.
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.WEIGHTLESS
    tree = link_tree(robot, merge=merge, taken=("world",), one_namespace=True)
    version = values.get("version", "auto")
    if version == "auto":
        version = WITH_MIMIC if any(joint.mimic for joint in robot.joints) else WITHOUT_MIMIC
    writer = _Writer(tree, shapes, with_mimic=version == WITH_MIMIC)
    root = element("sdf", version=version)
    models = models_of(tree)
    outer = root if len(models) == 1 else add(root, "world", name=tree.name)
    made = [writer.model_element(model) for model in models]
    outer.extend(made)
    if len(made) > 1:
        _shorten_names(made)
    findings += device_losses(tree, name)
    if writer.with_mimic and (mimics := [joint.name for joint in robot.joints if joint.mimic is not None]):
        message = f"mimic joints need libsdformat 14 or later: {list_names(mimics)}"
        fix = f"export with version={WITHOUT_MIMIC} for older versions"
        findings.append(Finding(504, Severity.NOTE, name, message, fix))
    return Exported({name: xml_bytes(root, _REMARK), **shapes.files}, tuple(findings))


class _Writer:
    """The elements of one file."""

    def __init__(self, tree: LinkTree, shapes: MeshAssets, *, with_mimic: bool) -> None:
        self._tree = tree
        self._shapes = shapes
        self.with_mimic = with_mimic
        self._massless = frozenset(massless_links(tree))
        balls = list(ball_joints(tree))
        self._ball_of = {ball.links[2]: ball for ball in balls}
        self._within_balls = {number for ball in balls for number in ball.links[:2]}

    def model_element(self, model: LinkModel) -> Element:
        """Return the element of a robot or a loose object."""
        made = element("model", name=model.name)
        roots = model.roots(self._tree)
        alone = roots[0] if len(roots) == 1 else None
        if alone is not None:
            _add_pose(made, alone.pose)
        if model.loose and not roots[0].floats:
            add(made, "static", "true")
        for number in model.links:
            if number in self._within_balls:
                continue
            link = self._tree.links[number]
            if ball := self._ball_of.get(number):
                made.extend(self._ball_elements(link, ball))
                continue
            made.append(self._link_element(link, in_model=None if link is alone else link.pose))
            if link.parent is not None:
                made.append(self._joint_element(link, self._tree.links[link.parent].name))
            elif not model.loose and not link.floats:
                made.append(self._joint_element(link, "world"))
            made.extend(_frame_elements(link))
        made.extend(self._loop_elements(model))
        made.extend(gripper_elements(self._tree, [self._tree.links[number] for number in model.links]))
        return made

    def _loop_elements(self, model: LinkModel) -> Iterator[Element]:
        """Yield the joints that close loops: a second joint of their child link."""
        loops = self._tree.robot.loops
        taken = [name for link in self._tree.links for name in (link.name, link.joint_name)]
        taken += [frame.name for link in self._tree.links for frame in link.frames]
        taken += [device.name for link in self._tree.links for device in link.devices]
        for name, loop in zip(legal_names([one.name for one in loops], taken=taken), loops, strict=True):
            (parent, _), (child, pose) = (self._tree.link_of_item[item] for item in loop.items)
            if child not in model.links:
                continue
            made = element("joint", name=name, type=_LOOP_TYPES[loop.kind])
            add(made, "parent", self._tree.links[parent].name)
            add(made, "child", self._tree.links[child].name)
            _add_pose(made, pose @ loop.poses[1])
            if loop.kind in (LoopKind.REVOLUTE, LoopKind.PRISMATIC):
                axis = add(made, "axis")
                add(axis, "xyz", (0.0, 0.0, 1.0))
                add(axis, "limit")
            yield made

    def _ball_elements(self, link: ExportLink, ball: BallJoint) -> Iterator[Element]:
        """Yield a link, the ball joint that moves it, and its frames."""
        base = self._tree.links[ball.links[0]].parent
        parent = "world" if base is None else self._tree.links[base].name
        moved = replace(link, parent=base)
        yield self._link_element(moved, ball.pose, ball.mass_properties)
        made = element("joint", name=self._ball_name(ball), type="ball")
        add(made, "parent", parent)
        add(made, "child", link.name)
        _add_pose(made, translation(ball.centre))
        made.extend(wrench_elements(link))
        yield made
        yield from _frame_elements(link)

    def _ball_name(self, ball: BallJoint) -> str:
        """Return the name in the source file if nothing else has it."""
        names = {name for link in self._tree.links for name in (link.name, link.joint_name)}
        names |= {frame.name for link in self._tree.links for frame in link.frames}
        name = legal_name(ball.name)
        return self._tree.links[ball.links[0]].joint_name if name in names else name

    def _link_element(
        self, link: ExportLink, in_model: Floats | None, mass_properties: MassProperties | None = None
    ) -> Element:
        """Return the link; `in_model` is its pose, or None if it has the frame of the model."""
        made = element("link", name=link.name)
        if in_model is not None:
            _add_pose(made, in_model, None if link.parent is None else self._tree.links[link.parent].name)
        body = mass_properties or link.mass_properties
        if body.mass > 0.0:
            _add_inertial(made, body)
        elif link.name in self._massless:
            _add_inertial(made, LEAST_BODY)
        for placed in link.items:
            for shape in self._shapes.of_item[placed.number]:
                _add_shape(made, shape, placed.pose)
        made.extend(sensor_elements(link, self._shapes))
        return made

    def _joint_element(self, link: ExportLink, parent: str) -> Element:
        joint = link.mover
        made = element("joint", name=link.joint_name, type="fixed" if joint is None else joint.kind.value)
        add(made, "parent", parent)
        add(made, "child", link.name)
        _add_pose(made, translation(link.anchor))
        if joint is not None:
            made.append(self._axis_element(joint, link.axis))
        made.extend(wrench_elements(link))
        return made

    def _axis_element(self, joint: Joint, axis: Floats) -> Element:
        made = element("axis")
        add(made, "xyz", tidy(axis))
        limit = add(made, "limit")
        if joint.limits is not None:
            add(limit, "lower", joint.limits.lower)
            add(limit, "upper", joint.limits.upper)
        if joint.effort is not None:
            add(limit, "effort", joint.effort)
        if joint.speed is not None:
            add(limit, "velocity", joint.speed)
        if joint.damping or joint.friction or joint.stiffness:
            dynamics = add(made, "dynamics")
            add(dynamics, "damping", joint.damping)
            add(dynamics, "friction", joint.friction)
            if joint.stiffness:
                add(dynamics, "spring_reference", joint.spring_position)
                add(dynamics, "spring_stiffness", joint.stiffness)
        if joint.mimic is not None and self.with_mimic:
            mimic = add(made, "mimic", joint=self._tree.joint_names[joint.mimic.joint])
            add(mimic, "multiplier", joint.mimic.ratio)
            add(mimic, "offset", joint.mimic.offset)
            add(mimic, "reference", 0.0)
        return made


def _shorten_names(models: Sequence[Element]) -> None:
    """Call a model after the first part of the names of its links, `arm` of `arm/base`, if all of them have it."""
    scopes = [_scope(model) for model in models]
    for model, scope in zip(models, scopes, strict=True):
        if not scope or scopes.count(scope) > 1:
            continue
        model.set("name", scope[:-1])
        for one in (one for child in model for one in child.iter()):
            for name in ("name", "relative_to", "attached_to", "joint"):
                if one.get(name, "").startswith(scope):
                    one.set(name, one.attrib[name].removeprefix(scope))
            if one.tag in _REFERENCES and one.text:
                one.text = one.text.removeprefix(scope)


def _scope(model: Element) -> str:
    """Return what the names of the links in a model start with, up to a slash; empty if names need it to differ."""
    links = [link.get("name", "") for link in model.findall("link")]
    scope = "".join(links[0].partition("/")[:2])
    names = [one.get("name", "").removeprefix(scope) for one in model if one.tag in ("link", "joint", "frame")]
    common = scope.endswith("/") and all(name.startswith(scope) for name in links)
    return scope if common and len(set(names)) == len(names) else ""


def _frame_elements(link: ExportLink) -> Iterator[Element]:
    for frame in link.frames:
        made = element("frame", name=frame.name, attached_to=link.name)
        _add_pose(made, frame.pose)
        yield made


def _add_pose(parent: Element, pose: Floats, relative_to: str | None = None) -> None:
    numbers = _pose_numbers(pose)
    if relative_to is not None:
        add(parent, "pose", numbers, relative_to=relative_to)
    elif numbers.any():
        add(parent, "pose", numbers)


def _pose_numbers(pose: Floats) -> Floats:
    """Return the position, and roll, pitch and yaw. Shape (6,)."""
    return tidy([*pose[:3, 3].tolist(), *to_euler(pose, "xyz")])


def _add_inertial(parent: Element, body: MassProperties) -> None:
    made = add(parent, "inertial")
    add(made, "pose", tidy([*body.centre, 0.0, 0.0, 0.0]))
    add(made, "mass", body.mass)
    inertia = add(made, "inertia")
    upper = tidy_tensor(valid_inertia(body.inertia))[np.triu_indices(3)]
    for tag, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), upper.tolist(), strict=True):
        add(inertia, tag, value)


def _add_shape(parent: Element, shape: ExportShape, link_from_item: Floats) -> None:
    """Add the visual and collision elements of a shape."""
    pose = _pose_numbers(link_from_item @ shape.pose)
    for tag, wanted in (("visual", shape.seen), ("collision", shape.solid)):
        if not wanted:
            continue
        made = add(parent, tag, name=f"{shape.name}_{tag}")
        if pose.any():
            add(made, "pose", pose)
        geometry = add(made, "geometry")
        if shape.primitive is not None:
            _add_primitive(geometry, shape.primitive)
        else:
            add(add(geometry, "mesh"), "uri", shape.mesh)
        if tag == "visual":
            _add_material(made, shape)
        elif isinstance(shape.source, Subitem):
            _add_surface(made, shape.source)


def _add_primitive(geometry: Element, primitive: Primitive) -> None:
    made = add(geometry, primitive.kind.value)
    if primitive.kind is PrimitiveKind.BOX:
        add(made, "size", tidy(primitive.sizes))
    elif primitive.kind is PrimitiveKind.ELLIPSOID:
        add(made, "radii", tidy(primitive.sizes))
    else:
        for tag, value in zip(("radius", "length"), primitive.sizes, strict=False):
            add(made, tag, value)


def _add_surface(parent: Element, subitem: Subitem) -> None:
    """Add the friction and the collision mask of a collision shape, if it has them."""
    groups = subitem.contact_groups
    has_mask = groups is not None and groups.member_of == groups.tests
    if subitem.friction is None and not has_mask:
        return
    surface = add(parent, "surface")
    if subitem.friction is not None:
        ode = add(add(surface, "friction"), "ode")
        for tag in ("mu", "mu2"):
            add(ode, tag, subitem.friction)
    if has_mask and groups is not None:
        add(add(surface, "contact"), "collide_bitmask", str(groups.member_of))


def _add_material(parent: Element, shape: ExportShape) -> None:
    red, green, blue, opacity = tidy_colour(shape.colour).tolist()
    if opacity < 1.0:
        add(parent, "transparency", 1.0 - opacity)
    material = add(parent, "material")
    rgba = format_value((red, green, blue, 1.0))
    for tag in ("ambient", "diffuse"):
        add(material, tag, rgba)
    source = shape.source
    if not isinstance(source, Visual):
        return
    finish = {"roughness": source.roughness, "metalness": source.metallic}
    if shape.image or any(value is not None for value in finish.values()):
        metal = add(add(material, "pbr"), "metal")
        if shape.image:
            add(metal, "albedo_map", shape.image)
        for tag, value in finish.items():
            if value is not None:
                add(metal, tag, value)
