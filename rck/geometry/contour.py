"""Contours: planar regions with an outer ring of straight edges and holes, which sweeps turn into solids."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Bools, Floats, Ints, frozen

# Edges nearer than this, as a fraction of the size of the drawing, touch.
_TOUCH = 1e-9


@dataclass(frozen=True, eq=False)
class Contour:
    """A region of the plane. Build one with :func:`make_contour`, which validates it."""

    main: Floats
    """The outer ring, counter-clockwise, each vertex once. Shape (N, 2), in metres."""
    holes: tuple[Floats, ...] = ()
    """Each hole clockwise, so that the region is on the left of every edge. Shapes (M, 2)."""

    @cached_property
    def points(self) -> Floats:
        """The vertices of the main ring, then of each hole. Shape (P, 2)."""
        return frozen(np.concatenate([self.main, *self.holes]))

    @cached_property
    def following(self) -> Ints:
        """For each of the points, the index of the next one on its ring. Shape (P,)."""
        return frozen(_following(self.main, *self.holes))

    @cached_property
    def area(self) -> float:
        """In m2, without the holes."""
        return ring_area(self.main) + sum(ring_area(hole) for hole in self.holes)


def make_contour(main: ArrayLike, holes: Iterable[ArrayLike] = ()) -> Contour:
    """Return the region inside `main` and outside every hole; the rings may have either orientation.

    A vertex that repeats its neighbour or lies on the straight line between its neighbours is omitted.
    Raises ValueError for rings that cross or touch themselves or each other, and for holes outside the main ring or
    inside one another.
    """
    outer = _clean_ring(main, "the main contour")
    inner = [_clean_ring(hole, f"hole {number}") for number, hole in enumerate(holes, 1)]
    names = ["the main contour", *(f"hole {number}" for number in range(1, len(inner) + 1))]
    _refuse_meetings([outer, *inner], names)
    _refuse_misplaced(outer, inner)
    return Contour(
        frozen(outer if ring_area(outer) > 0 else outer[::-1]),
        tuple(frozen(hole if ring_area(hole) < 0 else hole[::-1]) for hole in inner),
    )


def contours_from_rings(rings: Iterable[ArrayLike]) -> tuple[Contour, ...]:
    """Sort rings into contours: a ring inside another is a hole, and one inside a hole is another contour."""
    listed = [_clean_ring(ring, f"ring {number}") for number, ring in enumerate(rings, 1)]
    _refuse_meetings(listed, [f"ring {number}" for number in range(1, len(listed) + 1)])
    if not listed:
        return ()
    first_points = np.array([ring[0] for ring in listed])
    # Row r: the rings inside ring r.
    holds = np.array([points_inside(first_points, ring) for ring in listed])
    np.fill_diagonal(holds, False)
    depth = holds.sum(axis=0)
    contours = []
    for number in np.flatnonzero(depth % 2 == 0):
        inner = np.flatnonzero(holds[number] & (depth == depth[number] + 1))
        contours.append(make_contour(listed[number], [listed[hole] for hole in inner]))
    return tuple(contours)


def circle(
    radius: float, segments: int = 24, centre: tuple[float, float] = (0.0, 0.0), *, equal_area: bool = False
) -> Floats:
    """Return a regular polygon with its first corner at angle 0. Shape (segments, 2).

    The corners lie on the circle or, with `equal_area`, so far outside that the ring has the area of the circle.
    """
    if not 0 < radius < np.inf or segments < 3:
        raise ValueError(f"a circle needs a positive radius and at least 3 segments, not {radius:g} and {segments}")
    step = 2 * np.pi / segments
    angles = np.arange(segments) * step
    away = radius * np.sqrt(step / np.sin(step)) if equal_area else radius
    return np.stack([centre[0] + away * np.cos(angles), centre[1] + away * np.sin(angles)], axis=1)


def arc(radius: float, start: float, end: float, steps: int, centre: tuple[float, float] = (0.0, 0.0)) -> Floats:
    """Return the corners of an arc from one angle to another. Shape (steps + 1, 2).

    Its ends lie on the circle; the corners between lie outside, see :func:`arc_outset`.
    """
    angles = np.linspace(start, end, steps + 1)
    away = np.full(steps + 1, float(radius))
    away[1:-1] *= arc_outset(steps, abs(end - start) / steps)
    return np.stack([centre[0] + away * np.cos(angles), centre[1] + away * np.sin(angles)], axis=1)


def arc_outset(steps: int, angle: float) -> float:
    """Return the distance from the centre, in radii, of the inner corners of an arc that keep its area.

    The arc has `steps` steps of that angle; its ends lie on the circle. An arc of one step has no inner corner.
    """
    # Two triangles with a corner at an end, and steps - 2 others, together have the area of the sector.
    wanted = steps * angle / np.sin(angle)
    if steps < 3:
        return float(wanted / 2) if steps == 2 else 1.0
    return float((np.sqrt(1 + (steps - 2) * wanted) - 1) / (steps - 2))


def rectangle(width: float, height: float, centre: tuple[float, float] = (0.0, 0.0)) -> Floats:
    """Return a rectangle, `width` along x and `height` along y. Shape (4, 2)."""
    if not (0 < width < np.inf and 0 < height < np.inf):
        raise ValueError(f"a rectangle needs positive sides, not {width:g} and {height:g}")
    return np.array(centre) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, height / 2)


def ring_area(ring: Floats) -> float:
    """Return the signed area of a ring, shape (N, 2): positive if it is counter-clockwise."""
    x, y = (ring - ring[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def points_inside(points: Floats, ring: Floats) -> Bools:
    """Return for each point, shape (K, 2), True if it is inside the ring: a ray crosses an odd number of edges."""
    x, y = points[:, :1], points[:, 1:]
    (ax, ay), (bx, by) = ring.T, np.roll(ring, -1, axis=0).T
    spans = (ay > y) != (by > y)
    left_of_edge = (x - ax) * (by - ay) < (y - ay) * (bx - ax)
    crossed = spans & (left_of_edge == (by > ay))
    return np.asarray(crossed.sum(axis=1) % 2 == 1)


def _clean_ring(ring: ArrayLike, name: str) -> Floats:
    points = np.asarray(ring, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise ValueError(f"{name} is not a list of points (x, y) with finite coordinates")
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    # Two passes suffice: the second finds collinear points after repeated points are removed.
    for _ in range(2):
        before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
        apart = np.hypot(*before.T) > _TOUCH * size
        crosses = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
        straight = (crosses <= _TOUCH * np.hypot(*before.T) * np.hypot(*after.T)) & ((before * after).sum(axis=1) > 0)
        points = points[apart & ~straight]
    if len(points) < 3:
        raise ValueError(f"{name} has no area")
    return points


def _following(*rings: Floats) -> Ints:
    starts = np.cumsum([0, *(len(ring) for ring in rings)])
    following = np.arange(1, starts[-1] + 1)
    following[starts[1:] - 1] = starts[:-1]
    return following


def _refuse_meetings(rings: list[Floats], names: list[str]) -> None:
    """Raise ValueError if an edge crosses or touches a non-adjacent edge, or overlaps an adjacent one."""
    if not rings:
        return
    starts = np.concatenate(rings)
    following = _following(*rings)
    ends = starts[following]
    tolerance = _TOUCH * float(np.ptp(starts, axis=0).max())
    for first, second in overlapping_boxes(np.minimum(starts, ends) - tolerance, np.maximum(starts, ends) + tolerance):
        meet = _meet(starts, ends, following, first, second, tolerance)
        if meet.any():
            one, other = sorted((int(first[meet.argmax()]), int(second[meet.argmax()])))
            firsts = np.cumsum([0, *(len(ring) for ring in rings)])
            which = np.searchsorted(firsts, (one, other), side="right") - 1
            x, y = starts[one]
            if which[0] == which[1]:
                raise ValueError(f"{names[which[0]]} crosses or touches itself near ({x:.6g}, {y:.6g}) m")
            raise ValueError(
                f"{names[which[0]]} and {names[which[1]]} cross or touch each other near ({x:.6g}, {y:.6g}) m"
            )


# Largest number of pairs of edges that are compared at a time.
_AT_A_TIME = 1_000_000


def overlapping_boxes(low: Floats, high: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield all pairs of overlapping boxes, in batches, by a sweep along the axis with fewer comparisons."""
    best: tuple[Ints, Ints] | None = None
    for axis in (0, 1):
        order = np.argsort(low[:, axis])
        past = np.searchsorted(low[order, axis], high[order, axis], side="right")
        counts = past - np.arange(len(order)) - 1
        if best is None or counts.sum() < best[1].sum():
            best = order, counts
    assert best is not None
    order, counts = best
    batch = np.cumsum(counts) // _AT_A_TIME
    for number in range(int(batch[-1]) + 1):
        members = np.flatnonzero(batch == number)
        some = counts[members]
        first = np.repeat(members, some)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(some) - some, some)
        i, j = order[first], order[second]
        overlap = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
        yield i[overlap], j[overlap]


