"""The cells of space that a set of faces encloses, and the faces that bound each cell."""

import numpy as np

from rck.geometry.arrays import Bools, Ints, cross, dot, lengths
from rck.geometry.mesh import Mesh, face_area_vectors, face_edges
from rck.geometry.vertex_merge import linked_groups

# Faces at an edge whose angles differ by less than this, in radians, count as coincident.
_SAME_DIRECTION = 1e-6

# A direction that distinguishes a normal from its opposite; few faces of machines are parallel to it.
_UP = np.array([0.5281, 0.6217, 0.5784])


def cells(mesh: Mesh) -> Ints:
    """Return the number of the cell at the front and at the back of each face. Shape (F, 2).

    The faces at each edge are sorted by angle; the facing sides of two neighbours belong to the same cell. A closed
    surface thus has an inside and an outside for any orientation of its faces, and a wall between two solids belongs
    to both. A face with the same cell on both sides is part of an open surface.
    """
    edge, forward, face = face_edges(mesh)
    order = _sort_faces_at_edges(mesh, edge, forward, face)
    edge, forward, face = edge[order], forward[order], face[order]
    # As seen along the edge from its lower vertex: the side towards larger angles, and the side towards smaller ones.
    onward = 2 * face + ~forward
    backward = 2 * face + forward
    first = np.flatnonzero(np.concatenate([[True], edge[1:] != edge[:-1]]))
    following = np.arange(1, len(edge) + 1)
    following[np.append(first[1:], len(edge)) - 1] = first
    return linked_groups(onward, backward[following], 2 * (len(mesh.face_offsets) - 1)).reshape(-1, 2)


def _sort_faces_at_edges(mesh: Mesh, edge: Ints, forward: Bools, face: Ints) -> Ints:
    """Return the order that sorts the faces of each edge by their angle around it."""
    _, edge_number, faces_there = np.unique(edge, return_inverse=True, return_counts=True)
    # Two faces are each other's neighbours; only three or more need an angle.
    crowded = np.flatnonzero(faces_there[edge_number] > 2)
    turn = np.zeros(len(edge), dtype=np.int64)
    tie = np.zeros(len(edge), dtype=np.int64)
    if len(crowded):
        turn[crowded], tie[crowded] = _angles(mesh, edge[crowded], forward[crowded], face[crowded])
    return np.lexsort((tie, turn, edge))


def _angles(mesh: Mesh, edge: Ints, forward: Bools, face: Ints) -> tuple[Ints, Ints]:
    """Return the angle of each face around its edge, in whole steps, and the order of faces at equal angles."""
    normals = face_area_vectors(mesh)[face]
    along = mesh.vertices[edge % len(mesh.vertices)] - mesh.vertices[edge // len(mesh.vertices)]
    along /= lengths(along)[:, None]
    ahead = np.where(forward, 1.0, -1.0)[:, None] * normals
    into_face = cross(ahead, along)
    _, first_of_edge, edge_number = np.unique(edge, return_index=True, return_inverse=True)
    reference = into_face[first_of_edge][edge_number]
    angles = np.arctan2(dot(cross(reference, into_face), along), dot(reference, into_face))
    steps = np.round(angles / _SAME_DIRECTION).astype(np.int64) % round(2 * np.pi / _SAME_DIRECTION)
    # Of coincident faces, the first counts as the upper one at all their edges.
    return steps, np.where(ahead @ _UP > 0, -face, face)
