"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_sdf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of SDFormat."""
    options = (
        Option("merge-fixed", "one link for all items that never move against each other", "flag", False),
        Option("meshes", "format of the mesh files", "choice", "stl", ("stl", "obj")),
        Option("version", "of SDFormat; auto is the lowest that holds the robot", "choice", "auto", VERSIONS),
    )
    return [Exporter("sdf", "SDFormat, for Gazebo", (".sdf", ".world"), _write, options=options)]


VERSIONS = ("auto", "1.9", "1.11")
"""1.9 is that of libsdformat 12 and later; joints that follow others came with 1.11, libsdformat 14."""
