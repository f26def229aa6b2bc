"""Exact partition of contours into convex polygons, without new vertices, gaps or overlaps."""

from collections.abc import Iterable, Sequence
from math import dist, hypot

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.contour import Contour
from rck.geometry.delaunay import flip_to_delaunay
from rck.geometry.monotone import Place, Triangle, sweep_triangles, turn
from rck.support.job import UNOBSERVED, Job

Polygon = tuple[int, ...]
"""Indices into the points of a contour, counter-clockwise."""


def convex_partition(contour: Contour, job: Job = UNOBSERVED) -> tuple[Polygon, ...]:
    """Return convex polygons that tile the contour; neighbours share whole edges."""
    if not contour.holes and _is_convex(contour.main):
        return (tuple(range(len(contour.main))),)
    return merge_triangles(contour, triangulate(contour, job))


def convex_polygons(contour: Contour) -> tuple[Floats, ...]:
    """Return the corners of the pieces of :func:`convex_partition`. Shapes (K, 2), in metres."""
    return tuple(contour.points[list(polygon)] for polygon in convex_partition(contour))


def _is_convex(ring: Floats) -> bool:
    along = np.roll(ring, -1, axis=0) - ring
    after = np.roll(along, -1, axis=0)
    turns = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    # A simple ring that turns left at every corner is convex.
    return bool((turns >= 0).all())


def triangulate(contour: Contour, job: Job = UNOBSERVED) -> tuple[Polygon, ...]:
    """Return the constrained Delaunay triangulation of the contour, each triangle counter-clockwise."""
    cut: list[Triangle]
    if not contour.holes and _is_convex(contour.main):
        cut = [(0, i, i + 1) for i in range(1, len(contour.main) - 1)]
    else:
        cut = sweep_triangles(contour, job.part(0.0, 0.5))
        _require_tiling(contour, cut)
    return tuple(flip_to_delaunay(contour.points, cut, job.part(0.5, 1.0)))


def _places(contour: Contour) -> list[Place]:
    return [(x, y) for x, y in contour.points.tolist()]


def around(polygon: Polygon) -> Iterable[tuple[int, int]]:
    """Return the edges of the polygon, each as its two corners."""
    return zip(polygon, polygon[1:] + polygon[:1], strict=True)


def _sine(a: Place, b: Place, c: Place) -> float:
    """Return the sine of the turn at b from a to c, positive to the left; -1 for a reversal."""
    turned = turn(a, b, c)
    ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
    return turned / hypot(turned, ahead) if turned != 0 or ahead > 0 else -1.0


def _require_tiling(contour: Contour, polygons: Sequence[Polygon]) -> None:
    """Raise ValueError unless the polygons cover the contour once.

    All polygons are counter-clockwise. If each of their edges is an edge of the outline or has an opposite edge, the
    winding number is one inside the outline and zero outside.
    """
    walked = [edge for polygon in polygons for edge in around(polygon)]
    once = set(walked)
    outline = set(enumerate(contour.following.tolist()))
    partnered = all((edge in outline) != (edge[::-1] in once) for edge in walked)
    if len(once) != len(walked) or not partnered or not outline <= once:
        raise ValueError(f"the contour of {len(contour.points)} points could not be cut into triangles")


def merge_triangles(contour: Contour, triangles: tuple[Polygon, ...]) -> tuple[Polygon, ...]:
    """Merge triangles that tile the contour into convex polygons.

    Diagonals whose removal leaves both ends convex are removed, longest first (Hertel and Mehlhorn 1983: at most four
    times the minimum number of polygons).
    """
    place = _places(contour)
    edges = [edge for polygon in triangles for edge in around(polygon)]
    number_of = {edge: number for number, edge in enumerate(edges)}
    after, before = [0] * len(edges), [0] * len(edges)
    for polygon in triangles:
        numbers = [number_of[edge] for edge in around(polygon)]
        for number, following in zip(numbers, numbers[1:] + numbers[:1], strict=True):
            after[number], before[following] = following, number
    diagonals = [(dist(place[u], place[v]), u, v) for u, v in edges if u < v and (v, u) in number_of]
    gone: set[int] = set()
    # In the first pass, no corner may become flat: that would often prevent a better merge.
    for least_turn in (1e-9, 0.0):
        for _, u, v in sorted(diagonals, reverse=True):
            there, back = number_of[u, v], number_of[v, u]
            joints = ((before[there], after[back]), (before[back], after[there]))
            corners = [(*edges[end], edges[start][1]) for end, start in joints]
            if there not in gone and all(_sine(*(place[k] for k in trio)) >= least_turn for trio in corners):
                for end, start in joints:
                    after[end], before[start] = start, end
                gone |= {there, back}
    merged = []
    for first in range(len(edges)):
        ring = []
        number = first
        while number not in gone:
            gone.add(number)
            ring.append(edges[number][0])
            number = after[number]
        if ring:
            merged.append(tuple(ring))
    return tuple(merged)
