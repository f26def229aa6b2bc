"""Turning what a manifest says into SI values: bare numbers by the file's units, texts by their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import structs

from rck.catalogue.figures import FIGURES
from rck.catalogue.manifest import Axis, Pair, Place, Quantity, Units
from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, frame, from_euler, translation
from rck.model.finding import RckError
from rck.model.joint import Limits
from rck.model.subitem import LARGEST
from rck.model.units import convert_unit, parse_quantity, si_from, split_quantity


@dataclass(frozen=True)
class Quantities:
    """Reads quantities by the units of one file."""

    units: Units = field(default_factory=Units)

    def length(self, quantity: Quantity) -> float:
        """In metres; what no robot can be is refused, so that areas and volumes stay numbers."""
        metres = to_si(quantity, "length", self.units.length)
        if not abs(metres) <= LARGEST:
            raise RckError(f"{quantity} is a length of more than {LARGEST:g} m")
        return metres

    def angle(self, quantity: Quantity) -> float:
        """In radians."""
        return to_si(quantity, "angle", self.units.angle)

    def mass(self, quantity: Quantity) -> float:
        """In kilograms."""
        return to_si(quantity, "mass", self.units.mass)

    def torque(self, quantity: Quantity) -> float:
        """In newton metres."""
        return to_si(quantity, "torque", self.units.torque)

    def force(self, quantity: Quantity) -> float:
        """In newtons."""
        return to_si(quantity, "force", self.units.force)

    def joint_position(self, quantity: Quantity, turns: bool) -> float:
        """In radians or metres."""
        return self.angle(quantity) if turns else self.length(quantity)

    def joint_limits(self, pair: Pair, turns: bool) -> Limits:
        """In radians or metres."""
        lower, upper = pair
        return Limits(self.joint_position(lower, turns), self.joint_position(upper, turns))

    def joint_speed(self, quantity: Quantity, turns: bool) -> float:
        """In rad/s or m/s."""
        if turns:
            return to_si(quantity, "angular speed", self.units.angular_speed)
        return to_si(quantity, "speed", self.units.speed)

    def joint_acceleration(self, quantity: Quantity, turns: bool) -> float:
        """In rad/s2 or m/s2; a bare number is in the file's unit of angle or length, per second squared."""
        dimension, unit = ("angular acceleration", "rad/s2") if turns else ("acceleration", "m/s2")
        if isinstance(quantity, str) and split_quantity(quantity, dimension)[1]:
            return parse_quantity(quantity, dimension, unit)
        return self.joint_position(quantity, turns)

    def point(self, triple: Sequence[Quantity]) -> Floats:
        """In metres. Shape (3,), or shorter for points of the plane."""
        return np.array([self.length(quantity) for quantity in triple])

    def frame(self, place: Place) -> Floats:
        """Part from place. Shape (4, 4)."""
        at = self.point(place.at)
        if place.rpy is not None:
            if place.z is not None or place.x is not None:
                raise ValueError("give rpy or the directions z and x, not both")
            return translation(at) @ from_euler([self.angle(angle) for angle in place.rpy])
        if place.z is None and place.x is None:
            return translation(at)
        return frame(at, direction(place.z or "z"), None if place.x is None else direction(place.x))


def wrong_units(units: Units) -> Iterator[tuple[str, str]]:
    """What is said to be a unit and is none: its key, and what is wrong with it."""
    for unit in structs.fields(units):
        try:
            si_from(1.0, unit.name.replace("_", " "), getattr(units, unit.name))
        except RckError as error:
            yield unit.encode_name, str(error)


def replace_wrong_units(units: Units, other: Units | None = None) -> Units:
    """Return the units with those of `other`, or the default ones, in place of what is no unit."""
    names = [key.replace("-", "_") for key, _ in wrong_units(units)]
    return structs.replace(units, **{name: getattr(other or Units(), name) for name in names})


def to_si(quantity: Quantity, dimension: str, unit: str) -> float:
    """The SI value of a number in the given unit, or of a text with its own."""
    if isinstance(quantity, str):
        return parse_quantity(quantity, dimension, unit)
    return si_from(quantity, dimension, unit)


def restate(quantity: Quantity, dimension: str, unit: str, other: str) -> Quantity:
    """Return a quantity of a file whose bare numbers are in `unit` as it is written where they are in `other`.

    A text that carries its own unit stays as it is.
    """
    if unit == other:
        return quantity
    number, stated = split_quantity(quantity, dimension) if isinstance(quantity, str) else (quantity, "")
    return quantity if stated else convert_unit(number, dimension, unit, other)


def figure_value(name: str, quantity: Quantity) -> float:
    """The SI value of a figure of a part, by its name."""
    figure = FIGURES[name]
    return to_si(quantity, figure.dimension, figure.unit)


def direction(axis: Axis) -> Floats:
    """The vector of an axis: a letter, perhaps with a minus, or three numbers."""
    if isinstance(axis, str):
        sign = -1.0 if axis.startswith("-") else 1.0
        return sign * np.array(AXES[axis[-1]])
    return np.array(axis, dtype=float)
