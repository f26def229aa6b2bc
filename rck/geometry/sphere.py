"""The smallest sphere round a set of points."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rck.geometry.arrays import Floats, frozen


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball: centre of shape (3,) and radius, in metres."""

    centre: Floats
    radius: float


# A point counts as inside when it is out by less than this share of the radius.
_SLACK = 1e-10


def smallest_sphere(points: Floats) -> Sphere:
    """The smallest sphere that holds all points, shape (N, 3).

    Pivoting after Gaertner (1999): take the point farthest out into the support, find the smallest sphere
    of those few points exactly, until nothing lies outside. The radius grows at each turn, so it ends.
    """
    middle = points.mean(axis=0)
    first = points[_farthest(points, middle)[0]]
    second = points[_farthest(points, first)[0]]
    support = [first, second]
    sphere = _through(support)
    for _ in range(200):
        index, distance = _farthest(points, sphere.centre)
        if distance <= sphere.radius * (1 + _SLACK) + 1e-300:
            break
        grown = _smallest_with(support, points[index])
        if grown is None or grown[0].radius <= sphere.radius:
            # Rounding stopped the growth: open the sphere that little instead of looping.
            return Sphere(sphere.centre, distance)
        sphere, support = grown
    else:
        return Sphere(sphere.centre, _farthest(points, sphere.centre)[1])
    # The radius reaches every point, whatever the last digits did.
    return Sphere(frozen(sphere.centre), max(sphere.radius, distance))


def _farthest(points: Floats, centre: Floats) -> tuple[int, float]:
    offsets = points - centre
    squares = np.einsum("ij,ij->i", offsets, offsets)
    index = int(squares.argmax())
    return index, float(np.sqrt(squares[index]))


def _smallest_with(support: list[Floats], point: Floats) -> tuple[Sphere, list[Floats]] | None:
    """The smallest sphere through `point` that holds the support, and the points that carry it."""
    best: tuple[Sphere, list[Floats]] | None = None
    for size in range(1, min(3, len(support)) + 1):
        for chosen in combinations(support, size):
            carriers = [point, *chosen]
            sphere = _through(carriers)
            if best is not None and sphere.radius >= best[0].radius:
                continue
            limit = (sphere.radius * (1 + _SLACK)) ** 2
            if all(_square(p - sphere.centre) <= limit for p in support):
                best = (sphere, carriers)
    return best


def _square(vector: Floats) -> float:
    return float(vector @ vector)


def _through(carriers: list[Floats]) -> Sphere:
    """The smallest sphere with all the carriers, two to four points, on its surface."""
    origin = carriers[0]
    spans = np.array([p - origin for p in carriers[1:]])
    gram = spans @ spans.T
    try:
        weights = np.linalg.solve(gram, 0.5 * np.diagonal(gram))
    except np.linalg.LinAlgError:
        return Sphere(origin, np.inf)
    offset = weights @ spans
    return Sphere(frozen(origin + offset), float(np.sqrt(offset @ offset)))
