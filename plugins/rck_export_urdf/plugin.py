"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_urdf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of URDF."""
    options = (
        Option("merge-fixed", "one link for all items that never move against each other", "flag", False),
        Option("meshes", "format of the mesh files", "choice", "stl", ("stl", "obj")),
        Option("srdf", "write the SRDF too: groups, and pairs that may touch", "flag", True),
        Option("ros-package", "name of a ROS 2 package to put everything into"),
    )
    return [Exporter("urdf", "Unified Robot Description Format, for ROS", (".urdf",), _write, options=options)]
