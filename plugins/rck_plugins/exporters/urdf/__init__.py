"""Exporter of URDF, with meshes, an SRDF and, on request, a ROS 2 package."""

from collections.abc import Mapping

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Feature, Gap, Robot

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY,
    Feature.TEXTURES,
    Feature.SUBITEM_COLOURS, Feature.SHAPE_NAMES, Feature.NAMES, Feature.MASSES, Feature.INERTIAS, Feature.JOINTS,
    Feature.JOINT_LIMITS, Feature.JOINT_SPEEDS, Feature.JOINT_EFFORTS, Feature.JOINT_DAMPING, Feature.JOINT_FRICTION,
    Feature.JOINT_POSITIONS, Feature.MIMIC, Feature.LOOPS, Feature.COLLISION_RULES, Feature.MOBILE_ITEMS,
    Feature.FRAMES, Feature.DEVICES, Feature.ACTUATORS,
})  # fmt: skip
_KEEPS_WITH: Mapping[Feature | Gap, tuple[str, ...]] = {
    Feature.JOINT_POSITIONS: ("srdf=yes",),
    Feature.COLLISION_RULES: ("srdf=yes",),
}
_FILLS = {
    Gap.ESTIMATED_MASS: "are exported as they are",
    Gap.PRISMATIC_LIMITS: "get a range of 1e9 m",
    Gap.JOINT_BOUNDS: "get 1e9, because URDF requires a number",
}


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.urdf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of URDF."""
    options = (
        Option("merge-fixed", "merge the items of each rigid group into one link", "flag", False),
        Option("meshes", "format of the mesh files", "choice", "stl", ("stl", "obj")),
        Option("srdf", "write an SRDF: planning groups and disabled collision pairs", "flag", True),
        Option("version", "version of URDF; 1.2 adds limits of acceleration and jerk", "choice", "1.0", ("1.0", "1.2")),
        Option("ros-package", "put the files into a ROS 2 package of this name"),
    )
    summary = "Unified Robot Description Format, for ROS"
    return [Exporter("urdf", summary, (".urdf",), _write, "robot", options, _KEEPS, "URDF", _KEEPS_WITH, _FILLS)]
