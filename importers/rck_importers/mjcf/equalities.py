"""Equality constraints of MJCF: loops, mimic joints, and constraints that are kept as extension data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import frame, from_quaternion, identity, invert, translation
from rck.importing.xml_file import Element
from rck.model import Loop, LoopKind, Mimic
from rck.model.extensions import extension
from rck_importers.mjcf.bodies import BodyJoint
from rck_importers.mjcf.extension_data import FORMAT, kept, rest, xml_of
from rck_importers.mjcf.source import Source

_SAME, _LEAST = 1e-9, 1e-6
"""Distances of two points that hold an axis, in metres: their largest difference, and the least one."""


@dataclass(slots=True)
class Equalities:
    """The equality constraints of a model."""

    mimics: dict[str, Mimic] = field(default_factory=dict)
    """By joint."""
    mimic_data: dict[str, str] = field(default_factory=dict)
    """Data of the file about the constraint of each mimic joint, as XML."""
    loops: list[Loop] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    """Constraints that RCK does not interpret, as XML, by the joint or tendon that they constrain."""


Places = Mapping[str, tuple[str, Floats]]
"""Body and pose in the body, by name."""


def equalities_of(
    source: Source, joints: Iterable[BodyJoint], tendons: Iterable[str], bodies: Mapping[str, Floats], sites: Places
) -> Equalities:
    """Return the constraints; `bodies` are the poses of the bodies in the reference configuration."""
    references = {joint.name: joint.reference for joint in joints if joint.kind in ("hinge", "slide")}
    known_tendons = set(tendons)
    found = Equalities()
    for number, element in enumerate(source.sections("equality")):
        full = source.full(element, "", tag="equality")
        if full.tag == "joint" and full.get("joint1") in references:
            _add_joint(full, references, found)
        elif full.tag in ("connect", "weld"):
            loop = _loop(full, full.get("name") or f"{full.tag}-{number + 1}", bodies, sites)
            if loop is None:
                source.reading.report.lost(f"<{full.tag}> equality of an element that is not imported", full.where)
            else:
                found.loops.append(loop)
        elif full.tag == "tendon" and full.get("tendon1") in known_tendons:
            name = full.get("tendon1")
            found.others[name] = found.others.get(name, "") + xml_of(full, rest(full, ()))
        else:
            source.reading.report.lost(f"<{full.tag}> equality", full.where)
    found.loops = _with_hinges(found.loops)
    return found


def _with_hinges(loops: list[Loop]) -> list[Loop]:
    """Return the loops, two points of the same two bodies as the axis that they hold."""
    made: list[Loop] = []
    for loop in loops:
        partners = [one for one in loops if one.items == loop.items and one.kind is LoopKind.CONNECT]
        if loop.kind is not LoopKind.CONNECT or len(partners) != 2:
            made.append(loop)
        elif loop is partners[0]:
            hinge = _hinge(*partners)
            made += [hinge] if hinge is not None else partners
    return made


def _hinge(one: Loop, other: Loop) -> Loop | None:
    """Return the revolute loop of two points; None if their distances, or the other data of the loops, differ."""
    starts = [pose[:3, 3] for pose in one.poses]
    ways = [pose[:3, 3] - start for pose, start in zip(other.poses, starts, strict=True)]
    lengths = [float(np.linalg.norm(way)) for way in ways]
    if abs(lengths[0] - lengths[1]) > _SAME or lengths[0] < _LEAST or _data(one) != _data(other):
        return None
    first, second = (frozen(frame(start, z=way)) for start, way in zip(starts, ways, strict=True))
    return Loop(one.name, LoopKind.REVOLUTE, one.items, (first, second), extension(FORMAT, _data(one)))


def _data(loop: Loop) -> dict[str, str]:
    """Return the data of a loop, without the sites, which hold one point."""
    data = loop.extensions.get(FORMAT, {})
    return {key: value for key, value in data.items() if key not in ("name", "site1", "site2")}


def _add_joint(element: Element, references: Mapping[str, float], found: Equalities) -> None:
    led, leader = element.get("joint1"), element.get("joint2")
    coefficients = [*element.numbers_of(element.get("polycoef", "0 1 0 0 0"), "polycoef").tolist(), *[0.0] * 5][:5]
    straight = not any(coefficients[2:])
    plain = leader in references and led != leader and element.get("active", "true") == "true"
    if plain and straight and led not in found.mimics and leader not in found.mimics:
        offset, ratio = coefficients[:2]
        found.mimics[led] = Mimic(leader, ratio, references[led] + offset - ratio * references[leader])
        found.mimic_data[led] = xml_of(element, rest(element, {"joint1", "joint2", "polycoef", "active"}))
    else:
        found.others[led] = found.others.get(led, "") + xml_of(element, rest(element, ()))


def _loop(element: Element, name: str, bodies: Mapping[str, Floats], sites: Places) -> Loop | None:
    ends = element.get("site1"), element.get("site2")
    kind = LoopKind(element.tag)
    if any(ends):
        if not all(end in sites for end in ends):
            return None
        (first, one), (second, other) = sites[ends[0]], sites[ends[1]]
        return Loop(name, kind, (first, second), (frozen(one), frozen(other)), kept(element, ()))
    first, second = element.get("body1"), element.get("body2") or "world"
    if first not in bodies or second not in bodies:
        return None
    from_second = invert(bodies[second]) @ bodies[first]
    anchor = translation(element.numbers("anchor", 3, (0, 0, 0)))
    if kind is LoopKind.CONNECT:
        one, other = anchor, from_second @ anchor
    else:
        pose = element.numbers("relpose", 7, (0, 0, 0, 0, 0, 0, 0))
        given = pose[3:].any()
        # A stated pose has the position of the anchor on the first body.
        stated = translation(pose[:3]) @ from_quaternion(pose[3:].tolist()) if given else identity()
        one, other = stated if given else invert(from_second) @ anchor, anchor
    consumed = {"body1", "body2", "anchor", "relpose"}
    return Loop(name, kind, (first, second), (frozen(one), frozen(_rigid(other))), kept(element, consumed))


def _rigid(pose: Floats) -> Floats:
    """Return the pose with an exact last row."""
    made = identity()
    made[:3] = pose[:3]
    return made
