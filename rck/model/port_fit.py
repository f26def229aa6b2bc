"""Fit of two ports: by their geometry where both are known, otherwise by their types."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, pi, sin
from typing import Protocol

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rotation_about
from rck.model.fasteners import nominal_diameter, screw_of
from rck.model.interface import Holes, Interface, Point2, Shaft

_FACE_TO_FACE = np.diag([1.0, -1.0, -1.0, 1.0])
_EXACT = 1e-4
"""Distance in metres up to which holes coincide, in addition to their clearance."""
_SAME_ANGLE = 2e-3
_FEWEST = 2
"""Number of holes that must coincide."""
_SAME_SIZE = 2e-5
"""Maximum difference of equal diameters of shafts, in metres."""


class PortLike(Protocol):
    """A port: its type, gender and geometry."""

    @property
    def type(self) -> str:
        """The port type."""

    @property
    def gender(self) -> str | None:
        """`male`, `female` or None."""

    @property
    def interface(self) -> Interface | None:
        """The geometry; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class Bolted:
    """A hole of one port that coincides with a hole of the other."""

    thread: str
    one: Holes
    other: Holes
    centre: Point2
    """In the frame of the first port, in metres."""


@dataclass(frozen=True, slots=True)
class FittingTurn:
    """An angle at which holes of two ports coincide."""

    angle: float
    """Turn of the second port about the z axis of the first, in radians, from 0 to 2 pi."""
    holes: int
    """The number of holes that coincide."""


def port_mismatch(one: PortLike, other: PortLike) -> str:
    """Return the reason why two ports do not fit; empty if they do.

    Two ports of one type fit unless they have the same gender. Ports of different types fit if their geometry does;
    `any` fits all, unless both ports have geometry that does not fit.
    """
    if one.type == other.type != "any":
        same = one.gender is not None and one.gender == other.gender
        return f"two {one.gender} ports of type {one.type} do not fit" if same else ""
    if one.interface is not None and other.interface is not None:
        reason = _interface_mismatch(one.interface, other.interface)
        if reason is not None:
            return f"{one.type} does not fit {other.type}: {reason}" if reason else ""
    if "any" in (one.type, other.type):
        return ""
    return f"{one.type} does not fit {other.type}"


def _interface_mismatch(one: Interface, other: Interface) -> str | None:
    """Return the reason why two geometries do not fit; empty if they do, None if they cannot be compared."""
    if one.shaft is not None and other.shaft is not None:
        return _shaft_mismatch(one.shaft, other.shaft)
    if one.hole_count < _FEWEST or other.hole_count < _FEWEST:
        return None
    if one.pilot is not None and other.pilot is not None:
        boss, recess = (one.pilot, other.pilot) if one.pilot.is_boss else (other.pilot, one.pilot)
        if boss.is_boss and not recess.is_boss and boss.diameter > recess.diameter + _SAME_SIZE:
            return f"a boss of {_mm(boss.diameter)} mm does not enter a recess of {_mm(recess.diameter)} mm"
    if fitting_turns(one, other):
        return ""
    return f"no holes coincide ({describe_holes(one)}; {describe_holes(other)})"


def _shaft_mismatch(one: Shaft, other: Shaft) -> str | None:
    if one.is_bore == other.is_bore:
        return "both are bores" if one.is_bore else "both are shafts"
    if one.teeth != other.teeth:
        return f"{_describe_shaft(one)}, {_describe_shaft(other)}"
    if one.diameter is None or other.diameter is None:
        return None
    if abs(one.diameter - other.diameter) > _SAME_SIZE:
        return f"{_describe_shaft(one)}, {_describe_shaft(other)}"
    bore, shaft = (one, other) if one.is_bore else (other, one)
    if bore.flat is not None and (shaft.flat is None or shaft.flat > bore.flat + _SAME_SIZE):
        return "the shaft lacks the flat of the bore"
    return ""


def fitting_turns(one: Interface, other: Interface) -> tuple[FittingTurn, ...]:
    """Return the turns at which at least two holes coincide when the ports are face to face, most holes first."""
    found: list[FittingTurn] = []
    for angle in _candidate_angles(_points(one), _points(other)):
        if any(_near_angle(angle, turn.angle) for turn in found):
            continue
        matrix = rotation_about((0, 0, 1), angle) @ _FACE_TO_FACE
        holes = len(coinciding_holes(one, other, matrix))
        if holes >= _FEWEST:
            found.append(FittingTurn(angle, holes))
    return tuple(sorted(found, key=lambda turn: (-turn.holes, turn.angle)))


def _points(interface: Interface) -> list[Point2]:
    return [centre for holes in interface.holes for centre in holes.centres]


def _candidate_angles(one: Sequence[Point2], other: Sequence[Point2]) -> Iterator[float]:
    """Yield the turns that bring a point of `other`, face to face, to the direction of a point of `one`."""
    yield 0.0
    angles = {
        round((atan2(y, x) - atan2(-v, u)) % (2 * pi), 6) % round(2 * pi, 6)
        for x, y in one
        for u, v in other
        if abs(hypot(x, y) - hypot(u, v)) <= 10 * _EXACT and hypot(x, y) > _EXACT
    }
    yield from sorted(angles)


def _near_angle(one: float, other: float) -> bool:
    away = abs(one - other) % (2 * pi)
    return min(away, 2 * pi - away) < _SAME_ANGLE


