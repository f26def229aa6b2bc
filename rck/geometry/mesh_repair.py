"""Repairs of a set of faces: non-planar faces, corners on an edge of another face, holes."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, cross, dot, frozen, lengths
from rck.geometry.contour import Contour, make_contour
from rck.geometry.mesh import (
    Mesh,
    directed_edges,
    face_area_vectors,
    face_edges,
    face_of_corner,
    face_sizes,
    offsets_of,
    pack_faces,
)
from rck.geometry.partition import Polygon, convex_partition, triangulate
from rck.geometry.transforms import frame
from rck.geometry.vertex_merge import linked_groups


def with_flat_convex_faces(mesh: Mesh, tolerance: float) -> tuple[Mesh, int]:
    """Split non-planar faces into triangles and non-convex ones into convex polygons; return the mesh and their number.

    A face that crosses itself cannot be cut and stays.
    """
    counts = face_sizes(mesh)
    if counts.max(initial=3) == 3:
        return mesh, 0
    firsts = mesh.face_offsets[:-1]
    vectors = face_area_vectors(mesh)
    normals = (vectors / lengths(vectors)[:, None]).repeat(counts, axis=0)
    corners = mesh.vertices[mesh.face_vertices]
    heights = dot(corners - corners[firsts].repeat(counts, axis=0), normals)
    bent = np.maximum.reduceat(heights, firsts) - np.minimum.reduceat(heights, firsts) > tolerance
    re_entrant = np.minimum.reduceat(_turns(mesh, normals), firsts) < -1e-9
    keep = np.ones(len(counts), dtype=bool)
    pieces: list[list[int]] = []
    for number in np.flatnonzero((bent | re_entrant) & (counts > 3)).tolist():
        face = mesh.face_vertices[firsts[number] : mesh.face_offsets[number + 1]]
        try:
            tiles = _tiles(mesh.vertices[face], flat=not bent[number])
        except ValueError:
            continue
        keep[number] = False
        pieces += [face[list(tile)].tolist() for tile in tiles]
    return _with_faces(mesh, keep, pieces), int(len(keep) - keep.sum())


def _turns(mesh: Mesh, normals: Floats) -> Floats:
    """Return the sine of the turn at each corner of each face, positive to the left."""
    starts, ends = directed_edges(mesh)
    leaving = mesh.vertices[ends] - mesh.vertices[starts]
    leaving /= lengths(leaving)[:, None]
    before = np.arange(len(starts)) - 1
    before[mesh.face_offsets[:-1]] = mesh.face_offsets[1:] - 1
    return dot(cross(leaving[before], leaving), normals)


def _tiles(corners: Floats, *, flat: bool) -> tuple[Polygon, ...]:
    """Split a planar polygon into convex ones, another into triangles; raise ValueError if it intersects itself."""
    ring = Mesh(corners, *pack_faces([range(len(corners))]))
    normal = face_area_vectors(ring)[0]
    plane = frame((0.0, 0.0, 0.0), z=normal / np.abs(normal).max())
    shadow = corners @ plane[:3, :2]
    make_contour(shadow)  # refuses one that crosses itself
    # Corners on a straight line stay: the neighbours have them too.
    contour = Contour(frozen(shadow))
    return convex_partition(contour) if flat else triangulate(contour)


def _with_faces(mesh: Mesh, keep: Bools, pieces: list[list[int]]) -> Mesh:
    """Return the faces to keep, then the new ones."""
    if keep.all() and not pieces:
        return mesh
    counts = face_sizes(mesh)
    offsets, indices = pack_faces(pieces)
    kept = offsets_of(counts[keep])
    return Mesh(
        mesh.vertices,
        frozen(np.concatenate([kept, kept[-1] + offsets[1:]])),
        frozen(np.concatenate([mesh.face_vertices[keep.repeat(counts)], indices])),
    )


def _free_edges(mesh: Mesh) -> Ints:
    """Return the indices in `face_vertices` at which edges of only one face start."""
    edge = face_edges(mesh)[0]
    _, number, count = np.unique(edge, return_inverse=True, return_counts=True)
    return np.flatnonzero(count[number] == 1)


def split_at_touching_corners(mesh: Mesh, tolerance: float) -> tuple[Mesh, int]:
    """Insert corners that lie on a free edge, within the tolerance, into it; return the mesh and their number."""
    from scipy.spatial import cKDTree

    free = _free_edges(mesh)
    if not len(free):
        return mesh, 0
    starts, ends = (array[free] for array in directed_edges(mesh))
    a, b = mesh.vertices[starts], mesh.vertices[ends]
    corners = np.unique(np.concatenate([starts, ends]))
    span = lengths(b - a)
    near = cKDTree(mesh.vertices[corners]).query_ball_point((a + b) / 2, span / 2 + tolerance)
    row = np.arange(len(free)).repeat([len(found) for found in near])
    corner = corners[np.concatenate(near).astype(np.int64)]
    offset = mesh.vertices[corner] - a[row]
    along = (b - a)[row] / span[row][:, None]
    share = dot(offset, along)
    beside = lengths(offset - share[:, None] * along) <= tolerance
    within = (share > tolerance) & (share < span[row] - tolerance)
    of_face = face_of_corner(mesh)
    own = of_face * len(mesh.vertices) + mesh.face_vertices
    others = ~np.isin(of_face[free[row]] * len(mesh.vertices) + corner, own)
    chosen = np.flatnonzero(beside & within & others)
    if not len(chosen):
        return mesh, 0
    chosen = chosen[np.lexsort((share[chosen], row[chosen]))]
    places = free[row[chosen]]
    more = np.bincount(of_face[places], minlength=len(mesh.face_offsets) - 1)
    offsets = mesh.face_offsets + offsets_of(more)
    indices = np.insert(mesh.face_vertices, places + 1, corner[chosen])
    return Mesh(mesh.vertices, frozen(offsets), frozen(indices)), len(chosen)


@dataclass(frozen=True, eq=False)
class MeshHole:
    """Connected free edges that could not be closed."""

    vertices: Ints
    """The vertices on them."""
    reason: str


def fill_holes(mesh: Mesh, tolerance: float, largest: float | None) -> tuple[Mesh, int, tuple[MeshHole, ...]]:
    """Fill the holes; return the mesh, the number of filled holes, and the holes that are left.

    A hole is filled if it is at most `largest` across, in metres; if None, at most a tenth as large as
    the surface that it is in.
    """
    left: list[MeshHole] = []
    pieces: list[list[int]] = []
    filled = 0
    limits = _tenth_of_surface(mesh) if largest is None else np.full(len(mesh.vertices), largest)
    for ring, vertices in _rims(mesh):
        corners = mesh.vertices[vertices]
        size = float(lengths(np.ptp(corners, axis=0)[None])[0])
        where = "({:.4g}, {:.4g}, {:.4g})".format(*corners.mean(axis=0))
        if not ring:
            left.append(
                MeshHole(vertices, f"{len(vertices)} vertices with free edges near {where} m do not form a single ring")
            )
            continue
        text = f"a hole with {len(ring)} edges, {size:.4g} m across, near {where} m"
        if size > limits[ring[0]]:
            left.append(MeshHole(vertices, f"{text} is too large to close"))
            continue
        outline = mesh.vertices[ring]
        try:
            tiles = _tiles(outline, flat=_is_flat(outline, tolerance))
        except ValueError:
            left.append(MeshHole(vertices, f"{text} cannot be triangulated"))
            continue
        filled += 1
        pieces += [[ring[corner] for corner in tile] for tile in tiles]
    return _with_faces(mesh, np.ones(len(mesh.face_offsets) - 1, dtype=bool), pieces), filled, tuple(left)


def _is_flat(corners: Floats, tolerance: float) -> bool:
    centred = corners - corners.mean(axis=0)
    normal = np.linalg.svd(centred, full_matrices=False)[2][2]
    return bool(np.ptp(centred @ normal) <= tolerance)


def _tenth_of_surface(mesh: Mesh) -> Floats:
    """Return for each vertex a tenth of the diagonal of its connected surface. Shape (V,)."""
    surface = linked_groups(*directed_edges(mesh), len(mesh.vertices))
    low, high = np.full((surface.max() + 1, 3), np.inf), np.full((surface.max() + 1, 3), -np.inf)
    np.minimum.at(low, surface, mesh.vertices)
    np.maximum.at(high, surface, mesh.vertices)
    limits: Floats = 0.1 * lengths(high - low)[surface]
    return limits


def _rims(mesh: Mesh) -> list[tuple[list[int], Ints]]:
    """Group connected free edges: return the vertices of each loop in order, empty if it branches, and all vertices."""
    free = _free_edges(mesh)
    starts, ends = (array[free].tolist() for array in directed_edges(mesh))
    neighbours: dict[int, list[int]] = {}
    for start, end in zip(starts, ends, strict=True):
        neighbours.setdefault(start, []).append(end)
        neighbours.setdefault(end, []).append(start)
    rims = []
    seen: set[int] = set()
    for first in neighbours:
        if first in seen:
            continue
        rim = [first]
        seen.add(first)
        for vertex in rim:
            fresh = set(neighbours[vertex]) - seen
            rim += fresh
            seen |= fresh
        branches = any(len(neighbours[vertex]) != 2 for vertex in rim)
        rims.append(([] if branches else round_trip(neighbours, first), np.array(rim)))
    return rims


def round_trip(neighbours: dict[int, list[int]], first: int) -> list[int]:
    """Return the vertices of a loop in order, if each has two neighbours."""
    ring = [first]
    before, vertex = first, neighbours[first][0]
    while vertex != first:
        ring.append(vertex)
        one, other = neighbours[vertex]
        before, vertex = vertex, other if one == before else one
    return ring
