"""Features: the kinds of information in a robot; exporters declare which of them their format stores.

Gaps are the opposite: values that a robot leaves open and that a format may require.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum

from rck.model.actuator import Actuator, ActuatorKind
from rck.model.device import DeviceKind
from rck.model.robot import Robot
from rck.model.subitem import GREY, WATER, Subitem
from rck.model.visual import Visual

_GENERATED_NAME = re.compile(r"(item|link|joint)\d+")


class Feature(Enum):
    """A kind of information in a robot. The value is its name in messages.

    The part that an item comes from and the plugin settings of devices are not features: no format of another program
    has them, and no robot behaves differently without them.
    """

    SHAPES = "shapes"
    COLLISION_SHAPES = "separate collision shapes"
    """Subitems of items that also have visuals."""
    VISUALS = "visual meshes"
    COLOURS = "colours"
    """Colours other than the default grey."""
    OPACITY = "opacity"
    SUBITEM_COLOURS = "different colours within an item"
    TEXTURES = "textures"
    SURFACE_FINISH = "roughness and metalness"
    SHAPE_NAMES = "names of shapes"
    SURFACE_FRICTION = "surface friction"
    STRENGTHS = "material strengths"

    NAMES = "names"
    """Names of items and joints, except numbered ones such as `item3` or `joint0`."""

    MASSES = "masses"
    """Masses and densities other than the default density."""
    INERTIAS = "centres of mass and inertias"
    """Centres and inertias that do not follow from the shapes."""

    JOINTS = "joints"
    JOINT_LIMITS = "joint limits"
    JOINT_SPEEDS = "joint velocity limits"
    JOINT_ACCELERATIONS = "joint acceleration limits"
    JOINT_EFFORTS = "joint effort limits"
    JOINT_DAMPING = "joint damping"
    JOINT_FRICTION = "joint friction"
    JOINT_POSITIONS = "joint positions"
    """Positions other than zero."""
    JOINT_SPRINGS = "joint springs"
    ARMATURE = "joint armature"
    ACTUATORS = "actuators"
    ACTUATOR_GAINS = "gains of actuators"
    """The laws of position, velocity and general actuators; a motor has none."""
    OTHER_ACTUATORS = "actuators of tendons and frames"
    POSES = "named poses"
    TENDONS = "tendons"
    LOOPS = "loops"
    MIMIC = "mimic joints"
    COLLISION_RULES = "collision rules"
    MOBILE_ITEMS = "mobile items"

    FRAMES = "frames"

    DEVICES = "sensors and grippers"
    """The name and pose of a device; the features below stand for its function."""
    CAMERAS = "cameras"
    LIDARS = "2D lidars"
    LIDARS_3D = "3D lidars"
    RANGE_SENSORS = "range sensors"
    BEAM_WIDTHS = "opening angles of range sensors"
    FORCE_SENSORS = "force-torque sensors"
    IMUS = "IMUs"
    CONTACT_SENSORS = "contact sensors"
    ENCODERS = "encoders"
    GRIPPERS = "grippers"
    OTHER_SENSORS = "other sensors"

    @property
    def category(self) -> "Feature":
        """The feature that this one is a detail of, or the feature itself: without joints there are no joint limits."""
        return _CATEGORIES[self]


def _categories() -> Iterator[tuple[Feature, Feature]]:
    tops = (Feature.SHAPES, Feature.NAMES, Feature.MASSES, Feature.JOINTS, Feature.FRAMES, Feature.DEVICES)
    current = Feature.SHAPES
    for feature in Feature:
        current = feature if feature in tops else current
        yield feature, current


_CATEGORIES = dict(_categories())


class Gap(Enum):
    """A value that a robot leaves open and that a format may require. The value is its name in messages."""

    MOVING_MASS = "moving items without a mass"
    FIXED_MASS = "fixed items without a mass"
    INERTIA = "inertias that no body can have"
    ESTIMATED_MASS = "masses that are derived or drawn, not published,"
    PRISMATIC_LIMITS = "prismatic joints without limits"
    JOINT_BOUNDS = "joints without effort or velocity limits"
    LOCKED_RANGE = "locked joints"
    MOTORS = "joints that may have no motor"
    ROTOR_INERTIA = "motors without a rotor inertia"
    WIDTH_OF_VIEW = "cameras without a horizontal field of view"
    HEIGHT_OF_VIEW = "cameras without a vertical field of view"
    RESOLUTION = "cameras without a resolution"
    BEAM_SPACING = "lidars without a beam spacing"
    BEAM_ROWS = "3D lidars without a number of rows"
    RANGE = "lidars and range sensors without a maximum range"
    HOLDING_FORCE = "vacuum and magnet grippers without a force"


DEVICE_GAPS = frozenset({
    Gap.WIDTH_OF_VIEW, Gap.HEIGHT_OF_VIEW, Gap.RESOLUTION, Gap.BEAM_SPACING, Gap.BEAM_ROWS, Gap.RANGE,
    Gap.HOLDING_FORCE,
})  # fmt: skip
"""The gaps of sensors and grippers."""

DEVICE_FEATURES: Mapping[DeviceKind, Feature] = {
    DeviceKind.CAMERA: Feature.CAMERAS,
    DeviceKind.DEPTH_CAMERA: Feature.CAMERAS,
    DeviceKind.LIDAR_2D: Feature.LIDARS,
    DeviceKind.LIDAR_3D: Feature.LIDARS_3D,
    DeviceKind.ULTRASONIC: Feature.RANGE_SENSORS,
    DeviceKind.INFRARED: Feature.RANGE_SENSORS,
    DeviceKind.LASER_RANGE: Feature.RANGE_SENSORS,
    DeviceKind.FORCE_TORQUE: Feature.FORCE_SENSORS,
    DeviceKind.IMU: Feature.IMUS,
    DeviceKind.CONTACT: Feature.CONTACT_SENSORS,
    DeviceKind.ENCODER: Feature.ENCODERS,
}

DEVICE_KINDS = frozenset({*DEVICE_FEATURES.values(), Feature.GRIPPERS, Feature.OTHER_SENSORS})
"""The features that stand for the functions of devices."""


def device_feature(kind: DeviceKind) -> Feature:
    """Return the feature that stands for the function of a kind of device."""
    return Feature.GRIPPERS if kind.grips else DEVICE_FEATURES.get(kind, Feature.OTHER_SENSORS)


def features_of(robot: Robot) -> dict[Feature, tuple[str, ...]]:
    """Return the features of a robot, each with the names of the items, joints, frames or devices that have it."""
    found: dict[Feature, list[str]] = {}
    for name, features in (*_item_features(robot), *_joint_features(robot)):
        for feature in features:
            found.setdefault(feature, []).append(name)
    for rule in robot.rules:
        pair = " and ".join(rule.items)
        found.setdefault(Feature.COLLISION_RULES, []).append(pair)
        if rule.friction is not None:
            found.setdefault(Feature.SURFACE_FRICTION, []).append(pair)
    for feature, names in (
        (Feature.ACTUATORS, [one.name for one in robot.actuators if one.joint]),
        (Feature.OTHER_ACTUATORS, [one.name for one in robot.actuators if not one.joint]),
        (Feature.ACTUATOR_GAINS, [one.name for one in robot.actuators if _has_law(one)]),
        (Feature.POSES, [one.name for one in robot.poses]),
        (Feature.TENDONS, [one.name for one in robot.tendons]),
        (Feature.LOOPS, [one.name for one in robot.loops]),
    ):
        found.setdefault(feature, []).extend(names)
    for frame in robot.frames:
        found.setdefault(Feature.FRAMES, []).append(frame.name)
    for device in robot.devices:
        found.setdefault(Feature.DEVICES, []).append(device.name)
        found.setdefault(device_feature(device.kind), []).append(device.name)
        if device_feature(device.kind) is Feature.RANGE_SENSORS and device.values.get("field-of-view"):
            found.setdefault(Feature.BEAM_WIDTHS, []).append(device.name)
    return {feature: tuple(found[feature]) for feature in Feature if found.get(feature)}


def _has_law(actuator: Actuator) -> bool:
    """Return True unless a plain motor, or the data sheet of a servo or a DC motor, says all about an actuator."""
    return actuator.kind is not ActuatorKind.MOTOR and (actuator.has_gains or not actuator.values)


def _item_features(robot: Robot) -> Iterator[tuple[str, list[Feature]]]:
    for item in robot.items:
        shapes: list[Subitem | Visual] = [*item.subitems, *item.visuals]
        present = {
            Feature.SHAPES: bool(shapes),
            Feature.COLLISION_SHAPES: bool(item.subitems and item.visuals),
            Feature.VISUALS: bool(item.visuals),
            Feature.COLOURS: any(shape.colour[:3] != GREY[:3] for shape in shapes),
            Feature.OPACITY: any(shape.colour[3] != 1.0 for shape in shapes),
            Feature.SUBITEM_COLOURS: len({shape.colour[:3] for shape in item.subitems}) > 1,
            Feature.TEXTURES: any(visual.texture is not None for visual in item.visuals),
            Feature.SURFACE_FINISH: any(_has_finish(visual) for visual in item.visuals),
            Feature.SHAPE_NAMES: any(shape.name for shape in shapes),
            Feature.SURFACE_FRICTION: item.friction is not None,
            Feature.STRENGTHS: any(subitem.strength is not None for subitem in item.subitems),
            Feature.NAMES: _GENERATED_NAME.fullmatch(item.name) is None,
            Feature.MASSES: item.given_mass is not None or any(one.density != WATER for one in item.subitems),
            Feature.INERTIAS: item.given_mass is not None,
            Feature.MOBILE_ITEMS: item.mobile,
        }
        yield item.name, [feature for feature, has_it in present.items() if has_it]


def _has_finish(visual: Visual) -> bool:
    return visual.roughness is not None or visual.metallic is not None


def _joint_features(robot: Robot) -> Iterator[tuple[str, list[Feature]]]:
    for joint in robot.joints:
        moves = joint.kind.moves
        present = {
            Feature.NAMES: moves and _GENERATED_NAME.fullmatch(joint.name) is None,
            Feature.JOINTS: True,
            Feature.JOINT_LIMITS: moves and joint.limits is not None,
            Feature.JOINT_SPEEDS: moves and joint.speed is not None,
            Feature.JOINT_ACCELERATIONS: moves and joint.acceleration is not None,
            Feature.JOINT_EFFORTS: moves and joint.effort is not None,
            Feature.JOINT_DAMPING: moves and joint.damping != 0.0,
            Feature.JOINT_FRICTION: moves and joint.friction != 0.0,
            Feature.JOINT_POSITIONS: moves and joint.position != 0.0,
            Feature.JOINT_SPRINGS: moves and joint.stiffness != 0.0,
            Feature.ARMATURE: moves and joint.armature != 0.0,
            Feature.MIMIC: joint.mimic is not None,
        }
        yield joint.name, [feature for feature, has_it in present.items() if has_it]
