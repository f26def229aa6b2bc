"""Cameras of MJCF as devices."""

from math import atan, radians
from types import MappingProxyType

from rck.geometry.arrays import Floats, frozen
from rck.importing.xml_file import Element
from rck.model import Device, DeviceKind
from rck.model.extensions import extension
from rck_importers.mjcf.extension_data import FORMAT, POSE, rest


def camera_device(element: Element, name: str, body: str, pose: Floats) -> Device:
    """Return the camera of an element; it looks along z, while cameras of MuJoCo look along -z."""
    turned = pose.copy()
    turned[:3, 1:3] *= -1
    values = {"field-of-view-vertical": _vertical_view(element)}
    if "resolution" in element.attributes:
        width, height = element.numbers("resolution", 2, ()).tolist()
        values |= {"resolution-x": width, "resolution-y": height}
    data = rest(element, POSE | {"fovy", "resolution"}) | ({"name": name} if element.get("name") else {})
    return Device(name, DeviceKind.CAMERA, body, frozen(turned), (), MappingProxyType(values),
                  extensions=extension(FORMAT, data))  # fmt: skip


def _vertical_view(element: Element) -> float:
    """Return the vertical field of view in radians, from the sensor and the focal length if they are stated."""
    height = float(element.numbers("sensorsize", 2, (0, 0))[1])
    focal = float(element.numbers("focal", 2, (0, 0))[1])
    if "focalpixel" in element.attributes and "resolution" in element.attributes:
        focal = float(element.numbers("focalpixel", 2, (0, 0))[1])
        height = float(element.numbers("resolution", 2, (0, 0))[1])
    if height > 0 and focal > 0:
        return 2 * atan(height / 2 / focal)
    # In degrees, even if other angles of the file are in radians.
    return radians(element.number("fovy", 45.0))
