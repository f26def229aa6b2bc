"""Constrained Delaunay triangulation, by flips of the diagonals of another triangulation (Lawson 1977).

Flips of separate triangles run at once, in common arrays. Each triangle `t` has the half-edges `3 t`, `3 t + 1` and
`3 t + 2`, counter-clockwise.
"""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints
from rck.geometry.monotone import ROUNDING, Triangle, turn
from rck.support.job import UNOBSERVED, Job

_SHUFFLE = 2654435761
"""Multiplier that spreads the flips of a round over the triangulation (Knuth)."""


def flip_to_delaunay(points: Floats, triangles: Sequence[Triangle], job: Job = UNOBSERVED) -> list[Triangle]:
    """Flip diagonals until the angles opposite to each add up to at most pi; return the triangles.

    Points have shape (N, 2). Edges of one triangle only stay.
    """
    start = np.array(triangles).ravel()
    twin = _twins(start)
    waiting = np.flatnonzero(np.arange(len(twin)) < twin)
    whole = left = len(waiting)
    patience = 50 * whole  # rounding could flip the same diagonals for ever
    slot = np.arange(len(twin))
    while len(waiting) and patience > 0:
        left = min(left, len(waiting))
        job.progress(1.0 - left / whole)
        waiting = waiting[_is_flat(points, start, waiting, twin[waiting])]
        chosen = _separate(waiting, twin)
        patience -= int(chosen.sum())
        edge, back = waiting[chosen], twin[waiting[chosen]]
        after, after_back = _next(edge), _next(back)
        here, there = start[_next(after)], start[_next(after_back)]
        # The sides after the diagonal take its place in the two triangles, and the new diagonal takes theirs.
        moved, to = np.concatenate([after_back, after]), np.concatenate([edge, back])
        slot[moved] = to
        partner = twin[moved]
        partner[partner >= 0] = slot[partner[partner >= 0]]
        twin[to] = partner
        twin[partner[partner >= 0]] = to[partner >= 0]
        twin[after], twin[after_back] = after_back, after
        start[after], start[after_back] = there, here
        waiting = np.concatenate([slot[waiting[~chosen]], to, _next(after), _next(after_back)])
        slot[moved] = moved
        waiting = np.unique(np.minimum(waiting, twin[waiting]))
        waiting = waiting[waiting >= 0]
    corners = start.reshape(-1, 3)
    first = corners.argmin(axis=1)[:, None]
    return [(a, b, c) for a, b, c in np.take_along_axis(corners, (first + np.arange(3)) % 3, axis=1).tolist()]


def _next(edge: Ints) -> Ints:
    return np.where(edge % 3 == 2, edge - 2, edge + 1)


def _twins(start: Ints) -> Ints:
    """Return the half-edge opposite to each, or -1."""
    ends = np.stack([start, start[_next(np.arange(len(start)))]])
    low, high = ends.min(axis=0), ends.max(axis=0)
    order = np.lexsort((high, low))
    same = np.flatnonzero((low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1]))
    twin = np.full(len(start), -1)
    here, there = order[same], order[same + 1]
    twin[here], twin[there] = there, here
    return twin


def _separate(edges: Ints, twin: Ints) -> Bools:
    """Choose edges of which no two are in one triangle, at least one."""
    rank = edges * _SHUFFLE % (1 << 32) * len(twin) + edges
    least = np.full(len(twin) // 3, np.iinfo(np.int64).max)
    triangles = np.stack([edges // 3, twin[edges] // 3])
    for side in triangles:
        np.minimum.at(least, side, rank)
    return np.asarray((least[triangles] == rank).all(axis=0))


def _is_flat(points: Floats, start: Ints, edge: Ints, back: Ints) -> Bools:
    """Return for each diagonal True if the opposite angles add up to more than pi, and it can be flipped."""
    u, v = start[edge], start[back]
    a, b = start[_next(_next(edge))], start[_next(_next(back))]
    sine_a, cosine_a = _angle(points[u] - points[a], points[v] - points[a])
    sine_b, cosine_b = _angle(points[v] - points[b], points[u] - points[b])
    sine_of_sum = sine_a * cosine_b + cosine_a * sine_b
    size_squared = (sine_a**2 + cosine_a**2) * (sine_b**2 + cosine_b**2)
    flat: Bools = (sine_of_sum < 0) & (sine_of_sum**2 > 1e-18 * size_squared)
    some = np.flatnonzero(flat)
    flat[some] = _turns_left(points, u[some], b[some], a[some]) & _turns_left(points, b[some], v[some], a[some])
    return flat


def _angle(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return the sine and the cosine of the angle between vectors, times their lengths."""
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0], (one * other).sum(axis=1)


def _turns_left(points: Floats, a: Ints, b: Ints, c: Ints) -> Bools:
    """Return True if the path over three points turns left; the result is exact."""
    (ax, ay), (bx, by), (cx, cy) = points[a].T, points[b].T, points[c].T
    left, right = (bx - ax) * (cy - by), (by - ay) * (cx - bx)
    turned = left - right
    for number in np.flatnonzero(abs(turned) <= ROUNDING * (abs(left) + abs(right))).tolist():
        turned[number] = turn(*(tuple(points[corners[number]].tolist()) for corners in (a, b, c)))
    return np.asarray(turned > 0)
