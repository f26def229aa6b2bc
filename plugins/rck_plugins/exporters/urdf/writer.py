"""Write URDF (http://wiki.ros.org/urdf/XML)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting import (
    ExportLink,
    ExportShape,
    LinkTree,
    Merge,
    MeshAssets,
    PlacedDevice,
    PlacedFrame,
    legal_names,
    link_tree,
    list_names,
    loss,
    shapes_of,
)
from rck.exporting.file_text import Value, add, element, tidy, tidy_colour, tidy_tensor, xml_bytes
from rck.exporting.gaps import effort_and_speed
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler, translation
from rck.hooks import Exported, Job, Values
from rck.model import Actuation, Colour, Finding, Joint, JointKind, Primitive, PrimitiveKind, Robot, Visual
from rck.model.extensions import Extensions
from rck.model.frame import IDENTITY
from rck.model.proportional_loops import without_proportional_loops
from rck_plugins.exporters.urdf.loops import SUFFIX, loop_elements, loop_file
from rck_plugins.exporters.urdf.ros_package import layout_of, package_files
from rck_plugins.exporters.urdf.srdf import srdf_bytes

WORLD = "world"
"""The root link if the robot is not a single tree at the origin."""

UNLIMITED = 1e9
"""Written for unknown limits, in N m, N, rad/s, m/s or m, because URDF requires a number."""

_PRIMITIVES = (PrimitiveKind.BOX, PrimitiveKind.SPHERE, PrimitiveKind.CYLINDER)

_REMARK = "Written by RCK. Metres, radians, kilograms, seconds, newtons."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the URDF, its meshes, the SRDF and the ROS 2 package."""
    robot, as_mimics = without_proportional_loops(robot)
    package = values.get("ros-package") or ""
    layout = layout_of(name, package)
    shapes = shapes_of(robot, layout.folder, values.get("meshes", "stl"), _PRIMITIVES)
    job.progress(0.5, "links")
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.NONE
    tree = link_tree(robot, merge=merge, taken=(WORLD,))
    writer = _Writer(tree, shapes, layout.mesh_prefix, values.get("version", "1.0"))
    files = {layout.urdf: xml_bytes(writer.robot_element(layout.mujoco), _REMARK)}
    if values.get("srdf", True):
        job.progress(0.9, "collision pairs")
        files[layout.srdf] = srdf_bytes(tree, base=writer.base)
    if robot.loops:
        files[str(PurePosixPath(layout.urdf).with_suffix(SUFFIX))] = loop_file(tree)
    files |= {f"{layout.file_prefix}{path}": content for path, content in shapes.files.items()}
    if package:
        files |= package_files(package, tree.name, files, layout.urdf)
    findings = list(_losses(tree, name))
    if as_mimics:
        findings.append(loss(name, f"loops that hold exact proportions are mimic joints: {list_names(as_mimics)}"))
    return Exported(files, tuple(findings))


