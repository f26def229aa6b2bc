"""Pairs of points close to each other, found on a grid of cells of about their distance.

SciPy's k-d tree would do it too, but importing it takes longer than reading most drawings.
"""

from itertools import product

import numpy as np

from rck.geometry.arrays import Floats, Ints, lengths

_FACTORS = np.array([-7046029254386353131, -4417276706812531889, 1609587929392839161], dtype=np.int64)
"""Odd factors that number the cells modulo 2**64. The distance separates distinct cells of one number."""
_ROUNDING = 1 + 1e-9
"""Widens the cells: points exactly the distance apart lie in neighbouring cells in spite of rounding."""


def near_pairs(points: Floats, distance: float) -> tuple[Ints, Ints]:
    """Return the pairs of points, shape (N, D), no farther apart than the distance in metres, each pair once."""
    numbers = _cells(points, points, distance)
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    place = np.arange(len(points))
    first, second = [], []
    # Of each cell and its opposite, one is enough; within a cell, the later points.
    around = _steps(points.shape[1])
    for step in around[len(around) // 2 :]:
        if step:
            low, high = np.searchsorted(ordered, ordered + step), None
        else:
            low, high = place + 1, np.searchsorted(ordered, ordered, "right")
        found, partner = _pairs_within(ordered, ordered + step, low, high)
        one, other = order[found], order[partner]
        near = lengths(points[one] - points[other]) <= distance
        first.append(one[near])
        second.append(other[near])
    return np.concatenate(first), np.concatenate(second)


def nearest_points(points: Floats, others: Floats, distance: float) -> Ints:
    """Return for each point, shape (N, D), the number of the nearest other point, or -1 beyond the distance."""
    numbers = _cells(others, others, distance)
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    own = _cells(points, others, distance)
    nearest, best = np.full(len(points), -1), np.full(len(points), np.inf)
    for step in _steps(points.shape[1]):
        found, partner = _pairs_within(ordered, own + step, np.searchsorted(ordered, own + step), None)
        away = lengths(points[found] - others[order[partner]])
        # The last assignment wins: the nearest, and among equals the first point.
        rank = np.lexsort((-order[partner], -away))
        rank = rank[away[rank] <= distance]
        found, partner, away = found[rank], order[partner[rank]], away[rank]
        closest = np.full(len(points), -1)
        closest[found] = np.arange(len(found))
        some = np.flatnonzero(closest >= 0)
        chosen = closest[some]
        better = away[chosen] < best[some]
        nearest[some[better]], best[some[better]] = partner[chosen[better]], away[chosen[better]]
    return nearest


def _cells(points: Floats, origin: Floats, distance: float) -> Ints:
    """Return the number of the cell of each point."""
    cells = np.floor((points - origin.min(axis=0)) / (distance * _ROUNDING)).astype(np.int64)
    numbers: Ints = (cells * _FACTORS[: points.shape[1]]).sum(axis=1)
    return numbers


def _steps(axes: int) -> list[int]:
    """Return the differences between the numbers of neighbouring cells, opposite ones at opposite places."""
    around = np.array(list(product((-1, 0, 1), repeat=axes)), dtype=np.int64)
    return [int(step) for step in (around * _FACTORS[:axes]).sum(axis=1)]


def _pairs_within(ordered: Ints, wanted: Ints, low: Ints, high: Ints | None) -> tuple[Ints, Ints]:
    """Return the pairs of a wanted number and a place in the ordered numbers that holds it, from `low` on."""
    if high is None:
        hit = np.flatnonzero(ordered[np.minimum(low, len(ordered) - 1)] == wanted)
        high = np.searchsorted(ordered, wanted[hit], "right")
    else:
        hit = np.arange(len(wanted))
    counts = np.maximum(high - low[hit], 0)
    found = np.repeat(hit, counts)
    return found, np.repeat(low[hit] - (np.cumsum(counts) - counts), counts) + np.arange(len(found))