def _meet(starts: Floats, ends: Floats, following: Ints, first: Ints, second: Ints, tolerance: float) -> Bools:
    """Return for each pair of edges True if they cross, touch or overlap."""
    p, q, r, s = starts[first], ends[first], starts[second], ends[second]
    crossing = (_side(p, q, r) * _side(p, q, s) < 0) & (_side(r, s, p) * _side(r, s, q) < 0)
    # Adjacent edges share a corner: only the far ends matter.
    before, after = following[first] == second, following[second] == first
    near = (_distance(r, p, q) <= tolerance) & ~before
    near |= (_distance(s, p, q) <= tolerance) & ~after
    near |= (_distance(p, r, s) <= tolerance) & ~after
    near |= (_distance(q, r, s) <= tolerance) & ~before
    return np.asarray(near | (crossing & ~before & ~after))


def _side(a: Floats, b: Floats, point: Floats) -> Floats:
    """Return a positive number if the point is on the left of the line from a to b."""
    (ux, uy), (vx, vy) = (b - a).T, (point - a).T
    return np.asarray(ux * vy - uy * vx)


def _distance(point: Floats, a: Floats, b: Floats) -> Floats:
    """Return the distance of each point to the segment from a to b."""
    along = b - a
    share = ((point - a) * along).sum(axis=1) / (along * along).sum(axis=1)
    return np.asarray(np.hypot(*(a + np.clip(share, 0, 1)[:, None] * along - point).T))


def _refuse_misplaced(outer: Floats, holes: list[Floats]) -> None:
    """Raise ValueError for a hole outside the main ring or inside another hole; the rings do not touch."""
    if not holes:
        return
    first_points = np.array([hole[0] for hole in holes])
    outside = ~points_inside(first_points, outer)
    if outside.any():
        raise ValueError(f"hole {int(outside.argmax()) + 1} lies outside the main contour")
    for number, hole in enumerate(holes):
        near = ((hole.min(axis=0) <= first_points) & (first_points <= hole.max(axis=0))).all(axis=1)
        near[number] = False
        others = np.flatnonzero(near)
        within = others[points_inside(first_points[others], hole)]
        if len(within):
            raise ValueError(f"hole {int(within[0]) + 1} lies inside hole {number + 1}")
