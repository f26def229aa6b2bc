"""Convex polyhedra: the shape for collision, ray casting, rendering and mass properties."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints, cross, dot, extent, frozen, lengths
from rck.geometry.bounding_sphere import Sphere, smallest_sphere
from rck.geometry.mass_properties import Moments, map_moments, moments, moments_of_many
from rck.geometry.mesh import (
    Faceted,
    Mesh,
    edges,
    face_area_vectors,
    face_sizes,
    faces_of,
    flipped,
    is_closed,
    make_mesh,
    pack_faces,
    transformed,
)
from rck.support.frozen_copy import copy_with


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """A solid convex polyhedron. Build one with :func:`make_polyhedron`, which validates it."""

    vertices: Floats
    """Shape (V, 3), in metres, each vertex once."""
    face_offsets: Ints
    """Shape (F + 1,): face f is ``face_vertices[face_offsets[f]:face_offsets[f + 1]]``."""
    face_vertices: Ints
    """Vertex indices, counter-clockwise as seen from outside."""
    given_sphere: Sphere | None = None
    """A bounding sphere that came with the shape; without one the smallest is computed."""
    given_moments: Moments | None = None
    """Moments of the round solid that the polyhedron approximates; if None, those of the polyhedron are computed."""

    @cached_property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Return the faces as tuples of vertex indices."""
        return faces_of(self)

    @cached_property
    def planes(self) -> Floats:
        """Plane of each face, (nx, ny, nz, d) with |n| = 1: n.x <= d inside. Shape (F, 4)."""
        vectors = face_area_vectors(self)
        return frozen(_planes_and_volume(self, vectors, lengths(vectors))[0])

    @cached_property
    def moments(self) -> Moments:
        """Surface area, volume, and first and second moments of the solid."""
        if self.given_moments is None:
            return moments(self)
        return replace(self.given_moments, area=float(lengths(face_area_vectors(self)).sum()))

    @property
    def volume(self) -> float:
        """In m3."""
        return self.moments.volume

    @property
    def centroid(self) -> Floats:
        """Shape (3,), in metres."""
        return self.moments.centroid

    @cached_property
    def sphere(self) -> Sphere:
        """The given sphere, or the smallest that encloses the vertices."""
        return self.given_sphere or smallest_sphere(self.vertices)

    @cached_property
    def edges(self) -> Ints:
        """Each edge once. Shape (E, 2)."""
        return frozen(edges(self))


FLAT = 1e-12
"""Largest volume of a solid without thickness, as a fraction of the cube of its size."""


class Flaw(Enum):
    """Reasons why points and faces do not form a convex polyhedron; the last two are repaired."""

    NOT_FINITE = "a coordinate is not a finite number"
    TOO_FEW = "a solid needs at least 4 vertices and 4 faces"
    BAD_INDEX = "a face refers to a vertex that does not exist"
    DEGENERATE_FACE = "a face has fewer than 3 different vertices or no area"
    OPEN = "the surface is not closed"
    FLAT = "the faces enclose no volume"
    NOT_CONVEX = "the solid is not convex"
    INSIDE_OUT = "the faces pointed inward; reversed"
    SPHERE = "the bounding sphere does not enclose every vertex; recomputed"


@dataclass(frozen=True, slots=True)
class FoundFlaw:
    """A flaw and its location."""

    flaw: Flaw
    detail: str = ""


def make_polyhedron(
    vertices: ArrayLike, faces: Iterable[Sequence[int]], sphere: Sphere | None = None
) -> tuple[Polyhedron | None, tuple[FoundFlaw, ...]]:
    """Return the polyhedron, or the flaws that prevent it; repaired flaws are returned with the polyhedron."""
    mesh = make_mesh(vertices, faces)
    return polyhedron_from_mesh(mesh, sphere)


def polyhedron_from_mesh(mesh: Mesh, sphere: Sphere | None = None) -> tuple[Polyhedron | None, tuple[FoundFlaw, ...]]:
    """Do the same as :func:`make_polyhedron` for a mesh."""
    fatal = _unusable(mesh)
    if fatal is not None:
        return None, (fatal,)
    vectors = face_area_vectors(mesh)
    areas = lengths(vectors)
    size = extent(mesh.vertices)
    if areas.min() <= 1e-14 * size * size:
        return None, (FoundFlaw(Flaw.DEGENERATE_FACE, f"face {int(areas.argmin())} has no area"),)
    if not is_closed(mesh):
        return None, (FoundFlaw(Flaw.OPEN, _open_edge(mesh)),)
    planes, volume = _planes_and_volume(mesh, vectors, areas)
    if abs(volume) <= FLAT * size**3:
        return None, (FoundFlaw(Flaw.FLAT, f"volume {volume:.3g} m3"),)
    repaired: list[FoundFlaw] = []
    indices = mesh.face_vertices
    if volume < 0:
        indices = flipped(mesh.face_offsets, indices)
        planes = -planes
        repaired.append(FoundFlaw(Flaw.INSIDE_OUT))
    outlier = _outlier(mesh.vertices, planes, convexity_tolerance(size))
    if outlier is not None:
        return None, (FoundFlaw(Flaw.NOT_CONVEX, outlier),)
    if not _is_one_surface(mesh):
        return None, (FoundFlaw(Flaw.NOT_CONVEX, "its faces form several closed surfaces"),)
    if sphere is not None:
        reach = float(lengths(mesh.vertices - sphere.centre).max())
        # This form of the test also refuses NaN.
        if not reach <= sphere.radius * (1 + 1e-6) + 1e-9:
            repaired.append(FoundFlaw(Flaw.SPHERE, f"radius {sphere.radius:.6g} m, needs {reach:.6g} m"))
            sphere = None
    shape = Polyhedron(mesh.vertices, mesh.face_offsets, indices, sphere)
    return copy_with(shape, planes=frozen(planes)), tuple(repaired)


