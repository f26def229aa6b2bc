"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_bom.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of bills of materials."""
    summary = "bill of materials: part, vendor, quantity, mass, price"
    return [Exporter("bom", summary, (".csv", ".md"), _write)]
