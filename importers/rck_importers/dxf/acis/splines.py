"""Rational B-spline curves and surfaces, and their data in ACIS records."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats
from rck_importers.dxf.acis.records import AcisError, Fields

_MOST_POINTS = 50_000
"""Maximum number of control points of one spline."""
_MOST_ALONG = 2_000
"""Maximum number of control points along one parameter."""
_MOST_DEGREE = 25
_MOST_NUMBERS = 4_000_000
"""Maximum number of intermediate results; more places are evaluated in parts."""
_SKIPPED = (4, 5, 2)
"""Numbers of fields between the degrees of a surface and its knot counts, most frequent first."""


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

    @cached_property
    def _functions(self) -> tuple[object, object]:
        from scipy.interpolate import BSpline

        basis = BSpline(self.knots, np.eye(self.count), self.degree)
        return basis, basis.derivative()

    def basis(self, places: Floats, derivative: bool = False) -> Floats:
        """Return the values of the basis functions, or their derivatives. Shape (N, C)."""
        # The last knot belongs to the last span.
        values: Floats = self._functions[derivative](np.clip(places, self.low, self.high))  # type: ignore[operator]
        return values


@dataclass(frozen=True, eq=False)
class SplineCurve:
    """A curve of homogeneous control points."""

    axis: KnotAxis
    points: Floats
    """Coordinates times weight, and weight. Shape (C, 4)."""

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the curve. Shape (N, 3)."""
        rows = self.axis.basis(places) @ self.points
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


def find_curve(fields: Fields) -> SplineCurve | None:
    """Return the curve at the start of a spline's data, after its type; None if it holds only a summary."""
    name = _skip_to_form(fields)
    if name is None:
        return None
    degree = fields.integer()
    fields.take()  # open, closed or periodic
    axis = _axis(fields, degree, fields.integer())
    return SplineCurve(axis, _control_points(fields, axis.count, name == "nurbs"))


def find_surface(fields: Fields) -> SplineGrid | None:
    """Return the surface of a spline's data: the first B-spline with two degrees; None without one."""
    depth = 0
    while fields.following is not None:
        token = fields.take()
        depth += {"{": 1, "}": -1}.get(token, 0) if isinstance(token, str) else 0
        if depth == 0 and token in ("nubs", "nurbs"):
            start = fields.place
            try:
                return _grid(fields, token == "nurbs")
            except AcisError:
                fields.place = start
    return None


def _skip_to_form(fields: Fields) -> str | None:
    for _ in range(4):
        token = fields.following
        if token in ("nubs", "nurbs"):
            return str(fields.take())
        if token is None or token == "nullbs":
            return None
        fields.take()
    return None


def _grid(fields: Fields, rational: bool) -> SplineGrid:
    """Return the surface after its type, whichever of its optional fields are present."""
    degrees = fields.integer(), fields.integer()
    start = fields.place
    # Closures and singularities of u and v; first, in some rational ones, which of them is rational; old ones less.
    for skipped in _SKIPPED:
        fields.place = start + skipped
        try:
            u_count, v_count = fields.integer(), fields.integer()
            u, v = _axis(fields, degrees[0], u_count), _axis(fields, degrees[1], v_count)
            points = _control_points(fields, u.count * v.count, rational)
        except AcisError:
            if skipped == _SKIPPED[-1]:
                raise
        else:
            return SplineGrid(u, v, points.reshape(v.count, u.count, 4).transpose(1, 0, 2))
    raise AssertionError


def _axis(fields: Fields, degree: int, count: int) -> KnotAxis:
    if not (1 <= degree <= _MOST_DEGREE and 2 <= count <= _MOST_ALONG):
        raise AcisError(f"{fields.record.label} has a spline of degree {degree} with {count} knots")
    knots: list[float] = []
    multiplicities: list[int] = []
    for _ in range(count):
        knots.append(fields.number())
        multiplicities.append(fields.integer())
    steps = np.diff(knots)
    if not (steps > 0).all() or min(multiplicities) < 1 or max(multiplicities) > degree + 1:
        raise AcisError(f"{fields.record.label} has a spline whose knots do not ascend")
    # The first and last knot are stored with a multiplicity of the degree.
    multiplicities[0] = multiplicities[-1] = degree + 1
    axis = KnotAxis(degree, np.repeat(np.array(knots, dtype=float), multiplicities))
    if not degree < axis.count <= _MOST_ALONG:
        raise AcisError(f"{fields.record.label} has a spline with {axis.count} control points")
    return axis


def _control_points(fields: Fields, count: int, rational: bool) -> Floats:
    width = 4 if rational else 3
    if count > _MOST_POINTS or fields.place + count * width > len(fields.tokens):
        raise AcisError(f"{fields.record.label} ends too early")
    rows = np.array([fields.number() for _ in range(count * width)]).reshape(count, width)
    weights = rows[:, 3:] if rational else np.ones((count, 1))
    if not (weights > 0).all():
        raise AcisError(f"{fields.record.label} has a weight that is not positive")
    return np.concatenate([rows[:, :3] * weights, weights], axis=1)