def sound_polyhedron(vertices: ArrayLike, faces: Iterable[Sequence[int]]) -> Polyhedron:
    """Return the polyhedron of :func:`make_polyhedron`; raise ValueError if there is a flaw."""
    shape, flaws = make_polyhedron(vertices, faces)
    if shape is None:
        raise ValueError(f"{flaws[0].flaw.value} ({flaws[0].detail})")
    return shape


def convexity_tolerance(size: float) -> float:
    """Return the largest distance of a vertex outside a face: a micrometre plus a millionth of the size."""
    return 1e-6 + 1e-6 * size


def _unusable(mesh: Mesh) -> FoundFlaw | None:
    """Return the flaws of the numbers themselves, before any geometry."""
    if not np.isfinite(mesh.vertices).all():
        where = int(np.argmax(~np.isfinite(mesh.vertices).all(axis=1)))
        return FoundFlaw(Flaw.NOT_FINITE, f"vertex {where}")
    if len(mesh.vertices) < 4 or len(mesh.face_offsets) < 5:
        return FoundFlaw(Flaw.TOO_FEW, f"{len(mesh.vertices)} vertices, {len(mesh.face_offsets) - 1} faces")
    counts = face_sizes(mesh)
    if counts.min() < 3:
        return FoundFlaw(Flaw.DEGENERATE_FACE, f"face {int(counts.argmin())} has {counts.min()} vertices")
    if mesh.face_vertices.min() < 0 or mesh.face_vertices.max() >= len(mesh.vertices):
        wrong = (mesh.face_vertices < 0) | (mesh.face_vertices >= len(mesh.vertices))
        place = int(np.argmax(wrong))
        face = int(np.searchsorted(mesh.face_offsets, place, side="right")) - 1
        detail = f"face {face} refers to vertex {mesh.face_vertices[place]} of {len(mesh.vertices)}"
        return FoundFlaw(Flaw.BAD_INDEX, detail)
    return None


def _is_one_surface(mesh: Mesh) -> bool:
    """Return True if vertices - edges + faces is 2, as for a sphere; a duplicated surface has 4."""
    edges_less_faces = len(mesh.face_vertices) // 2 - (len(mesh.face_offsets) - 1)
    return len(mesh.vertices) - edges_less_faces == 2 or len(np.unique(mesh.face_vertices)) - edges_less_faces == 2


def _open_edge(mesh: Mesh) -> str:
    walked: dict[tuple[int, int], int] = {}
    for number, face in enumerate(mesh.faces):
        for edge in zip(face, face[1:] + face[:1], strict=True):
            if edge in walked:
                return f"faces {walked[edge]} and {number} have edge {edge[0]}-{edge[1]} in the same direction"
            walked[edge] = number
    for (a, b), number in walked.items():
        if (b, a) not in walked:
            return f"edge {a}-{b} of face {number} has no neighbour"
    return "a face visits a vertex twice"


def _planes_and_volume(mesh: Faceted, vectors: Floats, areas: Floats) -> tuple[Floats, float]:
    """Return the plane of each face, from its area vector and area, and the volume."""
    counts = face_sizes(mesh)
    centre = mesh.vertices.sum(axis=0) / len(mesh.vertices)
    normals = vectors / areas[:, None]
    heights = dot((mesh.vertices - centre).take(mesh.face_vertices, axis=0), normals.repeat(counts, axis=0))
    above_centre = np.add.reduceat(heights, mesh.face_offsets[:-1]) / counts
    planes = np.empty((len(areas), 4))
    planes[:, :3] = normals
    planes[:, 3] = above_centre + normals @ centre
    return planes, float(areas @ above_centre) / 3.0


# Largest number of distances from vertices to planes in memory: 8 MB.
_AT_A_TIME = 1_000_000
_UNMOVED = np.eye(4)
_MANY = 32
"""From this number of polyhedra on, common arrays are faster."""


