"""Points that coincide, within a tolerance, made one."""

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.mesh import Mesh


def clusters(points: Floats, tolerance: float) -> Ints:
    """For each point, shape (N, D), the number of the first of those that it hangs together with.

    Two points hang together if they are no farther apart than the tolerance, or if others lie between them
    in steps of that size.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if tolerance <= 0 or len(points) == 0:
        return np.arange(len(points))
    pairs = cKDTree(points).query_pairs(tolerance, output_type="ndarray")
    links = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(len(points), len(points)))
    label = connected_components(links, directed=False)[1]
    return np.asarray(np.unique(label, return_index=True)[1][label], dtype=np.int64)


def merge_corners(mesh: Mesh, tolerance: float) -> tuple[Mesh, int]:
    """The mesh with corners within the tolerance made one, and how many that moved.

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
    indices = merged[number[mesh.face_vertices]]
    following = np.empty_like(indices)
    following[:-1] = indices[1:]
    following[mesh.face_offsets[1:] - 1] = indices[mesh.face_offsets[:-1]]
    moves = indices != following
    face = np.arange(len(mesh.face_offsets) - 1).repeat(mesh.face_offsets[1:] - mesh.face_offsets[:-1])
    counts = np.bincount(face[moves], minlength=len(mesh.face_offsets) - 1)
    welded = Mesh(points, np.concatenate([[0], np.cumsum(counts)]), indices[moves])
    return welded, int((merged != np.arange(len(points))).sum())
