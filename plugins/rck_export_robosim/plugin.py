"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.hooks.numbers import length_unit
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_robosim.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of programs."""
    summary = "program that builds the links in the ROBOSIM language"
    return [Exporter("robosim-program", summary, (".robosim",), _write, options=(length_unit("mm"),))]
