"""What simulators want to know of sensors and grippers, worked out from what data sheets say."""

from collections.abc import Iterable, Iterator
from math import atan, pi, tan

import numpy as np

from rck.exporting.links import Link, LinkTree, PlacedDevice
from rck.exporting.losses import lost, some
from rck.geometry.arrays import Floats, frozen
from rck.model.device import Device, DeviceKind
from rck.model.finding import Finding

CAMERAS = frozenset({DeviceKind.CAMERA, DeviceKind.DEPTH_CAMERA})
LIDARS = frozenset({DeviceKind.LIDAR_2D, DeviceKind.LIDAR_3D})
RANGERS = frozenset({DeviceKind.ULTRASONIC, DeviceKind.INFRARED, DeviceKind.LASER_RANGE})

GRAVITY = 9.80665
"""Standard gravity, in m/s2, by which a payload is a force."""

DEVICE_FROM_BACKWARD = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))
"""The frame of a camera that looks along -z with y up, as in MuJoCo and USD. Shape (4, 4)."""

DEVICE_FROM_FORWARD = frozen(np.array([[0.0, -1, 0, 0], [0, 0, -1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]))
"""The frame of a camera that looks along x with z up, as in SDFormat. Shape (4, 4)."""


def placed_devices(tree: LinkTree) -> Iterator[tuple[Link, PlacedDevice]]:
    """All devices, each with the link that it is on."""
    return ((link, placed) for link in tree.links for placed in link.devices)


def view_angles(device: Device) -> tuple[float | None, float | None]:
    """How wide and how high a camera sees, in radians, of which the pixels may tell one by the other.

    None where it is not known, and where it is half round or more, which no picture on a plane can show.
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
    """The directions of a scanner's beams about z, from x, in radians; None where their spacing is not known."""
    view, step = device.values.get("field-of-view"), device.values.get("angular-resolution")
    if not view or not step:
        return None
    # A full circle ends where it began, which is measured once.
    whole = view >= 2 * pi - step / 2
    count = round(view / step) + (0 if whole else 1)
    spacing = view / (count if whole else max(count - 1, 1))
    return frozen(spacing * np.arange(count, dtype=float) - view / 2)


def holding_force(device: Device) -> float | None:
    """What a gripper that sucks or attracts holds, in newtons: its force, or else the weight that it can carry."""
    force, payload = device.values.get("force"), device.values.get("payload")
    return force if force is not None or payload is None else payload * GRAVITY


def finger_links(tree: LinkTree, device: Device) -> list[int]:
    """The links, by number, that end what a gripper's joints move: its fingertips."""
    moved: set[int] = set()
    for number, link in enumerate(tree.links):
        own = link.joint is not None and link.joint.name in device.joints
        if own or link.parent in moved:
            moved.add(number)
    return [number for number in sorted(moved) if not moved.intersection(tree.children[number])]


def lost_devices(devices: Iterable[PlacedDevice], where: str, what: str) -> Iterator[Finding]:
    """The devices that a format has no place for; `what` says so, and the names follow."""
    if names := [placed.device.name for placed in devices]:
        yield lost(where, f"{what}: {some(names)}")


def lost_figures(devices: Iterable[PlacedDevice], kept: frozenset[str], where: str) -> Iterator[Finding]:
    """What data sheets say of the devices that were written and the format has no place for."""
    if figures := sorted({figure for placed in devices for figure in placed.device.values if figure not in kept}):
        yield lost(where, f"figures of sensors and grippers are left out: {', '.join(figures)}")