class _Writer:
    """The elements of one file."""

    def __init__(self, tree: LinkTree, shapes: MeshAssets, mesh_prefix: str, version: str) -> None:
        self.tree = tree
        self._version = version
        self.base = _base(tree)
        """The name of the root link."""
        self._shapes = shapes
        self._mesh_prefix = mesh_prefix
        self._materials: dict[tuple[Colour, str], str] = {}
        """Names by colour and image."""
        self._names = {WORLD}
        for link in tree.links:
            self._names |= {link.name, link.joint_name}
            self._names |= {name for one in link.frames for name in (one.name, one.joint_name)}
            self._names |= {name for one in link.devices for name in (one.name, one.joint_name)}

    def robot_element(self, mujoco: dict[str, str]) -> Element:
        """Return the element of the robot."""
        root = element("robot", name=self.tree.name)
        if self._version != "1.0":
            root.set("version", self._version)
        add(add(root, "mujoco"), "compiler", **mujoco)
        bodies = [part for link in self.tree.links for part in self._link_elements(link)]
        for (colour, image), name in self._materials.items():
            material = add(root, "material", name=name)
            add(material, "color", rgba=tidy_colour(colour))
            if image:
                add(material, "texture", filename=f"{self._mesh_prefix}{image}")
        if self.base == WORLD:
            add(root, "link", name=WORLD)
        root.extend(bodies)
        root.extend(self._transmissions())
        constraints = list(loop_elements(self.tree))
        if constraints:
            root.set("xmlns:drake", "https://drake.mit.edu")
        root.extend(constraints)
        root.extend(_kept(self.tree.robot.extensions, ("gazebo",)))
        for link in self.tree.links:
            for item in link.items:
                root.extend(_kept(item.item.extensions, ("gazebo",), link.name))
            if link.joint is not None:
                root.extend(_kept(link.joint.extensions, ("gazebo",), link.joint_name))
        return root

    def _transmissions(self) -> Iterator[Element]:
        """Yield a transmission for each joint with a known motor."""
        actuators = self.tree.robot.actuators
        driven = {one.joint: one for one in reversed(actuators)}
        pulled = {joint for tendon in self.tree.robot.tendons for joint, _ in tendon.joints}
        # Motors are no links: they may have the names of links and joints.
        names = legal_names([one.name.rpartition("/")[2] for one in actuators])
        motors = dict(zip((one.name for one in actuators), names, strict=True))
        for link in self.tree.links:
            joint = link.mover
            is_driven = joint is not None and joint.actuation is Actuation.ACTUATED and joint.name not in pulled
            if joint is None or not (is_driven or joint.name in driven):
                continue
            known = driven.get(joint.name)
            made = element("transmission", name=self._new_name(f"{link.joint_name}_transmission"))
            add(made, "type").text = "transmission_interface/SimpleTransmission"
            interface = "hardware_interface/EffortJointInterface"
            add(add(made, "joint", name=link.joint_name), "hardwareInterface").text = interface
            name = self._new_name(f"{link.joint_name}_motor") if known is None else motors[known.name]
            motor = add(made, "actuator", name=name)
            add(motor, "mechanicalReduction", 1.0 if known is None else known.gear)
            yield made

    def _link_elements(self, link: ExportLink) -> Iterator[Element]:
        """Yield the link, the joint to its parent, and its frames and devices, which become empty links."""
        made = element("link", name=link.name)
        made.append(_inertial(link))
        shapes = [
            (shape, _origin(on.pose @ shape.pose)) for on in link.items for shape in self._shapes.of_item[on.number]
        ]
        for tag in ("visual", "collision"):
            made.extend(self._shape_elements(tag, shapes))
        yield made
        parent = None if link.parent is None else self.tree.links[link.parent].name
        if parent is None and self.base == WORLD:
            parent = WORLD
        if parent is not None:
            yield from self._joint_elements(link, parent)
        for placed in chain[PlacedFrame | PlacedDevice](link.frames, link.devices):
            yield _empty_link(placed.name)
            yield _fixed_joint(placed.joint_name, link.name, placed.name, placed.pose)

    def _joint_elements(self, link: ExportLink, parent: str) -> Iterator[Element]:
        """Yield the joint to the parent. In URDF its axis passes through the origin of the link: else insert a link."""
        if not link.anchor.any():
            yield self._joint(link, parent, link.name, link.pose)
            return
        between, fastener = (self._new_name(f"{name}_axis") for name in (link.name, link.joint_name))
        yield _empty_link(between)
        yield self._joint(link, parent, between, link.pose @ translation(link.anchor))
        yield _fixed_joint(fastener, between, link.name, translation(-link.anchor))

    def _joint(self, link: ExportLink, parent: str, child: str, pose: Floats) -> Element:
        made = _fixed_joint(link.joint_name, parent, child, pose)
        joint = link.mover
        if joint is None:
            return made
        made.set("type", joint.kind.value)
        add(made, "axis", xyz=tidy(link.axis))
        limit = _limit(joint, self.tree.robot)
        if self._version != "1.0" and (dynamic := _dynamic_limits(joint)):
            limit = {"effort": UNLIMITED, "velocity": UNLIMITED} | limit | dynamic
        if limit:
            add(made, "limit", **limit)
        if joint.damping or joint.friction:
            add(made, "dynamics", damping=joint.damping, friction=joint.friction)
        if joint.mimic is not None:
            leader = self.tree.joint_names[joint.mimic.joint]
            add(made, "mimic", joint=leader, multiplier=joint.mimic.ratio, offset=joint.mimic.offset)
        made.extend(_kept(joint.extensions, ("calibration", "safety_controller")))
        return made

    def _material_name(self, shape: ExportShape) -> str:
        """Return the name of the material of a shape: that of its source if no other material has it."""
        key = (shape.colour, shape.image)
        if key not in self._materials:
            source = shape.source.material if isinstance(shape.source, Visual) else ""
            taken = set(self._materials.values())
            name = source if source and source not in taken else f"colour_{len(self._materials) + 1}"
            self._materials[key] = name if name not in taken else f"colour_{len(self._materials) + 1}_"
        return self._materials[key]

    def _new_name(self, wanted: str) -> str:
        """Return the name, with a number if it is taken."""
        number = 2
        name = wanted
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name

    def _shape_elements(self, tag: str, shapes: Iterable[tuple[ExportShape, Element]]) -> Iterator[Element]:
        """Yield the visual or collision elements of a link, from its shapes and their origins."""
        for shape, origin in shapes:
            if not (shape.seen if tag == "visual" else shape.solid):
                continue
            made = element(tag, name=shape.name)
            made.append(origin)
            geometry = add(made, "geometry")
            if shape.primitive is not None:
                _add_primitive(geometry, shape.primitive)
            else:
                add(geometry, "mesh", filename=f"{self._mesh_prefix}{shape.mesh}")
            if tag == "visual":
                add(made, "material", name=self._material_name(shape))
            yield made


