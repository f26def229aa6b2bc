"""Exporter of Universal Scene Description with UsdPhysics, for robots and worlds."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Feature, Gap, Robot

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY,
    Feature.SUBITEM_COLOURS, Feature.TEXTURES, Feature.SURFACE_FINISH, Feature.SHAPE_NAMES, Feature.SURFACE_FRICTION,
    Feature.NAMES, Feature.MASSES, Feature.INERTIAS, Feature.JOINTS, Feature.JOINT_LIMITS, Feature.JOINT_SPEEDS,
    Feature.JOINT_EFFORTS, Feature.JOINT_DAMPING, Feature.JOINT_FRICTION, Feature.JOINT_POSITIONS,
    Feature.JOINT_SPRINGS, Feature.ARMATURE, Feature.ACTUATORS, Feature.ACTUATOR_GAINS, Feature.OTHER_ACTUATORS,
    Feature.TENDONS, Feature.LOOPS, Feature.MIMIC, Feature.COLLISION_RULES, Feature.MOBILE_ITEMS, Feature.FRAMES,
    Feature.DEVICES, Feature.CAMERAS,
})  # fmt: skip
_FILLS = {
    Gap.MOVING_MASS: "get one from their shapes",
    Gap.MOTORS: "get a drive without gains",
    Gap.ROTOR_INERTIA: "get no armature",
    Gap.WIDTH_OF_VIEW: "get that of a 50 mm lens",
}
_DEVICE_VALUES = frozenset({"field-of-view", "field-of-view-vertical", "max-range", "min-range"})


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.usd.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of USD."""
    options = (Option("merge-fixed", "merge the items of each rigid group into one body", "flag", False),)
    summary = "Universal Scene Description with UsdPhysics; .usda is text, .usdc and .usd are binary"
    usd = Exporter("usd", summary, (".usda", ".usdc", ".usd"), _write, "robot", options, _KEEPS, "USD", {}, _FILLS,
                   _DEVICE_VALUES)  # fmt: skip
    return [usd]
