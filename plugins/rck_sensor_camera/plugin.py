"""What this package adds to RCK."""

from rck.hooks import Mount, Option, Sensor, SensorReader, Values, hookimpl
from rck.model import Robot

OPTIONS = (
    Option("resolution-x", "pixels of the real camera across", "number", 640.0),
    Option("resolution-y", "pixels of the real camera down", "number", 480.0),
    Option("field-of-view", "from left to right", "angle", "60 deg"),
    Option("width", "pixels across in the simulation; 0 for those of the real camera", "number", 160.0),
    Option("rate", "how many pictures a second; 0 for one at every step", "number", 10.0),
)
_FAR = Option("max-range", "what is farther has no depth", "length", "10 m")
_NEAR = Option("min-range", "what is nearer has no depth", "length", 0.0)


def _camera(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_camera.camera import ColourCamera

    return ColourCamera(mount, values)


def _depth(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_camera.camera import DepthCamera

    return DepthCamera(mount, values)


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Cameras."""
    return [
        Sensor("camera", "pictures in colour, and the item that each pixel sees", _camera, OPTIONS),
        Sensor("depth-camera", "the same with the depth of each pixel", _depth, (*OPTIONS, _NEAR, _FAR)),
    ]
