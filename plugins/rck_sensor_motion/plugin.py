"""What this package adds to RCK."""

from rck.hooks import Mount, Option, Sensor, SensorReader, Values, hookimpl
from rck.model import Robot


def _encoder(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_motion.readers import Encoder

    return Encoder(robot, mount, values)


def _imu(robot: Robot, mount: Mount, values: Values) -> SensorReader:
    from rck_sensor_motion.readers import Imu

    return Imu(mount)


@hookimpl
def rck_sensors() -> list[Sensor]:
    """Encoders and inertial sensors."""
    fine = (
        Option("encoder-resolution", "counts in a turn, or in a metre; 0 where bits say it", "number", 0.0),
        Option("bits", "of a turn, or of a metre", "number", 12.0),
    )
    return [
        Sensor("encoder", "the positions of its joints in steps of 2 pi over 2 to the bits", _encoder, fine),
        Sensor("imu", "turning rates and specific force in its axes", _imu),
    ]
