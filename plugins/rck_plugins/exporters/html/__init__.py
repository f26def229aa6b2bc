"""Exporter of an HTML page that shows a robot in 3D, moves its joints and lists its data, without a network."""

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Feature, Robot

_KEEPS = frozenset({
    Feature.SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY, Feature.NAMES, Feature.MASSES, Feature.JOINTS,
    Feature.JOINT_LIMITS, Feature.JOINT_SPEEDS, Feature.JOINT_EFFORTS, Feature.JOINT_POSITIONS, Feature.MIMIC,
    Feature.FRAMES, Feature.DEVICES,
})  # fmt: skip


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_plugins.exporters.html.page import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of HTML pages."""
    summary = "one page with a 3D view, joint sliders and tables"
    return [Exporter("html", summary, (".html", ".htm"), _write, keeps=_KEEPS, format="an HTML page")]
