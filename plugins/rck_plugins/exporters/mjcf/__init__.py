"""Exporter of MJCF, the format of MuJoCo, for robots and worlds."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Feature, Gap, Robot

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY,
    Feature.TEXTURES, Feature.SURFACE_FINISH,
    Feature.SUBITEM_COLOURS, Feature.SHAPE_NAMES, Feature.NAMES, Feature.MASSES, Feature.INERTIAS, Feature.JOINTS,
    Feature.JOINT_LIMITS, Feature.JOINT_EFFORTS, Feature.JOINT_DAMPING, Feature.JOINT_FRICTION, Feature.JOINT_POSITIONS,
    Feature.MIMIC, Feature.JOINT_SPRINGS, Feature.ARMATURE, Feature.ACTUATORS, Feature.ACTUATOR_GAINS,
    Feature.OTHER_ACTUATORS, Feature.POSES, Feature.TENDONS, Feature.LOOPS, Feature.COLLISION_RULES,
    Feature.MOBILE_ITEMS, Feature.FRAMES, Feature.DEVICES, Feature.CAMERAS, Feature.LIDARS, Feature.RANGE_SENSORS,
    Feature.FORCE_SENSORS, Feature.IMUS, Feature.CONTACT_SENSORS, Feature.ENCODERS, Feature.GRIPPERS,
})  # fmt: skip
_FILLS = {
    Gap.ESTIMATED_MASS: "are exported as they are",
    Gap.MOVING_MASS: "get 1e-9 kg, because MuJoCo refuses none",
    Gap.INERTIA: "become the nearest possible ones, because MuJoCo refuses them",
    Gap.LOCKED_RANGE: "get a range of 1e-9",
    Gap.MOTORS: "get a motor; motors=no omits it",
    Gap.ROTOR_INERTIA: "get no armature",
    Gap.HEIGHT_OF_VIEW: "get 45 degrees",
    Gap.BEAM_SPACING: "get a site without beams",
    Gap.HOLDING_FORCE: "get 1 N",
}
_DEVICE_VALUES = frozenset({
    "angular-resolution", "field-of-view", "field-of-view-vertical", "force", "grip-force", "max-range", "moment",
    "payload", "resolution-x", "resolution-y",
})  # fmt: skip


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.mjcf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of MJCF."""
    options = (
        Option("merge-fixed", "merge the items of each rigid group into one body", "flag", False),
        Option("meshes", "format of the mesh files", "choice", "stl", ("stl", "obj")),
        Option("motors", "add a motor to every free joint without an actuator, except passive ones", "flag", True),
        Option("servos", "let the added motors of parts hold their positions, as controllers do", "flag", True),
        Option("scene", "add a floor, a light and a camera", "flag", False),
    )
    mjcf = Exporter("mjcf", "the XML of MuJoCo", (".xml", ".mjcf"), _write, "robot", options, _KEEPS, "MJCF",
                    {Gap.MOTORS: ("motors=yes",)}, _FILLS, _DEVICE_VALUES)  # fmt: skip
    return [mjcf]
