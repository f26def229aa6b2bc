"""Writing URDF (http://wiki.ros.org/urdf/XML)."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting import Link, LinkTree, Merge, Shape, Shapes, link_tree, lost, shapes_of, some
from rck.exporting.devices import lost_devices, placed_devices
from rck.exporting.losses import lost_by_all, lost_stance, moving_joints
from rck.exporting.xml_text import Value, add, element, tidy, tidy_colour, tidy_tensor, xml_bytes
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler, translation
from rck.hooks import Exported, Job, Values
from rck.model import Colour, Finding, Joint, JointKind, Robot
from rck.model.pose import IDENTITY
from rck_export_urdf.layout import layout_of
from rck_export_urdf.ros_package import package_files
from rck_export_urdf.srdf import srdf_bytes

WORLD = "world"
"""The link that everything hangs on where one root, at the origin, does not do."""

UNLIMITED = 1e9
"""Stands for a limit that is not known, in N m, N, rad/s, m/s or m, since the format wants a number."""

_REMARK = "Written by RCK. Metres, radians, kilograms, seconds, newtons."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The URDF and what goes with it, and what it could not hold."""
    package = values.get("ros-package") or ""
    layout = layout_of(name, package)
    shapes = shapes_of(robot, layout.folder, values.get("meshes", "stl"))
    job.progress(0.5, "links")
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.NONE
    tree = link_tree(robot, merge=merge, taken=(WORLD,))
    writer = _Writer(tree, shapes, layout.mesh_prefix)
    files = {layout.urdf: xml_bytes(writer.robot_element(layout.mujoco), _REMARK)}
    if values.get("srdf", True):
        job.progress(0.9, "pairs that may touch")
        files[layout.srdf] = srdf_bytes(tree, base=writer.base)
    files |= {f"{layout.file_prefix}{path}": content for path, content in shapes.files.items()}
    if package:
        files |= package_files(package, tree.name, files, layout.urdf)
    return Exported(files, tuple(_losses(tree, name, stance_kept=layout.srdf in files)))


class _Writer:
    """The elements of one file; materials are numbered as they are met."""

    def __init__(self, tree: LinkTree, shapes: Shapes, mesh_prefix: str) -> None:
        self.tree = tree
        self.base = _base(tree)
        """The one link that hangs on nothing."""
        self._shapes = shapes
        self._mesh_prefix = mesh_prefix
        self._materials: dict[Colour, str] = {}
        self._names = {WORLD}
        for link in tree.links:
            self._names |= {link.name, link.joint_name}
            self._names |= {name for one in link.frames for name in (one.name, one.joint_name)}
            self._names |= {name for one in link.devices for name in (one.name, one.joint_name)}

    def robot_element(self, mujoco: dict[str, str]) -> Element:
        """The whole robot."""
        root = element("robot", name=self.tree.name)
        add(add(root, "mujoco"), "compiler", **mujoco)
        bodies = [part for link in self.tree.links for part in self._link_elements(link)]
        for colour, name in self._materials.items():
            add(add(root, "material", name=name), "color", rgba=tidy_colour(colour))
        if self.base == WORLD:
            add(root, "link", name=WORLD)
        root.extend(bodies)
        return root

    def _link_elements(self, link: Link) -> Iterator[Element]:
        """The link, the joint to its parent, and its frames and devices, which are links without a body."""
        made = element("link", name=link.name)
        made.append(_inertial(link))
        for tag in ("visual", "collision"):
            for placed in link.items:
                made.extend(self._shape_elements(tag, self._shapes.of_item[placed.number], placed.pose))
        yield made
        parent = None if link.parent is None else self.tree.links[link.parent].name
        if parent is None and self.base == WORLD:
            parent = WORLD
        if parent is not None:
            yield from self._joint_elements(link, parent)
        places = [(frame.name, frame.joint_name, frame.pose) for frame in link.frames]
        places += [(device.name, device.joint_name, device.pose) for device in link.devices]
        for name, joint_name, pose in places:
            yield _weightless_link(name)
            yield _fixed_joint(joint_name, link.name, name, pose)

    def _joint_elements(self, link: Link, parent: str) -> Iterator[Element]:
        """The joint to the parent. URDF wants its axis to pass through the link's origin: a link between helps."""
        if not link.anchor.any():
            yield _joint(self.tree, link, parent, link.name, link.pose)
            return
        between, fastener = (self._new_name(f"{name}_axis") for name in (link.name, link.joint_name))
        yield _weightless_link(between)
        yield _joint(self.tree, link, parent, between, link.pose @ translation(link.anchor))
        yield _fixed_joint(fastener, between, link.name, translation(-link.anchor))

    def _new_name(self, wish: str) -> str:
        """The wish, with a number where something has that name already."""
        number = 2
        name = wish
        while name in self._names:
            name, number = f"{wish}_{number}", number + 1
        self._names.add(name)
        return name

    def _shape_elements(self, tag: str, shapes: Sequence[Shape], link_from_item: Floats) -> Iterator[Element]:
        """How an item looks, or what it collides with."""
        for shape in shapes:
            if not (shape.seen if tag == "visual" else shape.solid):
                continue
            made = element(tag, name=shape.name)
            _add_origin(made, link_from_item @ shape.pose)
            geometry = add(made, "geometry")
            if shape.box is not None:
                add(geometry, "box", size=tidy(shape.box.sides))
            else:
                add(geometry, "mesh", filename=f"{self._mesh_prefix}{shape.mesh}")
            if tag == "visual":
                colour = self._materials.setdefault(shape.colour, f"colour_{len(self._materials) + 1}")
                add(made, "material", name=colour)
            yield made


