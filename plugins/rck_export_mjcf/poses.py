"""Poses as attributes."""

from rck.exporting.xml_text import Value, tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_quaternion


def pose_attributes(pose: Floats) -> dict[str, Value]:
    """Attributes for a pose, without those that say nothing."""
    position, quaternion = tidy(pose[:3, 3]), tidy(to_quaternion(pose))
    attributes: dict[str, Value] = {}
    if position.any():
        attributes["pos"] = position
    if quaternion[1:].any():
        attributes["quat"] = quaternion
    return attributes
