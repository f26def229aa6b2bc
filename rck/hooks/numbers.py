"""Numbers in files: the unit of their lengths, and their digits. For importers and exporters alike."""

from collections.abc import Sequence

from rck.geometry.arrays import Floats
from rck.hooks.kinds import Option, Values
from rck.model.units import UNITS, from_si


def length_unit(default: str) -> Option:
    """The option that says in which unit the file's lengths are."""
    return Option("length-unit", "unit of the file's lengths", "choice", default, tuple(UNITS["length"]))


def units_per_metre(values: Values, default: str) -> float:
    """How many of the unit that the option `length-unit` names make a metre; divide by it when reading."""
    return from_si(1.0, "length", values.get("length-unit", default))


def digits(value: float) -> str:
    """Twelve significant digits, which a reader turns back into the same twelve; zero has no sign."""
    return f"{value + 0.0:.12g}"


def row(values: Sequence[float] | Floats) -> str:
    """Numbers on one line."""
    return " ".join(map(digits, values))
