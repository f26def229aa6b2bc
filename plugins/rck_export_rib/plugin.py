"""What this package adds to RCK."""

from math import radians

from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Robot

_VIEWS = ("home", "iso", "front", "back", "left", "right", "top", "bottom")


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_export_rib.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of RIB."""
    options = (
        Option("size", "of the picture in pixels", "text", "1280x800"),
        Option("view", "where it is seen from", "choice", "home", _VIEWS),
        Option("eye", "where it is seen from, exactly: x,y,z in metres, or with units"),
        Option("target", "what the eye looks at; the middle of the robot otherwise"),
        Option("angle", "the field of view, from the lower to the upper edge", "angle", radians(30.0)),
        Option("frames", "how many files to write, a frame each", "number", 1.0),
        Option("to", "where joints stand in the last frame, such as shoulder=45,lift=120; degrees and millimetres"),
        Option("turn", "how far the camera goes round by the last frame", "angle", 0.0),
    )
    return [Exporter("rib", "RenderMan scene: a snapshot or a sequence", (".rib",), _write, options=options)]
