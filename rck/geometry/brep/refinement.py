"""Triangles in the plane that are refined until they follow a surface."""

from math import hypot

import numpy as np

from rck.geometry.arrays import Floats, Ints, lengths
from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.face_maps import FaceMap
from rck.geometry.contour import Contour
from rck.geometry.monotone import turn
from rck.geometry.partition import triangulate

_MOST_PASSES = 40
_MOST_INNER = 30_000
"""Maximum number of points added inside one face."""


class RefinedTriangles:
    """A triangulation whose inner edges can be flipped and divided; those on the boundary never change."""

    def __init__(self, contour: Contour) -> None:
        self.places: list[tuple[float, float]] = [(x, y) for x, y in contour.points.tolist()]
        self.tip: dict[tuple[int, int], int] = {}
        for a, b, c in triangulate(contour):
            self._add(a, b, c)

    def _add(self, a: int, b: int, c: int) -> None:
        self.tip[a, b], self.tip[b, c], self.tip[c, a] = c, a, b

    @property
    def triangles(self) -> Ints:
        """Corners of the triangles, counter-clockwise. Shape (T, 3)."""
        rows = [(u, v, w) for (u, v), w in self.tip.items() if u < v and u < w]
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    def insert(self, place: tuple[float, float]) -> int | None:
        """Add a corner inside; return its index, or None if the place is outside or on a corner."""
        for (u, v), w in self.tip.items():
            if u < v and u < w:
                sides = [turn(self.places[a], self.places[b], place) for a, b in ((u, v), (v, w), (w, u))]
                if min(sides) > 0:
                    number = self._new(place)
                    self._add(u, v, number)
                    self._add(v, w, number)
                    self._add(w, u, number)
                    self._legalise([(u, v), (v, w), (w, u)])
                    return number
                if min(sides) == 0 and sorted(sides)[1] > 0:
                    a, b = ((u, v), (v, w), (w, u))[sides.index(0.0)]
                    return self.divide(a, b, place)
        return None

    def _new(self, place: tuple[float, float]) -> int:
        self.places.append(place)
        return len(self.places) - 1

    def divide(self, u: int, v: int, place: tuple[float, float] | None = None) -> int | None:
        """Add a corner on an inner edge, in its middle by default; None if that would invert a triangle."""
        if (u, v) not in self.tip or (v, u) not in self.tip:
            return None
        a, b = self.tip[u, v], self.tip[v, u]
        (ux, uy), (vx, vy) = self.places[u], self.places[v]
        middle = ((ux + vx) / 2, (uy + vy) / 2) if place is None else place
        corners = ((u, a), (a, v), (v, b), (b, u))
        if any(turn(self.places[one], middle, self.places[other]) <= 0 for one, other in corners):
            return None
        number = self._new(middle)
        del self.tip[u, v], self.tip[v, u]
        for one, other in ((v, a), (a, u), (u, b), (b, v)):
            self._add(one, other, number)
        self._legalise([(v, a), (a, u), (u, b), (b, v)])
        return number

    def _legalise(self, waiting: list[tuple[int, int]]) -> None:
        """Flip the edges that are not Delaunay's, and then those around them (Lawson 1977)."""
        patience = 1_000
        place = self.places
        while waiting and patience:
            patience -= 1
            u, v = waiting.pop()
            if (u, v) not in self.tip or (v, u) not in self.tip:
                continue
            a, b = self.tip[u, v], self.tip[v, u]
            if not _is_illegal(place[u], place[v], place[a], place[b]):
                continue
            del self.tip[u, v], self.tip[v, u]
            self._add(u, b, a)
            self._add(b, v, a)
            waiting += [(u, b), (b, v), (v, a), (a, u)]

    def follow(self, mapped: FaceMap, points: Floats, deviation: float) -> Floats:
        """Divide the inner edges that are farther than the deviation from the surface.

        `points` are the corners so far in space, shape (N, 3); the result has those of the added corners too.
        """
        first = len(points)
        for _ in range(_MOST_PASSES):
            edges = np.array([edge for edge in self.tip if edge[0] < edge[1] and edge[::-1] in self.tip]).reshape(-1, 2)
            if not len(edges):
                break
            flat = np.array(self.places)
            nearest = mapped.nearest(points[edges].mean(axis=1), flat[edges].mean(axis=1))
            away = _distances(nearest, points[edges])
            rough = np.flatnonzero(away > deviation)
            if not len(rough):
                break
            for u, v in edges[rough[np.argsort(-away[rough], kind="stable")]].tolist():
                self.divide(u, v)
            if len(self.places) == len(points):
                break
            if len(self.places) - first > _MOST_INNER:
                raise BrepError(f"a face needs more than {_MOST_INNER:,} points: raise the option deviation")
            points = np.concatenate([points, mapped.to_space(np.array(self.places[len(points) :]))])
        return points


def _distances(middles: Floats, ends: Floats) -> Floats:
    """Return the distances of points, shape (N, 3), from lines through two points, shape (N, 2, 3). Shape (N,)."""
    chord, offset = ends[:, 1] - ends[:, 0], middles - ends[:, 0]
    square = np.maximum((chord * chord).sum(axis=1), 1e-300)
    share = np.clip((chord * offset).sum(axis=1) / square, 0.0, 1.0)
    return lengths(offset - share[:, None] * chord)


def _is_illegal(u: tuple[float, float], v: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Return True if the angles opposite to an edge add up to more than pi, and the edge can be flipped."""
    sine_a = (u[0] - a[0]) * (v[1] - a[1]) - (u[1] - a[1]) * (v[0] - a[0])
    cosine_a = (u[0] - a[0]) * (v[0] - a[0]) + (u[1] - a[1]) * (v[1] - a[1])
    sine_b = (v[0] - b[0]) * (u[1] - b[1]) - (v[1] - b[1]) * (u[0] - b[0])
    cosine_b = (u[0] - b[0]) * (v[0] - b[0]) + (u[1] - b[1]) * (v[1] - b[1])
    sine = sine_a * cosine_b + cosine_a * sine_b
    if sine >= -1e-9 * hypot(sine_a, cosine_a) * hypot(sine_b, cosine_b):
        return False
    return turn(u, b, a) > 0 and turn(b, v, a) > 0
