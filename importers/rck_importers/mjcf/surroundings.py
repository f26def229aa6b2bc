"""Planes, height fields and lights of MJCF, which RCK keeps for exports without using them."""

from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_quaternion
from rck.importing.xml_file import Element
from rck_importers.mjcf.extension_data import POSE, rest, xml_of
from rck_importers.mjcf.source import Source


def is_surrounding(element: Element) -> bool:
    """Return True if a geom, with the attributes of its class, is a plane or a height field."""
    return element.tag == "geom" and element.get("type") in ("plane", "hfield")


def kept_xml(element: Element, body_from_here: Floats, name: str, source: Source) -> str:
    """Return the XML of a plane, height field or light, with the attributes of its class, in the frame of its body."""
    given = rest(element, POSE | {"name", "dir", "texture"})
    if name:
        given["name"] = name
    if element.tag == "light":
        axis = body_from_here[:3, :3] @ element.numbers("dir", 3, (0, 0, -1))
        place = body_from_here[:3, :3] @ element.numbers("pos", 3, (0, 0, 0)) + body_from_here[:3, 3]
        given |= {"pos": _numbers(place), "dir": _numbers(axis)}
    else:
        pose = body_from_here @ source.compiler.pose(element)
        given |= {"pos": _numbers(pose[:3, 3]), "quat": _numbers(to_quaternion(pose))}
        if element.get("hfield"):
            given["hfield"] = f"{source.prefix}{element.get('hfield')}"
        if element.get("material"):
            given["material"] = f"{source.prefix}{element.get('material')}"
    return xml_of(element, given)


def _numbers(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)
