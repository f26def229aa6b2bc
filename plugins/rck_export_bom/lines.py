"""From a robot to what has to be bought and made for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from rck.model import Origin, Robot


@dataclass(frozen=True, slots=True)
class Line:
    """So many pieces of one kind."""

    origin: Origin
    pieces: tuple[str, ...]
    """What each is called in the robot."""
    mass: float
    """Of one of them, in kg."""

    @property
    def quantity(self) -> int:
        """How many there are."""
        return len(self.pieces)

    @property
    def price(self) -> float | None:
        """Of one of them, in USD; what was altered has no list price."""
        return None if self.origin.altered else self.origin.price


def lines_of(robot: Robot) -> tuple[Line, ...]:
    """The lines of the bill: what has a vendor first, in order of vendor and part.

    Items of one scope that come from the same part are one piece. An item of which nobody knows where it comes from
    is a piece of its own.
    """
    masses: dict[tuple[Origin, str], float] = {}
    for item in robot.items:
        if item.origin is None:
            key = Origin("", item.name), item.name
        else:
            key = item.origin, item.name.rpartition("/")[0] or item.origin.name
        masses[key] = masses.get(key, 0.0) + item.mass
    pieces: dict[tuple[Origin, float], list[str]] = {}
    for (origin, piece), mass in masses.items():
        # What was scaled differently has the same origin and another mass.
        pieces.setdefault((origin, round(mass, 9)), []).append(piece)
    lines = [Line(origin, tuple(names), mass) for (origin, mass), names in pieces.items()]
    return tuple(sorted(lines, key=_order))


def _order(line: Line) -> tuple[object, ...]:
    origin = line.origin
    return not origin.vendor, origin.vendor.casefold(), origin.part, origin.parameters, origin.name, line.mass


@dataclass(frozen=True, slots=True)
class Totals:
    """Of all lines together."""

    quantity: int
    mass: float
    price: float
    """Of the pieces whose price is known, in USD."""
    priced: int
    """How many pieces these are."""


def totals_of(lines: Sequence[Line]) -> Totals:
    """Everything added up."""
    priced = [(line.quantity, line.price) for line in lines if line.price is not None]
    return Totals(
        sum(line.quantity for line in lines),
        sum(line.quantity * line.mass for line in lines),
        sum(quantity * price for quantity, price in priced),
        sum(quantity for quantity, _ in priced),
    )
