"""The geometry of ports as files state it, and its conversion to SI units."""

from itertools import product
from typing import Literal

from rck.model.fasteners import clearance_diameter, nominal_diameter
from rck.model.interface import CrossSection, Holes, Interface, Pilot, Pin, Point2, Shaft
from rck.model.port_fit import circle_points
from rck.model.quantities import Pair, Quantities, Quantity
from rck.support.finding import RckError
from rck.support.typed_yaml import Strict

Gender = Literal["male", "female"]
MOST_HOLES = 1_000


class HolePatternSpec(Strict, frozen=True):
    """Equal holes: a circle with a `count`, a `grid` with a `pitch`, or a list `at`; all centred on the port."""

    circle: Quantity | None = None
    count: float | None = None
    start: Quantity = 0.0
    """Angle of the first hole on the circle."""
    grid: tuple[float, float] | None = None
    """Columns and rows."""
    pitch: Pair | None = None
    at: list[Pair] | None = None
    thread: str = ""
    """The thread on one side; the other side has clear holes."""
    threaded: Gender | Literal["both", "neither"] = "male"
    """The side with the thread."""
    diameter: Quantity | None = None
    """Diameter of clear holes (default: the medium clearance hole of the thread)."""
    depth: Quantity | None = None
    """Depth of the thread, or thickness of the part at clear holes."""
    slot: Pair | None = None
    """For slots, the vector between the centres of their round ends."""


class PilotSpec(Strict, frozen=True):
    """A boss on one side, and its recess on the other."""

    diameter: Quantity
    height: Quantity | None = None
    boss: Gender = "male"


class PinSpec(Strict, frozen=True):
    """A dowel pin that fixes the angle."""

    at: Pair
    diameter: Quantity


class ShaftSpec(Strict, frozen=True):
    """A shaft on the male side, and its bore on the female side."""

    diameter: Quantity | None = None
    flat: Quantity | None = None
    teeth: float = 0


class ProfileSpec(Strict, frozen=True):
    """The cross-section of a rail, T-slot or tube."""

    kind: Literal["rail", "slot", "tube"]
    width: Quantity


class InterfaceSpec(Strict, frozen=True):
    """The geometry of a port, in its xy plane."""

    holes: list[HolePatternSpec] = []
    pilot: PilotSpec | None = None
    pin: PinSpec | None = None
    shaft: ShaftSpec | None = None
    profile: ProfileSpec | None = None
    load: list[Literal["axial", "radial", "torque", "moment"]] = []


def convert_interface(spec: InterfaceSpec, side: Gender, read: Quantities, *, own: bool = False) -> Interface | None:
    """Return the geometry of one side; None if the specification has none. Raise :class:`RckError` if it is wrong.

    With `own`, the specification is that of a single port: its threads are those of this side.
    """
    if spec == InterfaceSpec():
        return None
    pilot, shaft = spec.pilot, spec.shaft
    return Interface(
        tuple(_holes(one, own or one.threaded in (side, "both"), read) for one in spec.holes),
        None
        if pilot is None
        else Pilot(_positive(pilot.diameter, read), _length(pilot.height, read), pilot.boss == side),
        None if spec.pin is None else Pin(_point(spec.pin.at, read), _positive(spec.pin.diameter, read)),
        None
        if shaft is None
        else Shaft(_length(shaft.diameter, read), _length(shaft.flat, read), int(shaft.teeth), side == "female"),
        None if spec.profile is None else CrossSection(spec.profile.kind, _positive(spec.profile.width, read)),
        tuple(spec.load),
    )


def _holes(spec: HolePatternSpec, threaded: bool, read: Quantities) -> Holes:
    nominal = nominal_diameter(spec.thread) if spec.thread else None
    if spec.thread and nominal is None:
        raise RckError(f"unknown thread {spec.thread!r}; write M6 or 1/4-20")
    depth = _length(spec.depth, read)
    slot = (0.0, 0.0) if spec.slot is None else _point(spec.slot, read)
    if threaded and nominal is not None:
        return Holes(_centres(spec, read), nominal, spec.thread, depth, slot)
    if spec.diameter is not None:
        return Holes(_centres(spec, read), _positive(spec.diameter, read), "", None if spec.thread else depth, slot)
    if not spec.thread:
        raise RckError("holes need a diameter or a thread")
    return Holes(_centres(spec, read), clearance_diameter(spec.thread), "", None, slot)


def _centres(spec: HolePatternSpec, read: Quantities) -> tuple[Point2, ...]:
    given = [spec.circle is not None, spec.grid is not None, spec.at is not None]
    if sum(given) != 1:
        raise RckError("holes need one of circle, grid and at")
    if spec.at is not None:
        return tuple(_point(one, read) for one in spec.at)
    if spec.circle is not None:
        count = _count(spec.count)
        return circle_points(_positive(spec.circle, read), count, read.angle(spec.start))
    assert spec.grid is not None
    if spec.pitch is None:
        raise RckError("a grid of holes needs a pitch")
    columns, rows = (_count(number) for number in spec.grid)
    if columns * rows > MOST_HOLES:
        raise RckError(f"a pattern has at most {MOST_HOLES} holes")
    dx, dy = _point(spec.pitch, read)
    return tuple(
        ((column - (columns - 1) / 2) * dx, (row - (rows - 1) / 2) * dy)
        for row, column in product(range(rows), range(columns))
    )


def _count(number: float | None) -> int:
    if number is None or not 1 <= number <= MOST_HOLES or number != int(number):
        raise RckError(f"the count of holes is a whole number from 1 to {MOST_HOLES}")
    return int(number)


def _point(pair: Pair, read: Quantities) -> Point2:
    return read.length(pair[0]), read.length(pair[1])


def _length(quantity: Quantity | None, read: Quantities) -> float | None:
    return None if quantity is None else _positive(quantity, read)


def _positive(quantity: Quantity, read: Quantities) -> float:
    length = read.length(quantity)
    if not length > 0:
        raise RckError(f"{quantity} is not a positive length")
    return length


def interface_spec(interface: Interface, side: Gender) -> InterfaceSpec:
    """Return the `own` geometry of a port of this gender as files state it, in metres."""
    other: Gender = "female" if side == "male" else "male"
    pilot, pin, shaft, profile = interface.pilot, interface.pin, interface.shaft, interface.profile
    return InterfaceSpec(
        [
            HolePatternSpec(
                at=list(holes.centres),
                thread=holes.thread,
                diameter=None if holes.thread else holes.diameter,
                depth=holes.depth,
                slot=holes.slot if any(holes.slot) else None,
            )
            for holes in interface.holes
        ],
        None if pilot is None else PilotSpec(pilot.diameter, pilot.height, side if pilot.is_boss else other),
        None if pin is None else PinSpec(pin.centre, pin.diameter),
        None if shaft is None else ShaftSpec(shaft.diameter, shaft.flat, shaft.teeth),
        None if profile is None else ProfileSpec(profile.kind, profile.width),
        list(interface.load),  # type: ignore[arg-type]
    )
