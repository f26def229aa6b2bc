"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_mjcf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of MJCF."""
    options = (
        Option("merge-fixed", "one body for all items that never move against each other", "flag", False),
        Option("meshes", "format of the mesh files", "choice", "stl", ("stl", "obj")),
        Option("motors", "a motor on every joint that moves by itself", "flag", True),
    )
    return [Exporter("mjcf", "the XML of MuJoCo", (".xml", ".mjcf"), _write, options=options)]
