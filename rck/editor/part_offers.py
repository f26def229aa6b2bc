"""Parts that the catalogue panel offers for one purpose: replacements of an instance, and adaptors for a part."""

from dataclasses import dataclass, field
from math import inf, log

from rck.assembly.compiler import free_ports
from rck.assembly.mate_ends import parse_end
from rck.grammar import quote
from rck.language.session import Session
from rck.parts.adaptors import find_adaptors
from rck.parts.index import CatalogueEntry

_MOST_ADAPTORS = 40


@dataclass(frozen=True, slots=True)
class PartOffer:
    """Parts to choose from, best first, and what is done with the chosen one."""

    title: str
    entries: tuple[CatalogueEntry, ...]
    compared: CatalogueEntry | None = None
    """The part whose figures the card compares with those of the highlighted part."""
    replaced: str = ""
    """The instance whose part is replaced; empty if the chosen part is placed."""
    mounts: dict[str, str] = field(default_factory=dict)
    """The port by which each part is mounted, by part."""
    next_part: str = ""
    """The part that is placed on the chosen one."""

    def command(self, part: str) -> str:
        """Return the command that replaces the instance."""
        return f"replace {self.replaced} {quote(part)}"


def offer_replacements(session: Session, instance: str) -> PartOffer:
    """Return the parts that have the ports by which an instance is mated, the most similar ones first."""
    assembly = session.assembly
    ports = session.document.body(instance).ports
    ends = (parse_end(end) for mate in assembly.mates for end in (mate.at, mate.put))
    used = {ports[end.place] for end in ends if end.instance == instance and end.place in ports}
    wanted = [(port.name, port.type, port.gender or "") for port in used]
    current = session.catalogue.entries.get(assembly.parts[instance].part)
    category = "" if current is None else current.category
    fitting = [
        entry
        for entry in session.catalogue.entries.values()
        if entry is not current and all(_has_port(entry, *port) for port in wanted)
    ]
    fitting.sort(key=lambda entry: (entry.category != category, entry.category, _difference(entry, current), entry.id))
    return PartOffer(f"Replace {instance}", tuple(fitting), current, instance)


def _difference(entry: CatalogueEntry, current: CatalogueEntry | None) -> float:
    """Return the mean ratio, as a logarithm, of the figures that two parts have in common."""
    figures = {} if current is None else current.figures
    shared = [(value, figures[name]) for name, value in entry.figures.items() if value > 0 and figures.get(name, 0) > 0]
    return sum(abs(log(one / other)) for one, other in shared) / len(shared) if shared else inf


def _has_port(entry: CatalogueEntry, name: str, kind: str, gender: str) -> bool:
    """Return True if a mate of a port can move to the part, as `replace` does it."""
    if kind == "any":
        return name in entry.ports
    return any(other == kind and entry.genders.get(port, "") == gender for port, other in entry.ports.items())


def offer_adaptors(session: Session, part: str) -> PartOffer | None:
    """Return the parts that fit a free port and have a port that takes a part; None if there are none."""
    built = session.compile()
    if built.value is None:
        return None
    free = [port for port in free_ports(built.value).values() if port.type != "floor"]
    own = [port for port in session.document.part_body(part).ports.values() if port.type != "any"]
    found = find_adaptors(session.catalogue, free, own, _MOST_ADAPTORS)
    if not found:
        return None
    entries = tuple(session.catalogue.entries[adaptor.part] for adaptor in found)
    mounts = {adaptor.part: adaptor.first for adaptor in found}
    return PartOffer(f"Adaptors for {part.rpartition('/')[2]}", entries, mounts=mounts, next_part=part)
