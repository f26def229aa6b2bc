"""Rational B-spline curves and surfaces."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats, Ints

MOST_POINTS = 50_000
"""Maximum number of control points of one spline."""
MOST_ALONG = 2_000
"""Maximum number of control points along one parameter."""
MOST_DEGREE = 25
_MOST_NUMBERS = 4_000_000
"""Maximum number of intermediate results; more places are evaluated in parts."""


@dataclass(frozen=True, eq=False)
class KnotAxis:
    """Degree and knots along one parameter."""

    degree: int
    knots: Floats
    """Knots repeated by multiplicity; degree + 1 more than control points. Shape (C + degree + 1,)."""

    @property
    def count(self) -> int:
        """Number of control points."""
        return len(self.knots) - self.degree - 1

    @property
    def low(self) -> float:
        """Start of the domain."""
        return float(self.knots[self.degree])

    @property
    def high(self) -> float:
        """End of the domain."""
        return float(self.knots[self.count])

    @property
    def spans(self) -> Floats:
        """The distinct knots of the domain, ascending."""
        return np.unique(self.knots[self.degree : self.count + 1])

    def local_basis(self, places: Floats, derivative: bool = False) -> tuple[Ints, Floats]:
        """Return the first basis function that is not zero at each place, and the values of degree + 1 from there on.

        Shapes (N,) and (N, degree + 1). Places outside the domain count as its ends.
        """
        places = np.clip(places, self.low, self.high)
        # The last knot belongs to the last span.
        last = int(np.searchsorted(self.knots, self.high)) - 1
        span = np.minimum(np.searchsorted(self.knots, places, "right") - 1, max(last, self.degree))
        first = span - self.degree
        values = self._values(places, span, self.degree - derivative)
        if derivative:
            number = first[:, None] + 1 + np.arange(self.degree)
            values = values * (self.degree / (self.knots[number + self.degree] - self.knots[number]))
            values = np.pad(values, ((0, 0), (1, 0))) - np.pad(values, ((0, 0), (0, 1)))
        return first, values

    def _values(self, places: Floats, span: Ints, degree: int) -> Floats:
        """Return the basis functions of this degree that are not zero in the spans (Cox and de Boor 1972).

        Shape (N, degree + 1).
        """
        values = np.ones((len(places), 1))
        for order in range(1, degree + 1):
            number = span[:, None] + np.arange(1 - order, 1)
            low, high = self.knots[number], self.knots[number + order]
            share = values / (high - low)
            values = np.zeros((len(places), order + 1))
            values[:, :-1] += (high - places[:, None]) * share
            values[:, 1:] += (places[:, None] - low) * share
        return values

    def basis(self, places: Floats, derivative: bool = False) -> Floats:
        """Return the values of all basis functions, or their derivatives. Shape (N, C)."""
        first, local = self.local_basis(places, derivative)
        values = np.zeros((len(local), self.count))
        np.put_along_axis(values, first[:, None] + np.arange(self.degree + 1), local, axis=1)
        return values


@dataclass(frozen=True, eq=False)
class SplineCurve:
    """A curve of homogeneous control points."""

    axis: KnotAxis
    points: Floats
    """Coordinates times weight, and weight. Shape (C, 4)."""

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the curve. Shape (N, 3)."""
        first, values = self.axis.local_basis(places)
        rows = np.zeros((len(places), self.points.shape[1]))
        for k in range(self.axis.degree + 1):
            rows += values[:, k, None] * self.points[first + k]
        return np.asarray(rows[:, :3] / rows[:, 3:])

    @cached_property
    def is_closed(self) -> bool:
        """True if the curve ends where it starts."""
        ends = self.evaluate(np.array([self.axis.low, self.axis.high]))
        return bool(np.abs(ends[0] - ends[1]).max() <= 1e-6 * (np.ptp(self.points[:, :3], axis=0).max() + 1e-12))


@dataclass(frozen=True, eq=False)
class SplineGrid:
    """A surface of homogeneous control points."""

    u: KnotAxis
    v: KnotAxis
    points: Floats
    """Coordinates times weight, and weight. Shape (U, V, 4)."""

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the surface; places has shape (N, 2). Shape (N, 3)."""
        return self._in_parts(places, lambda some: (self._points(some),))[0]

    def _points(self, places: Floats) -> Floats:
        rows = _combine(self.u.basis(places[:, 0]), self.v.basis(places[:, 1]), self.points)
        return np.asarray(rows[:, :3] / rows[:, 3:])

    def _in_parts(self, places: Floats, work: Callable[[Floats], tuple[Floats, ...]]) -> tuple[Floats, ...]:
        """Return the joined results for parts of the places, so that the memory is limited."""
        size = max(1, _MOST_NUMBERS // (5 * self.u.count + self.v.count))
        parts = [work(places[first : first + size]) for first in range(0, max(1, len(places)), size)]
        return tuple(np.concatenate(rows) for rows in zip(*parts, strict=True))

    def derivatives(self, places: Floats) -> tuple[Floats, Floats, Floats]:
        """Return points and their derivatives along u and v. Shapes (N, 3)."""
        point, along_u, along_v = self._in_parts(places, self._slopes)
        return point, along_u, along_v

    def _slopes(self, places: Floats) -> tuple[Floats, Floats, Floats]:
        u, v = self.u.basis(places[:, 0]), self.v.basis(places[:, 1])
        rows = _combine(u, v, self.points)
        point = rows[:, :3] / rows[:, 3:]
        slopes = []
        for one, other in ((self.u.basis(places[:, 0], True), v), (u, self.v.basis(places[:, 1], True))):
            along = _combine(one, other, self.points)
            slopes.append((along[:, :3] - point * along[:, 3:]) / rows[:, 3:])
        return point, slopes[0], slopes[1]


def _combine(u: Floats, v: Floats, points: Floats) -> Floats:
    return np.asarray(np.einsum("nuk,nu->nk", np.einsum("uvk,nv->nuk", points, v), u))
