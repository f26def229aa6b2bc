"""POCODA, the polygon collision detection algorithm of ROBOSIM (Walter, Cornell; ROBOSIM 3.6).

The boxes of two objects are compared in both their frames. Then the edges of one that reach into the box of the other
are tested against the polygons of the other whose planes reach into the box of the first: an edge that crosses the
plane of a polygon does so inside it if no penalty function is negative. Then the roles are swapped. The original does
not detect an object wholly inside the other; here, one vertex of each is tested for this.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from rck.collision.pairwise import PairwiseScene
from rck.geometry.arrays import Bools, Floats, Ints, cross, dot, lengths
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply, invert
from rck.hooks import CollisionBackend, CollisionScene, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import Robot

# Points farther outside than this, in metres, are outside.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Object:
    """Data computed once for a polyhedron, in its frame."""

    vertices: Floats
    edges: Ints
    planes: Floats
    """Normal and height of each polygon. Shape (polygons, 4)."""
    penalties: Floats
    """M and md of each edge of a polygon: M . p + md is positive inside. Shape (corners of all polygons, 4)."""
    offsets: Ints
    """First penalty of each polygon. Shape (polygons + 1,)."""
    centre: Floats
    """Centre of the axis-aligned box. Shape (3,)."""
    half: Floats
    """Half the diagonal of that box. Shape (3,)."""


class Pocoda:
    """Test of two polyhedra for contact; keeps the data of each."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Polyhedron, Object] = WeakKeyDictionary()

    def __call__(self, one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
        """Return True if the two are in contact, or one is inside the other."""
        j, k = self._object(one), self._object(other)
        k_from_j = invert(world_from_other) @ world_from_one
        j_from_k = invert(world_from_one) @ world_from_other
        if not (boxes_overlap(j, k, k_from_j) and boxes_overlap(k, j, j_from_k)):
            return False
        if edge_crosses_polygon(j, k, k_from_j) or edge_crosses_polygon(k, j, j_from_k):
            return True
        return _contains(k, apply(k_from_j, j.vertices[0])) or _contains(j, apply(j_from_k, k.vertices[0]))

    def _object(self, shape: Polyhedron) -> Object:
        if shape not in self._known:
            self._known[shape] = make_object(shape)
        return self._known[shape]


def make_object(shape: Polyhedron) -> Object:
    """Compute the planes, penalty functions and box of a polyhedron."""
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
    """Return True if the box of k overlaps the box, along the same axes, around the box of j."""
    return bool((np.abs(apply(k_from_j, j.centre) - k.centre) <= dilated(j.half, k_from_j) + k.half + TOLERANCE).all())


def dilated(half: Floats, matrix: Floats) -> Floats:
    """Return the half diagonal of the box around a rotated box: the product of absolute values. Shape (3,)."""
    product: Floats = np.abs(matrix[:3, :3]) @ half
    return product


def edge_crosses_polygon(j: Object, k: Object, k_from_j: Floats) -> bool:
    """Return True if an edge of j passes through a polygon of k, in the frame of k."""
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
        # An edge in the plane is tested at both ends; it crosses elsewhere only if its neighbours do.
        shares = np.divide(first, change, out=np.zeros_like(first), where=np.abs(change) > TOLERANCE).clip(0.0, 1.0)
        points = np.concatenate([starts + shares[:, None] * (stops - starts), stops[np.abs(change) <= TOLERANCE]])
        if _in_polygon(k, int(polygon), points).any():
            return True
    return False


def _reaches_box(ends: Floats, k: Object) -> Bools:
    """Return True for the edges, shape (edges, 2, 3), that reach into the box of k along each of its axes."""
    low, high = k.centre - k.half - TOLERANCE, k.centre + k.half + TOLERANCE
    inside: Bools = ((ends.max(axis=1) >= low) & (ends.min(axis=1) <= high)).all(axis=1)
    return inside


def _planes_near_box(planes: Floats, centre: Floats, half: Floats) -> Bools:
    """Return True for the planes that pass through a box."""
    away: Floats = planes[:, :3] @ centre - planes[:, 3]
    reach: Floats = np.abs(planes[:, :3]) @ half
    near: Bools = np.abs(away) <= reach + TOLERANCE
    return near


def _in_polygon(k: Object, polygon: int, points: Floats) -> Bools:
    """Return True for the points of a polygon's plane that are inside it: no penalty function is negative."""
    penalties = k.penalties[k.offsets[polygon] : k.offsets[polygon + 1]]
    values: Floats = points @ penalties[:, :3].T + penalties[:, 3]
    inside: Bools = values.min(axis=1) >= -TOLERANCE
    return inside


def _contains(k: Object, point: Floats) -> bool:
    return bool((k.planes[:, :3] @ point <= k.planes[:, 3] + TOLERANCE).all())


def _make(robot: Robot, allowed: ItemPairs) -> CollisionScene:
    return PairwiseScene(robot, allowed, Pocoda())


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the backend of ROBOSIM."""
    return [CollisionBackend("pocoda", "boxes, then edges through polygons, as in ROBOSIM", _make)]
