"""The sensors of a world as topics, with the types that ROS programs expect of each kind.

A sensor is read only while somebody listens to it, except those that stop robots: pictures cost time.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import numpy as np

from rck.control.messages import camera_info, finite_or_none, header, image, point_cloud, vector
from rck.control.topics import Topic
from rck.control.world import ServedWorld
from rck.simulation.sensing import Reading, SensorUnit

Maker: TypeAlias = Callable[[ServedWorld, SensorUnit, dict[str, Any]], dict[str, Any]]
"""Gets the world, the sensor and the header of the message."""


def _image(channel: str) -> Maker:
    def make(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
        return image(head, sensor.reading[channel])

    return make


def _camera_info(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    height, width = sensor.reading["colour"].shape[:2]
    return camera_info(head, width, height, float(sensor.values["field-of-view"]))


def _first_and_step(sensor: SensorUnit, count: int) -> tuple[float, float]:
    """The azimuth of the first of so many rays of a scanner, and that from ray to ray, in radians."""
    view = float(sensor.values["field-of-view"])
    whole = view > 2 * np.pi - 1e-6
    return -view / 2, view / (count if whole else max(count - 1, 1))


def _scan(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    ranges = sensor.reading["ranges"]
    first, step = _first_and_step(sensor, len(ranges))
    return {
        "header": head,
        "angle_min": first,
        "angle_max": first + step * (len(ranges) - 1),
        "angle_increment": step,
        # All rays of a scan are cast at one moment.
        "time_increment": 0.0,
        "scan_time": 1.0 / sensor.rate if sensor.rate > 0 else sensor.interval,
        "range_min": float(sensor.values["min-range"]),
        "range_max": float(sensor.values["max-range"]),
        "ranges": finite_or_none(ranges),
        "intensities": [],
    }


def _cloud(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    """Points in the frame of the scanner, a row for each of its channels; not numbers where nothing was met."""
    ranges = sensor.reading["ranges"]
    rows, columns = ranges.shape
    first, step = _first_and_step(sensor, columns)
    azimuths = first + step * np.arange(columns)
    height = float(sensor.values["field-of-view-vertical"])
    elevations = np.linspace(-height / 2, height / 2, rows)[:, None] if rows > 1 else np.zeros((1, 1))
    met = np.where(np.isfinite(ranges), ranges, np.nan)
    level = met * np.cos(elevations)
    points = np.stack([level * np.cos(azimuths), level * np.sin(azimuths), met * np.sin(elevations)], axis=-1)
    return point_cloud(head, points)


def _range(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    return {
        "header": {**head, "frame_id": world.names.beam_frames.get(sensor.name, head["frame_id"])},
        # As sensor_msgs/Range counts: 0 by sound, 1 by light.
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
    # As sensor_msgs/Imu has it, all zero means that it is not known.
    covariance = (noise**2 * np.eye(3)).ravel().tolist()
    return {
        "header": head,
        "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
        # The first number of a covariance is -1 where the quantity is not measured.
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


def _anything(world: ServedWorld, sensor: SensorUnit, head: dict[str, Any]) -> dict[str, Any]:
    return {"header": head, "kind": sensor.kind, "channels": _plain(sensor.reading)}


def _plain(reading: Reading) -> dict[str, Any]:
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
"""For each kind of sensor the ends of its topics, their types, and what makes their messages."""
_OTHERS = (("reading", "rck_msgs/Reading", _anything),)


def sensor_topics(world: ServedWorld) -> dict[str, Topic]:
    """The topics of the sensors, each under the name that its frame has in the description."""
    found = {}
    for name, sensor in world.simulation.sensors.items():
        frame = world.names.device_frames.get(name, name)
        for end, ros_type, make in KINDS.get(sensor.kind, _OTHERS):
            found[f"/{frame}/{end}"] = Topic(ros_type, _made(name, frame, make))
    return found


def _made(name: str, frame: str, make: Maker) -> Callable[[ServedWorld], dict[str, Any] | None]:
    def message(world: ServedWorld) -> dict[str, Any] | None:
        """None unless the sensor was read since clients were last sent something."""
        sensor = world.simulation.sensors.get(name)
        if sensor is None or not sensor.read_at > world.sent_until:
            return None
        return make(world, sensor, header(sensor.read_at, frame))

    return message


def listen_only(world: ServedWorld, wanted: Collection[str]) -> None:
    """Switch the sensors off whose topics nobody wants."""
    for name, sensor in world.simulation.sensors.items():
        frame = world.names.device_frames.get(name, name)
        topics = [f"/{frame}/{end}" for end, _, _ in KINDS.get(sensor.kind, _OTHERS)]
        sensor.on = "stop" in sensor.reading or any(topic in wanted for topic in topics)
