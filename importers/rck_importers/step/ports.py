"""Ports at round holes, bolt circles and the ends of shafts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, frozen, lengths
from rck.geometry.transforms import frame
from rck.model import Port
from rck_importers.step.solids import RoundPlace

_SAME = 1e-4
"""Maximum difference of equal sizes and places, as a fraction of the size of the bolt circle."""
_SHORTEST_SHAFT = 1.0
"""Minimum length of a shaft, in radii."""
_FEWEST = 3
"""Minimum number of holes of a bolt circle."""
MOST_PORTS = 2_000


@dataclass(frozen=True, eq=False)
class _HoleEnd:
    """An open end of a hole."""

    place: RoundPlace
    point: Floats
    outward: Floats


def round_ports(items: Mapping[str, Sequence[RoundPlace]]) -> list[Port]:
    """Return the ports of items, whose features are in the frame of the part.

    A hole has a port at each open end, a shaft at each free end, and holes of one size that are evenly spaced on a
    circle have one in its middle.
    """
    ports = []
    for item, places in items.items():
        prefix = f"{item}-" if len(items) > 1 else ""
        holes = [place for place in places if place.is_hole]
        shafts = [
            place
            for place in places
            if not place.is_hole and _length(place) >= _SHORTEST_SHAFT * place.radius and any(place.is_open)
        ]
        found = [*_hole_ports(holes), *_circle_ports(holes), *_shaft_ports(shafts)]
        ports += [Port(f"{prefix}{name}", item, frozen(pose), note=note) for name, pose, note in found]
    return ports


def _length(place: RoundPlace) -> float:
    return float(lengths((place.end - place.start)[None])[0])


def _ends(place: RoundPlace) -> list[_HoleEnd]:
    axis = (place.end - place.start) / _length(place)
    ends = [_HoleEnd(place, place.start, -axis), _HoleEnd(place, place.end, axis)]
    return [end for end, is_open in zip(ends, place.is_open, strict=True) if is_open]


def _hole_ports(holes: Sequence[RoundPlace]) -> Iterator[tuple[str, Floats, str]]:
    for number, hole in enumerate(holes, 1):
        note = f"hole of {_millimetres(2 * hole.radius)} mm"
        if len(hole.radii) > 1:
            note += f", widened to {_millimetres(2 * hole.radii[-1])} mm"
        ends = _ends(hole)
        if len(ends) == 1:
            note += f", {_millimetres(_length(hole))} mm deep"
        for letter, end in zip("ab", ends, strict=False):
            yield f"hole{number}-{letter}" if len(ends) > 1 else f"hole{number}", frame(end.point, z=end.outward), note


def _shaft_ports(shafts: Sequence[RoundPlace]) -> Iterator[tuple[str, Floats, str]]:
    for number, shaft in enumerate(shafts, 1):
        ends = _ends(shaft)
        for letter, end in zip("ab", ends, strict=False):
            name = f"shaft{number}-{letter}" if len(ends) > 1 else f"shaft{number}"
            yield name, frame(end.point, z=end.outward), f"end of a shaft of {_millimetres(2 * shaft.radius)} mm"


def _circle_ports(holes: Sequence[RoundPlace]) -> Iterator[tuple[str, Floats, str]]:
    left = [end for hole in holes for end in _ends(hole)]
    number = 0
    while left:
        first = left[0]
        alike = [end for end in left if _is_alike(end, first)]
        left = [end for end in left if not any(end is other for other in alike)]
        circle = _bolt_circle(np.array([end.point for end in alike]), first.outward)
        if circle is None:
            continue
        number += 1
        centre, radius = circle
        note = f"{len(alike)} holes of {_millimetres(2 * first.place.radius)} mm on {_millimetres(2 * radius)} mm"
        yield f"bolt-circle{number}", frame(centre, z=first.outward, x=alike[0].point - centre), note


def _is_alike(end: _HoleEnd, first: _HoleEnd) -> bool:
    """Return True if two ends have the same size and direction and are in one plane."""
    if abs(end.place.radius - first.place.radius) > _SAME * first.place.radius:
        return False
    away = end.point - first.point
    size = max(float(lengths(away[None])[0]), first.place.radius)
    return bool(end.outward @ first.outward > 1 - 1e-6 and abs(away @ first.outward) <= _SAME * size)


def _bolt_circle(points: Floats, axis: Floats) -> tuple[Floats, float] | None:
    """Return centre and radius if at least three points are evenly spaced on a circle about an axis."""
    if len(points) < _FEWEST:
        return None
    centre = points.mean(axis=0)
    away = points - centre
    radii = lengths(away)
    radius = float(radii.mean())
    if radius <= 0 or np.abs(radii - radius).max() > _SAME * radius:
        return None
    plane = frame(centre, z=axis)
    angles = np.sort(np.arctan2(away @ plane[:3, 1], away @ plane[:3, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    return (centre, radius) if np.abs(gaps - 2 * np.pi / len(points)).max() <= 1e-3 else None


def _millimetres(length: float) -> str:
    return f"{1000 * length:.4g}"
