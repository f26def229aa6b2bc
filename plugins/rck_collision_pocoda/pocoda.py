"""The polygon collision detection algorithm (Walter, Cornell; ROBOSIM 3.6).

Boxes round the two objects are compared in both their frames. Then the edges of one that reach into the box of the
other are tried against the polygons of the other whose planes reach into the box of the first: an edge that crosses
the plane of a polygon does so inside it, where no penalty function is negative. Then the roles are changed. What the
original leaves open, an object wholly inside the other, is closed by one vertex of each.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.rows import cross, dot, lengths
from rck.geometry.transforms import apply, invert

# In metres: what is farther out than this is out.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Object:
    """What is computed once for a polyhedron, in its own frame."""

    vertices: Floats
    edges: Ints
    planes: Floats
    """Per polygon normal and height. Shape (polygons, 4)."""
    penalties: Floats
    """Per edge of a polygon M and md: M . p + md is positive inside. Shape (corners of all polygons, 4)."""
    offsets: Ints
    """Where the penalties of each polygon begin. Shape (polygons + 1,)."""
    centre: Floats
    """Of the box along the axes. Shape (3,)."""
    half: Floats
    """Half the diagonal of that box. Shape (3,)."""


class Pocoda:
    """Whether two polyhedra touch; remembers what it computed for each."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Polyhedron, Object] = WeakKeyDictionary()

    def __call__(self, one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
        """Whether the two touch, or one is inside the other."""
        j, k = self._object(one), self._object(other)
        k_from_j = invert(world_from_other) @ world_from_one
        j_from_k = invert(world_from_one) @ world_from_other
        if not (boxes_overlap(j, k, k_from_j) and boxes_overlap(k, j, j_from_k)):
            return False
        if edge_crosses_polygon(j, k, k_from_j) or edge_crosses_polygon(k, j, j_from_k):
            return True
        return _holds(k, apply(k_from_j, j.vertices[0])) or _holds(j, apply(j_from_k, k.vertices[0]))

    def _object(self, shape: Polyhedron) -> Object:
        if shape not in self._known:
            self._known[shape] = make_object(shape)
        return self._known[shape]


def make_object(shape: Polyhedron) -> Object:
    """The planes, penalty functions and box of a polyhedron."""
    counts = np.diff(shape.face_offsets)
    start = shape.vertices[shape.face_vertices]
    following = np.arange(1, len(start) + 1)
    following[shape.face_offsets[1:] - 1] = shape.face_offsets[:-1]
    along = start[following] - start
    inward = cross(np.repeat(shape.planes[:, :3], counts, axis=0), along) / lengths(along)[:, None]
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    return Object(
        vertices=shape.vertices,
        edges=shape.edges,
        planes=shape.planes,
        penalties=np.column_stack([inward, -dot(inward, start)]),
        offsets=shape.face_offsets,
        centre=(low + high) / 2,
        half=(high - low) / 2,
    )


def boxes_overlap(j: Object, k: Object, k_from_j: Floats) -> bool:
    """Whether the box of k overlaps the box, along the same axes, round the box of j."""
    return bool((np.abs(apply(k_from_j, j.centre) - k.centre) <= dilated(j.half, k_from_j) + k.half + TOLERANCE).all())


def dilated(half: Floats, matrix: Floats) -> Floats:
    """The half diagonal of the box round a turned box: the product of absolute values. Shape (3,)."""
    product: Floats = np.abs(matrix[:3, :3]) @ half
    return product


def edge_crosses_polygon(j: Object, k: Object, k_from_j: Floats) -> bool:
    """Whether an edge of j goes through a polygon of k, in the frame of k."""
    ends = apply(k_from_j, j.vertices)[j.edges]
    ends = ends[_reaches_box(ends, k)]
    centre, half = apply(k_from_j, j.centre), dilated(j.half, k_from_j)
    for polygon in np.flatnonzero(_planes_near_box(k.planes, centre, half)):
        residues = ends @ k.planes[polygon, :3] - k.planes[polygon, 3]
        crossing = (residues.min(axis=1) <= TOLERANCE) & (residues.max(axis=1) >= -TOLERANCE)
        if not crossing.any():
            continue
        starts, stops = ends[crossing, 0], ends[crossing, 1]
        first, change = residues[crossing, 0], residues[crossing, 0] - residues[crossing, 1]
        # An edge that lies in the plane is tried at both ends; it goes through elsewhere only if its neighbours do.
        shares = np.divide(first, change, out=np.zeros_like(first), where=np.abs(change) > TOLERANCE).clip(0.0, 1.0)
        points = np.concatenate([starts + shares[:, None] * (stops - starts), stops[np.abs(change) <= TOLERANCE]])
        if _in_polygon(k, int(polygon), points).any():
            return True
    return False


def _reaches_box(ends: Floats, k: Object) -> Bools:
    """Which edges, shape (edges, 2, 3), reach into the box of k along each of its axes."""
    low, high = k.centre - k.half - TOLERANCE, k.centre + k.half + TOLERANCE
    inside: Bools = ((ends.max(axis=1) >= low) & (ends.min(axis=1) <= high)).all(axis=1)
    return inside


def _planes_near_box(planes: Floats, centre: Floats, half: Floats) -> Bools:
    """Which planes go through a box."""
    away: Floats = planes[:, :3] @ centre - planes[:, 3]
    reach: Floats = np.abs(planes[:, :3]) @ half
    near: Bools = np.abs(away) <= reach + TOLERANCE
    return near


def _in_polygon(k: Object, polygon: int, points: Floats) -> Bools:
    """Which points of the plane of a polygon are inside it: no penalty function is negative."""
    penalties = k.penalties[k.offsets[polygon] : k.offsets[polygon + 1]]
    values: Floats = points @ penalties[:, :3].T + penalties[:, 3]
    inside: Bools = values.min(axis=1) >= -TOLERANCE
    return inside


def _holds(k: Object, point: Floats) -> bool:
    return bool((k.planes[:, :3] @ point <= k.planes[:, 3] + TOLERANCE).all())
