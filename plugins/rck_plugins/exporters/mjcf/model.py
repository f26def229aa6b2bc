"""The model that an export to MJCF writes: the bodies and geoms of a robot, and the names of everything in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rck.exporting import ExportShape, LinkTree, MeshAssets
from rck.exporting.ball_joints import ball_of
from rck.exporting.device_data import CAMERAS
from rck.geometry.arrays import Floats
from rck.model import Actuator, ActuatorKind, Device, Item, Joint, Robot, Tendon
from rck.model.motor import Motor, motors_of
from rck_plugins.exporters.mjcf.bodies import Body, bodies_of
from rck_plugins.exporters.mjcf.materials import Materials, materials_of
from rck_plugins.exporters.mjcf.names import Named, References, assign_names, data_of, xml_in

NO_DAMPING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Geom:
    """A geom: a visual shape, a collision shape, or one of each that an importer read from the same geom."""

    name: str
    """Empty for a geom without a name."""
    seen: ExportShape | None
    solid: ExportShape | None

    @property
    def shape(self) -> ExportShape:
        """The shape that is written: the visual, of which MuJoCo computes the hull for contacts."""
        shape = self.seen or self.solid
        assert shape is not None
        return shape


@dataclass(frozen=True, eq=False)
class MjcfModel:
    """A robot as MJCF has it."""

    tree: LinkTree
    bodies: Sequence[Body]
    body_of_link: Sequence[int]
    geoms: Sequence[Sequence[Geom]]
    """In the order of `Robot.items`."""
    sites: Mapping[str, str]
    """The name of the site of each frame."""
    actuators: Mapping[str, str]
    tendons: Mapping[str, str]
    free_joints: Mapping[str, str]
    """The name of the free joint of each floating item."""
    balls: Mapping[str, str]
    """The name of the ball joint that each hinge about x is the first of three of."""
    ball_hinges: frozenset[str]
    """All hinges that are parts of ball joints."""
    body_names: Mapping[str, str]
    """The name of the body of each item."""
    item_poses: Mapping[str, Floats]
    """Body from item. Shapes (4, 4)."""
    references: References
    motors: Mapping[str, Motor]
    """The motor of each joint, if known."""
    servos: frozenset[str]
    """The joints of servos whose gains follow from their data sheets."""
    materials: Materials
    added_damping: Mapping[str, float]
    """The damping of the servos that the export adds, by joint, in N m s/rad or N s/m."""

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.tree.robot


def model_of(tree: LinkTree, shapes: MeshAssets, added_damping: Mapping[str, float] = NO_DAMPING) -> MjcfModel:
    """Return the model of a robot; `added_damping` is that of the servos that the export adds, by joint."""
    robot = tree.robot
    bodies, body_of_link = bodies_of(tree)
    geoms = _geoms(robot, shapes)
    legal_frames = {placed.frame.name: placed.name for link in tree.links for placed in link.frames}
    frames = [(one.name, _source(data_of(one.extensions))) for one in robot.frames]
    sites = _assigned([(name, source or legal_frames[name]) for name, source in frames])
    actuators = [(one.name, _actuator_source(one, robot)) for one in robot.actuators]
    tendons = [(one.name, _tendon_source(one)) for one in robot.tendons]
    free_joints = dict(_free_joints(tree))
    devices = [placed for link in tree.links for placed in link.devices]
    placed_items = [(placed, number) for number, link in enumerate(tree.links) for placed in link.items]
    body_names = {placed.item.name: bodies[body_of_link[number]].name for placed, number in placed_items}
    actuator_names, tendon_names = _assigned(actuators), _assigned(tendons)
    balls = _balls(tree)
    references = References({
        "body": [Named(item.name, item.source_name, body_names[item.name]) for item in robot.items],
        "joint": [
            *_joints(tree),
            *(Named(name.removesuffix("-x"), ball_of(tree.robot.joint(name)), ball) for name, ball in balls.items()),
            *(Named(name, *pair) for name, pair in free_joints.items())],
        "site": [
            *(Named(name, source, sites[name]) for name, source in frames),
            *(Named(one.device.name, "", one.name) for one in devices if _has_site(one.device)),
        ],
        "camera": [Named(one.device.name, _source(data_of(one.device.extensions)), one.name) for one in devices],
        "actuator": [Named(name, source, actuator_names[name]) for name, source in actuators],
        "tendon": [Named(name, source, tendon_names[name]) for name, source in tendons],
        "geom": [
            Named(f"{item.name}/{geom.name}", geom.shape.source.name, geom.name)
            for item, of_item in zip(robot.items, geoms, strict=True)
            for geom in of_item
            if geom.name
        ] + [Named(name, name, name) for name in _plane_names(robot)],
    })  # fmt: skip
    return MjcfModel(
        tree,
        bodies,
        body_of_link,
        geoms,
        sites,
        actuator_names,
        tendon_names,
        {name: exported for name, (_, exported) in free_joints.items()},
        balls,
        frozenset(name.removesuffix("x") + letter for name in balls for letter in "xyz"),
        body_names,
        {placed.item.name: placed.pose for placed, _ in placed_items},
        references,
        motors_of(robot),
        frozenset(
            one.joint
            for one in robot.actuators
            if one.kind is ActuatorKind.POSITION and one.values and not one.has_gains
        ),
        materials_of(robot, shapes),
        added_damping,
    )


def _is_servo(actuator: Actuator) -> bool:
    return actuator.kind is ActuatorKind.POSITION and bool(actuator.values) and not actuator.has_gains


def _has_site(device: Device) -> bool:
    """Return True if a device is exported as a site: cameras are not, nor sensors that the file itself states."""
    return device.kind not in CAMERAS and not xml_in(device.extensions, "sensor")


def _plane_names(robot: Robot) -> Iterator[str]:
    """Yield the names of the planes that were kept."""
    kept = xml_in(robot.extensions, "worldbody")
    kept += [one for item in robot.items for one in xml_in(item.extensions, "body")]
    yield from (one.attrib["name"] for one in kept if one.tag == "geom" and one.get("name"))


def _source(data: Mapping[str, str]) -> str:
    return data.get("name", "")


def _actuator_source(actuator: Actuator, robot: Robot) -> str:
    """Return the name in the source; one without a name has that of the importer, without the name of an instance."""
    named = _source(data_of(actuator.extensions))
    if named or not actuator.joint or not robot.joint(actuator.joint).source_name:
        return named
    return actuator.name.rpartition("/")[2]


def _tendon_source(tendon: Tendon) -> str:
    spatial = xml_in(tendon.extensions, "spatial")
    return spatial[0].get("name", "") if spatial else _source(data_of(tendon.extensions))


def _assigned(elements: Sequence[tuple[str, str]]) -> dict[str, str]:
    return dict(zip((name for name, _ in elements), assign_names(elements), strict=True))


def _joints(tree: LinkTree) -> Iterator[Named]:
    for joint in tree.robot.joints:
        if joint.name in tree.joint_names:
            yield Named(joint.name, joint.source_name, tree.joint_names[joint.name])


def _starts_ball(joint: Joint, axes: Mapping[str, Floats]) -> bool:
    """Return True if a joint is the first of three hinges about x, y and z; mirrored ones turn about other axes."""
    ball, stem = ball_of(joint), joint.name.removesuffix("-x")
    if not ball or joint.source_name != f"{ball}-x":
        return False
    directions = [axes.get(f"{stem}-{letter}") for letter in "xyz"]
    unit = np.eye(3)
    return all(one is not None and np.allclose(one, unit[n], atol=1e-9) for n, one in enumerate(directions))


def _balls(tree: LinkTree) -> dict[str, str]:
    """Return the name of each ball joint by its hinge about x."""
    axes = {link.joint.name: link.axis for link in tree.links if link.joint is not None}
    first = [one for one in tree.robot.joints if _starts_ball(one, axes)]
    taken = [name for joint, name in tree.joint_names.items() if joint not in {one.name for one in first}]
    names = assign_names([(one.name.removesuffix("-x"), ball_of(one)) for one in first], taken)
    return dict(zip((one.name for one in first), names, strict=True))


def _free_joints(tree: LinkTree) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield for each floating item its name, and the name of its free joint in the source and in the export."""
    floating = [link for link in tree.links if link.floats]
    sources = [_free_source(link.items[0].item) for link in floating]
    names = assign_names(
        [(link.joint_name, source) for link, source in zip(floating, sources, strict=True)],
        taken=[link.joint_name for link in tree.links if not link.floats],
    )
    for link, source, name in zip(floating, sources, names, strict=True):
        # The importer calls a free joint without a name after its body.
        yield link.items[0].item.name, (source or f"{link.items[0].item.source_name}-free", name)


