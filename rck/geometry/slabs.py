"""Exact decomposition of extrusions, and stacks of extrusions, into convex pieces."""

from itertools import pairwise

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, lengths
from rck.geometry.contour import contours_from_rings
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import Mesh, directed_edges, face_area_vectors, face_of_corner
from rck.geometry.mesh_repair import round_trip
from rck.geometry.solid import Solid, join_solids, move_solid
from rck.geometry.sweep import extrude
from rck.geometry.transforms import frame, translation

# Faces whose normals differ by less than this, in radians, are parallel.
_SAME_DIRECTION = 1e-6
_MOST_DIRECTIONS = 12
_MOST_LEVELS = 40


def cut_into_slabs(surface: Mesh) -> Solid | None:
    """Split a closed surface exactly, if all its faces are perpendicular or parallel to one direction.

    Between two successive levels along that direction, the solid is an extrusion. Of several such directions, the one
    with the fewest pieces is used. Returns None for any other surface.
    """
    vectors = face_area_vectors(surface)
    areas = lengths(vectors)
    if not areas.min() > 0:
        return None
    normals = vectors / areas[:, None]
    volume = moments(surface).volume
    best: Solid | None = None
    for direction in _main_directions(normals, areas):
        along = np.abs(normals @ direction)
        side = along < _SAME_DIRECTION
        if not (side | (1.0 - along < _SAME_DIRECTION)).all():
            continue
        solid = _cut(surface, side, direction)
        if solid is None or abs(sum(piece.volume for piece in solid.pieces) - volume) > 1e-6 * volume:
            continue
        if best is None or len(solid.pieces) < len(best.pieces):
            best = Solid(solid.pieces, surface)
    return best


def _main_directions(normals: Floats, areas: Floats) -> list[Floats]:
    """Return the directions that most of the surface area faces, regardless of sign."""
    found: list[Floats] = []
    left = np.ones(len(areas), dtype=bool)
    while left.any() and len(found) < _MOST_DIRECTIONS:
        largest = normals[int(np.where(left, areas, 0.0).argmax())]
        left &= 1.0 - np.abs(normals @ largest) >= _SAME_DIRECTION
        found.append(largest)
    return found


def _cut(surface: Mesh, side: Bools, direction: Floats) -> Solid | None:
    world_from_plane = frame((0.0, 0.0, 0.0), direction)
    points = surface.vertices @ world_from_plane[:3, :3]
    levels = _levels(points[:, 2])
    if len(levels) > _MOST_LEVELS:
        return None
    pieces: list[Solid] = []
    for low, high in pairwise(levels.tolist()):
        try:
            rings = _section(surface, points, side, (low + high) / 2)
            contours = contours_from_rings(rings)
            lifted = world_from_plane @ translation((0.0, 0.0, low))
            pieces += [move_solid(extrude(contour, high - low), lifted) for contour in contours]
        except ValueError:
            return None
    return join_solids(pieces) if pieces else None


def _levels(heights: Floats) -> Floats:
    """Return the distinct heights in ascending order, as means of those that differ only by rounding."""
    ordered = np.sort(heights)
    same = 1e-9 * max(float(ordered[-1] - ordered[0]), 1e-9)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > same]))
    counts = np.diff(np.append(starts, len(ordered)))
    means: Floats = np.add.reduceat(ordered, starts) / counts
    return means


def _section(surface: Mesh, points: Floats, side: Bools, height: float) -> list[Floats]:
    """Return the rings in which a horizontal plane without vertices intersects the side faces. Shapes (N, 2)."""
    starts, ends = directed_edges(surface)
    face = face_of_corner(surface)
    crossing = np.flatnonzero(((points[starts, 2] > height) != (points[ends, 2] > height)) & side[face])
    a, b = starts[crossing], ends[crossing]
    low, high = np.minimum(a, b), np.maximum(a, b)
    share = (height - points[low, 2]) / (points[high, 2] - points[low, 2])
    places = points[low, :2] + share[:, None] * (points[high, :2] - points[low, :2])
    edge = low * len(points) + high
    place_of = dict(zip(edge.tolist(), places, strict=True))
    return [np.array([place_of[one] for one in ring]) for ring in _rings(edge, places, face[crossing])]


def _rings(edge: Ints, places: Floats, face: Ints) -> list[list[int]]:
    """Return the edges that the plane intersects, in order around each ring: a face connects two of its edges."""
    neighbours: dict[int, list[int]] = {}
    # Sorted along the cut, consecutive crossings of a non-convex face enter and leave it in turn.
    along = places @ (1.0, np.pi)
    for one, other in edge[np.lexsort((along, face))].reshape(-1, 2).tolist():
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    if any(len(both) != 2 for both in neighbours.values()):
        raise ValueError("the section is not a ring")
    rings = []
    while neighbours:
        ring = round_trip(neighbours, next(iter(neighbours)))
        for one in ring:
            del neighbours[one]
        rings.append(ring)
    return rings
