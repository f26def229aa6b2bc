"""Shells: the closed surfaces in a set of faces, found for all faces at once."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, dot, lengths
from rck.geometry.mesh import Mesh, face_area_vectors, face_edges
from rck.geometry.vertex_merge import linked_groups


@dataclass(frozen=True, eq=False)
class Shells:
    """The closed surfaces in a mesh."""

    of_face: Ints
    """The number of each face's shell, in the order of first faces; -1 for a face that is in none. Shape (F,)."""
    turned: Bools
    """True for each face that is reversed, as seen from outside its shell. Shape (F,)."""
    volumes: Floats
    """The volume of each shell, in m3."""

    @property
    def count(self) -> int:
        """The number of shells."""
        return len(self.volumes)


def closed_shells(mesh: Mesh) -> Shells:
    """Return the closed surfaces of a mesh, regardless of its other faces.

    Faces are connected across every edge with exactly two faces. A connected part is closed if each of its edges has
    two of its faces: two boxes with a common edge are two shells. A wall shared by two solids, and a duplicated
    surface, are not closed by this rule.
    """
    faces = len(mesh.face_offsets) - 1
    if not faces:
        return Shells(np.empty(0, dtype=np.int64), np.empty(0, dtype=bool), np.empty(0))
    edge, forward, face = face_edges(mesh)
    order = np.argsort(edge, kind="stable")
    first, second = _pairs(edge[order])
    part = linked_groups(face[order[first]], face[order[second]], faces)
    open_part = np.zeros(part.max() + 1, dtype=bool)
    # Consider all edges: two faces of one part may share an edge with other parts.
    order = np.lexsort((part[face], edge))
    key = np.stack([edge[order], part[face[order]]])
    starts = np.flatnonzero(np.concatenate([[True], (key[:, 1:] != key[:, :-1]).any(axis=0)]))
    sizes = np.diff(np.append(starts, len(order)))
    open_part[part[face[order[starts[sizes != 2]]]]] = True
    first = starts[sizes == 2]
    one, other = order[first], order[first + 1]
    # Two neighbours have consistent orientations if they have their edge in opposite directions.
    agree = forward[one] != forward[other]
    side = linked_groups(
        np.concatenate([2 * face[one], 2 * face[one] + 1]),
        np.concatenate([2 * face[other] + ~agree, 2 * face[other] + agree]),
        2 * faces,
    )
    # A one-sided surface encloses nothing.
    open_part[part[side[::2] == side[1::2]]] = True
    return _numbered(mesh, part, side[::2], open_part)


def _pairs(ordered: Ints) -> tuple[Ints, Ints]:
    """Return the first and second indices of values that occur exactly twice in a sorted array."""
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    first = starts[np.diff(np.append(starts, len(ordered))) == 2]
    return first, first + 1


def _numbered(mesh: Mesh, part: Ints, front: Ints, open_part: Bools) -> Shells:
    """Return the shells that enclose a volume; faces with equal `front` have consistent orientations."""
    first_face = np.unique(part, return_index=True)[1]
    agrees = front == front[first_face][part]
    vectors = face_area_vectors(mesh)
    corners = mesh.vertices[mesh.face_vertices[mesh.face_offsets[:-1]]]
    # Relative to a corner of the same part: avoids cancellation for a small part far from the origin.
    corners = corners - corners[first_face][part]
    flux = np.where(agrees, 1.0, -1.0) * dot(corners, vectors)
    volume = np.bincount(part, flux) / 3.0
    area = np.bincount(part, lengths(vectors))
    open_part = open_part | (np.abs(volume) <= 1e-12 * area**1.5)
    number = np.full(len(open_part), -1)
    order = np.flatnonzero(~open_part)
    order = order[np.argsort(first_face[order], kind="stable")]
    number[order] = np.arange(len(order))
    return Shells(number[part], agrees == (volume < 0)[part], np.abs(volume[order]))
