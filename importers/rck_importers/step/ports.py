"""Ports at round holes, bolt circles, slots and the ends of shafts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, frozen, lengths
from rck.geometry.bolt_circles import find_bolt_circles
from rck.geometry.transforms import apply, frame, invert
from rck.model import Port
from rck.model.interface import Holes, Interface, Shaft
from rck_importers.step.solids import RoundPlace

_SAME = 1e-4
"""Maximum difference of equal sizes and places, as a fraction of the size of the bolt circle."""
_SHORTEST_SHAFT = 1.0
"""Minimum length of a shaft, in radii."""
MOST_PORTS = 2_000


@dataclass(frozen=True, eq=False)
class _HoleEnd:
    """An open end of a hole."""

    place: RoundPlace
    point: Floats
    outward: Floats


_Found = tuple[str, Floats, str, Interface]
"""Name, pose, note and geometry of a port."""


def round_ports(items: Mapping[str, Sequence[RoundPlace]]) -> list[Port]:
    """Return the ports of items, whose features are in the frame of the part.

    A hole or slot has a port at each open end, and a shaft at each free end. Holes of one size that are evenly spaced
    on a circle have one in its middle.
    """
    ports = []
    for item, places in items.items():
        prefix = f"{item}-" if len(items) > 1 else ""
        holes = [place for place in places if place.is_hole and place.slot is None]
        slots = [place for place in places if place.slot is not None]
        shafts = [
            place
            for place in places
            if not place.is_hole and _length(place) >= _SHORTEST_SHAFT * place.radius and any(place.is_open)
        ]
        found = [*_hole_ports(holes), *_circle_ports(holes), *_slot_ports(slots), *_shaft_ports(shafts)]
        ports += [
            Port(f"{prefix}{name}", item, frozen(pose), note=note, interface=interface)
            for name, pose, note, interface in found
        ]
    return ports


def _length(place: RoundPlace) -> float:
    return float(lengths((place.end - place.start)[None])[0])


def _ends(place: RoundPlace) -> list[_HoleEnd]:
    axis = (place.end - place.start) / _length(place)
    ends = [_HoleEnd(place, place.start, -axis), _HoleEnd(place, place.end, axis)]
    return [end for end, is_open in zip(ends, place.is_open, strict=True) if is_open]


def _hole_ports(holes: Sequence[RoundPlace]) -> Iterator[_Found]:
    for number, hole in enumerate(holes, 1):
        note = f"hole of {_millimetres(2 * hole.radius)} mm"
        if len(hole.radii) > 1:
            note += f", widened to {_millimetres(2 * hole.radii[-1])} mm"
        ends = _ends(hole)
        if len(ends) == 1:
            note += f", {_millimetres(_length(hole))} mm deep"
        interface = Interface((Holes(((0.0, 0.0),), 2 * hole.radius, depth=_length(hole)),))
        for letter, end in zip("ab", ends, strict=False):
            name = f"hole{number}-{letter}" if len(ends) > 1 else f"hole{number}"
            yield name, frame(end.point, z=end.outward), note, interface


def _slot_ports(slots: Sequence[RoundPlace]) -> Iterator[_Found]:
    """Yield the ports of slots; their x axes are along the slot."""
    for number, slot in enumerate(slots, 1):
        assert slot.slot is not None
        between, width = float(lengths(slot.slot[None])[0]), 2 * slot.radius
        note = f"middle of a slot of {_millimetres(between + width)} x {_millimetres(width)} mm"
        interface = Interface((Holes(((0.0, 0.0),), width, depth=_length(slot), slot=(between, 0.0)),))
        ends = _ends(slot)
        for letter, end in zip("ab", ends, strict=False):
            name = f"slot{number}-{letter}" if len(ends) > 1 else f"slot{number}"
            yield name, frame(end.point, z=end.outward, x=slot.slot), note, interface


def _shaft_ports(shafts: Sequence[RoundPlace]) -> Iterator[_Found]:
    for number, shaft in enumerate(shafts, 1):
        ends = _ends(shaft)
        note = f"end of a shaft of {_millimetres(2 * shaft.radius)} mm"
        interface = Interface(shaft=Shaft(2 * shaft.radius))
        for letter, end in zip("ab", ends, strict=False):
            name = f"shaft{number}-{letter}" if len(ends) > 1 else f"shaft{number}"
            yield name, frame(end.point, z=end.outward), note, interface


def _circle_ports(holes: Sequence[RoundPlace]) -> Iterator[_Found]:
    ends = [end for hole in holes for end in _ends(hole)]
    left = ends
    number = 0
    while left:
        first = left[0]
        alike = [end for end in left if _is_alike(end, first)]
        left = [end for end in left if not any(end is other for other in alike)]
        plane = frame(first.point, z=first.outward)
        bores = [_in_plane(end, plane) for end in ends if _is_level(end, first) and not _is_alike(end, first)]
        for circle in find_bolt_circles(np.array([_in_plane(end, plane) for end in alike]), bores):
            number += 1
            centre = apply(plane, [*circle.centre, 0.0])
            pose = frame(centre, z=first.outward, x=alike[min(circle.holes)].point - centre)
            inner = [apply(invert(pose), alike[hole].point) for hole in circle.holes]
            depth = _length(first.place)
            pattern = Holes(tuple((float(x), float(y)) for x, y, _ in inner), 2 * first.place.radius, depth=depth)
            sizes = _millimetres(2 * first.place.radius), _millimetres(2 * circle.radius)
            note = f"{len(inner)} holes of {sizes[0]} mm on {sizes[1]} mm"
            yield f"bolt-circle{number}", pose, note, Interface((pattern,))


def _in_plane(end: _HoleEnd, plane: Floats) -> Floats:
    """Return the point of an end in a plane. Shape (2,)."""
    point: Floats = apply(invert(plane), end.point)[:2]
    return point


def _is_alike(end: _HoleEnd, first: _HoleEnd) -> bool:
    """Return True if two ends have the same size and direction and are in one plane."""
    return abs(end.place.radius - first.place.radius) <= _SAME * first.place.radius and _is_level(end, first)


def _is_level(end: _HoleEnd, first: _HoleEnd) -> bool:
    """Return True if two ends have the same direction and are in one plane."""
    away = end.point - first.point
    size = max(float(lengths(away[None])[0]), first.place.radius)
    return bool(end.outward @ first.outward > 1 - 1e-6 and abs(away @ first.outward) <= _SAME * size)


def _millimetres(length: float) -> str:
    return f"{1000 * length:.4g}"
