"""ROS messages that the server publishes or receives.

Units are those of REP 103: metres, radians, and times in seconds and nanoseconds.
"""

from base64 import b64encode
from math import tan
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_quaternion, to_quaternion, translation
from rck.support.finding import RckError

MAX_JOINTS = 1000
MAX_POINTS = 10_000

_Names: TypeAlias = Annotated[list[str], msgspec.Meta(max_length=MAX_JOINTS)]
_Numbers: TypeAlias = Annotated[list[float], msgspec.Meta(max_length=MAX_JOINTS)]


class Time(msgspec.Struct, frozen=True):
    """A time or a duration."""

    sec: int = 0
    nanosec: int = 0
    secs: int = 0
    """Name of the field in ROS 1; only read."""
    nsecs: int = 0

    @property
    def seconds(self) -> float:
        """The time in seconds."""
        return (self.sec or self.secs) + 1e-9 * (self.nanosec or self.nsecs)


class Header(msgspec.Struct, frozen=True):
    """std_msgs/Header."""

    stamp: Time = Time()
    frame_id: str = ""


class JointState(msgspec.Struct, frozen=True):
    """sensor_msgs/JointState."""

    name: _Names
    position: _Numbers
    velocity: _Numbers = []
    effort: _Numbers = []
    header: Header = Header()


class JointTrajectoryPoint(msgspec.Struct, frozen=True):
    """trajectory_msgs/JointTrajectoryPoint."""

    positions: _Numbers
    velocities: _Numbers = []
    accelerations: _Numbers = []
    effort: _Numbers = []
    time_from_start: Time = Time()


class JointTrajectory(msgspec.Struct, frozen=True):
    """trajectory_msgs/JointTrajectory."""

    joint_names: _Names
    points: Annotated[list[JointTrajectoryPoint], msgspec.Meta(min_length=1, max_length=MAX_POINTS)]
    header: Header = Header()


class Vector3(msgspec.Struct, frozen=True):
    """geometry_msgs/Vector3 and Point."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


class Quaternion(msgspec.Struct, frozen=True):
    """geometry_msgs/Quaternion."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 1.0


class Pose(msgspec.Struct, frozen=True):
    """geometry_msgs/Pose."""

    position: Vector3 = Vector3()
    orientation: Quaternion = Quaternion()

    @property
    def matrix(self) -> Floats:
        """The pose as a transform. Shape (4, 4)."""
        rotation = self.orientation
        numbers = np.array([rotation.w, rotation.x, rotation.y, rotation.z])
        if not 0.9 < np.linalg.norm(numbers) < 1.1:
            raise RckError("the orientation must be a quaternion of length 1")
        at = self.position
        return translation((at.x, at.y, at.z)) @ from_quaternion(numbers / np.linalg.norm(numbers))


def stamp(seconds: float) -> dict[str, int]:
    """Return a time in seconds as builtin_interfaces/Time."""
    nanoseconds = round(1e9 * seconds)
    return {"sec": nanoseconds // 1_000_000_000, "nanosec": nanoseconds % 1_000_000_000}


def header(seconds: float, frame: str = "") -> dict[str, Any]:
    """Return std_msgs/Header."""
    return {"stamp": stamp(seconds), "frame_id": frame}


def vector(numbers: Floats) -> dict[str, float]:
    """Return three numbers as geometry_msgs/Vector3."""
    x, y, z = numbers.tolist()
    return {"x": x, "y": y, "z": z}


def quaternion(pose: Floats) -> dict[str, float]:
    """Return the rotation of a transform as geometry_msgs/Quaternion."""
    w, x, y, z = to_quaternion(pose).tolist()
    return {"x": x, "y": y, "z": z, "w": w}


def pose_message(pose: Floats) -> dict[str, Any]:
    """Return a transform as geometry_msgs/Pose."""
    return {"position": vector(pose[:3, 3]), "orientation": quaternion(pose)}


def transform_stamped(seconds: float, parent: str, child: str, parent_from_child: Floats) -> dict[str, Any]:
    """Return geometry_msgs/TransformStamped."""
    return {
        "header": header(seconds, parent),
        "child_frame_id": child,
        "transform": {"translation": vector(parent_from_child[:3, 3]), "rotation": quaternion(parent_from_child)},
    }


def image(head: dict[str, Any], pixels: NDArray[Any]) -> dict[str, Any]:
    """Return sensor_msgs/Image of pixels: bytes, shape (height, width, 3), or metres or integers, (height, width)."""
    if pixels.ndim == 3:
        encoding, data = "rgb8", np.ascontiguousarray(pixels, np.uint8)
    elif pixels.dtype.kind == "f":
        encoding, data = "32FC1", np.ascontiguousarray(pixels, "<f4")
    else:
        encoding, data = "32SC1", np.ascontiguousarray(pixels, "<i4")
    height, width = pixels.shape[:2]
    return {
        "header": head,
        "height": height,
        "width": width,
        "encoding": encoding,
        "is_bigendian": 0,
        "step": data.strides[0],
        "data": b64encode(data.tobytes()).decode(),
    }


def camera_info(head: dict[str, Any], width: int, height: int, field_of_view: float) -> dict[str, Any]:
    """Return sensor_msgs/CameraInfo of a pinhole camera without distortion and with square pixels.

    `field_of_view` is horizontal, in radians. The centre of the first pixel is at (0, 0), as in OpenCV.
    """
    focal = width / 2 / tan(field_of_view / 2)
    row, column = (height - 1) / 2, (width - 1) / 2
    return {
        "header": head,
        "height": height,
        "width": width,
        "distortion_model": "plumb_bob",
        "d": [0.0] * 5,
        "k": [focal, 0.0, column, 0.0, focal, row, 0.0, 0.0, 1.0],
        "r": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "p": [focal, 0.0, column, 0.0, 0.0, focal, row, 0.0, 0.0, 0.0, 1.0, 0.0],
        "binning_x": 0,
        "binning_y": 0,
        "roi": {"x_offset": 0, "y_offset": 0, "height": 0, "width": 0, "do_rectify": False},
    }


def point_cloud(head: dict[str, Any], points: Floats) -> dict[str, Any]:
    """Return sensor_msgs/PointCloud2 of points in metres, shape (height, width, 3)."""
    height, width = points.shape[:2]
    data = np.ascontiguousarray(points, "<f4")
    # In sensor_msgs/PointField, 7 is a 32-bit float.
    fields = [{"name": name, "offset": 4 * n, "datatype": 7, "count": 1} for n, name in enumerate("xyz")]
    return {
        "header": head,
        "height": height,
        "width": width,
        "fields": fields,
        "is_bigendian": False,
        "point_step": 12,
        "row_step": 12 * width,
        "data": b64encode(data.tobytes()).decode(),
        "is_dense": bool(np.isfinite(data).all()),
    }


def finite_or_none(numbers: Floats) -> list[float | None]:
    """Return numbers for JSON: infinities and NaN become null, as in rosbridge_suite."""
    return [number if np.isfinite(number) else None for number in numbers.tolist()]


def plain_type(name: str) -> str:
    """Return the name of a type without the `msg`, `srv` or `action` of ROS 2."""
    package, _, rest = name.partition("/")
    kind = rest.rpartition("/")[2]
    return f"{package}/{kind}" if kind else name