def _kept(extensions: Extensions, tags: Sequence[str], reference: str = "") -> Iterator[Element]:
    """Yield the elements of URDF that are kept under these tags, with a reference to what has them."""
    for tag in tags:
        text = extensions.get("urdf", {}).get(f"<{tag}>", "")
        try:
            found = list(ElementTree.fromstring(f"<list>{text}</list>"))
        except ElementTree.ParseError:
            continue
        for one in found:
            if reference:
                one.set("reference", reference)
            yield one


def _add_primitive(geometry: Element, primitive: Primitive) -> None:
    if primitive.kind is PrimitiveKind.BOX:
        add(geometry, "box", size=tidy(primitive.sizes))
    elif primitive.kind is PrimitiveKind.SPHERE:
        add(geometry, "sphere", radius=primitive.sizes[0])
    else:
        radius, length = primitive.sizes
        add(geometry, "cylinder", radius=radius, length=length)


def _base(tree: LinkTree) -> str:
    """Return the name of the root link: the only root if it floats or is at the origin, otherwise the world."""
    first = tree.links[tree.roots[0]] if tree.roots else None
    if first is not None and len(tree.roots) == 1 and (first.floats or _at_origin(first)):
        return first.name
    return WORLD


def _at_origin(link: ExportLink) -> bool:
    return bool((tidy(link.pose) == IDENTITY).all())


def _inertial(link: ExportLink) -> Element:
    body = link.mass_properties
    upper = tidy_tensor(body.inertia)[np.triu_indices(3)]
    return _inertial_element(body.mass, body.centre, upper.tolist())


def _inertial_element(mass: float, centre: Sequence[float] | Floats, inertia: Sequence[float]) -> Element:
    made = element("inertial")
    add(made, "origin", xyz=tidy(centre), rpy=(0.0, 0.0, 0.0))
    add(made, "mass", value=mass)
    add(made, "inertia", **dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), inertia, strict=True)))
    return made


def _empty_link(name: str) -> Element:
    """Return a link with zero mass; some programs give a link without mass a kilogram."""
    made = element("link", name=name)
    made.append(_inertial_element(0.0, (0.0, 0.0, 0.0), [0.0] * 6))
    return made


def _fixed_joint(name: str, parent: str, child: str, pose: Floats) -> Element:
    made = element("joint", name=name, type=JointKind.FIXED.value)
    made.append(_origin(pose))
    add(made, "parent", link=parent)
    add(made, "child", link=child)
    return made


def _limit(joint: Joint, robot: Robot) -> dict[str, Value]:
    """Return the attributes of the limit element; none for a continuous joint without other limits."""
    effort, speed = effort_and_speed(robot, joint)
    limit: dict[str, Value] = {}
    if joint.limits is not None:
        limit = {"lower": joint.limits.lower, "upper": joint.limits.upper}
    elif joint.kind is JointKind.PRISMATIC:
        limit = {"lower": -UNLIMITED, "upper": UNLIMITED}
    if not limit and effort is None and speed is None:
        return {}
    return {
        **limit,
        "effort": UNLIMITED if effort is None else effort,
        "velocity": UNLIMITED if speed is None else speed,
    }


def _dynamic_limits(joint: Joint) -> dict[str, Value]:
    """Return the limits that URDF 1.2 adds: of acceleration, and those that came from a URDF file."""
    kept = joint.extensions.get("urdf", {})
    limit: dict[str, Value] = {} if joint.acceleration is None else {"acceleration": joint.acceleration}
    return limit | {name: kept[name] for name in ("deceleration", "jerk") if name in kept}


def _origin(pose: Floats) -> Element:
    turn = to_euler(pose, "xyz")
    return element("origin", xyz=tidy(pose[:3, 3]), rpy=tidy(turn) if any(turn) else "0 0 0")


def _losses(tree: LinkTree, where: str) -> Iterator[Finding]:
    """Yield what becomes of several roots, and of a root that floats."""
    if loops := tree.robot.loops:
        names = list_names(loop.name for loop in loops)
        message = f"URDF is a tree, which has the loops open: {names}; {SUFFIX[1:]} next to it has them for RCK"
        yield loss(where, f"{message}, and tags of Drake for Drake", changes_behaviour=True)
    floating = [tree.links[root] for root in tree.roots if tree.links[root].floats]
    if len(tree.roots) > 1:
        yield loss(where, f"several robots or loose objects are joined to one link, {WORLD}")
    if floating and len(tree.roots) > 1:
        names = list_names(link.name for link in floating)
        yield loss(where, f"mobile items are fixed to the world: {names}", changes_behaviour=True)
    elif floating and not _at_origin(floating[0]):
        yield loss(where, f"the pose in the world is not supported by URDF: {floating[0].name} is at the origin")
