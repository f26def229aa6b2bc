"""Closed surfaces made of flat polygons, convex or not, stored as three contiguous arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Bools, Floats, Ints, cross, dot, frozen, lengths
from rck.geometry.transforms import apply


class Faceted(Protocol):
    """A surface of polygons: each vertex once, each face as vertex indices in order.

    Seen from outside, the vertices of a face run counter-clockwise.
    """

    @property
    def vertices(self) -> Floats:
        """Shape (V, 3), in metres."""

    @property
    def face_offsets(self) -> Ints:
        """Shape (F + 1,): face f is ``face_vertices[face_offsets[f]:face_offsets[f + 1]]``."""

    @property
    def face_vertices(self) -> Ints:
        """The vertex indices of all faces, one face after the other."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of polygons. Build one with :func:`make_mesh`."""

    vertices: Floats
    face_offsets: Ints
    face_vertices: Ints

    @cached_property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Return the faces as tuples of vertex indices."""
        return faces_of(self)


def make_mesh(vertices: ArrayLike, faces: Iterable[Sequence[int]]) -> Mesh:
    """Build a mesh from points and faces; the faces need not be triangles."""
    offsets, indices = pack_faces(faces)
    return Mesh(frozen(np.asarray(vertices, dtype=float).reshape(-1, 3)), offsets, indices)


def loose_polygons(polygons: Sequence[Floats]) -> Mesh:
    """Return polygons, shapes (K, 3), as a mesh without shared vertices."""
    sizes = np.array([len(polygon) for polygon in polygons], dtype=np.int64)
    points = np.concatenate([np.empty((0, 3)), *polygons])
    return Mesh(points, offsets_of(sizes), np.arange(len(points)))


def pack_faces(faces: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Store faces as one array of offsets and one of indices."""
    listed = list(faces)
    offsets = np.array([0, *accumulate(map(len, listed))], dtype=np.int64)
    indices = np.array(list(chain.from_iterable(listed)), dtype=np.int64)
    return frozen(offsets), frozen(indices)


def faces_of(shape: Faceted) -> tuple[tuple[int, ...], ...]:
    """Return the faces as tuples of vertex indices."""
    flat = shape.face_vertices.tolist()
    ends = shape.face_offsets.tolist()
    return tuple(tuple(flat[a:b]) for a, b in pairwise(ends))


def face_sizes(shape: Faceted) -> Ints:
    """Return the number of corners of each face. Shape (F,)."""
    return shape.face_offsets[1:] - shape.face_offsets[:-1]


def face_of_corner(shape: Faceted) -> Ints:
    """Return for each of the `face_vertices` the face that it is a corner of."""
    sizes = face_sizes(shape)
    return np.arange(len(sizes)).repeat(sizes)


