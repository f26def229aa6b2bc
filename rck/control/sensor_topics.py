"""Topics of sensors, with the ROS message types of each kind of sensor.

A sensor is read only while its topics have subscribers, except for safety sensors: images take time.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import numpy as np

from rck.control.messages import camera_info, finite_or_none, header, image, point_cloud, vector
from rck.control.served_world import ServedWorld
from rck.control.topics import Topic
from rck.simulation.sensors import Reading, SensorUnit

Maker: TypeAlias = Callable[[ServedWorld, SensorUnit, dict[str, Any]], dict[str, Any]]
"""Takes the world, the sensor and the header of the message."""


def _image(channel: str) -> Maker:
    def make(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
        return image(head, sensor.reading[channel])

    return make


def _camera_info(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    height, width = sensor.reading["colour"].shape[:2]
    return camera_info(head, width, height, float(sensor.values["field-of-view"]))


def _first_and_step(sensor: SensorUnit, count: int) -> tuple[float, float]:
    """Return the azimuth of the first ray of a scanner and the angle between rays, in radians."""
    view = float(sensor.values["field-of-view"])
    is_full_circle = view > 2 * np.pi - 1e-6
    return -view / 2, view / (count if is_full_circle else max(count - 1, 1))


def _scan(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    ranges = sensor.reading["ranges"]
    first, step = _first_and_step(sensor, len(ranges))
    return {
        "header": head,
        "angle_min": first,
        "angle_max": first + step * (len(ranges) - 1),
        "angle_increment": step,
        # All rays of a scan are cast at the same time.
        "time_increment": 0.0,
        "scan_time": 1.0 / sensor.rate if sensor.rate > 0 else sensor.interval,
        "range_min": float(sensor.values["min-range"]),
        "range_max": float(sensor.values["max-range"]),
        "ranges": finite_or_none(ranges),
        "intensities": [],
    }


def _cloud(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    """Points in the frame of the scanner, one row per channel; NaN where there is no return."""
    ranges = sensor.reading["ranges"]
    rows, columns = ranges.shape
    first, step = _first_and_step(sensor, columns)
    azimuths = first + step * np.arange(columns)
    height = float(sensor.values["field-of-view-vertical"])
    elevations = np.linspace(-height / 2, height / 2, rows)[:, None] if rows > 1 else np.zeros((1, 1))
    distances = np.where(np.isfinite(ranges), ranges, np.nan)
    level = distances * np.cos(elevations)
    points = np.stack([level * np.cos(azimuths), level * np.sin(azimuths), distances * np.sin(elevations)], axis=-1)
    return point_cloud(head, points)


def _range(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    return {
        "header": {**head, "frame_id": world.names.beam_frames.get(sensor.name, head["frame_id"])},
        # Constants of sensor_msgs/Range: 0 is ultrasound, 1 is infrared.
        "radiation_type": 0 if sensor.kind == "ultrasonic" else 1,
        "field_of_view": float(sensor.values.get("field-of-view") or 0.0),
        "min_range": float(sensor.values["min-range"]),
        "max_range": float(sensor.values["max-range"]),
        "range": finite_or_none(sensor.reading["distance"])[0],
    }


def _wrench(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    wrench = {"force": vector(sensor.reading["force"]), "torque": vector(sensor.reading["moment"])}
    return {"header": head, "wrench": wrench}


def _imu(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    noise = float(sensor.values.get("noise") or 0.0)
    # In sensor_msgs/Imu, a covariance of zeros means unknown.
    covariance = (noise**2 * np.eye(3)).ravel().tolist()
    return {
        "header": head,
        "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
        # A covariance that starts with -1 means that the quantity is not measured.
        "orientation_covariance": [-1.0, *[0.0] * 8],
        "angular_velocity": vector(sensor.reading["turning"]),
        "angular_velocity_covariance": covariance,
        "linear_acceleration": vector(sensor.reading["acceleration"]),
        "linear_acceleration_covariance": covariance,
    }


def _encoder(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    joints = sensor.mount.joints or tuple(joint.name for joint in world.robot.free_joints)
    return {
        "header": head,
        "name": [world.names.outside[joint] for joint in joints],
        "position": sensor.reading["position"].tolist(),
        "velocity": [],
        "effort": [],
    }


def _contact(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    return {"data": bool(sensor.reading["pressed"][0])}


def _reading(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    return {"header": head, "kind": sensor.kind, "channels": _encode(sensor.reading)}


def _encode(reading: Reading) -> dict[str, Any]:
    return {channel: finite_or_none(np.ravel(value).astype(float)) for channel, value in reading.items()}


_CAMERA: tuple[tuple[str, str, Maker], ...] = (
    ("image_raw", "sensor_msgs/Image", _image("colour")),
    ("camera_info", "sensor_msgs/CameraInfo", _camera_info),
)
KINDS: Mapping[str, tuple[tuple[str, str, Maker], ...]] = {
    "camera": _CAMERA,
    "depth-camera": (
        *_CAMERA,
        ("depth/image_raw", "sensor_msgs/Image", _image("depth")),
        ("depth/camera_info", "sensor_msgs/CameraInfo", _camera_info),
    ),
    "lidar-2d": (("scan", "sensor_msgs/LaserScan", _scan),),
    "lidar-3d": (("points", "sensor_msgs/PointCloud2", _cloud),),
    "ultrasonic": (("range", "sensor_msgs/Range", _range),),
    "infrared": (("range", "sensor_msgs/Range", _range),),
    "laser-range": (("range", "sensor_msgs/Range", _range),),
    "force-torque": (("wrench", "geometry_msgs/WrenchStamped", _wrench),),
    "imu": (("imu", "sensor_msgs/Imu", _imu),),
    "encoder": (("joint_states", "sensor_msgs/JointState", _encoder),),
    "contact": (("contact", "std_msgs/Bool", _contact),),
}
"""The topics of each kind of sensor: the last part of the name, the type, and the function that makes messages."""
_OTHERS = (("reading", "rck_msgs/Reading", _reading),)


def sensor_topics(world: ServedWorld) -> dict[str, Topic]:
    """Return the topics of the sensors, under the ROS names of their frames."""
    found = {}
    for name, sensor in world.simulation.sensors.items():
        frame = world.names.device_frames.get(name, name)
        for end, ros_type, make in KINDS.get(sensor.kind, _OTHERS):
            found[f"/{frame}/{end}"] = Topic(ros_type, _message_maker(name, frame, make))
    return found


def _message_maker(name: str, frame: str, make: Maker) -> Callable[[ServedWorld], dict[str, Any] | None]:
    def message(world: ServedWorld) -> dict[str, Any] | None:
        """Return the message; None unless the sensor was read since the last publication."""
        sensor = world.simulation.sensors.get(name)
        if sensor is None or not sensor.read_at > world.sent_until:
            return None
        return make(world, sensor, header(sensor.read_at, frame))

    return message


def switch_sensors(world: ServedWorld, subscribed: Collection[str]) -> None:
    """Switch on safety sensors and sensors with subscribed topics, and all others off."""
    for name, sensor in world.simulation.sensors.items():
        frame = world.names.device_frames.get(name, name)
        topics = [f"/{frame}/{end}" for end, _, _ in KINDS.get(sensor.kind, _OTHERS)]
        sensor.on = "stop" in sensor.reading or any(topic in subscribed for topic in topics)
