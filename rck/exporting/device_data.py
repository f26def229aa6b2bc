"""Data of sensors and grippers as simulators need it, computed from the values of data sheets."""

from collections.abc import Iterator
from math import atan, pi, tan

import numpy as np

from rck.exporting.link_tree import ExportLink, LinkTree, PlacedDevice
from rck.geometry.arrays import Floats, frozen
from rck.model.device import Device, DeviceKind

CAMERAS = frozenset({DeviceKind.CAMERA, DeviceKind.DEPTH_CAMERA})
LIDARS = frozenset({DeviceKind.LIDAR_2D, DeviceKind.LIDAR_3D})
RANGERS = frozenset({DeviceKind.ULTRASONIC, DeviceKind.INFRARED, DeviceKind.LASER_RANGE})

GRAVITY = 9.80665
"""Standard gravity, in m/s2, which converts a payload to a force."""

DEVICE_FROM_BACKWARD = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))
"""The frame of a camera that looks along -z with y up, as in MuJoCo and USD. Shape (4, 4)."""

DEVICE_FROM_FORWARD = frozen(np.array([[0.0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]))
"""The frame of a camera that looks along x with z up, as in SDFormat. Shape (4, 4)."""


def placed_devices(tree: LinkTree) -> Iterator[tuple[ExportLink, PlacedDevice]]:
    """Yield all devices, each with its link."""
    return ((link, placed) for link in tree.links for placed in link.devices)


def view_angles(device: Device) -> tuple[float | None, float | None]:
    """Return the horizontal and vertical field of view of a camera, in radians; one may follow from the other.

    An angle is None if it is not known, or if it is 180 degrees or more, which no planar image can show.
    """
    known = device.values
    width, height = (
        angle if angle is not None and angle < pi else None
        for angle in (known.get("field-of-view"), known.get("field-of-view-vertical"))
    )
    pixels = known.get("resolution-x", 0.0), known.get("resolution-y", 0.0)
    if all(pixels) and width is not None and height is None:
        height = 2 * atan(tan(width / 2) * pixels[1] / pixels[0])
    elif all(pixels) and height is not None and width is None:
        width = 2 * atan(tan(height / 2) * pixels[0] / pixels[1])
    return width, height


def beam_angles(device: Device) -> Floats | None:
    """Return the angles of the beams of a lidar about z, from x, in radians; None if their spacing is not known."""
    view, step = device.values.get("field-of-view"), device.values.get("angular-resolution")
    if not view or not step:
        return None
    # The first and last beam of a full circle would be the same.
    whole = view >= 2 * pi - step / 2
    count = round(view / step) + (0 if whole else 1)
    spacing = view / (count if whole else max(count - 1, 1))
    return frozen(spacing * np.arange(count, dtype=float) - view / 2)


def holding_force(device: Device) -> float | None:
    """Return the force of a vacuum or magnet gripper, in newtons: its force, or the weight of its payload."""
    force, payload = device.values.get("force"), device.values.get("payload")
    return force if force is not None or payload is None else payload * GRAVITY


def finger_links(tree: LinkTree, device: Device) -> list[int]:
    """Return the numbers of the fingertip links of a gripper: the last links that its joints move."""
    moved: set[int] = set()
    for number, link in enumerate(tree.links):
        own = link.joint is not None and link.joint.name in device.joints
        if own or link.parent in moved:
            moved.add(number)
    return [number for number in sorted(moved) if not moved.intersection(tree.children[number])]
