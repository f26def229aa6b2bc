"""Names in MJCF: those of the file that an element comes from where they are unique, and references to them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from rck.model.extensions import Extensions
from rck.support.names import legal_name, nearest_name, unique_names

FORMAT = "mjcf"

_REFERENCES = {
    "joint": "joint", "joint1": "joint", "joint2": "joint", "jointinparent": "joint", "site": "site", "site1": "site",
    "site2": "site", "refsite": "site", "sidesite": "site", "cranksite": "site", "slidersite": "site", "body": "body",
    "body1": "body", "body2": "body", "actuator": "actuator", "tendon": "tendon", "tendon1": "tendon",
    "tendon2": "tendon", "geom": "geom", "geom1": "geom", "geom2": "geom", "camera": "camera", "target": "body",
}  # fmt: skip
"""The category of the element that each attribute names."""
_OBJECTS = {"xbody": "body"}
"""The category for values of `objtype` and `reftype` that differ from it."""


def data_of(extensions: Extensions) -> dict[str, str]:
    """Return the attributes of MJCF that are kept with an element, without whole elements."""
    kept = extensions.get(FORMAT)
    return {name: text for name, text in kept.items() if not name.startswith("<")} if kept else {}


def xml_in(extensions: Extensions, tag: str) -> list[ElementTree.Element]:
    """Return the elements that are kept under a tag; none if the XML is damaged."""
    text = extensions.get(FORMAT, {}).get(f"<{tag}>", "")
    try:
        return list(ElementTree.fromstring(f"<list>{text}</list>"))
    except ElementTree.ParseError:
        return []


def scope_of(name: str) -> str:
    """Return the scope of a name in the model."""
    return name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Named:
    """An element of the model with its name in the file that it comes from, and its name in the export."""

    model: str
    source: str
    exported: str


def assign_names(elements: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> list[str]:
    """Return a name for each element, given its name in the model and in the file that it comes from."""
    listed = list(elements)
    taken = set(taken)
    count = Counter(source for _, source in listed)
    kept = [source if source and count[source] == 1 and source not in taken else "" for _, source in listed]
    given = [source or name for (name, _), source in zip(listed, kept, strict=True)]
    wanted = [source or legal_name(name) for (name, _), source in zip(listed, kept, strict=True)]
    return unique_names(given, wanted, "_", taken)


@dataclass(frozen=True, slots=True)
class References:
    """The names of all elements by category, to find what kept elements refer to."""

    named: Mapping[str, Sequence[Named]]

    def find(self, category: str, name: str, scope: str) -> str | None:
        """Return the exported name of what an element in a scope calls `name`; None if there is no such element."""
        if category == "body" and name == "world":
            return name
        same = [one for one in self.named.get(category, ()) if name in (one.source, one.model) or _alike(one, name)]
        near = [one for one in same if scope_of(one.model) == scope or one.model.startswith(f"{scope}/")]
        chosen = near or same
        return chosen[0].exported if len({one.exported for one in chosen}) == 1 else None

    def resolve(self, element: ElementTree.Element, scope: str) -> bool:
        """Rename the references of an element and of its children; return False if one refers to nothing."""
        for part in element.iter():
            for attribute, category in self._categories(part):
                found = self.find(category, part.attrib[attribute], scope)
                if found is None:
                    return False
                part.set(attribute, found)
        return True

    @staticmethod
    def _categories(element: ElementTree.Element) -> list[tuple[str, str]]:
        found = [(name, _REFERENCES[name]) for name in element.attrib if name in _REFERENCES]
        for name, kind in (("objname", "objtype"), ("refname", "reftype")):
            if name in element.attrib:
                category = element.get(kind, "body")
                found.append((name, _OBJECTS.get(category, category)))
        return found


def make_unique(section: ElementTree.Element) -> None:
    """Give a number to each name in a section that another element has, as in copies of one robot."""
    named = [element for element in section if element.get("name")]
    names = [element.attrib["name"] for element in named]
    for element, name in zip(named, unique_names(names, names, "_"), strict=True):
        element.set("name", name)


def _alike(one: Named, name: str) -> bool:
    """Return True if an element has the name that the importer gives to what the file calls `name`."""
    return not one.source and one.model.rpartition("/")[2] == nearest_name(name, "")
