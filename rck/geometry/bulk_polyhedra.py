"""Conversion of many closed surfaces to convex polyhedra at once, for drawings of thousands of small solids."""

from math import ceil

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, dot, frozen, lengths
from rck.geometry.mesh import Mesh, corners_of_faces, face_area_vectors, face_edges, select_faces
from rck.geometry.polyhedron import Polyhedron, convex_hull, convexity_tolerance, polyhedron_from_mesh
from rck.geometry.shells import Shells
from rck.support.frozen_copy import copy_with

# Largest number of distances from vertices to planes in memory.
_AT_A_TIME = 1_000_000


def convex_polyhedra(mesh: Mesh, shells: Shells, *, merge: bool = True) -> list[Polyhedron | None]:
    """Return each shell of the mesh as a convex polyhedron; None for a shell that is not convex.

    Neighbouring faces in one plane become one face, unless `merge` is false.
    """
    if not shells.count:
        return []
    heap = _Heap(mesh, shells)
    sound = heap.is_one_surface() & heap.faces_have_area()
    large = heap.face_counts * heap.vertex_counts > _AT_A_TIME
    for number in np.flatnonzero(sound & large).tolist():
        sound[number] = _is_convex(heap.surface(number))
    few = sound & ~large
    if few.any():
        sound[few] = heap.all_convex(np.flatnonzero(few))
    merged = heap.has_level_neighbours() if merge else np.zeros(shells.count, dtype=bool)
    shapes: list[Polyhedron | None] = [None] * shells.count
    for number in np.flatnonzero(sound).tolist():
        shape = heap.polyhedron(number)
        shapes[number] = convex_hull(shape.vertices) if merged[number] else shape
    return shapes


def _is_convex(surface: Mesh) -> bool:
    return polyhedron_from_mesh(surface)[0] is not None


