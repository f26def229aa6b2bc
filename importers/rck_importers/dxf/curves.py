"""Curves of drawings in space: polylines, elliptic arcs and smooth curves; and their approximation by points.

Each type is closed under affine maps, so a curve in a block is transformed exactly when the block is inserted.
It is divided into straight segments last, when its true size is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, ceil, hypot, pi, tau

import numpy as np

from rck.geometry.arrays import Bools, Floats, lengths
from rck.geometry.brep.splines import KnotAxis, SplineCurve
from rck.geometry.contour import arc_outset
from rck.geometry.transforms import apply

FINER = 8
"""Number of fine segments in one coarse segment."""
_FEWEST_STEPS = 24.0
"""Minimum number of coarse segments of a full circle."""
_MOST_STEPS = 2_000
"""Maximum number of coarse segments of one curve."""


@dataclass(frozen=True, eq=False)
class StraightRun:
    """Points joined by straight lines."""

    points: Floats
    """Shape (N, 3)."""

    def moved(self, matrix: Floats) -> "StraightRun":
        """Return it transformed by an affine matrix."""
        return StraightRun(apply(matrix, self.points))

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """Return the points; all of them belong to the coarse approximation."""
        return self.points, np.ones(len(self.points), dtype=bool)


@dataclass(frozen=True, eq=False)
class CircularRun:
    """An elliptic arc: centre + x cos(t) + y sin(t) from t = start to t = end; end may be less than start."""

    centre: Floats
    x: Floats
    y: Floats
    start: float
    end: float

    def moved(self, matrix: Floats) -> "CircularRun":
        """Return it transformed by an affine matrix."""
        turn = matrix[:3, :3]
        return CircularRun(apply(matrix, self.centre), turn @ self.x, turn @ self.y, self.start, self.end)

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """Return points along the arc, and which of them end the coarse segments that stay within the deviation.

        The ends of coarse segments lie on the arc; the points between lie outside, so that the arc's area is kept.
        """
        radius = max(hypot(*self.x), hypot(*self.y))
        steps = _count_segments(radius, abs(self.end - self.start), deviation)
        t = np.linspace(self.start, self.end, steps * FINER + 1)[:, None]
        coarse = np.arange(len(t)) % FINER == 0
        away = np.where(coarse, 1.0, arc_outset(FINER, abs(self.end - self.start) / (steps * FINER)))[:, None]
        return self.centre + away * (self.x * np.cos(t) + self.y * np.sin(t)), coarse


@dataclass(frozen=True, eq=False)
class SmoothRun:
    """A curve given by points so close that straight lines between them represent it."""

    points: Floats
    """Shape (N, 3)."""

    def moved(self, matrix: Floats) -> "SmoothRun":
        """Return it transformed by an affine matrix."""
        return SmoothRun(apply(matrix, self.points))

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """Return the points, and which of them keep a coarse approximation within the deviation."""
        return self.points, _select_points(self.points, deviation)


Run = StraightRun | CircularRun | SmoothRun


def _count_segments(radius: float, sweep: float, deviation: float) -> int:
    """Return the number of coarse segments of an arc.

    A full circle gets a multiple of 4, so that its extent along the axes is exact, and at least 24.
    """
    whole = max(_FEWEST_STEPS, pi / acos(1.0 - deviation / radius)) if radius > deviation else _FEWEST_STEPS
    whole = 4.0 * ceil(whole / 4.0 - 1e-9)
    return min(_MOST_STEPS, max(1, ceil(whole * sweep / tau - 1e-9)))


def _select_points(points: Floats, deviation: float) -> Bools:
    """Select the points that keep a polyline within the deviation (Ramer 1972, Douglas and Peucker 1973)."""
    needed = np.zeros(len(points), dtype=bool)
    needed[[0, -1]] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        inner = points[first + 1 : last] - points[first]
        along = points[last] - points[first]
        length = float(along @ along)
        share = np.clip(inner @ along / length, 0.0, 1.0) if length > 0 else np.zeros(len(inner))
        away = lengths(inner - share[:, None] * along)
        worst = int(away.argmax())
        if away[worst] > deviation:
            middle = first + 1 + worst
            needed[middle] = True
            spans += [(first, middle), (middle, last)]
    return needed


@dataclass(frozen=True, eq=False)
class DrawingCurve:
    """A curve of consecutive runs; a ring if it is closed."""

    runs: tuple[Run, ...]
    closed: bool
    sweep: Floats
    """Extrusion vector from the entity's thickness; zeros without one. Shape (3,)."""
    normal: Floats
    """Normal of its drawing plane, not necessarily of unit length. Shape (3,)."""

    def moved(self, matrix: Floats) -> "DrawingCurve":
        """Return it transformed by an affine matrix."""
        turn = matrix[:3, :3]
        # Plane normals transform by the cofactor matrix.
        normal = np.linalg.det(turn) * np.linalg.inv(turn).T @ self.normal
        return DrawingCurve(tuple(run.moved(matrix) for run in self.runs), self.closed, turn @ self.sweep, normal)

    @property
    def reach(self) -> float:
        """Upper bound on the absolute coordinates of its points, in full ellipses for arcs."""
        extremes = [
            np.abs([run.centre, run.x, run.y]).sum(axis=0) if isinstance(run, CircularRun) else np.abs(run.points)
            for run in self.runs
        ]
        return float(max([*(float(array.max()) for array in extremes), float(np.abs(self.sweep).max())]))

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """Return points along the curve, shape (N, 3), and which of them form a coarse approximation, shape (N,).

        A ring does not repeat its first point at the end.
        """
        divided = [run.divided(deviation) for run in self.runs]
        points = np.concatenate([some[0] if k == 0 else some[0][1:] for k, some in enumerate(divided)])
        coarse = np.concatenate([some[1] if k == 0 else some[1][1:] for k, some in enumerate(divided)])
        if self.closed and len(points) > 1 and np.allclose(points[0], points[-1], rtol=0, atol=1e-9 * _size(points)):
            return points[:-1], coarse[:-1]
        return points, coarse


