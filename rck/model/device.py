"""Devices: sensors and grippers on items, with their pose and datasheet values."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import isfinite
from types import MappingProxyType

from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.model.extensions import Extensions, no_extensions
from rck.model.frame import IDENTITY, build_pose
from rck.support.finding import Built, Finding, Severity
from rck.support.names import name_findings

_KIND = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class DeviceKind(str, Enum):
    """The kind of a device, which defines the axes of its pose.

    Plugins can define further kinds, named in lower-case letters, digits and dashes: `DeviceKind("acme-nose")`. A name
    that ends in `-gripper` is a gripper.
    """

    CAMERA = "camera"
    """Looks along z; x points right in its image and y down."""
    DEPTH_CAMERA = "depth-camera"
    """A camera whose pixels are distances along z."""
    LIDAR_2D = "lidar-2d"
    """Scans a plane: z is the axis of rotation, x the middle of its field of view."""
    LIDAR_3D = "lidar-3d"
    """A lidar with further beams above and below the plane."""
    ULTRASONIC = "ultrasonic"
    """Measures the distance to the nearest surface in a cone around z, by sound."""
    INFRARED = "infrared"
    """Measures the same by infrared light."""
    LASER_RANGE = "laser-range"
    """Measures the same by laser."""
    FORCE_TORQUE = "force-torque"
    """Measures force and torque along its axes, between its item and the items mounted at its pose."""
    IMU = "imu"
    """Measures angular velocity and acceleration along its axes."""
    CONTACT = "contact"
    """Detects pressure against z; with a joint, detects that the joint has been pushed."""
    ENCODER = "encoder"
    """Measures the position of its joint."""
    PARALLEL_GRIPPER = "parallel-gripper"
    """Grips with fingers that close along x; z is the direction of approach."""
    THREE_FINGER_GRIPPER = "three-finger-gripper"
    """Grips with fingers around z, the direction of approach."""
    VACUUM_GRIPPER = "vacuum-gripper"
    """Holds an item in contact with it, along z, by suction."""
    MAGNET_GRIPPER = "magnet-gripper"
    """Holds an item the same way by magnetism."""

    @classmethod
    def _missing_(cls, value: object) -> "DeviceKind | None":
        if not isinstance(value, str) or not _KIND.fullmatch(value):
            return None
        kind = str.__new__(cls, value)
        kind._name_ = value.upper().replace("-", "_")
        kind._value_ = value
        # Remembered, but not listed: only the kinds above are members.
        cls._value2member_map_[value] = kind
        return kind

    @property
    def grips(self) -> bool:
        """True for a gripper, False for a sensor."""
        return self.value.endswith("-gripper")


@dataclass(frozen=True, eq=False)
class Device:
    """A sensor or gripper on an item. Build one with :func:`build_device`."""

    name: str
    kind: DeviceKind
    item: str
    """The item that it is mounted on."""
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from device, with the axes of its kind. Shape (4, 4)."""
    joints: tuple[str, ...] = ()
    """The joints that close a gripper, the leader first, or the joint whose position a sensor measures."""
    values: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Datasheet values in SI units, by the names of figures in docs/parts.md: `field-of-view` and
    `field-of-view-vertical` in radians, `min-range`, `max-range`, `opening` in metres, `grip-force` in newtons,
    `rate` in hertz, `resolution-x` and `resolution-y` in pixels, ... Unknown values are missing.
    """
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Options of the plugin that implements its kind, by name, as text; they override datasheet values."""
    source_name: str = field(default="", kw_only=True)
    """Its name in the file that it was imported from, which exports use again; empty to use `name`."""
    extensions: Extensions = field(default_factory=no_extensions)


def build_device(
    name: str,
    kind: DeviceKind,
    item: str,
    *,
    pose: ArrayLike = IDENTITY,
    joints: Iterable[str] = (),
    values: Mapping[str, float] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Built[Device]:
    """Build a device, or return the findings that prevent it."""
    where = f"device {name}"
    item_from_device = build_pose(pose, where)
    findings = [*name_findings(name, where), *item_from_device.findings]
    for key, value in (values or {}).items():
        if not isfinite(value):
            findings.append(Finding(101, Severity.ERROR, where, f"{key} is not a finite number"))
    if findings or item_from_device.value is None:
        return Built(None, tuple(findings))
    known, options = MappingProxyType(dict(values or {})), MappingProxyType(dict(settings or {}))
    return Built(Device(name, kind, item, item_from_device.value, tuple(joints), known, options))