def offsets_of(sizes: Ints) -> Ints:
    """Return the `face_offsets` of faces with these numbers of corners."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def triangles(shape: Faceted) -> Ints:
    """Return the faces as fans of triangles from the first vertex of each. Shape (T, 3)."""
    offsets, indices = shape.face_offsets, shape.face_vertices
    faces = len(offsets) - 1
    if len(indices) == 3 * faces:
        return indices.reshape(-1, 3)
    of_face = np.arange(faces).repeat(face_sizes(shape) - 2)
    # Every face has two triangles fewer than vertices, so triangle t, of face f, uses the vertices from t + 2 f + 1 on.
    middle = np.arange(len(of_face)) + 2 * of_face + 1
    corners = np.empty((len(of_face), 3), dtype=np.int64)
    corners[:, 0] = indices[offsets[of_face]]
    corners[:, 1] = indices[middle]
    corners[:, 2] = indices[middle + 1]
    return corners


def face_area_vectors(shape: Faceted) -> Floats:
    """Return the outward normal times the area of each face (Newell). Shape (F, 3), in square metres."""
    offsets = shape.face_offsets
    starts, ends = directed_edges(shape)
    # Relative to a corner of the face itself: avoids cancellation for a small face far from the origin.
    corners = shape.vertices.take(starts[offsets[:-1]], axis=0).repeat(face_sizes(shape), axis=0)
    crosses = cross(shape.vertices.take(starts, axis=0) - corners, shape.vertices.take(ends, axis=0) - corners)
    return 0.5 * np.add.reduceat(crosses, offsets[:-1], axis=0)


def directed_edges(shape: Faceted) -> tuple[Ints, Ints]:
    """Return the start and end vertex of every edge, in the direction of its face."""
    offsets, starts = shape.face_offsets, shape.face_vertices
    ends = np.empty_like(starts)
    ends[:-1] = starts[1:]
    ends[offsets[1:] - 1] = starts[offsets[:-1]]
    return starts, ends


def face_edges(shape: Faceted) -> tuple[Ints, Bools, Ints]:
    """Return for each side of each polygon its edge, True if it runs from the lower to the higher vertex, and its face.

    An edge is the number low * V + high of its two vertices.
    """
    starts, ends = directed_edges(shape)
    edge = np.minimum(starts, ends) * len(shape.vertices) + np.maximum(starts, ends)
    return edge, starts < ends, face_of_corner(shape)


def edges(shape: Faceted) -> Ints:
    """Return each edge once, as a pair of vertex indices. Shape (E, 2)."""
    return np.stack(np.divmod(np.unique(face_edges(shape)[0]), len(shape.vertices)), axis=1)


def is_closed(shape: Faceted) -> bool:
    """Return True if every edge occurs once in each direction: the surface has no hole, crack or reversed face."""
    starts, ends = directed_edges(shape)
    count = len(shape.vertices)
    there = starts * count + ends
    back = ends * count + starts
    there.sort()
    back.sort()
    return bool((there == back).all() and (there[1:] != there[:-1]).all() and (starts != ends).all())


def surrounds(shape: Faceted, point: Floats) -> bool:
    """Return True if a closed surface encloses the point, by solid angles (van Oosterom and Strackee 1983)."""
    a, b, c = (shape.vertices[corner] - point for corner in triangles(shape).T)
    la, lb, lc = lengths(a), lengths(b), lengths(c)
    spread = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    half_angles = np.arctan2(dot(a, cross(b, c)), spread)
    return bool(abs(half_angles.sum()) > np.pi)


def flipped(offsets: Ints, indices: Ints) -> Ints:
    """Return the vertex indices with every face reversed."""
    faces = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    positions = np.arange(len(indices))
    return frozen(indices[offsets[faces] + offsets[faces + 1] - 1 - positions])


def select_faces(mesh: Mesh, faces: Ints, turned: Bools | None = None) -> Mesh:
    """Return these faces with the vertices that they use; the faces in `turned` are reversed."""
    offsets, corners = corners_of_faces(mesh, faces, turned)
    used, indices = np.unique(corners, return_inverse=True)
    return Mesh(frozen(mesh.vertices[used]), frozen(offsets), frozen(indices.astype(np.int64)))


def corners_of_faces(mesh: Mesh, faces: Ints, turned: Bools | None = None) -> tuple[Ints, Ints]:
    """Return the face offsets, and the vertices of the mesh that the faces use, of :func:`select_faces`."""
    sizes = face_sizes(mesh)[faces]
    offsets = offsets_of(sizes)
    places = np.arange(offsets[-1]) - offsets[:-1].repeat(sizes)
    sources = mesh.face_offsets[faces].repeat(sizes) + places
    if turned is not None:
        backward = (mesh.face_offsets[faces + 1] - 1).repeat(sizes) - places
        sources = np.where(turned.repeat(sizes), backward, sources)
    return offsets, mesh.face_vertices[sources]


def joined_meshes(meshes: Sequence[Mesh]) -> Mesh:
    """Join meshes into one; vertices are not merged."""
    shifts = [0, *accumulate(len(mesh.vertices) for mesh in meshes)]
    starts = [0, *accumulate(len(mesh.face_vertices) for mesh in meshes)]
    numbered = list(enumerate(meshes))
    return Mesh(
        frozen(np.concatenate([mesh.vertices for mesh in meshes])),
        frozen(np.concatenate([[0], *(starts[number] + mesh.face_offsets[1:] for number, mesh in numbered)])),
        frozen(np.concatenate([shifts[number] + mesh.face_vertices for number, mesh in numbered])),
    )


def transformed(mesh: Mesh, matrix: Floats) -> Mesh:
    """Return the mesh under an affine map; a reflection keeps the orientation of the faces."""
    moved = frozen(apply(matrix, mesh.vertices))
    indices = mesh.face_vertices
    if np.linalg.det(matrix[:3, :3]) < 0:
        indices = flipped(mesh.face_offsets, indices)
    return Mesh(moved, mesh.face_offsets, indices)
