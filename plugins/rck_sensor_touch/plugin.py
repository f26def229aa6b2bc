"""What this package adds to RCK."""

from rck.hooks import Mount, Option, Sensor, SensorReader, Values, hookimpl
from rck.model import Robot


def _contact(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_touch.feel import Contact

    return Contact(robot, mount)


def _wrist(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_touch.feel import Wrist

    return Wrist(robot, mount)


def _stick(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_touch.stick import Stick

    return Stick(robot, mount, values)


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Sensors that feel."""
    stick = (
        Option("to", "the item at the other end: the hand that follows"),
        Option("length", "of the stick, along z", "length", "200 mm"),
        Option("stiffness", "force for each metre that its end is moved, in N/m", "number", 1000.0),
    )
    return [
        Sensor(
            "contact",
            "whether something touches its item or has pushed its joint, and under physics how hard",
            _contact,
        ),
        Sensor(
            "force-torque", "the load of all that is fastened beyond it, in its axes: weight, motion, contact", _wrist
        ),
        Sensor("force-stick", "a stick between two hands: how far its end is moved and turned", _stick, stick),
    ]
