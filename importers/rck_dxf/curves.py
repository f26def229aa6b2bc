"""Curves in space as drawings have them: straight runs, arcs, smooth curves; and the points that stand for them.

Every kind stays of its kind under scaling, shear and mirrors, so a curve in a block needs no thought when the
block is inserted: it is placed first and divided into straight steps last, when its true size is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, ceil, hypot, pi, tau

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.geometry.contour import arc_outset
from rck.geometry.rows import lengths
from rck.geometry.transforms import apply

FINER = 8
"""So many fine steps make one coarse step."""
_FEWEST_STEPS = 24.0
"""Coarse steps of a whole circle, however small it is."""
_MOST_STEPS = 2_000
"""Coarse steps of one curve, whatever its size."""


@dataclass(frozen=True, eq=False)
class Straight:
    """Points joined by straight lines."""

    points: Floats
    """Shape (N, 3)."""

    def moved(self, matrix: Floats) -> "Straight":
        """Under an affine map."""
        return Straight(apply(matrix, self.points))

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """The points themselves; all of them count."""
        return self.points, np.ones(len(self.points), dtype=bool)


@dataclass(frozen=True, eq=False)
class Arc:
    """Part of an ellipse: centre + x cos(t) + y sin(t), from t = start to t = end, which may be the lesser."""

    centre: Floats
    x: Floats
    y: Floats
    start: float
    end: float

    def moved(self, matrix: Floats) -> "Arc":
        """Under an affine map."""
        turn = matrix[:3, :3]
        return Arc(apply(matrix, self.centre), turn @ self.x, turn @ self.y, self.start, self.end)

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """Points along the arc: as many coarse steps as keep it within the deviation, each of some fine ones.

        The ends of coarse steps lie on the arc, the points between so far outside that the area is that of the arc.
        """
        radius = max(hypot(*self.x), hypot(*self.y))
        steps = _steps(radius, abs(self.end - self.start), deviation)
        t = np.linspace(self.start, self.end, steps * FINER + 1)[:, None]
        coarse = np.arange(len(t)) % FINER == 0
        away = np.where(coarse, 1.0, arc_outset(FINER, abs(self.end - self.start) / (steps * FINER)))[:, None]
        return self.centre + away * (self.x * np.cos(t) + self.y * np.sin(t)), coarse


@dataclass(frozen=True, eq=False)
class Smooth:
    """A curve given by points so close that straight lines between them are the curve."""

    points: Floats
    """Shape (N, 3)."""

    def moved(self, matrix: Floats) -> "Smooth":
        """Under an affine map."""
        return Smooth(apply(matrix, self.points))

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """The points; those count that keep the curve within the deviation."""
        return self.points, _needed(self.points, deviation)


Piece = Straight | Arc | Smooth


def _steps(radius: float, sweep: float, deviation: float) -> int:
    """Into how many straight steps a curve is divided.

    A whole circle gets a multiple of 4, so that its extent along the axes is exact, and 24 or more.
    """
    whole = max(_FEWEST_STEPS, pi / acos(1.0 - deviation / radius)) if radius > deviation else _FEWEST_STEPS
    whole = 4.0 * ceil(whole / 4.0 - 1e-9)
    return min(_MOST_STEPS, max(1, ceil(whole * sweep / tau - 1e-9)))


def _needed(points: Floats, deviation: float) -> Bools:
    """Which points are enough for a line that stays within the deviation (Ramer 1972, Douglas and Peucker 1973)."""
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
class Curve:
    """A curve, or a ring if it is closed; its pieces follow one another."""

    pieces: tuple[Piece, ...]
    closed: bool
    sweep: Floats
    """What the entity's own thickness moves it by; zeros without one. Shape (3,)."""
    normal: Floats
    """The direction that its drawing plane looks; need not have length one. Shape (3,)."""

    def moved(self, matrix: Floats) -> "Curve":
        """Under an affine map."""
        turn = matrix[:3, :3]
        # Normals of a plane go by the cofactors, whatever the map does to lengths.
        normal = np.linalg.det(turn) * np.linalg.inv(turn).T @ self.normal
        return Curve(tuple(piece.moved(matrix) for piece in self.pieces), self.closed, turn @ self.sweep, normal)

    @property
    def reach(self) -> float:
        """How far from the origin its points, or the ellipses that they are on, go at most."""
        extremes = [
            np.abs([piece.centre, piece.x, piece.y]).sum(axis=0) if isinstance(piece, Arc) else np.abs(piece.points)
            for piece in self.pieces
        ]
        return float(max([*(float(array.max()) for array in extremes), float(np.abs(self.sweep).max())]))

    def divided(self, deviation: float) -> tuple[Floats, Bools]:
        """Points along the curve, shape (N, 3), and which of them count for a coarse version, shape (N,).

        A ring does not repeat its first point at the end.
        """
        divided = [piece.divided(deviation) for piece in self.pieces]
        points = np.concatenate([some[0] if k == 0 else some[0][1:] for k, some in enumerate(divided)])
        coarse = np.concatenate([some[1] if k == 0 else some[1][1:] for k, some in enumerate(divided)])
        if self.closed and len(points) > 1 and np.allclose(points[0], points[-1], rtol=0, atol=1e-9 * _size(points)):
            return points[:-1], coarse[:-1]
        return points, coarse