def _outlier(vertices: Floats, planes: Floats, tolerance: float) -> str | None:
    """Describe the vertex that is farthest outside a face; return None if none exceeds the tolerance."""
    worst, vertex, face = tolerance, -1, -1
    step = max(1, _AT_A_TIME // len(vertices))
    above = np.empty((len(vertices), 4))
    above[:, :3] = vertices
    above[:, 3] = -1.0
    for start in range(0, len(planes), step):
        some = planes[start : start + step]
        heights = above @ some.T
        highest = float(heights.max())
        if highest > worst:
            worst = highest
            vertex, face = divmod(int(heights.argmax()), len(some))
            face += start
    return f"vertex {vertex} is {worst:.3g} m outside the plane of face {face}" if vertex >= 0 else None


def prepare_moments(shapes: Sequence[Polyhedron]) -> None:
    """Compute the moments of many polyhedra at once, which takes a tenth of the time of one by one."""
    own = [shape for shape in shapes if shape.given_moments is None and "moments" not in vars(shape)]
    if len(own) >= _MANY:
        for shape, integrals in zip(own, moments_of_many(own), strict=True):
            # As the cached property stores them.
            vars(shape)["moments"] = integrals


def move_polyhedron(shape: Polyhedron, matrix: Floats) -> Polyhedron:
    """Return the polyhedron under an affine map, which may be a reflection; it stays convex."""
    if np.array_equal(matrix, _UNMOVED):
        return shape
    mesh = transformed(Mesh(shape.vertices, shape.face_offsets, shape.face_vertices), matrix)
    sphere = None
    if shape.given_sphere is not None and np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-9):
        centre = matrix[:3, :3] @ shape.given_sphere.centre + matrix[:3, 3]
        sphere = Sphere(frozen(centre), shape.given_sphere.radius)
    true = None if shape.given_moments is None else map_moments(shape.given_moments, matrix)
    return Polyhedron(mesh.vertices, mesh.face_offsets, mesh.face_vertices, sphere, true)


def move_polyhedra(shapes: Sequence[Polyhedron], matrix: Floats) -> tuple[Polyhedron, ...]:
    """Return the polyhedra under an affine map."""
    if np.array_equal(matrix, _UNMOVED):
        return tuple(shapes)
    return tuple(move_polyhedron(shape, matrix) for shape in shapes)


_LEVELS = (1e-9, 1e-8, 1e-7, 1e-6)
"""Distances within which facets count as coplanar, as fractions of the size, in the order in which they are tried."""


def convex_hull(points: ArrayLike) -> Polyhedron:
    """Return the convex hull of four or more points that are not coplanar.

    Facets that are coplanar within a billionth of the size become one face. Points that almost coincide produce
    slivers without a direction; then up to a millionth is allowed.
    """
    cloud = np.asarray(points, dtype=float).reshape(-1, 3)
    if len(cloud) < 4 or not np.isfinite(cloud).all():
        raise ValueError("a hull needs at least four points with finite coordinates")
    flaws: tuple[FoundFlaw, ...] = ()
    for level in _LEVELS:
        shape, flaws = _hull(cloud, level)
        if shape is not None:
            return shape
    raise ValueError(f"the points have no hull: {flaws[0].flaw.value} ({flaws[0].detail})")


def _hull(cloud: Floats, level: float) -> tuple[Polyhedron | None, tuple[FoundFlaw, ...]]:
    """Return the hull, with facets merged that are coplanar within this fraction of the size."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(cloud, qhull_options=f"Qt C-{level * extent(cloud):g}")
    except QhullError as error:
        raise ValueError("the points lie in one plane and enclose no volume") from error
    corners = hull.simplices
    a, b, c = (cloud[corners[:, k]] for k in range(3))
    inward = dot(cross(b - a, c - a), hull.equations[:, :3]) < 0
    corners = np.where(inward[:, None], corners[:, ::-1], corners).astype(np.int64)
    offsets, indices = pack_faces(_merged(corners, hull.neighbors, hull.equations))
    used, new_index = np.unique(indices, return_inverse=True)
    return polyhedron_from_mesh(Mesh(frozen(cloud[used]), offsets, frozen(new_index.astype(np.int64))))


def _merged(corners: Ints, neighbours: Ints, equations: Floats) -> list[list[int]]:
    """Return the outlines of patches of adjacent triangles that qhull found to be coplanar."""
    level = (equations[neighbours] == equations[:, None]).all(axis=2)
    faces: list[list[int]] = []
    done: set[int] = set()
    for seed in range(len(corners)):
        if seed in done:
            continue
        done.add(seed)
        patch = [seed]
        for triangle in patch:
            joined = set(neighbours[triangle][level[triangle]].tolist()) - done
            done |= joined
            patch += joined
        faces += _outline(corners[patch].tolist())
    return faces


def _outline(patch: list[list[int]]) -> list[list[int]]:
    """Return the polygon that the triangles form together, or the triangles if they do not form one."""
    walked = {edge for a, b, c in patch for edge in ((a, b), (b, c), (c, a))}
    following = {start: end for start, end in walked if (end, start) not in walked}
    start = next(iter(following))
    ring = [start]
    while following.get(ring[-1], start) != start and len(ring) < len(following):
        ring.append(following[ring[-1]])
    return [ring] if len(ring) == len(walked) - 2 * (len(patch) - 1) else patch
