"""Actuators, sensors, tendons, constraints and contact rules of attached models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rck.importing.xml_file import Element
from rck_importers.mjcf.bodies import MjcfBody
from rck_importers.mjcf.keyframes import attached_keyframes
from rck_importers.mjcf.source import Source

_SECTIONS: Mapping[str, str] = {
    "tendon": "tendon",
    "equality": "equality",
    "actuator": "",
    "sensor": "",
    "contact": "",
    "custom": "",
}
"""The sections whose elements come with the bodies that they refer to, and the tags of their default classes."""
_REFERENCES = frozenset({
    "joint", "joint1", "joint2", "jointinparent", "site", "site1", "site2", "refsite", "sidesite", "cranksite",
    "slidersite", "body", "body1", "body2", "actuator", "tendon", "tendon1", "tendon2", "geom", "geom1", "geom2",
    "camera", "objname", "refname",
})  # fmt: skip
_NAMES = frozenset({"name", "material"})
_RESOLVED = "//resolved"
"""A default class without attributes: those of the attached model have been added already."""


def with_attachments(source: Source, bodies: Sequence[MjcfBody]) -> Source:
    """Return the source with the elements of attached models that refer only to attached bodies, with their prefix."""
    others = sources_of(bodies)[1:]
    if not others:
        return source
    sections = []
    actuators: list[Source] = [source] * len(source.sections("actuator"))
    for other in others:
        names = {"world", *_names_in(body for body in bodies if body.source is other)}
        for tag, default in _SECTIONS.items():
            found = list(_elements(other, tag, default, names))
            sections.append(Element(tag, {}, other.root.file, other.root.line, found))
            actuators += [other] * len(found) * (tag == "actuator")
    for other in others:
        keys = list(attached_keyframes(other, bodies, actuators))
        sections.append(Element("keyframe", {}, other.root.file, other.root.line, keys))
    root = replace(source.root, children=[*source.root.children, *sections])
    return replace(source, root=root, classes={**source.classes, _RESOLVED: {}})


def sources_of(bodies: Sequence[MjcfBody]) -> list[Source]:
    """Return the models that bodies come from: that of the world, and attached ones."""
    found = {id(body.source): body.source for body in bodies if body.source is not None}
    return list(found.values())


def _names_in(bodies: Iterator[MjcfBody]) -> set[str]:
    names: set[str] = set()
    for body in bodies:
        names.add(body.name)
        names.update(joint.name for joint in body.joints)
        names.update(site.name for site in body.sites)
        names.update(geom.placed.name for geom in body.geoms)
        names.update(camera.name for camera in body.cameras)
    return names


def _elements(source: Source, section: str, default: str, names: set[str]) -> Iterator[Element]:
    """Yield the elements of a section whose references exist, renamed, and add their names."""
    for element in source.sections(section):
        full = _renamed(source.full(element, "", tag=default), source.prefix)
        if all(name in names for name in _references(full)):
            names.add(full.get("name"))
            resolved = {} if section == "custom" else {"class": _RESOLVED}
            yield replace(full, attributes={**full.attributes, **resolved})


def _renamed(element: Element, prefix: str) -> Element:
    attributes = {
        name: f"{prefix}{text}" if (name in _REFERENCES or name in _NAMES) and text not in ("", "world") else text
        for name, text in element.attributes.items()
    }
    return replace(element, attributes=attributes, children=[_renamed(child, prefix) for child in element])


def _references(element: Element) -> Iterator[str]:
    yield from (text for name, text in element.attributes.items() if name in _REFERENCES)
    for child in element:
        yield from _references(child)
