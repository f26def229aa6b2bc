"""Search of parts by words and figures: `servo payload>=3kg reach>800mm dof=6 vendor=robotis`."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rck.model.origin import BUSES
from rck.parts.datasheet_figures import ELECTRICAL_FIGURES, FIGURES, DatasheetFigure
from rck.parts.index import CatalogueEntry
from rck.support.finding import RckError
from rck.support.names import did_you_mean
from rck.support.units import parse_quantity

_COMPARISON = re.compile(r"([A-Za-z][A-Za-z-]*)\s*(>=|<=|!=|=|>|<)\s*(.*)")
_WITHIN = 1e-9
_TESTS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda a, b: a >= b * (1 - _WITHIN),
    "<=": lambda a, b: a <= b * (1 + _WITHIN),
    ">": operator.gt,
    "<": operator.lt,
    "=": lambda a, b: abs(a - b) <= _WITHIN * max(1.0, abs(b)),
    "!=": lambda a, b: abs(a - b) > _WITHIN * max(1.0, abs(b)),
}
_TEXTS = ("category", "vendor", "port", "name", "id", "tag", "brakes", "bus", "connector", "currency")
FAMILIES = {
    "torque": ("rated-torque", "holding-torque", "stall-torque", "peak-torque"),
    "current": ("rated-current", "peak-current", "stall-current"),
    "load": ("dynamic-load", "static-load", "axial-load"),
    "range": ("max-range",),
}
"""General names for several figures of data sheets; a part matches by any of them."""
SEARCHABLE: dict[str, DatasheetFigure] = {
    **FIGURES,
    **ELECTRICAL_FIGURES,
    **{family: (FIGURES | ELECTRICAL_FIGURES)[names[0]] for family, names in FAMILIES.items()},
    "mass": DatasheetFigure("mass", "kg", "of the whole part"),
    "price": DatasheetFigure("number", "", "list price; in US dollars, or in the `currency` of the search"),
}


@dataclass(frozen=True, slots=True)
class Query:
    """The conditions of a search; a part must meet all of them."""

    words: tuple[str, ...] = ()
    figures: tuple[tuple[str, str, float], ...] = ()
    """Name, comparison and value in SI units."""
    texts: tuple[tuple[str, str], ...] = ()


def parse_query(terms: Iterable[str]) -> Query:
    """Parse the terms that the user typed into a query."""
    words: list[str] = []
    figures: list[tuple[str, str, float]] = []
    texts: list[tuple[str, str]] = []
    for term in terms:
        comparison = _COMPARISON.fullmatch(term.strip())
        if comparison is None:
            words += term.lower().split()
            continue
        name, sign, value = comparison[1].lower(), comparison[2], comparison[3].strip()
        if not value:
            raise RckError(f"{term}: a value is missing after {sign}, such as payload>=3kg")
        if name in _TEXTS and sign == "=":
            if name == "brakes" and value.lower() not in ("yes", "no"):
                raise RckError(f"{term}: brakes must be yes or no")
            if name == "bus" and value.lower() not in BUSES:
                raise RckError(f"{term}: there is no bus {value!r}{did_you_mean(value.lower(), BUSES)}")
            texts.append((name, value.lower()))
        elif name in SEARCHABLE:
            figure = SEARCHABLE[name]
            figures.append((name, sign, parse_quantity(value, figure.dimension, figure.unit)))
        else:
            hint = did_you_mean(name, [*SEARCHABLE, *_TEXTS])
            raise RckError(f"the catalogue has no figure {name!r}{hint}")
    return Query(tuple(words), tuple(figures), tuple(texts))


def search(
    entries: Iterable[CatalogueEntry], query: Query, uses: Mapping[str, int] = MappingProxyType({})
) -> list[CatalogueEntry]:
    """Return the parts that meet the query: best match first, of equal matches those that are used most often."""
    found = []
    for entry in entries:
        score = _score(entry, query)
        if score > 0:
            found.append((-score, -uses.get(entry.id, 0), entry.category, entry.id, entry))
    found.sort(key=lambda one: one[:4])
    return [entry for *_, entry in found]


def fitting_figure(entry: CatalogueEntry, name: str, sign: str, value: float) -> str | None:
    """Return the name of the figure by which a part meets a comparison, if any.

    A part with a range of supply voltages meets a comparison if a voltage of the range does.
    """
    if name == "voltage" and entry.electrical.voltage is not None:
        low, high = entry.electrical.voltage
        nearest = min(max(value, low), high)
        return name if any(_TESTS[sign](volts, value) for volts in (low, nearest, high)) else None
    stated = [one for one in FAMILIES.get(name, (name,)) if one in entry.figures]
    return next((one for one in stated if _TESTS[sign](entry.figures[one], value)), None)


def _score(entry: CatalogueEntry, query: Query) -> float:
    """Return the score of a part; 0 if it does not match."""
    currency = next((text for field, text in query.texts if field == "currency"), "usd")
    for name, sign, value in query.figures:
        if name == "price" and entry.currency.lower() != currency:
            return 0
        if fitting_figure(entry, name, sign, value) is None:
            return 0
    for field, text in query.texts:
        if text not in (entry.electrical.bus if field == "bus" else _text(entry, field)):
            return 0
    score = 1.0
    for word in query.words:
        worth = _word_score(entry, word)
        if worth == 0:
            return 0
        score += worth
    return score


def _text(entry: CatalogueEntry, name: str) -> str:
    if name == "port":
        return " ".join(entry.ports.values()).lower()
    if name == "connector":
        return " ".join(entry.electrical.connector).lower()
    if name == "tag":
        return " ".join(entry.tags).lower()
    if name == "brakes":
        return "" if entry.brakes is None else yes_or_no(entry.brakes)
    return str(getattr(entry, name)).lower()


def yes_or_no(fact: bool) -> str:
    """Format a truth value as `yes` or `no`."""
    return "yes" if fact else "no"


def nearest_words(entries: Iterable[CatalogueEntry], query: Query) -> str:
    """Return a hint at similar words in the catalogue for a search without results; empty if there are none."""
    known = {
        word
        for entry in entries
        for text in (entry.name, entry.id, entry.category, entry.vendor, *entry.tags)
        for word in re.split(r"[/\s-]+", text.lower())
    }
    return "".join(did_you_mean(word, known) for word in query.words if word not in known)


def _word_score(entry: CatalogueEntry, word: str) -> float:
    """Return the score of a word: highest in the name, and higher at the start of a word."""
    name, part_id = entry.name.lower(), entry.id.lower()
    if word in (name, part_id):
        return 20
    if word in entry.category.split("/"):
        return 12
    if name.startswith(word) or part_id.rpartition("/")[2].startswith(word):
        return 10
    if word in name or word in part_id:
        return 6
    if (
        word in entry.category
        or word in entry.vendor.lower()
        or word in " ".join((*entry.tags, *entry.electrical.bus)).lower()
    ):
        return 4
    if word in entry.summary.lower():
        return 2
    squeezed = word.replace("-", "").replace("_", "")
    return 1 if squeezed and squeezed in name.replace("-", "").replace(" ", "") else 0
