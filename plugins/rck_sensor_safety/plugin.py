"""What this package adds to RCK."""

from rck.hooks import Mount, Option, Sensor, SensorReader, Values, hookimpl
from rck.model import Robot

_COMMON = (
    Option("intruder", "an item, or a scope of items, that is meant; without it, all loose objects"),
    Option("action", "what to do", "choice", "hold", ("warn", "hold", "stop")),
    Option("hits", "so many detections count", "number", 2.0),
    Option("within", "that come within so many seconds", "number", 0.8),
    Option("least-stop", "for how many seconds it holds at least", "number", 0.5),
    Option("rate", "detections a second", "number", 7.5),
)
"""Two echoes in 0.8 s at 7 to 8 pulses a second, and half a second of standstill at least: those of the NBS in 1981."""


def _zone(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_safety.readers import Zone

    return Zone(robot, mount, values)


def _mat(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_safety.readers import Mat

    return Mat(robot, mount, values)


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Zones and mats."""
    zone = (
        Option("radius", "of the zone, about z", "length", "1 m"),
        Option("height", "of the zone, along z", "length", "2 m"),
    )
    mat = (
        Option("length", "of the mat, along x", "length", "1 m"),
        Option("width", "of the mat, along y", "length", "1 m"),
        Option("least-weight", "that makes contact, in kg", "number", 13.6),
    )
    return [
        Sensor("safety-zone", "an upright cylinder that nobody may enter", _zone, (*zone, *_COMMON)),
        Sensor("safety-mat", "a mat on the floor that makes contact under a foot: 30 lb", _mat, (*mat, *_COMMON)),
    ]
