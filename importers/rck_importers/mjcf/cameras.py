"""Cameras of MJCF as devices."""

from math import radians
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
    # In degrees, even if other angles of the file are in radians.
    values = {"field-of-view-vertical": radians(element.number("fovy", 45.0))}
    if "resolution" in element.attributes:
        width, height = element.numbers("resolution", 2, ()).tolist()
        values |= {"resolution-x": width, "resolution-y": height}
    data = rest(element, POSE | {"fovy", "resolution"}) | ({"name": name} if element.get("name") else {})
    return Device(name, DeviceKind.CAMERA, body, frozen(turned), (), MappingProxyType(values),
                  extensions=extension(FORMAT, data))  # fmt: skip
