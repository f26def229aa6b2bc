"""Convex polyhedra: the one shape that collision, ray casting, drawing and mass all work on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.mass import Moments, moments
from rck.geometry.mesh import (
    Mesh,
    edges,
    face_area_vectors,
    faces_of,
    flipped,
    is_closed,
    make_mesh,
    transformed,
)
from rck.geometry.sphere import Sphere, smallest_sphere


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """A solid convex polyhedron. Build one with :func:`make_polyhedron`, which checks that it is one."""

    vertices: Floats
    """Shape (V, 3), in metres, each vertex once."""
    face_offsets: Ints
    """Shape (F + 1,): face f is ``face_vertices[face_offsets[f]:face_offsets[f + 1]]``."""
    face_vertices: Ints
    """Vertex indices, counter-clockwise as seen from outside."""
    given_sphere: Sphere | None = None
    """A bounding sphere that came with the shape; without one the smallest is computed."""

    @cached_property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """The faces as tuples of vertex indices."""
        return faces_of(self)

    @cached_property
    def planes(self) -> Floats:
        """Per face (nx, ny, nz, d), |n| = 1: inside is where n.x <= d. Shape (F, 4)."""
        return frozen(_planes(self))

    @cached_property
    def moments(self) -> Moments:
        """Area, volume, first and second moments."""
        return moments(self)

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
        """The sphere that was given, else the smallest that holds the vertices."""
        return self.given_sphere or smallest_sphere(self.vertices)

    @cached_property
    def edges(self) -> Ints:
        """Each edge once. Shape (E, 2)."""
        return frozen(edges(self))


class Flaw(Enum):
    """What keeps points and faces from being a convex polyhedron."""

    NOT_FINITE = "a coordinate is not a finite number"
    TOO_FEW = "a solid needs at least 4 vertices and 4 faces"
    BAD_INDEX = "a face names a vertex that does not exist"
    DEGENERATE_FACE = "a face has fewer than 3 different vertices or no area"
    OPEN = "the faces do not close"
    FLAT = "the faces enclose no volume"
    NOT_CONVEX = "the solid is not convex"
    INSIDE_OUT = "the faces were seen from inside; turned round"
    SPHERE = "the bounding sphere does not hold every vertex; computed anew"


REPAIRED = frozenset({Flaw.INSIDE_OUT, Flaw.SPHERE})
"""The flaws that were mended: the polyhedron exists all the same."""


@dataclass(frozen=True, slots=True)
class FoundFlaw:
    """A flaw and the place of it."""

    flaw: Flaw
    detail: str = ""


def make_polyhedron(
    vertices: ArrayLike, faces: Iterable[Sequence[int]], sphere: Sphere | None = None
) -> tuple[Polyhedron | None, tuple[FoundFlaw, ...]]:
    """The polyhedron, or what keeps it from being one; mended flaws come with the polyhedron."""
    mesh = make_mesh(vertices, faces)
    return polyhedron_from_mesh(mesh, sphere)


def polyhedron_from_mesh(mesh: Mesh, sphere: Sphere | None = None) -> tuple[Polyhedron | None, tuple[FoundFlaw, ...]]:
    """As :func:`make_polyhedron`, from a mesh."""
    fatal = _first_fatal_flaw(mesh)
    if fatal is not None:
        return None, (fatal,)
    mended: list[FoundFlaw] = []
    shape = Polyhedron(mesh.vertices, mesh.face_offsets, mesh.face_vertices)
    size = float(np.ptp(shape.vertices, axis=0).max())
    if abs(shape.volume) <= 1e-12 * size**3:
        return None, (FoundFlaw(Flaw.FLAT, f"volume {shape.volume:.3g} m3"),)
    if shape.volume < 0:
        shape = replace(shape, face_vertices=flipped(shape.face_offsets, shape.face_vertices))
        mended.append(FoundFlaw(Flaw.INSIDE_OUT))
    heights = shape.vertices @ shape.planes[:, :3].T - shape.planes[:, 3]
    worst = float(heights.max())
    if worst > convexity_tolerance(shape.vertices):
        vertex, face = np.unravel_index(int(heights.argmax()), heights.shape)
        detail = f"vertex {vertex} stands {worst:.3g} m out of face {face}"
        return None, (FoundFlaw(Flaw.NOT_CONVEX, detail),)
    if sphere is not None:
        reach = np.linalg.norm(shape.vertices - sphere.centre, axis=1).max()
        if reach <= sphere.radius * (1 + 1e-6) + 1e-9:
            shape = replace(shape, given_sphere=sphere)
        else:
            mended.append(FoundFlaw(Flaw.SPHERE, f"radius {sphere.radius:.6g} m, needs {reach:.6g} m"))
    return shape, tuple(mended)


def convexity_tolerance(vertices: Floats) -> float:
    """How far a vertex may stand out of a face and still count as in it: a micrometre, and a millionth."""
    return 1e-6 + 1e-6 * float(np.ptp(vertices, axis=0).max())


def _first_fatal_flaw(mesh: Mesh) -> FoundFlaw | None:
    if not np.isfinite(mesh.vertices).all():
        where = int(np.argmax(~np.isfinite(mesh.vertices).all(axis=1)))
        return FoundFlaw(Flaw.NOT_FINITE, f"vertex {where}")
    if len(mesh.vertices) < 4 or len(mesh.face_offsets) < 5:
        return FoundFlaw(Flaw.TOO_FEW, f"{len(mesh.vertices)} vertices, {len(mesh.face_offsets) - 1} faces")
    if mesh.face_vertices.min() < 0 or mesh.face_vertices.max() >= len(mesh.vertices):
        wrong = (mesh.face_vertices < 0) | (mesh.face_vertices >= len(mesh.vertices))
        place = int(np.argmax(wrong))
        face = int(np.searchsorted(mesh.face_offsets, place, side="right")) - 1
        detail = f"face {face} names vertex {mesh.face_vertices[place]} of {len(mesh.vertices)}"
        return FoundFlaw(Flaw.BAD_INDEX, detail)
    counts = np.diff(mesh.face_offsets)
    if counts.min() < 3:
        return FoundFlaw(Flaw.DEGENERATE_FACE, f"face {int(counts.argmin())} has {counts.min()} vertices")
    areas = np.linalg.norm(face_area_vectors(mesh), axis=1)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if areas.min() <= 1e-14 * size * size:
        return FoundFlaw(Flaw.DEGENERATE_FACE, f"face {int(areas.argmin())} has no area")
    if not is_closed(mesh):
        return FoundFlaw(Flaw.OPEN, _open_edge(mesh))
    return None


def _open_edge(mesh: Mesh) -> str:
    walked: dict[tuple[int, int], int] = {}
    for number, face in enumerate(mesh.faces):
        for edge in zip(face, face[1:] + face[:1], strict=True):
            if edge in walked:
                return f"faces {walked[edge]} and {number} run along edge {edge[0]}-{edge[1]} the same way"
            walked[edge] = number
    for (a, b), number in walked.items():
        if (b, a) not in walked:
            return f"edge {a}-{b} of face {number} has no neighbour"
    return "a face visits a vertex twice"


def _planes(shape: Polyhedron) -> Floats:
    vectors = face_area_vectors(shape)
    normals = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    counts = np.diff(shape.face_offsets)
    of_face = np.repeat(np.arange(len(counts)), counts)
    heights = np.einsum("ij,ij->i", shape.vertices[shape.face_vertices], normals[of_face])
    offsets = np.add.reduceat(heights, shape.face_offsets[:-1]) / counts
    return np.concatenate([normals, offsets[:, None]], axis=1)


def move_polyhedron(shape: Polyhedron, matrix: Floats) -> Polyhedron:
    """The polyhedron under an affine map that keeps volume positive or mirrors; it stays convex."""
    mesh = transformed(Mesh(shape.vertices, shape.face_offsets, shape.face_vertices), matrix)
    sphere = None
    if shape.given_sphere is not None and np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-9):
        centre = matrix[:3, :3] @ shape.given_sphere.centre + matrix[:3, 3]
        sphere = Sphere(frozen(centre), shape.given_sphere.radius)
    return Polyhedron(mesh.vertices, mesh.face_offsets, mesh.face_vertices, sphere)


def convex_hull(points: ArrayLike) -> Polyhedron:
    """The hull of at least four points that are not all in one plane; flat triangles are merged."""
    from scipy.spatial import ConvexHull, QhullError

    cloud = np.asarray(points, dtype=float).reshape(-1, 3)
    if len(cloud) < 4 or not np.isfinite(cloud).all():
        raise ValueError("a hull needs at least four points with finite coordinates")
    try:
        hull = ConvexHull(cloud)
    except QhullError as error:
        raise ValueError("the points lie in one plane and enclose no volume") from error
    return _merge_coplanar(cloud, hull.simplices, hull.equations)


def _merge_coplanar(cloud: Floats, simplices: Ints, equations: Floats) -> Polyhedron:
    """Triangles that qhull gave the same plane become one polygon, run round counter-clockwise."""
    size = float(np.ptp(cloud, axis=0).max())
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, row in enumerate(equations):
        key = (*np.round(row[:3] * 1e8).astype(np.int64).tolist(), round(float(row[3]) / size * 1e8))
        groups.setdefault(key, []).append(number)
    used, new_index = np.unique(simplices, return_inverse=True)
    corners = np.asarray(new_index).reshape(simplices.shape)
    vertices = cloud[used]
    faces = []
    for members in groups.values():
        normal = equations[members[0], :3]
        ring = np.unique(corners[members])
        centre = vertices[ring].mean(axis=0)
        x = vertices[ring[0]] - centre
        y = np.cross(normal, x)
        around = np.arctan2((vertices[ring] - centre) @ y, (vertices[ring] - centre) @ x)
        faces.append(ring[np.argsort(around)].tolist())
    shape, flaws = make_polyhedron(vertices, faces)
    if shape is None:
        # Near-coplanar groups that rounding split badly: keep the triangles, which always close.
        middle = vertices.mean(axis=0)
        outward = [tri if np.linalg.det(vertices[tri] - middle) > 0 else tri[::-1] for tri in corners]
        shape, flaws = make_polyhedron(vertices, [tri.tolist() for tri in outward])
    if shape is None:
        raise ValueError(f"no hull: {flaws[0].flaw.value} ({flaws[0].detail})")
    return shape
