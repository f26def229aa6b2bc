"""Equality constraints of MJCF: loops, mimic joints, and constraints that are kept as extension data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import from_quaternion, identity, invert, translation
from rck.importing.xml_file import Element
from rck.model import Loop, LoopKind, Mimic
from rck_importers.mjcf.bodies import BodyJoint
from rck_importers.mjcf.extension_data import kept, rest, xml_of
from rck_importers.mjcf.source import Source


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
    return found


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