def _free_source(item: Item) -> str:
    elements = xml_in(item.extensions, "freejoint")
    return elements[0].get("name", "") if elements else ""


def _geoms(robot: Robot, shapes: MeshAssets) -> list[list[Geom]]:
    found = [list(_item_geoms(of_item)) for of_item in shapes.of_item]
    flat = [geom for of_item in found for geom in of_item]
    wanted = [(geom.shape.name, _geom_source(geom.shape)) for geom in flat]
    names = iter(assign_names([pair for pair, geom in zip(wanted, flat, strict=True) if _is_named(geom.shape)]))
    return [
        [Geom(next(names) if _is_named(geom.shape) else "", geom.seen, geom.solid) for geom in of_item]
        for of_item in found
    ]


def _geom_source(shape: ExportShape) -> str:
    return _source(data_of(shape.source.extensions))


def _is_named(shape: ExportShape) -> bool:
    """Return True unless the shape comes from a geom without a name."""
    return "geom" not in data_of(shape.source.extensions) or bool(_geom_source(shape))


def _item_geoms(shapes: Sequence[ExportShape]) -> Iterator[Geom]:
    """Yield the geoms of an item, in the order of the file that they come from."""
    of_geom: dict[str, list[ExportShape]] = {}
    for number, shape in enumerate(shapes):
        of_geom.setdefault(data_of(shape.source.extensions).get("geom", f"new {number}"), []).append(shape)
    order = sorted(of_geom, key=lambda key: int(key) if key.isdigit() else len(of_geom))
    for key in order:
        members = of_geom[key]
        solid = [shape for shape in members if shape.solid]
        seen = [shape for shape in members if not shape.solid]
        if len(solid) == len(seen) == 1:
            yield Geom("", seen[0], solid[0])
        else:
            yield from (Geom("", None, shape) for shape in solid)
            yield from (Geom("", shape, None) for shape in seen)
