"""Exporter of SDFormat, the format of Gazebo, for robots and worlds."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Feature, Gap, Robot

VERSIONS = ("auto", "1.9", "1.10", "1.11")
"""Versions of SDFormat: 1.9 needs libsdformat 12 or later; 1.11, which has mimic joints, needs libsdformat 14."""

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY,
    Feature.TEXTURES, Feature.SURFACE_FINISH,
    Feature.SUBITEM_COLOURS, Feature.SHAPE_NAMES, Feature.NAMES, Feature.MASSES, Feature.INERTIAS, Feature.JOINTS,
    Feature.JOINT_LIMITS, Feature.JOINT_EFFORTS, Feature.JOINT_SPEEDS, Feature.JOINT_DAMPING, Feature.JOINT_FRICTION,
    Feature.JOINT_SPRINGS, Feature.LOOPS, Feature.MIMIC, Feature.MOBILE_ITEMS, Feature.FRAMES, Feature.CAMERAS,
    Feature.LIDARS, Feature.LIDARS_3D, Feature.RANGE_SENSORS, Feature.FORCE_SENSORS, Feature.IMUS,
    Feature.CONTACT_SENSORS, Feature.GRIPPERS,
})  # fmt: skip
_FILLS = {
    Gap.ESTIMATED_MASS: "are exported as they are",
    Gap.MOVING_MASS: "get 1e-9 kg, because SDFormat allows none",
    Gap.FIXED_MASS: "get the default of SDFormat, 1 kg",
    Gap.INERTIA: "are kept, but libsdformat may refuse them",
    Gap.WIDTH_OF_VIEW: "get 60 degrees",
    Gap.RESOLUTION: "get 320 by 240 pixels",
    Gap.BEAM_SPACING: "get 640 beams",
    Gap.BEAM_ROWS: "get one row",
    Gap.RANGE: "get 100 m",
}
_DEVICE_VALUES = frozenset({
    "angular-resolution", "channels", "field-of-view", "field-of-view-vertical", "max-range", "min-range", "rate",
    "resolution-x", "resolution-y",
})  # fmt: skip


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.sdf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of SDFormat."""
    options = (
        Option("merge-fixed", "merge the items of each rigid group into one link", "flag", False),
        Option("meshes", "format of the mesh files", "choice", "stl", ("stl", "obj")),
        Option("version", "SDFormat version; auto is the lowest that can store the robot", "choice", "auto", VERSIONS),
    )
    sdf = Exporter("sdf", "SDFormat, for Gazebo", (".sdf", ".world"), _write, "robot", options, _KEEPS, "SDFormat",
                   {Feature.MIMIC: ("version=1.11", "version=auto")}, _FILLS, _DEVICE_VALUES)  # fmt: skip
    return [sdf]
