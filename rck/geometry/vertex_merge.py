"""Merging of points that coincide within a tolerance, and connected components of graphs."""

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.mesh import Mesh, directed_edges, face_of_corner, offsets_of
from rck.geometry.near_points import near_pairs


def clusters(points: Floats, tolerance: float) -> Ints:
    """Return for each point, shape (N, D), the number of the first point of its cluster.

    Points no farther apart than the tolerance belong to one cluster, directly or through points between them.
    """
    if tolerance <= 0 or len(points) == 0:
        return np.arange(len(points))
    group = linked_groups(*near_pairs(points, tolerance), len(points))
    return np.unique(group, return_index=True)[1][group]


def merge_corners(mesh: Mesh, tolerance: float) -> tuple[Mesh, int]:
    """Merge vertices within the tolerance; return the mesh and the number of vertices that moved.

    No face repeats a corner afterwards; one that is narrower than the tolerance has fewer than three left.
    """
    order = np.lexsort(mesh.vertices.T)
    ordered = mesh.vertices[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(fresh) - 1
    points = ordered[fresh]
    merged = clusters(points, tolerance)
    starts, ends = directed_edges(Mesh(points, mesh.face_offsets, merged[number[mesh.face_vertices]]))
    moves = starts != ends
    sizes = np.bincount(face_of_corner(mesh)[moves], minlength=len(mesh.face_offsets) - 1)
    welded = Mesh(points, offsets_of(sizes), starts[moves])
    return welded, int((merged != np.arange(len(points))).sum())


def linked_groups(some: Ints, others: Ints, count: int) -> Ints:
    """Return the group number of each of `count` nodes; node `some[i]` is connected to node `others[i]`."""
    group = np.arange(count)
    while len(some):
        # Each root joins the smallest root connected to it; then every node points to its root again.
        low, high = np.minimum(group[some], group[others]), np.maximum(group[some], group[others])
        apart = low != high
        some, others = some[apart], others[apart]
        np.minimum.at(group, high[apart], low[apart])
        while not np.array_equal(higher := group[group], group):
            group = higher
    return np.unique(group, return_inverse=True)[1].astype(np.int64)
