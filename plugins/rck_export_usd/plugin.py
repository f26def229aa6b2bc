"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_usd.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of USD."""
    options = (Option("merge-fixed", "one body for all items that never move against each other", "flag", False),)
    summary = "Universal Scene Description with UsdPhysics; .usda is text, .usdc and .usd are binary"
    return [Exporter("usd", summary, (".usda", ".usdc", ".usd"), _write, options=options)]
