"""Collision rules of MJCF: masks of geoms, excluded bodies, explicit pairs, and the filter of neighbouring bodies."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from rck.importing.xml_file import Element
from rck.model import PairRule
from rck.model.subitem import ContactGroups
from rck_importers.mjcf.bodies import MjcfBody
from rck_importers.mjcf.extension_data import rest, xml_of
from rck_importers.mjcf.source import Source


def contact_rules(source: Source, bodies: Sequence[MjcfBody]) -> Iterator[PairRule]:
    """Yield for each pair of bodies with collision geoms whether MuJoCo tests it."""
    by_name = {body.name: body for body in bodies}
    owner = {geom.placed.name: body.name for body in bodies for geom in body.geoms if geom.placed.name}
    excluded, paired = set(), set()
    for element in source.sections("contact"):
        if element.tag == "exclude":
            excluded.add(frozenset((element.get("body1"), element.get("body2"))))
        elif element.tag == "pair":
            paired.add(frozenset((owner.get(element.get("geom1"), ""), owner.get(element.get("geom2"), ""))))
    solid = {body: _groups(body) for body in bodies if any(geom.touches for geom in body.geoms)}
    group = {body: _rigid_root(body) for body in bodies}
    world = by_name["world"]
    filters_parents = not _is_disabled(source, "filterparent")
    for one, other in combinations(solid, 2):
        pair = frozenset((one.name, other.name))
        a, b = group[one], group[other]
        related = filters_parents and world not in (a, b) and (_parent(a, group) is b or _parent(b, group) is a)
        meets = any(mine.meets(theirs) for mine in solid[one] for theirs in solid[other])
        tested = pair in paired or (meets and pair not in excluded and not related)
        yield PairRule((one.name, other.name), tested)


def contact_pairs(source: Source) -> str:
    """Return the explicit pairs of geoms as XML."""
    pairs = [source.full(element, "") for element in source.sections("contact") if element.tag == "pair"]
    return "".join(xml_of(pair, rest(pair, ())) for pair in pairs)


def kept_excludes(source: Source, bodies: Sequence[MjcfBody]) -> str:
    """Return as XML the excluded pairs with bodies whose planes and height fields RCK does not check."""
    kept = {body.name for body in bodies if body.surroundings}
    excludes = [source.full(element, "") for element in source.sections("contact") if element.tag == "exclude"]
    return "".join(xml_of(one, rest(one, ())) for one in excludes if {one.get("body1"), one.get("body2")} & kept)


def _groups(body: MjcfBody) -> set[ContactGroups]:
    return {geom.placed.groups or ContactGroups() for geom in body.geoms if geom.touches}


def _rigid_root(body: MjcfBody) -> MjcfBody:
    while body.parent is not None and not body.joints:
        body = body.parent
    return body


def _parent(body: MjcfBody, group: dict[MjcfBody, MjcfBody]) -> MjcfBody | None:
    return None if body.parent is None else group[body.parent]


def _is_disabled(source: Source, flag: str) -> bool:
    flags: list[Element] = [one for one in source.sections("option") if one.tag == "flag"]
    return any(one.get(flag) == "disable" for one in flags)