def coinciding_holes(one: Interface, other: Interface, one_from_other: Floats) -> list[Bolted]:
    """Return the holes that coincide and that one screw joins; `one_from_other` has shape (4, 4)."""
    if abs(abs(float(one_from_other[2, 2])) - 1.0) > 1e-4:
        return []
    found = []
    for theirs in other.holes:
        slot = one_from_other[:2, :2] @ np.array(theirs.slot)
        for u, v in theirs.centres:
            x, y = (one_from_other @ np.array([u, v, 0.0, 1.0]))[:2]
            for ours in one.holes:
                thread = screw_of(ours, theirs)
                if not thread:
                    continue
                slack = _slack(thread, ours, theirs)
                match = next((at for at in ours.centres if _distance(at, ours.slot, (x, y), slot) <= slack), None)
                if match is not None:
                    found.append(Bolted(thread, ours, theirs, match))
                    break
    return found


def _slack(thread: str, one: Holes, other: Holes) -> float:
    """Return the distance between two centres up to which the screw passes."""
    screw = nominal_diameter(thread) or 0.0
    return _EXACT + sum((holes.diameter - screw) / 2 for holes in (one, other) if not holes.thread)


def _distance(at: Point2, slot: Point2, point: tuple[float, float], other_slot: Floats) -> float:
    """Return the distance between two holes, either of which may be a slot."""
    away = np.array([point[0] - at[0], point[1] - at[1]])
    for along in (np.array(slot), other_slot):
        half = float(np.hypot(*along)) / 2
        if half > 0:
            direction = along / (2 * half)
            away = away - direction * np.clip(away @ direction, -half, half)
    return float(np.hypot(*away))


def describe_turns(turns: Sequence[FittingTurn]) -> str:
    """Describe the turns with the most holes, such as `4 holes at 0, 90, 180 and 270°`."""
    if not turns:
        return ""
    best = [turn for turn in turns if turn.holes == turns[0].holes]
    angles = [f"{degrees(turn.angle):.4g}" for turn in best]
    listed = f"{', '.join(angles[:-1])} and {angles[-1]}" if len(angles) > 1 else angles[0]
    return f"{turns[0].holes} holes at {listed}°"


def describe_holes(interface: Interface) -> str:
    """Describe the holes of a port, such as `4 x M6 on a circle of 50 mm`."""
    return ", ".join(map(_describe_pattern, interface.holes)) or "no holes"


def _describe_pattern(holes: Holes) -> str:
    size = holes.thread or f"{_mm(holes.diameter)} mm"
    if any(holes.slot):
        size = f"slot {_mm(holes.diameter)} x {_mm(holes.diameter + hypot(*holes.slot))} mm"
    count = len(holes.centres)
    if count == 1:
        return size
    radii = [hypot(x, y) for x, y in holes.centres]
    around = max(radii) - min(radii) < _EXACT
    wide, high = (max(c[axis] for c in holes.centres) - min(c[axis] for c in holes.centres) for axis in (0, 1))
    if around and not (count == 4 and _is_grid(holes.centres) and not _is_round_number(2 * radii[0])):
        return f"{count} x {size} on a circle of {_mm(2 * radii[0])} mm"
    return f"{count} x {size}, {_mm(wide)} x {_mm(high)} mm apart"


def _is_round_number(length: float) -> bool:
    """Return True for a multiple of half a millimetre, as drawings give circles and distances."""
    return abs(length / 5e-4 - round(length / 5e-4)) < 1e-3


def _is_grid(centres: Sequence[Point2]) -> bool:
    """Return True for four corners of a rectangle along the axes."""
    return all(len({round(centre[axis], 6) for centre in centres}) == 2 for axis in (0, 1))


def _describe_shaft(shaft: Shaft) -> str:
    kind = "bore" if shaft.is_bore else "shaft"
    if shaft.teeth:
        return f"{kind} with {shaft.teeth} teeth"
    size = "" if shaft.diameter is None else f" of {_mm(shaft.diameter)} mm"
    return f"{kind}{size}" + ("" if shaft.flat is None else f", flat at {_mm(shaft.flat)} mm")


def describe_interface(interface: Interface) -> str:
    """Describe the geometry of a port in one line."""
    words = [describe_holes(interface)] if interface.holes else []
    if interface.pilot is not None:
        kind = "boss" if interface.pilot.is_boss else "recess"
        words.append(f"{kind} of {_mm(interface.pilot.diameter)} mm")
    if interface.pin is not None:
        angle = degrees(atan2(interface.pin.centre[1], interface.pin.centre[0]))
        words.append(f"pin of {_mm(interface.pin.diameter)} mm at {angle:.4g}°")
    if interface.shaft is not None:
        words.append(_describe_shaft(interface.shaft))
    if interface.profile is not None:
        words.append(f"{interface.profile.kind} of {_mm(interface.profile.width)} mm")
    return ", ".join(words)


def circle_points(diameter: float, count: int, start: float) -> tuple[Point2, ...]:
    """Return points evenly spaced on a circle, the first at an angle in radians."""
    angles = (start + 2 * pi * number / count for number in range(count))
    return tuple((diameter / 2 * cos(angle), diameter / 2 * sin(angle)) for angle in angles)


def _mm(length: float) -> str:
    return f"{1000 * length:.4g}"
