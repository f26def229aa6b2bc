"""Parts of the catalogue that fit ports, and parts that bridge two ports."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rck.model import Port, RckError
from rck.model.port_fit import FittingTurn, PortLike, fitting_turns, port_mismatch
from rck.parts.index import CatalogueEntry
from rck.parts.library import Catalogue

_UNTYPED = ("any", "floor")


@dataclass(frozen=True, slots=True)
class FittingPart:
    """A part with a port that fits another port."""

    entry: CatalogueEntry
    port: str
    turns: tuple[FittingTurn, ...]
    """The angles at which holes coincide; empty if the holes are not known."""


@dataclass(frozen=True, slots=True)
class FittingAdaptor:
    """A part that bridges two ports: one of its ports fits each."""

    part: str
    first: str
    second: str


@dataclass(slots=True)
class _TypeFit:
    """Answers whether port types fit a port; the geometry of a type is compared once."""

    catalogue: Catalogue
    target: PortLike
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def fits(self, kind: str, gender: str) -> bool:
        if kind in _UNTYPED:
            return False
        if (kind, gender) not in self._known:
            self._known[kind, gender] = port_mismatch(self.target, typed_port(self.catalogue, kind, gender))
        return not self._known[kind, gender]


def typed_port(catalogue: Catalogue, kind: str, gender: str) -> Port:
    """Return a port of a type and a gender, which may be empty, without a place."""
    side = {"male": "male", "female": "female"}.get(gender)
    return Port("", "", type=kind, gender=side, interface=catalogue.port_types.interface(kind, side))  # type: ignore[arg-type]


def fitting_parts(catalogue: Catalogue, target: PortLike) -> list[FittingPart]:
    """Return the parts with a typed port that fits a port; plain faces, which fit all ports, are left out."""
    fit = _TypeFit(catalogue, target)
    found = []
    for entry in sorted(catalogue.entries.values(), key=lambda entry: (entry.category, entry.id)):
        for name, kind in entry.ports.items():
            gender = entry.genders.get(name, "")
            if not fit.fits(kind, gender):
                continue
            port = typed_port(catalogue, kind, gender)
            both = target.interface is not None and port.interface is not None
            turns = fitting_turns(target.interface, port.interface) if both else ()  # type: ignore[arg-type]
            found.append(FittingPart(entry, name, turns))
            break
    return found


def find_adaptors(
    catalogue: Catalogue, firsts: Sequence[PortLike], seconds: Sequence[PortLike], most: int = 1_000
) -> list[FittingAdaptor]:
    """Return parts with one port that fits one of the first ports and another that fits one of the second."""
    one = [_TypeFit(catalogue, port) for port in firsts if port.type not in _UNTYPED or port.interface]
    other = [_TypeFit(catalogue, port) for port in seconds if port.type not in _UNTYPED or port.interface]
    found: list[FittingAdaptor] = []
    for entry in sorted(catalogue.entries.values(), key=_adaptors_first):
        if len(found) >= most:
            break
        found += list(_bridges(entry, one, other))[:1]
    return found


def _adaptors_first(entry: CatalogueEntry) -> tuple[bool, str]:
    return "adaptor" not in entry.tags, entry.id


def _bridges(entry: CatalogueEntry, one: Sequence[_TypeFit], other: Sequence[_TypeFit]) -> Iterator[FittingAdaptor]:
    sides = [(name, kind, entry.genders.get(name, "")) for name, kind in entry.ports.items()]
    for first, kind, gender in sides:
        if not any(fit.fits(kind, gender) for fit in one):
            continue
        for second, other_kind, other_gender in sides:
            if second != first and any(fit.fits(other_kind, other_gender) for fit in other):
                yield FittingAdaptor(entry.id, first, second)


def catalogue_port(catalogue: Catalogue, text: str) -> Port:
    """Return the port that a text names: a port type such as `nema17:male`, or `PART:PORT` of the catalogue."""
    head, _, tail = text.rpartition(":")
    if head in catalogue.entries:
        ports = catalogue.part(head).ports
        if tail not in ports:
            raise RckError(f"{head} has no port {tail!r}; its ports: {', '.join(ports)}")
        return ports[tail]
    kind, gender = (head, tail) if tail in ("male", "female") and head else (text, "")
    if catalogue.port_types.find(kind) is None:
        raise RckError(
            f"{text!r} is no port: write FILE.rck:INSTANCE.PORT, PART:PORT, or a port type such as nema17:male"
        )
    return typed_port(catalogue, kind, gender)
