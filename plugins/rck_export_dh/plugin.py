"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_dh.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of Denavit-Hartenberg tables."""
    options = (
        Option("convention", "modified is Craig's", "choice", "standard", ("standard", "modified")),
        Option("tip", "only the chain to this item or frame"),
    )
    summary = "Denavit-Hartenberg table: LaTeX, Markdown or CSV"
    return [Exporter("dh", summary, (".tex", ".md", ".csv"), _write, options=options)]
