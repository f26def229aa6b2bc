"""Joint data that MJCF stores outside the joint element: actuators and joint equalities."""

from collections.abc import Iterable
from math import inf

from rck.importing.xml_file import Element
from rck.model import Mimic
from rck_importers.mjcf.bodies import BodyJoint
from rck_importers.mjcf.source import Source


def efforts(source: Source) -> dict[str, float]:
    """Return the effort limit of each joint driven by exactly one actuator with a bound, in N m or N."""
    driven: dict[str, list[float | None]] = {}
    for element in source.sections("actuator"):
        full = source.full(element, "")
        source.reading.report.left_out(f"<{element.tag}> actuator (apart from its effort limit)", element.where)
        joint = full.get("joint") or full.get("jointinparent")
        if joint:
            driven.setdefault(joint, []).append(_bound(full, source))
    return {joint: bounds[0] for joint, bounds in driven.items() if len(bounds) == 1 and bounds[0] is not None}


def _bound(element: Element, source: Source) -> float | None:
    gear = abs(float(element.numbers_of(element.get("gear", "1"), "gear")[0]))
    force = _greatest(element, "force", source)
    if force is None and element.tag == "motor":
        # The control signal of a motor is its force.
        force = _greatest(element, "ctrl", source)
    return None if force is None else force * gear


def _greatest(element: Element, what: str, source: Source) -> float | None:
    bounds = source.compiler.bounds(element, what)
    return None if bounds is None else max(map(abs, bounds))


def effort_at(joint: BodyJoint, driven: dict[str, float]) -> float | None:
    """Return the effort limit of the joint: the smaller of its own bound and that of its actuator."""
    own = joint.element.numbers("actuatorfrcrange", 2, (0, 0)).tolist()
    bound = max(map(abs, own)) if own[0] < own[1] else inf
    least = min(bound, driven.get(joint.name, inf))
    return None if least == inf else least


def followers(source: Source, joints: Iterable[BodyJoint]) -> dict[str, Mimic]:
    """Return the joints that an equality constrains to a linear function of another joint."""
    references = {joint.name: joint.reference for joint in joints if joint.kind in ("hinge", "slide")}
    found: dict[str, Mimic] = {}
    for element in source.sections("equality"):
        full = source.full(element, "")
        led, leader = full.get("joint1"), full.get("joint2")
        coefficients = [*full.numbers_of(full.get("polycoef", "0 1 0 0 0"), "polycoef").tolist(), *[0.0] * 5][:5]
        straight = not any(coefficients[2:])
        plain = led in references and leader in references and led != leader
        if full.tag == "joint" and full.get("active", "true") == "true" and straight and plain:
            offset, ratio = coefficients[:2]
            if led not in found and leader not in found:
                start = references[led] + offset - ratio * references[leader]
                found[led] = Mimic(leader, ratio, start)
                continue
        source.reading.report.left_out(f"<{element.tag}> equality", element.where)
    return found
