"""Contours cut into convex polygons, exactly: no vertex is added, no area lost or counted twice."""

from collections.abc import Iterable
from math import dist

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.contour import Contour

Polygon = tuple[int, ...]
"""Indices into the points of a contour, counter-clockwise."""


def convex_partition(contour: Contour) -> tuple[Polygon, ...]:
    """Convex polygons that tile the contour; neighbours share whole edges.

    The contour is cut into triangles, and diagonals whose removal leaves both ends convex are taken out
    again, longest first (Hertel and Mehlhorn 1983: at most four times as many pieces as are needed).
    """
    if not contour.holes and _is_convex(contour.main):
        return (tuple(range(len(contour.main))),)
    return _without_needless_diagonals(contour.points, triangulate(contour))


def convex_polygons(contour: Contour) -> tuple[Floats, ...]:
    """As :func:`convex_partition`, but the corners themselves. Shapes (K, 2), in metres."""
    return tuple(contour.points[list(polygon)] for polygon in convex_partition(contour))


def _is_convex(ring: Floats) -> bool:
    along = np.roll(ring, -1, axis=0) - ring
    after = np.roll(along, -1, axis=0)
    turns = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    # A simple ring that only ever turns left goes round once.
    return bool((turns >= 0).all())


def triangulate(contour: Contour) -> tuple[Polygon, ...]:
    """Triangles that tile the contour; one that a corner touches along a side has that corner as well."""
    from ezdxf.math.triangulation import mapbox_earcut_2d

    index_of = {(x, y): index for index, (x, y) in enumerate(contour.points.tolist())}
    cut = mapbox_earcut_2d(contour.main.tolist(), [hole.tolist() for hole in contour.holes])
    triangles = np.array([[index_of[corner.x, corner.y] for corner in triangle] for triangle in cut], dtype=np.int64)
    corners = contour.points[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    doubled = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
    if doubled.sum() < 0:
        triangles, doubled = triangles[:, ::-1], -doubled
    # A sliver, which rounding may even turn over, is no more than a corner on the side of its neighbour.
    heights = doubled / np.hypot(sides[..., 0], sides[..., 1]).max(axis=1)
    triangles = triangles[heights > 0.1 * _on_side(contour)]
    polygons = _joined_at_touching_corners(contour, triangles)
    _require_tiling(contour, polygons)
    return polygons


def _on_side(contour: Contour) -> float:
    """A corner at no more than this distance from a side lies on it, in metres."""
    return 1e-12 * float(np.ptp(contour.points, axis=0).max())


def _joined_at_touching_corners(contour: Contour, triangles: Ints) -> tuple[Polygon, ...]:
    """The triangles, with every corner that lies on a side made part of it.

    Ear clipping passes over a corner that has come to lie on the straight line between its neighbours.
    """
    polygons: list[Polygon] = [tuple(triangle) for triangle in triangles.tolist()]
    walked = {edge for polygon in polygons for edge in _edges(polygon)}
    outline = set(enumerate(contour.following.tolist()))
    loose = [(u, v) for u, v in walked if (v, u) not in walked and (u, v) not in outline]
    if not loose:
        return tuple(polygons)
    points = contour.points
    corners = np.unique([*loose, *(outline - walked)])
    tolerance = _on_side(contour)
    between: dict[tuple[int, int], list[int]] = {}
    for u, v in loose:
        along = points[v] - points[u]
        length = float(np.hypot(*along))
        offsets = points[corners] - points[u]
        share = offsets @ along / length**2
        beside = np.abs(along[0] * offsets[:, 1] - along[1] * offsets[:, 0]) / length
        on_side = (beside <= tolerance) & (share > 0) & (share < 1) & (corners != u) & (corners != v)
        between[u, v] = corners[on_side][np.argsort(share[on_side])].tolist()
    return tuple(
        tuple(corner for edge in _edges(polygon) for corner in (edge[0], *between.get(edge, ())))
        for polygon in polygons
    )


def _edges(polygon: Polygon) -> Iterable[tuple[int, int]]:
    return zip(polygon, polygon[1:] + polygon[:1], strict=True)


def _require_tiling(contour: Contour, polygons: tuple[Polygon, ...]) -> None:
    """ValueError unless the polygons cover the contour once.

    They all run counter-clockwise. If then each of their edges either is the outline's or has a partner
    that runs the other way, every point inside is gone round once, and every point outside not at all.
    """
    walked = [edge for polygon in polygons for edge in _edges(polygon)]
    once = set(walked)
    outline = set(enumerate(contour.following.tolist()))
    partnered = all((edge in outline) != (edge[::-1] in once) for edge in walked)
    if len(once) != len(walked) or not partnered or not outline <= once:
        raise ValueError(f"the contour of {len(contour.points)} points could not be cut into triangles")


def _without_needless_diagonals(points: Floats, polygons: tuple[Polygon, ...]) -> tuple[Polygon, ...]:
    """The polygons, merged wherever the result is convex."""
    edges = [edge for polygon in polygons for edge in _edges(polygon)]
    number_of = {edge: number for number, edge in enumerate(edges)}
    after, before = [0] * len(edges), [0] * len(edges)
    for polygon in polygons:
        numbers = [number_of[edge] for edge in _edges(polygon)]
        for number, following in zip(numbers, numbers[1:] + numbers[:1], strict=True):
            after[number], before[following] = following, number
    place: list[tuple[float, float]] = [(x, y) for x, y in points.tolist()]

    def turns_left(incoming: int, outgoing: int) -> bool:
        (ax, ay), (bx, by), (cx, cy) = (place[k] for k in (*edges[incoming], edges[outgoing][1]))
        turn = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
        return turn > 0 or (turn == 0 and (bx - ax) * (cx - bx) + (by - ay) * (cy - by) > 0)

    diagonals = [(dist(place[u], place[v]), u, v) for u, v in edges if u < v and (v, u) in number_of]
    gone = set()
    for _, u, v in sorted(diagonals, reverse=True):
        there, back = number_of[u, v], number_of[v, u]
        if turns_left(before[there], after[back]) and turns_left(before[back], after[there]):
            for end, start in ((before[there], after[back]), (before[back], after[there])):
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
