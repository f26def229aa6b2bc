"""What this package adds to RCK."""

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_dxf.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of drawings."""
    options = (
        Option("faces", "MESH entities, or 3DFACEs for programs that know no others", "choice", "mesh", FACES),
        Option("recipe", "write the recipe too, with which the drawing is imported as the same robot", "flag", True),
    )
    summary = "AutoCAD drawing: a layer per item, joints on JOINT layers"
    return [Exporter("dxf", summary, (".dxf",), _write, options=options)]


FACES = ("mesh", "3dface")
"""The entities that shapes can be written as."""