def _size(points: Floats) -> float:
    return float(np.ptp(points, axis=0).max())


def circular(centre: Floats, x: Floats, y: Floats, start: float, end: float) -> Arc:
    """The arc from one angle on to another, in radians, counter-clockwise as seen from x cross y."""
    sweep = (end - start) % tau
    return Arc(centre, x, y, start, start + (sweep if sweep > 1e-9 else tau))


def bulged(points: Sequence[tuple[float, float]], bulges: Sequence[float], closed: bool) -> list[Piece]:
    """A polyline in the xy plane; a bulge is the tangent of a quarter of the arc's angle, positive to the left.

    `bulges` has one number for each point, for the step that leaves it.
    """
    steps = list(zip(points, points[1:], bulges, strict=False))
    if closed:
        steps.append((points[-1], points[0], bulges[len(points) - 1]))
    pieces: list[Piece] = []
    run: list[tuple[float, float]] = []
    for start, end, bulge in steps:
        if start == end:
            continue
        run = run or [start]
        if bulge == 0:
            run.append(end)
            continue
        if len(run) > 1:
            pieces.append(_flat(run))
        run = []
        pieces.append(_bulge(start, end, bulge))
    if len(run) > 1:
        pieces.append(_flat(run))
    return pieces


def _flat(run: Sequence[tuple[float, float]]) -> Straight:
    return Straight(np.array([(x, y, 0.0) for x, y in run]))


def _bulge(start: tuple[float, float], end: tuple[float, float], bulge: float) -> Arc:
    (ax, ay), (bx, by) = start, end
    # The centre lies on the perpendicular through the middle of the chord.
    away = (1.0 - bulge * bulge) / (4.0 * bulge)
    cx = (ax + bx) / 2 - (by - ay) * away
    cy = (ay + by) / 2 + (bx - ax) * away
    from_centre = np.arctan2(ay - cy, ax - cx)
    radius = hypot(ax - cx, ay - cy)
    first, sweep = float(from_centre), 4.0 * float(np.arctan(bulge))
    x, y = np.array([radius, 0.0, 0.0]), np.array([0.0, radius, 0.0])
    return Arc(np.array([cx, cy, 0.0]), x, y, first, first + sweep)


_MOST_SPLINE_POINTS = 20_000


def spline_points(control_points: Floats, weights: Floats, knots: Floats, degree: int) -> Floats:
    """Points so close on a B-spline that straight lines between them are the curve. Shape (N, 3).

    `control_points` has shape (C, 3) and `weights` is empty or has a weight for each. The curve runs from knot
    `degree` to knot C: a periodic spline has more knots than that on either side.
    """
    from scipy.interpolate import BSpline

    count = len(control_points)
    if not (1 <= degree < count and len(knots) == count + degree + 1 and (np.diff(knots) >= 0).all()):
        raise ValueError(f"{count} control points, {len(knots)} knots and degree {degree} make no spline")
    scale = weights if len(weights) == count else np.ones(count)
    spline = BSpline(knots, np.c_[control_points * scale[:, None], scale], degree)
    spans = np.unique(knots[degree : count + 1])
    size = float(np.ptp(control_points, axis=0).max())
    steps = 8
    while True:
        shares = np.arange(steps) / steps
        places = np.append((spans[:-1, None] + np.diff(spans)[:, None] * shares).ravel(), spans[-1])
        rows = spline(places)
        points: Floats = rows[:, :3] / rows[:, 3:]
        # Half as many points would still do: so these are close enough.
        away = lengths(points[1:-1:2] - (points[:-2:2] + points[2::2]) / 2)
        if steps > 8 and (away.max(initial=0.0) < 1e-5 * size or len(points) > _MOST_SPLINE_POINTS):
            return points
        steps *= 2
