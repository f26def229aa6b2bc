"""Attributes and elements of MJCF that RCK does not interpret: kept with the element, and exported again.

An attribute keeps its name. A name in angle brackets holds whole elements as XML; names in them are those of the file.
"""

from collections.abc import Collection, Mapping
from xml.etree import ElementTree

from rck.importing.xml_file import Element
from rck.model.extensions import Extensions, extension

FORMAT = "mjcf"

POSE = frozenset({"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"})
"""The attributes of a pose."""


def rest(element: Element, consumed: Collection[str]) -> dict[str, str]:
    """Return the attributes that were not consumed, with the default class resolved."""
    return {
        name: text.strip()
        for name, text in element.attributes.items()
        if name not in consumed and name not in ("class", "childclass")
    }


def kept(element: Element, consumed: Collection[str], **elements: str) -> Extensions:
    """Return the extension data of an element: the attributes that were not consumed, and XML by tag."""
    return extension(FORMAT, {**rest(element, consumed), **{f"<{tag}>": xml for tag, xml in elements.items() if xml}})


def xml_of(element: Element, attributes: Mapping[str, str] | None = None, tag: str = "") -> str:
    """Return the XML of an element, with other attributes if given."""
    made = element.tree()
    made.tag = tag or element.tag
    if attributes is not None:
        made.attrib = dict(attributes)
    return ElementTree.tostring(made, encoding="unicode")