def _size(points: Floats) -> float:
    return float(np.ptp(points, axis=0).max())


def circular(centre: Floats, x: Floats, y: Floats, start: float, end: float) -> CircularRun:
    """Return the arc from `start` to `end`, in radians, counter-clockwise as seen from x cross y."""
    sweep = (end - start) % tau
    return CircularRun(centre, x, y, start, start + (sweep if sweep > 1e-9 else tau))


def bulged(points: Sequence[tuple[float, float]], bulges: Sequence[float], closed: bool) -> list[Run]:
    """Return the runs of a polyline in the xy plane from its points and bulges.

    `bulges` has a number for each point, for the segment that starts there: the tangent of a quarter of the arc's
    angle, positive for an arc that turns left.
    """
    steps = list(zip(points, points[1:], bulges, strict=False))
    if closed:
        steps.append((points[-1], points[0], bulges[len(points) - 1]))
    runs: list[Run] = []
    run: list[tuple[float, float]] = []
    for start, end, bulge in steps:
        if start == end:
            continue
        run = run or [start]
        if bulge == 0:
            run.append(end)
            continue
        if len(run) > 1:
            runs.append(_straight_run(run))
        run = []
        runs.append(_bulge_arc(start, end, bulge))
    if len(run) > 1:
        runs.append(_straight_run(run))
    return runs


def _straight_run(run: Sequence[tuple[float, float]]) -> StraightRun:
    return StraightRun(np.array([(x, y, 0.0) for x, y in run]))


def _bulge_arc(start: tuple[float, float], end: tuple[float, float], bulge: float) -> CircularRun:
    (ax, ay), (bx, by) = start, end
    # The centre lies on the perpendicular through the middle of the chord.
    away = (1.0 - bulge * bulge) / (4.0 * bulge)
    cx = (ax + bx) / 2 - (by - ay) * away
    cy = (ay + by) / 2 + (bx - ax) * away
    from_centre = np.arctan2(ay - cy, ax - cx)
    radius = hypot(ax - cx, ay - cy)
    first, sweep = float(from_centre), 4.0 * float(np.arctan(bulge))
    x, y = np.array([radius, 0.0, 0.0]), np.array([0.0, radius, 0.0])
    return CircularRun(np.array([cx, cy, 0.0]), x, y, first, first + sweep)


_MOST_SPLINE_POINTS = 20_000


def spline_points(control_points: Floats, weights: Floats, knots: Floats, degree: int) -> Floats:
    """Return points on a B-spline so close that straight lines between them represent it. Shape (N, 3).

    `control_points` has shape (C, 3) and `weights` is empty or has a weight for each. The curve runs from knot
    `degree` to knot C: a periodic spline has more knots than that on either side.
    """
    count = len(control_points)
    valid = 1 <= degree < count and len(knots) == count + degree + 1 and (np.diff(knots) >= 0).all()
    if not (valid and knots[degree] < knots[count]):
        raise ValueError(f"{count} control points, {len(knots)} knots and degree {degree} do not define a spline")
    scale = weights if len(weights) == count else np.ones(count)
    axis = KnotAxis(degree, knots)
    spline = SplineCurve(axis, np.c_[control_points * scale[:, None], scale])
    spans = axis.spans
    size = float(np.ptp(control_points, axis=0).max())
    steps = 8
    while True:
        shares = np.arange(steps) / steps
        places = np.append((spans[:-1, None] + np.diff(spans)[:, None] * shares).ravel(), spans[-1])
        points = spline.evaluate(places)
        # Stop when half as many points would be accurate enough.
        away = lengths(points[1:-1:2] - (points[:-2:2] + points[2::2]) / 2)
        if steps > 8 and (away.max(initial=0.0) < 1e-4 * size or len(points) > _MOST_SPLINE_POINTS):
            return points
        steps *= 2
