"""Devices: what a robot senses and grips with, where that sits on its items, and what the data sheet says of it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import isfinite
from types import MappingProxyType

from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.model.finding import Built, Finding, Severity
from rck.model.names import name_findings
from rck.model.pose import IDENTITY, build_pose

_KIND = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class DeviceKind(str, Enum):
    """What a device does, and what the axes of its pose mean.

    Any other name of small letters, digits and dashes, `DeviceKind("acme-nose")`, is the kind of a plugin's own; one
    that ends in `-gripper` grips.
    """

    CAMERA = "camera"
    """Looks along z; x points to the right of its picture and y down."""
    DEPTH_CAMERA = "depth-camera"
    """As a camera; each pixel is a distance along z."""
    LIDAR_2D = "lidar-2d"
    """Scans a plane: z is the axis that it turns about, x the middle of its view."""
    LIDAR_3D = "lidar-3d"
    """As the one above, with beams above and below the plane."""
    ULTRASONIC = "ultrasonic"
    """Measures the distance to the nearest thing in a cone about z, by sound."""
    INFRARED = "infrared"
    """The same by infrared light."""
    LASER_RANGE = "laser-range"
    """The same by a laser."""
    FORCE_TORQUE = "force-torque"
    """Measures force and moment in its axes, between its item and what is fastened at its place."""
    IMU = "imu"
    """Measures turning and acceleration in its axes."""
    CONTACT = "contact"
    """Tells whether something presses it, coming against z; with a joint, whether that has been pushed."""
    ENCODER = "encoder"
    """Tells the position of its joint."""
    PARALLEL_GRIPPER = "parallel-gripper"
    """Grips by its joints what is between its fingers, which come along x; z is the direction of approach."""
    THREE_FINGER_GRIPPER = "three-finger-gripper"
    """Grips by its joints round z, the direction of approach."""
    VACUUM_GRIPPER = "vacuum-gripper"
    """Holds what its place touches, along z, while it sucks."""
    MAGNET_GRIPPER = "magnet-gripper"
    """The same by magnetism."""

    @classmethod
    def _missing_(cls, value: object) -> "DeviceKind | None":
        if not isinstance(value, str) or not _KIND.fullmatch(value):
            return None
        kind = str.__new__(cls, value)
        kind._name_ = value.upper().replace("-", "_")
        kind._value_ = value
        # Kept for the next time, but not listed: what is listed is what RCK itself knows.
        cls._value2member_map_[value] = kind
        return kind

    @property
    def grips(self) -> bool:
        """Whether it is a gripper; the others are sensors."""
        return self.value.endswith("-gripper")


@dataclass(frozen=True, eq=False)
class Device:
    """A sensor or gripper on an item. Build one with :func:`build_device`."""

    name: str
    kind: DeviceKind
    item: str
    """The item that it is part of."""
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from device: where it looks, measures or grips from, with the axes of its kind. Shape (4, 4)."""
    joints: tuple[str, ...] = ()
    """The joints that a gripper closes by, the leading one first, or whose position a sensor tells."""
    values: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """What the data sheet gives, in SI units, by the names of figures in docs/parts.md: `field-of-view` and
    `field-of-view-vertical` in radians, `min-range`, `max-range`, `opening` in metres, `grip-force` in newtons,
    `rate` in hertz, `resolution-x` and `resolution-y` in pixels, ... What is not known is not there.
    """
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Options of the plugin that serves its kind, by name, as users type them; they come before the figures."""


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
    """A device, or the findings that say why it is none."""
    where = f"device {name}"
    item_from_device = build_pose(pose, where)
    findings = [*name_findings(name, where), *item_from_device.findings]
    for key, value in (values or {}).items():
        if not isfinite(value):
            findings.append(Finding(101, Severity.ERROR, where, f"its {key} is not a finite number"))
    if findings or item_from_device.value is None:
        return Built(None, tuple(findings))
    known, told = MappingProxyType(dict(values or {})), MappingProxyType(dict(settings or {}))
    return Built(Device(name, kind, item, item_from_device.value, tuple(joints), known, told))
