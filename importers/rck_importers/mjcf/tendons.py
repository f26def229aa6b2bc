"""Tendons of MJCF: fixed ones are interpreted, spatial ones are kept as extension data."""

from rck.importing.xml_file import Element
from rck.model import JointLimits, Tendon
from rck_importers.mjcf.extension_data import kept, rest, xml_of
from rck_importers.mjcf.source import Source

_READ = frozenset({"range", "limited", "damping", "frictionloss", "armature"})


def tendons_of(source: Source, joints: frozenset[str]) -> tuple[Tendon, ...]:
    """Return the tendons; `joints` are the names of the hinges and slides."""
    found: list[Tendon] = []
    for number, element in enumerate(source.sections("tendon")):
        full = source.full(element, "", tag="tendon")
        name = full.get("name") or f"tendon-{number + 1}"
        if full.tag == "fixed" and all(child.get("joint") in joints for child in full.all("joint")):
            found.append(_fixed(full, name, source))
        elif full.tag == "spatial":
            attributes = rest(full, ())
            found.append(Tendon(name, (), extensions=kept(full, full.attributes, spatial=xml_of(full, attributes))))
        else:
            source.reading.report.lost(f"<{full.tag}> tendon of a joint that is not imported", full.where)
    return tuple(found)


def _fixed(element: Element, name: str, source: Source) -> Tendon:
    lengths = element.numbers_of(element.get("springlength", "-1"), "springlength").tolist()
    stiffness = element.numbers_of(element.get("stiffness", "0"), "stiffness").tolist()
    # Default classes may have the looks of spatial tendons, too.
    read = _READ | {"material", "rgba", "width"}
    read |= {"springlength"} if len(lengths) == 1 else set()
    read |= {"stiffness"} if len(stiffness) == 1 else set()
    bounds = source.compiler.bounds(element)
    damping = element.numbers_of(element.get("damping", "0"), "damping").tolist()
    return Tendon(
        name,
        tuple((child.require("joint"), child.number("coef", 1.0)) for child in element.all("joint")),
        None if bounds is None else JointLimits(*bounds),
        stiffness[0],
        lengths[0] if lengths[0] >= 0 else None,
        damping[0],
        element.number("frictionloss", 0.0),
        element.number("armature", 0.0),
        kept(element, read - ({"damping"} if len(damping) > 1 else set())),
    )
