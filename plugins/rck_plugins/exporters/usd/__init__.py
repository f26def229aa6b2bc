"""Exporter of Universal Scene Description with UsdPhysics, for robots and worlds."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Feature, Robot

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY, Feature.SHAPE_NAMES,
    Feature.NAMES, Feature.MASSES, Feature.INERTIAS, Feature.JOINTS, Feature.JOINT_LIMITS, Feature.JOINT_EFFORTS,
    Feature.JOINT_DAMPING, Feature.JOINT_POSITIONS, Feature.COLLISION_RULES, Feature.MOBILE_ITEMS, Feature.FRAMES,
    Feature.DEVICES, Feature.CAMERAS,
})  # fmt: skip


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.usd.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of USD."""
    options = (Option("merge-fixed", "merge the items of each rigid group into one body", "flag", False),)
    summary = "Universal Scene Description with UsdPhysics; .usda is text, .usdc and .usd are binary"
    return [Exporter("usd", summary, (".usda", ".usdc", ".usd"), _write, "robot", options, _KEEPS, "USD")]