def _base(tree: LinkTree) -> str:
    """The name of the one link that hangs on nothing: the world, unless that would pin down what should not be."""
    first = tree.links[tree.roots[0]] if tree.roots else None
    if first is not None and len(tree.roots) == 1 and (first.floats or _at_origin(first)):
        return first.name
    return WORLD


def _at_origin(link: Link) -> bool:
    return bool((tidy(link.pose) == IDENTITY).all())


def _inertial(link: Link) -> Element:
    body = link.mass_properties
    upper = tidy_tensor(body.inertia)[np.triu_indices(3)]
    return _inertial_element(body.mass, body.centre, upper.tolist())


def _inertial_element(mass: float, centre: Sequence[float] | Floats, inertia: Sequence[float]) -> Element:
    made = element("inertial")
    add(made, "origin", xyz=tidy(centre), rpy=(0.0, 0.0, 0.0))
    add(made, "mass", value=mass)
    add(made, "inertia", **dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), inertia, strict=True)))
    return made


def _weightless_link(name: str) -> Element:
    """A frame. Its mass is given as zero, for some programs take a link that says nothing to weigh a kilogram."""
    made = element("link", name=name)
    made.append(_inertial_element(0.0, (0.0, 0.0, 0.0), [0.0] * 6))
    return made


def _joint(tree: LinkTree, link: Link, parent: str, child: str, pose: Floats) -> Element:
    made = _fixed_joint(link.joint_name, parent, child, pose)
    joint = link.mover
    if joint is None:
        return made
    made.set("type", joint.kind.value)
    add(made, "axis", xyz=tidy(link.axis))
    if limit := _limit(joint, tree.robot):
        add(made, "limit", **limit)
    if joint.damping or joint.friction:
        add(made, "dynamics", damping=joint.damping, friction=joint.friction)
    if joint.mimic is not None:
        leader = tree.joint_names[joint.mimic.joint]
        add(made, "mimic", joint=leader, multiplier=joint.mimic.ratio, offset=joint.mimic.offset)
    return made


def _fixed_joint(name: str, parent: str, child: str, pose: Floats) -> Element:
    made = element("joint", name=name, type=JointKind.FIXED.value)
    _add_origin(made, pose)
    add(made, "parent", link=parent)
    add(made, "child", link=child)
    return made


def _limit(joint: Joint, robot: Robot) -> dict[str, Value]:
    """The attributes of the limit element; none for a joint that turns without end and has no other limit."""
    effort, speed = _bounds(joint, robot)
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


def _bounds(joint: Joint, robot: Robot) -> tuple[float | None, float | None]:
    """The greatest effort and speed; a follower that does not say has those that its leader can drive it with."""
    effort, speed = joint.effort, joint.speed
    if joint.mimic is None or joint.mimic.ratio == 0.0:
        return effort, speed
    leader, ratio = robot.joint(joint.mimic.joint), abs(joint.mimic.ratio)
    if effort is None and leader.effort is not None:
        effort = leader.effort / ratio
    if speed is None and leader.speed is not None:
        speed = leader.speed * ratio
    return effort, speed


def _add_origin(parent: Element, pose: Floats) -> None:
    add(parent, "origin", xyz=tidy(pose[:3, 3]), rpy=tidy(to_euler(pose, "xyz")))


def _losses(tree: LinkTree, where: str, *, stance_kept: bool) -> Iterator[Finding]:
    """What the format has no place for."""
    robot = tree.robot
    loose = [tree.links[root] for root in tree.roots if tree.links[root].floats]
    if len(tree.roots) > 1:
        yield lost(where, f"several robots or loose objects hang on one link, {WORLD}")
    if loose and len(tree.roots) > 1:
        pinned = some(link.name for link in loose)
        yield lost(where, f"what may be pushed along is fastened to the world: {pinned}", matters=True)
    elif loose and not _at_origin(loose[0]):
        yield lost(where, f"the place in the world is left out: {loose[0].name} is at the origin")
    endless = [j.name for j in moving_joints(robot) if j.kind is JointKind.PRISMATIC and j.limits is None]
    if endless:
        yield lost(where, f"joints slide without limits; {UNLIMITED:g} m was written: {some(endless)}", matters=True)
    if unknown := [
        j.name for j in moving_joints(robot) if UNLIMITED in map(_limit(j, robot).get, ("effort", "velocity"))
    ]:
        message = f"the greatest effort or speed is not known; {UNLIMITED:g} was written: {some(unknown)}"
        yield lost(where, message, matters=True)
    devices = [placed for _, placed in placed_devices(tree)]
    yield from lost_devices(devices, where, "a sensor or gripper is a link without a body at its place, and no more")
    if not stance_kept:
        yield from lost_stance(robot, where)
    yield from lost_by_all(robot, where)
