"""Sensors and grippers in SDFormat; unknown values get the defaults of the format."""

from collections.abc import Iterator, Sequence
from math import pi
from xml.etree.ElementTree import Element

from rck.exporting import ExportLink, LinkTree, MeshAssets, PlacedDevice, list_names, loss
from rck.exporting.device_data import (
    CAMERAS,
    DEVICE_FROM_FORWARD,
    LIDARS,
    RANGERS,
    beam_angles,
    finger_links,
    placed_devices,
    view_angles,
)
from rck.exporting.file_text import add, element, tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler
from rck.model import Device, DeviceKind, Finding

# The defaults of the specification, which requires the numbers.
_VIEW, _WIDTH, _HEIGHT, _NEAR, _FAR, _SAMPLES = 1.047, 320, 240, 0.1, 100.0, 640

_NARROWEST = 0.1
"""The smallest field of view that the specification allows, in radians."""

_ON_LINK = CAMERAS | LIDARS | RANGERS | {DeviceKind.IMU, DeviceKind.CONTACT}
_SUPPORTED = _ON_LINK | {DeviceKind.FORCE_TORQUE}


def sensor_elements(link: ExportLink, shapes: MeshAssets) -> Iterator[Element]:
    """Yield the sensors of a link; force-torque sensors belong to its joint."""
    solids = [shape.name for placed in link.items for shape in shapes.of_item[placed.number] if shape.solid]
    for placed in link.devices:
        kind = placed.device.kind
        if kind in CAMERAS:
            made = _sensor(placed, kind.value.replace("-", "_"), placed.pose @ DEVICE_FROM_FORWARD)
            made.append(_camera(placed.device))
        elif kind in LIDARS:
            made = _sensor(placed, "gpu_lidar", placed.pose)
            made.append(_lidar(placed.device))
        elif kind in RANGERS:
            made = _sensor(placed, "gpu_lidar", placed.pose @ DEVICE_FROM_FORWARD)
            made.append(_one_beam(placed.device))
        elif kind is DeviceKind.IMU:
            made = _sensor(placed, "imu", placed.pose)
        elif kind is DeviceKind.CONTACT and solids:
            made = _sensor(placed, "contact", placed.pose)
            contact = add(made, "contact")
            add(contact, "collision", f"{solids[0]}_collision")
            add(contact, "topic", placed.name)
        else:
            continue
        yield made


def wrench_elements(link: ExportLink) -> Iterator[Element]:
    """Yield the force-torque sensors of a link, for the joint to its parent."""
    for placed in link.devices:
        if placed.device.kind is DeviceKind.FORCE_TORQUE:
            made = _sensor(placed, "force_torque", placed.pose)
            measured = add(made, "force_torque")
            add(measured, "frame", "sensor")
            add(measured, "measure_direction", "child_to_parent")
            yield made


def gripper_elements(tree: LinkTree, links: Sequence[ExportLink]) -> Iterator[Element]:
    """Yield the grippers of a model that have fingers."""
    for link in links:
        for placed in link.devices:
            fingers = finger_links(tree, placed.device) if placed.device.kind.grips else []
            if fingers:
                made = element("gripper", name=placed.name)
                for finger in fingers:
                    add(made, "gripper_link", tree.links[finger].name)
                add(made, "palm_link", link.name)
                yield made


def _sensor(placed: PlacedDevice, kind: str, pose: Floats) -> Element:
    made = element("sensor", name=placed.name, type=kind)
    numbers = tidy([*pose[:3, 3], *to_euler(pose, "xyz")])
    if numbers.any():
        add(made, "pose", numbers)
    if "rate" in placed.device.values:
        add(made, "update_rate", placed.device.values["rate"])
    return made


def _camera(device: Device) -> Element:
    known = device.values
    made = element("camera")
    add(made, "horizontal_fov", max(view_angles(device)[0] or _VIEW, _NARROWEST))
    image = add(made, "image")
    add(image, "width", known.get("resolution-x", _WIDTH))
    add(image, "height", known.get("resolution-y", _HEIGHT))
    clip = add(made, "clip")
    add(clip, "near", known.get("min-range", _NEAR))
    add(clip, "far", known.get("max-range", _FAR))
    return made


def _lidar(device: Device) -> Element:
    made = element("lidar")
    scan = add(made, "scan")
    angles, view = beam_angles(device), device.values.get("field-of-view", 2 * pi)
    ends = (-view / 2, view / 2) if angles is None else (float(angles[0]), float(angles[-1]))
    _add_fan(add(scan, "horizontal"), _SAMPLES if angles is None else len(angles), ends)
    height, rows = device.values.get("field-of-view-vertical"), device.values.get("channels")
    if height and rows:
        _add_fan(add(scan, "vertical"), round(rows), (-height / 2, height / 2))
    _add_range(made, device)
    return made


def _one_beam(device: Device) -> Element:
    made = element("lidar")
    _add_fan(add(add(made, "scan"), "horizontal"), 1, (0.0, 0.0))
    _add_range(made, device)
    return made


def _add_fan(parent: Element, samples: int, ends: tuple[float, float]) -> None:
    add(parent, "samples", float(samples))
    add(parent, "resolution", 1.0)
    add(parent, "min_angle", ends[0])
    add(parent, "max_angle", ends[1])


def _add_range(parent: Element, device: Device) -> None:
    distances = add(parent, "range")
    add(distances, "min", device.values.get("min-range", 0.0))
    add(distances, "max", device.values.get("max-range", _FAR))


def device_losses(tree: LinkTree, where: str) -> Iterator[Finding]:
    """Yield the devices that have no element where they are, and cameras with too narrow a view."""
    placed = list(placed_devices(tree))
    dropped = [one for link, one in placed if not _has_element(tree, link, one)]
    # Kinds that the format does not support at all follow from what the exporter keeps.
    partly = [one for one in dropped if one.device.kind.grips or one.device.kind in _SUPPORTED]
    what = "grippers without fingers, force sensors on a free root, contact sensors on a link without shapes"
    yield from _report(partly, where, f"not supported by SDFormat: {what}")
    narrow = [
        one for _, one in placed if one.device.kind in CAMERAS and 0 < (view_angles(one.device)[0] or 0) < _NARROWEST
    ]
    yield from _report(narrow, where, f"the field of view is below the minimum of SDFormat, {_NARROWEST:g} rad")


def _report(devices: Sequence[PlacedDevice], where: str, message: str) -> Iterator[Finding]:
    if devices:
        yield loss(where, f"{message}: {list_names(one.device.name for one in devices)}")


def _has_element(tree: LinkTree, link: ExportLink, placed: PlacedDevice) -> bool:
    kind = placed.device.kind
    if kind.grips:
        return bool(finger_links(tree, placed.device))
    if kind is DeviceKind.FORCE_TORQUE:
        return link.parent is not None or not link.floats
    if kind is DeviceKind.CONTACT:
        return any(on.item.subitems for on in link.items)
    return kind in _ON_LINK
