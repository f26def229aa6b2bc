"""Catmull-Clark subdivision (1978) with the creases of DeRose, Kass and Truong (1998)."""

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints
from rck.geometry.mesh import Mesh, face_edges, face_sizes

ALWAYS_SHARP = -1.0
"""Crease value of an edge that stays sharp at every level."""


def subdivided(mesh: Mesh, levels: int, creases: dict[tuple[int, int], float] | None = None) -> Mesh:
    """Subdivide the mesh `levels` times; the key of a crease is the two vertices of its edge, the lower first.

    An edge stays sharp for as many levels as its crease value; an edge without exactly two faces is always sharp.
    """
    sharpness = dict(creases or {})
    for _ in range(levels):
        mesh, sharpness = _subdivide_once(mesh, sharpness)
    return mesh


def _subdivide_once(mesh: Mesh, creases: dict[tuple[int, int], float]) -> tuple[Mesh, dict[tuple[int, int], float]]:
    count = len(mesh.vertices)
    keys, _, face = face_edges(mesh)
    edges, edge_of_side, faces_at_edge = np.unique(keys, return_inverse=True, return_counts=True)
    ends = np.stack([edges // count, edges % count], axis=1)
    sharp = (faces_at_edge != 2) | _is_sharp(ends, creases)
    sizes = face_sizes(mesh)
    face_points = np.add.reduceat(mesh.vertices[mesh.face_vertices], mesh.face_offsets[:-1], axis=0) / sizes[:, None]
    middles = mesh.vertices[ends].mean(axis=1)
    face_means = _sums(face_points[face], edge_of_side, len(edges)) / faces_at_edge[:, None]
    edge_points = np.where(sharp[:, None], middles, (middles + face_means) / 2)
    vertex_points = _moved_vertices(mesh, face, face_points, ends, middles, sharp)
    # A quad for each corner of each face: the corner, the next side, the face, the previous side.
    side = np.arange(len(keys))
    before = side - 1
    before[mesh.face_offsets[:-1]] = mesh.face_offsets[1:] - 1
    quads = np.stack(
        [mesh.face_vertices, count + edge_of_side, count + len(edges) + face, count + edge_of_side[before]], axis=1
    )
    points = np.concatenate([vertex_points, edge_points, face_points])
    halves: dict[tuple[int, int], float] = {}
    for number in np.flatnonzero(_is_sharp(ends, creases)).tolist():
        a, b = ends[number].tolist()
        left = creases[a, b] if creases[a, b] == ALWAYS_SHARP else creases[a, b] - 1.0
        halves[a, count + number] = halves[b, count + number] = left
    return Mesh(points, np.arange(len(quads) + 1) * 4, quads.reshape(-1)), halves


def _is_sharp(ends: Ints, creases: dict[tuple[int, int], float]) -> Bools:
    if not creases:
        return np.zeros(len(ends), dtype=bool)
    values = np.array([creases.get((a, b), 0.0) for a, b in ends.tolist()])
    return np.asarray((values > 0.5) | (values == ALWAYS_SHARP))


def _sums(rows: Floats, group: Ints, groups: int) -> Floats:
    """Sum the rows of each group. Shape (groups, 3)."""
    return np.stack([np.bincount(group, rows[:, axis], groups) for axis in range(3)], axis=1)


def _moved_vertices(mesh: Mesh, face: Ints, face_points: Floats, ends: Ints, middles: Floats, sharp: Bools) -> Floats:
    """Return the moved vertices: smooth, along a crease, or unchanged at a corner. Shape (V, 3)."""
    count = len(mesh.vertices)
    both = ends.reshape(-1)
    degree = np.maximum(np.bincount(both, minlength=count), 1)[:, None]
    faces_there = np.maximum(np.bincount(mesh.face_vertices, minlength=count), 1)[:, None]
    around = _sums(face_points[face], mesh.face_vertices, count) / faces_there
    along = _sums(middles.repeat(2, axis=0), both, count) / degree
    smooth = (around + 2 * along + (degree - 3) * mesh.vertices) / degree
    on_crease = np.bincount(ends[sharp].reshape(-1), minlength=count)[:, None]
    crease_middles = _sums(middles[sharp].repeat(2, axis=0), ends[sharp].reshape(-1), count)
    # Each midpoint contains half a neighbour: (previous + 6 current + next) / 8.
    creased = crease_middles / 4 + mesh.vertices / 2
    moved: Floats = np.where(on_crease == 2, creased, np.where(on_crease > 2, mesh.vertices, smooth))
    return moved
