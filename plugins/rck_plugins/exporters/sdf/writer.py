"""Write SDFormat (http://sdformat.org/spec)."""

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
    link_tree,
    list_names,
    massless_links,
    models_of,
    shapes_of,
)
from rck.exporting.file_text import add, element, tidy, tidy_colour, tidy_tensor, valid_inertia, xml_bytes
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import to_euler, translation
from rck.hooks import Exported, Job, Values
from rck.model import Colour, Finding, Joint, Primitive, PrimitiveKind, Robot, Severity
from rck_plugins.exporters.sdf.devices import device_losses, gripper_elements, sensor_elements, wrench_elements

WITH_MIMIC = "1.11"
WITHOUT_MIMIC = "1.9"

_REMARK = "Written by RCK. Metres, radians, kilograms, seconds, newtons."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the model or world with its meshes."""
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
    for model in models:
        outer.append(writer.model_element(model))
    findings = list(device_losses(tree, name))
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
            link = self._tree.links[number]
            made.append(self._link_element(link, in_model=None if link is alone else link.pose))
            if link.parent is not None:
                made.append(self._joint_element(link, self._tree.links[link.parent].name))
            elif not model.loose and not link.floats:
                made.append(self._joint_element(link, "world"))
            for frame in link.frames:
                _add_pose(add(made, "frame", name=frame.name, attached_to=link.name), frame.pose)
        made.extend(gripper_elements(self._tree, [self._tree.links[number] for number in model.links]))
        return made

    def _link_element(self, link: ExportLink, in_model: Floats | None) -> Element:
        """Return the link; `in_model` is its pose, or None if it has the frame of the model."""
        made = element("link", name=link.name)
        if in_model is not None:
            _add_pose(made, in_model, None if link.parent is None else self._tree.links[link.parent].name)
        if link.mass_properties.mass > 0.0:
            _add_inertial(made, link.mass_properties)
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


def _add_pose(parent: Element, pose: Floats, relative_to: str | None = None) -> None:
    numbers = tidy([*pose[:3, 3], *to_euler(pose, "xyz")])
    if relative_to is not None:
        add(parent, "pose", numbers, relative_to=relative_to)
    elif numbers.any():
        add(parent, "pose", numbers)


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
    for tag, wanted in (("visual", shape.seen), ("collision", shape.solid)):
        if not wanted:
            continue
        made = add(parent, tag, name=f"{shape.name}_{tag}")
        _add_pose(made, link_from_item @ shape.pose)
        geometry = add(made, "geometry")
        if shape.primitive is not None:
            _add_primitive(geometry, shape.primitive)
        else:
            add(add(geometry, "mesh"), "uri", shape.mesh)
        if tag == "visual":
            _add_material(made, shape.colour)


def _add_primitive(geometry: Element, primitive: Primitive) -> None:
    made = add(geometry, primitive.kind.value)
    if primitive.kind is PrimitiveKind.BOX:
        add(made, "size", tidy(primitive.sizes))
    elif primitive.kind is PrimitiveKind.ELLIPSOID:
        add(made, "radii", tidy(primitive.sizes))
    else:
        for tag, value in zip(("radius", "length"), primitive.sizes, strict=False):
            add(made, tag, value)


def _add_material(parent: Element, colour: Colour) -> None:
    red, green, blue, opacity = tidy_colour(colour).tolist()
    if opacity < 1.0:
        add(parent, "transparency", 1.0 - opacity)
    material = add(parent, "material")
    for tag in ("ambient", "diffuse"):
        add(material, tag, (red, green, blue, 1.0))
