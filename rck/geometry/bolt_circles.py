"""Bolt circles: equal holes that are evenly spaced on a circle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rck.geometry.arrays import Floats

_SAME = 1e-3
"""Maximum difference of equal radii and places, as a fraction of the radius of the circle."""
_SAME_ANGLE = 2e-3
_FEWEST = 3
_MOST = 24
"""Number of equal holes above which only all of them together are taken for a bolt circle: a perforated plate."""


@dataclass(frozen=True, eq=False)
class BoltCircle:
    """Holes that are evenly spaced on a circle."""

    holes: tuple[int, ...]
    """Indices of the holes, counter-clockwise."""
    centre: Floats
    """Shape (2,)."""
    radius: float


def find_bolt_circles(points: Floats, bores: Sequence[Floats] = ()) -> list[BoltCircle]:
    """Return the bolt circles of equal holes, shape (N, 2), the one with the most holes first; they share no hole.

    Three of more than three holes are a bolt circle only around one of the `bores`, the centres of other round holes.
    """
    whole = _circle(points, range(len(points)))
    if whole is not None:
        return [whole]
    if not _FEWEST < len(points) <= _MOST:
        return []
    candidates = sorted(_candidates(points, bores), key=lambda one: (-len(one.holes), one.radius, one.holes))
    found: list[BoltCircle] = []
    used: set[int] = set()
    for circle in candidates:
        if used.isdisjoint(circle.holes):
            found.append(circle)
            used.update(circle.holes)
    return found


def _candidates(points: Floats, bores: Sequence[Floats]) -> Iterator[BoltCircle]:
    seen: set[tuple[int, ...]] = set()
    for three in combinations(range(len(points)), _FEWEST):
        centre = _circumcentre(points[list(three)])
        if centre is None:
            continue
        distances = np.hypot(*(points - centre).T)
        radius = distances[three[0]]
        on = tuple(np.flatnonzero(np.abs(distances - radius) <= _SAME * radius).tolist())
        if on in seen:
            continue
        seen.add(on)
        circle = _circle(points, on)
        if circle is None:
            continue
        has_bore = any(np.hypot(*(bore - circle.centre)) <= _SAME * radius for bore in bores)
        if len(on) > _FEWEST or has_bore:
            yield circle


def _circumcentre(corners: Floats) -> Floats | None:
    """Return the centre of the circle through three points, shape (3, 2); None if they are nearly on a line."""
    a, b = corners[1] - corners[0], corners[2] - corners[0]
    cross = 2 * float(a[0] * b[1] - a[1] * b[0])
    if abs(cross) < 1e-3 * float(np.hypot(*a) * np.hypot(*b)):
        return None
    aa, bb = float(a @ a), float(b @ b)
    centre: Floats = corners[0] + np.array([b[1] * aa - a[1] * bb, a[0] * bb - b[0] * aa]) / cross
    return centre


def _circle(points: Floats, holes: Sequence[int]) -> BoltCircle | None:
    """Return the circle of holes if there are at least three, evenly spaced around their middle."""
    if len(holes) < _FEWEST:
        return None
    chosen = points[list(holes)]
    centre = chosen.mean(axis=0)
    away = chosen - centre
    radii = np.hypot(*away.T)
    radius = float(radii.mean())
    if radius <= 0 or np.abs(radii - radius).max() > _SAME * radius:
        return None
    angles = np.arctan2(away[:, 1], away[:, 0]) % (2 * np.pi)
    angles[angles > 2 * np.pi - _SAME_ANGLE] = 0.0
    order = np.argsort(angles)
    gaps = np.diff(np.append(angles[order], angles[order[0]] + 2 * np.pi))
    if np.abs(gaps - 2 * np.pi / len(holes)).max() > _SAME_ANGLE:
        return None
    return BoltCircle(tuple(int(holes[number]) for number in order), centre, radius)
