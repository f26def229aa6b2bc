"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_html.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of HTML pages."""
    return [Exporter("html", "one page with a 3D view, joint sliders and figures", (".html", ".htm"), _write)]
