"""The smallest sphere around a set of points."""

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from rck.geometry.arrays import Floats, dot, frozen


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball: centre of shape (3,) and radius, in metres."""

    centre: Floats
    radius: float


# Plain tuples: the search handles a few points at a time, for which arrays are slow.
_Vector = tuple[float, float, float]

# A point counts as inside if it is outside by less than this fraction of the radius.
_SLACK = 1e-11
# Points are collinear or coplanar if the sine of the angle between them is below this.
_FLAT = 1e-12


def smallest_sphere(points: Floats) -> Sphere:
    """Return the smallest sphere that encloses all points, shape (N, 3), to a relative error of 1e-9.

    Pivoting (Gaertner 1999): add the point farthest outside to the support points of the sphere and compute their
    smallest sphere exactly, until no point is outside. Rounding can make the search repeat itself, for example with
    many points on one sphere; it then returns the best sphere found.
    """
    if len(points) == 0:
        raise ValueError("a bounding sphere needs at least one point")
    first = _farthest(points, points.sum(axis=0) / len(points))[0]
    second = _farthest(points, points[first])[0]
    carriers: tuple[int, ...] = (first, second)
    centre, radius = _through(*(_vector(points, i) for i in carriers))
    best_centre, best_reach = centre, np.inf
    met: set[frozenset[int]] = set()
    while True:
        index, reach = _farthest(points, np.array(centre))
        if reach < best_reach:
            best_centre, best_reach = centre, reach
        key = frozenset(carriers)
        if reach <= radius * (1 + _SLACK) or key in met:
            break
        met.add(key)
        grown = _smallest_with(points, index, carriers)
        if grown is None:
            break
        centre, radius, carriers = grown
    return Sphere(frozen(np.array(best_centre)), best_reach)


def _vector(points: Floats, index: int) -> _Vector:
    x, y, z = points[index].tolist()
    return x, y, z


def _farthest(points: Floats, centre: Floats) -> tuple[int, float]:
    offsets = points - centre
    squares = dot(offsets, offsets)
    index = int(squares.argmax())
    return index, sqrt(float(squares[index]))


def _smallest_with(
    points: Floats, index: int, carriers: tuple[int, ...]
) -> tuple[_Vector, float, tuple[int, ...]] | None:
    """Return the smallest sphere through point `index` that encloses the old support points, and its support points."""
    newcomer = _vector(points, index)
    places = {i: _vector(points, i) for i in carriers if i != index}
    best: tuple[_Vector, float, tuple[int, ...]] | None = None
    for size in range(1, min(3, len(places)) + 1):
        for chosen in combinations(places, size):
            centre, radius = _through(newcomer, *(places[i] for i in chosen))
            if best is not None and radius >= best[1]:
                continue
            limit = (radius * (1 + _SLACK)) ** 2
            if all(_square(_minus(place, centre)) <= limit for place in places.values()):
                best = (centre, radius, (index, *chosen))
    return best


def _through(origin: _Vector, *others: _Vector) -> tuple[_Vector, float]:
    """Return the centre and radius of the smallest sphere through two to four points; infinite if it does not exist."""
    spans = [_minus(other, origin) for other in others]
    squares = [_square(span) for span in spans]
    if len(spans) == 1:
        # The midpoint; exact, also for two equal points.
        numerator, denominator = spans[0], 2.0
    elif len(spans) == 2:
        (a, b), (aa, bb) = spans, squares
        normal = _cross(a, b)
        nn = _square(normal)
        if nn <= _FLAT**2 * aa * bb:
            return origin, np.inf
        numerator, denominator = _cross(_sum((-bb, a), (aa, b)), normal), 2.0 * nn
    else:
        (a, b, c), (aa, bb, cc) = spans, squares
        bc, ca, ab = _cross(b, c), _cross(c, a), _cross(a, b)
        determinant = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2]
        if abs(determinant) <= _FLAT * sqrt(aa * bb * cc):
            return origin, np.inf
        numerator, denominator = _sum((aa, bc), (bb, ca), (cc, ab)), 2.0 * determinant
    x, y, z = (component / denominator for component in numerator)
    return (origin[0] + x, origin[1] + y, origin[2] + z), sqrt(x * x + y * y + z * z)


def _minus(a: _Vector, b: _Vector) -> _Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _square(a: _Vector) -> float:
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


def _cross(a: _Vector, b: _Vector) -> _Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _sum(*terms: tuple[float, _Vector]) -> _Vector:
    """Return the sum of the vectors, each times its factor."""
    x, y, z = (sum(factor * vector[k] for factor, vector in terms) for k in range(3))
    return x, y, z
