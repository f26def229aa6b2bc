"""Quantities of files, and their values in SI units: a bare number is in the file's unit, a text states its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from msgspec import structs

from rck.geometry.arrays import Floats
from rck.geometry.transforms import AXES, frame, from_euler, translation
from rck.model.joint import JointLimits
from rck.model.subitem import LARGEST
from rck.support.finding import RckError
from rck.support.typed_yaml import Strict
from rck.support.units import convert_unit, parse_quantity, si_from, split_quantity, to_si

Quantity: TypeAlias = float | str
"""A number in the file's unit, or a text with its own unit, such as ``30 rpm``."""
Triple: TypeAlias = tuple[Quantity, Quantity, Quantity]
Pair: TypeAlias = tuple[Quantity, Quantity]
Axis: TypeAlias = Literal["x", "y", "z", "-x", "-y", "-z"] | tuple[float, float, float]


class Units(Strict, frozen=True):
    """Units of the bare numbers in a file."""

    length: str = "mm"
    angle: str = "deg"
    mass: str = "kg"
    torque: str = "N m"
    force: str = "N"
    angular_speed: str = "rpm"
    speed: str = "mm/s"

    def of(self, dimension: str) -> str | None:
        """Return the unit of a dimension such as `angular speed`; None for a dimension that files cannot set."""
        unit: str | None = getattr(self, dimension.replace(" ", "_"), None)
        return unit

    def position_unit(self, turns: bool) -> tuple[str, str]:
        """Return dimension and unit of joint positions: angles of a joint that turns, lengths of one that slides."""
        return ("angle", self.angle) if turns else ("length", self.length)


class PoseSpec(Strict, frozen=True):
    """A pose: a point, and either three angles or the directions of the z and x axes."""

    at: Triple = (0.0, 0.0, 0.0)
    rpy: Triple | None = None
    """Roll, pitch and yaw: rotations about the fixed x, y and z axes, in that order."""
    z: Axis | None = None
    x: Axis | None = None


@dataclass(frozen=True)
class Quantities:
    """Conversion of quantities to SI by the units of one file."""

    units: Units = field(default_factory=Units)

    def length(self, quantity: Quantity) -> float:
        """Return metres; refuse lengths beyond any robot, whose areas and volumes would overflow."""
        metres = to_si(quantity, "length", self.units.length)
        if not abs(metres) <= LARGEST:
            raise RckError(f"{quantity} is a length of more than {LARGEST:g} m")
        return metres

    def angle(self, quantity: Quantity) -> float:
        """Return radians."""
        return to_si(quantity, "angle", self.units.angle)

    def mass(self, quantity: Quantity) -> float:
        """Return kilograms."""
        return to_si(quantity, "mass", self.units.mass)

    def torque(self, quantity: Quantity) -> float:
        """Return newton metres."""
        return to_si(quantity, "torque", self.units.torque)

    def force(self, quantity: Quantity) -> float:
        """Return newtons."""
        return to_si(quantity, "force", self.units.force)

    def joint_position(self, quantity: Quantity, turns: bool) -> float:
        """Return radians or metres."""
        return self.angle(quantity) if turns else self.length(quantity)

    def joint_limits(self, pair: Pair, turns: bool) -> JointLimits:
        """Return radians or metres."""
        lower, upper = pair
        return JointLimits(self.joint_position(lower, turns), self.joint_position(upper, turns))

    def joint_speed(self, quantity: Quantity, turns: bool) -> float:
        """Return rad/s or m/s."""
        if turns:
            return to_si(quantity, "angular speed", self.units.angular_speed)
        return to_si(quantity, "speed", self.units.speed)

    def joint_acceleration(self, quantity: Quantity, turns: bool) -> float:
        """Return rad/s2 or m/s2; a bare number is in the file's unit of angle or length, per second squared."""
        dimension, unit = ("angular acceleration", "rad/s2") if turns else ("acceleration", "m/s2")
        if isinstance(quantity, str) and split_quantity(quantity, dimension)[1]:
            return parse_quantity(quantity, dimension, unit)
        return self.joint_position(quantity, turns)

    def point(self, triple: Sequence[Quantity]) -> Floats:
        """Return a point in metres. Shape (3,), or (2,) for a point of the plane."""
        return np.array([self.length(quantity) for quantity in triple])

    def frame(self, pose: PoseSpec) -> Floats:
        """Return the pose. Shape (4, 4)."""
        at = self.point(pose.at)
        if pose.rpy is not None:
            if pose.z is not None or pose.x is not None:
                raise ValueError("give rpy or the directions z and x, not both")
            return translation(at) @ from_euler([self.angle(angle) for angle in pose.rpy])
        if pose.z is None and pose.x is None:
            return translation(at)
        return frame(at, direction(pose.z or "z"), None if pose.x is None else direction(pose.x))


def wrong_units(units: Units) -> Iterator[tuple[str, str]]:
    """Yield the key of each unknown unit, and the message."""
    for unit in structs.fields(units):
        try:
            si_from(1.0, unit.name.replace("_", " "), getattr(units, unit.name))
        except RckError as error:
            yield unit.encode_name, str(error)


def replace_wrong_units(units: Units, other: Units | None = None) -> Units:
    """Return the units, unknown ones replaced by those of `other` or by the defaults."""
    names = [key.replace("-", "_") for key, _ in wrong_units(units)]
    return structs.replace(units, **{name: getattr(other or Units(), name) for name in names})


def restate(quantity: Quantity, dimension: str, unit: str, other: str) -> Quantity:
    """Return a quantity of a file whose bare numbers are in `unit` as it is written where they are in `other`.

    A text that carries its own unit stays as it is.
    """
    if unit == other:
        return quantity
    number, stated = split_quantity(quantity, dimension) if isinstance(quantity, str) else (quantity, "")
    return quantity if stated else convert_unit(number, dimension, unit, other)


def direction(axis: Axis) -> Floats:
    """Return the vector of an axis: a letter, perhaps with a minus, or three numbers. Shape (3,)."""
    if isinstance(axis, str):
        sign = -1.0 if axis.startswith("-") else 1.0
        return sign * np.array(AXES[axis[-1]])
    return np.array(axis, dtype=float)
