"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_diagram.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of kinematic diagrams."""
    summary = "kinematic diagram: SVG, or DOT for Graphviz"
    return [Exporter("diagram", summary, (".svg", ".dot", ".gv"), _write)]
