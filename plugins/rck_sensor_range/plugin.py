"""What this package adds to RCK."""

from rck.hooks import Mount, Option, Sensor, SensorReader, Values, hookimpl
from rck.model import Robot

_NEAR = Option("min-range", "what is nearer is not measured", "length", 0.0)


def _far(text: str) -> Option:
    return Option("max-range", "what is farther is not seen", "length", text)


def _cone(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_range.beams import Cone

    return Cone(mount, values)


def _ray(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_range.beams import Ray

    return Ray(mount, values)


def _lidar(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_range.beams import Lidar

    return Lidar(mount, values)


def _stripe(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_range.stripe import Stripe

    return Stripe(mount, values)


_ROUND = Option("field-of-view", "how far round it looks", "angle", "360 deg")
_FINE = Option("angular-resolution", "from ray to ray", "angle", "1 deg")
_ANGLE = Option("field-of-view", "from one edge of the cone to the other", "angle", "20 deg")


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Range finders."""
    # Range, cone and the greatest lean of a smooth surface are those that the NBS measured on the transducers of its
    # safety system in 1981: 0.9 to 35 feet, 10 degrees each way, 18 to 25 degrees.
    sound = (
        Option("min-range", "what is nearer is not measured", "length", "0.9 ft"),
        _far("35 ft"),
        _ANGLE,
        Option("lean", "surfaces that lean more send no echo back", "angle", "20 deg"),
    )
    light = (
        _NEAR,
        _far("0.8 m"),
        Option("field-of-view", "from one edge of the cone to the other", "angle", "5 deg"),
        Option("lean", "surfaces that lean more send no light back", "angle", "85 deg"),
    )
    rays = (_NEAR, _far("12 m"), _ROUND, _FINE)
    stack = (
        Option("field-of-view-vertical", "from the lowest to the highest ray", "angle", "30 deg"),
        Option("channels", "how many rays above each other", "number", 16.0),
    )
    stripe = (
        _far("1 m"),
        Option("field-of-view", "how far the light is spread", "angle", "60 deg"),
        Option("rays", "points of the profile", "number", 61.0),
        Option("baseline", "from the light to the camera, along y", "length", "100 mm"),
    )
    return [
        Sensor("light-stripe", "a plane of light seen from the side: a profile of what is before it", _stripe, stripe),
        Sensor("ultrasonic", "the nearest thing in a cone, by sound", _cone, sound),
        Sensor("infrared", "the nearest thing in a narrow cone, by light: proximity", _cone, light),
        Sensor("laser-range", "the distance along one ray", _ray, (_NEAR, _far("10 m"))),
        Sensor("lidar-2d", "distances all round in a plane", _lidar, rays),
        Sensor("lidar-3d", "distances all round, above and below", _lidar, (*rays, *stack)),
    ]