class _Heap:
    """The shells, concatenated in common arrays; each vertex belongs to one shell, with indices that start at 0."""

    def __init__(self, mesh: Mesh, shells: Shells) -> None:
        faces = np.argsort(shells.of_face, kind="stable")[int((shells.of_face < 0).sum()) :]
        self.shell = shells.of_face[faces]
        self.offsets, corners = corners_of_faces(mesh, faces, shells.turned[faces])
        counts = np.diff(self.offsets)
        keys, self.corners = np.unique(self.shell.repeat(counts) * len(mesh.vertices) + corners, return_inverse=True)
        self.vertices = frozen(mesh.vertices[keys % len(mesh.vertices)])
        self.shell_of_vertex = keys // len(mesh.vertices)
        numbers = np.arange(shells.count + 1)
        self.first_vertex = np.searchsorted(self.shell_of_vertex, numbers)
        self.first_face = np.searchsorted(self.shell, numbers)
        self.vertex_counts = np.diff(self.first_vertex)
        self.face_counts = np.diff(self.first_face)
        self.own_corners = frozen(self.corners - self.first_vertex[self.shell].repeat(counts))
        self.own_offsets = self._own_offsets()
        self._set_planes()

    def _own_offsets(self) -> Ints:
        """Return the face offsets of each shell, starting at 0, one more than it has faces; all shells concatenated."""
        shell = np.arange(len(self.face_counts)).repeat(self.face_counts + 1)
        boundary = np.arange(len(shell)) - shell
        return frozen(self.offsets[boundary] - self.offsets[self.first_face[shell]])

    def _set_planes(self) -> None:
        """Return the planes of :class:`Polyhedron`, and the area of each face."""
        whole = Mesh(self.vertices, self.offsets, self.corners)
        vectors = face_area_vectors(whole)
        self.areas = lengths(vectors)
        counts = np.diff(self.offsets)
        sums = np.add.reduceat(self.vertices, self.first_vertex[:-1], axis=0)
        centres = (sums / self.vertex_counts[:, None])[self.shell]
        normals = vectors / np.maximum(self.areas, np.finfo(float).tiny)[:, None]
        heights = dot(self.vertices[self.corners] - centres.repeat(counts, axis=0), normals.repeat(counts, axis=0))
        distances = np.add.reduceat(heights, self.offsets[:-1]) / counts + dot(normals, centres)
        self.planes = frozen(np.column_stack([normals, distances]))

    def extents(self) -> Floats:
        """Return the longest side of the bounding box of each shell. Shape (shells,)."""
        high = np.maximum.reduceat(self.vertices, self.first_vertex[:-1], axis=0)
        sizes: Floats = (high - np.minimum.reduceat(self.vertices, self.first_vertex[:-1], axis=0)).max(axis=1)
        return sizes

    def is_one_surface(self) -> Bools:
        """Return for each shell True if vertices - edges + faces is 2, as for a sphere."""
        sides = np.add.reduceat(np.diff(self.offsets), self.first_face[:-1])
        return np.asarray(self.vertex_counts - sides // 2 + self.face_counts == 2)

    def faces_have_area(self) -> Bools:
        """Return for each shell True if all its faces have a normal."""
        return np.asarray(np.minimum.reduceat(self.areas, self.first_face[:-1]) > 1e-14 * self.extents() ** 2)

    def all_convex(self, shells: Ints) -> Bools:
        """Return for each of the shells True if no vertex is outside a face."""
        tolerance = np.array([convexity_tolerance(size) for size in self.extents().tolist()])
        faces, vertices = self.face_counts[shells], self.vertex_counts[shells]
        # Shells with equal numbers of faces and vertices have dense arrays.
        order = np.lexsort((vertices, faces))
        ends = np.flatnonzero(np.diff(faces[order]) | np.diff(vertices[order])) + 1
        convex = np.empty(len(shells), dtype=bool)
        for alike in np.split(order, ends):
            pairs = int(faces[alike[0]] * vertices[alike[0]])
            for some in np.array_split(alike, ceil(len(alike) * pairs / _AT_A_TIME)):
                convex[some] = self._highest(shells[some]) <= tolerance[shells[some]]
        return convex

    def _highest(self, shells: Ints) -> Floats:
        """Return for each of the shells, all of one size, the largest distance of a vertex outside a face, in m."""
        face = self.first_face[shells][:, None] + np.arange(self.face_counts[shells[0]])
        vertex = self.first_vertex[shells][:, None] + np.arange(self.vertex_counts[shells[0]])
        planes, vertices = self.planes[face], self.vertices[vertex]
        heights = planes[:, :, :3] @ vertices.transpose(0, 2, 1) - planes[:, :, 3:]
        highest: Floats = heights.max(axis=(1, 2))
        return highest

    def has_level_neighbours(self) -> Bools:
        """Return for each shell True if two adjacent faces are coplanar."""
        edge, _, face = face_edges(Mesh(self.vertices, self.offsets, self.corners))
        # Every edge of a closed shell has two faces; sorting makes them neighbours.
        here, there = face[np.argsort(edge, kind="stable")].reshape(-1, 2).T
        sine_squared = 1.0 - dot(self.planes[here, :3], self.planes[there, :3]) ** 2
        level = here[sine_squared < 1e-16]
        return np.bincount(self.shell[level], minlength=len(self.face_counts)) > 0

    def surface(self, number: int) -> Mesh:
        """Return one shell as a mesh."""
        a, b = self.first_face[number], self.first_face[number + 1]
        return Mesh(
            self.vertices[self.first_vertex[number] : self.first_vertex[number + 1]],
            self.own_offsets[a + number : b + number + 1],
            self.own_corners[self.offsets[a] : self.offsets[b]],
        )

    def polyhedron(self, number: int) -> Polyhedron:
        """Return one shell, known to be convex, as a polyhedron."""
        surface = self.surface(number)
        shape = Polyhedron(surface.vertices, surface.face_offsets, surface.face_vertices)
        return copy_with(shape, planes=self.planes[self.first_face[number] : self.first_face[number + 1]])


def shell_surface(mesh: Mesh, shells: Shells, number: int) -> Mesh:
    """Return one shell as a mesh with outward faces."""
    faces = np.flatnonzero(shells.of_face == number)
    return select_faces(mesh, faces, shells.turned[faces])
