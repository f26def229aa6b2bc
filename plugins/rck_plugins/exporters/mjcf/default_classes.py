"""Default classes of MJCF: what several joints or actuators have in common is written once."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from rck.exporting.file_text import add

_LIMITED = frozenset({"actlimited", "actrange", "ctrllimited", "forcelimited", "forcerange", "gear"})
_SHARED: Mapping[str, frozenset[str]] = {
    "joint": frozenset({
        "actuatorfrclimited", "actuatorfrcrange", "armature", "damping", "frictionloss", "group", "limited", "margin",
        "solimpfriction", "solimplimit", "solreffriction", "solreflimit", "springdamper", "stiffness",
    }),
    "general": frozenset({"biasprm", "biastype", "dynprm", "dyntype", "gainprm", "gaintype", "group"}) | _LIMITED,
    "motor": _LIMITED | {"group"},
    "position": frozenset({"dampratio", "group", "kp", "kv", "timeconst"}) | _LIMITED,
    "velocity": frozenset({"group", "kv"}) | _LIMITED,
}  # fmt: skip
"""The attributes of each element that a class may set: not the ranges of its motion, which differ."""


def share_defaults(root: Element, classes: Element) -> None:
    """Move attributes that several joints or actuators share into default classes."""
    for tag, shared in _SHARED.items():
        groups: dict[tuple[tuple[str, str], ...], list[Element]] = {}
        for one in _elements(root, tag):
            groups.setdefault(tuple(sorted((k, text) for k, text in one.items() if k in shared)), []).append(one)
        worthy = [(pairs, found) for pairs, found in groups.items() if pairs and len(found) > 1]
        for number, (pairs, found) in enumerate(worthy):
            name = tag if len(worthy) == 1 else f"{tag}{number + 1}"
            add(add(classes, "default", class_=name), tag, **dict(pairs))
            for one in found:
                for key, _ in pairs:
                    del one.attrib[key]
                one.set("class", name)


def _elements(root: Element, tag: str) -> Iterator[Element]:
    for section in ("worldbody", "actuator"):
        for part in root.iterfind(section):
            yield from (one for one in part.iter(tag) if "class" not in one.attrib and one.get("type") != "free")
