"""Welding of separate polygons into closed solids, with a report of the repairs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Bools, Floats, Ints, dot, lengths
from rck.geometry.face_cells import cells
from rck.geometry.mesh import (
    Mesh,
    directed_edges,
    face_area_vectors,
    face_of_corner,
    face_sizes,
    flipped,
    joined_meshes,
    loose_polygons,
    select_faces,
    surrounds,
)
from rck.geometry.mesh_repair import MeshHole, fill_holes, split_at_touching_corners, with_flat_convex_faces
from rck.geometry.shells import closed_shells
from rck.geometry.vertex_merge import linked_groups, merge_corners


@dataclass(frozen=True, eq=False)
class WeldResult:
    """The solids and open surfaces of a set of polygons."""

    bodies: tuple[Mesh, ...]
    """Closed surfaces, each face flat, convex and seen from outside; in the order of their first polygons."""
    open_bodies: tuple[Mesh, ...]
    """Connected surfaces that enclose nothing, unchanged."""
    why_open: tuple[str, ...]
    """For each open body, the reason why it is open."""
    repairs: tuple[str, ...]
    """Descriptions of the repairs."""


def solids_from_polygons(
    polygons: Iterable[ArrayLike], tolerance: float = 1e-6, largest_hole: float | None = None
) -> WeldResult:
    """Return the solids that the polygons enclose; each polygon has shape (K, 3), in metres, and either orientation.

    Corners within `tolerance` of each other are merged, and corners within it of an edge become part of that edge.
    Holes up to `largest_hole` across are closed (default: a tenth of the size of their surface). A wall between two
    solids belongs to both. A closed surface inside another is a cavity if its polygons face inward; otherwise it is
    a solid.
    """
    if not tolerance >= 0:
        raise ValueError(f"the tolerance must be at least zero, not {tolerance:g}")
    repairs: list[str] = []
    mesh = _welded(_readable(polygons, repairs), tolerance, repairs)
    mesh = _without_doubles(_without_slivers(mesh, tolerance, repairs), repairs)
    if len(mesh.face_offsets) == 1:
        return WeldResult((), (), (), tuple(repairs))
    mesh, cut = with_flat_convex_faces(mesh, tolerance)
    _note(repairs, cut, "split {}, non-planar or non-convex", "face")
    mesh, joined = split_at_touching_corners(mesh, tolerance)
    _note(repairs, joined, "inserted {} into adjacent edges", "corner")
    given = len(mesh.face_offsets) - 1
    mesh, filled, holes = fill_holes(mesh, tolerance, largest_hole)
    _note(repairs, filled, "closed {}", "hole")
    shells = _shells(mesh, tolerance)
    surfaces = [select_faces(mesh, shell.faces, shell.turned) for shell in shells]
    cavities_of = _cavities(shells, surfaces)
    seen, inward = np.zeros((2, len(mesh.face_offsets) - 1), dtype=np.int64)
    for number, shell in enumerate(shells):
        seen[shell.faces] += 1
        inward[shell.faces] += shell.turned & (number in cavities_of)
    # A wall between two solids has two sides, and is reversed for one of them.
    _note(repairs, int((inward & (seen == 1))[:given].sum()), "reversed {} to face outward", "face")
    _note(repairs, len(shells) - len(cavities_of), "treated {} facing inward as a cavity", "surface")
    open_bodies, why_open = _open_bodies(mesh, np.flatnonzero(seen[:given] == 0), holes)
    return WeldResult(_bodies(surfaces, cavities_of), open_bodies, why_open, tuple(repairs))


def _note(repairs: list[str], count: int, sentence: str, thing: str) -> None:
    if count:
        repairs.append(sentence.format(f"{count} {thing}{'' if count == 1 else 's'}"))


def _readable(polygons: Iterable[ArrayLike], repairs: list[str]) -> Mesh:
    """Return the polygons as a mesh without shared vertices; polygons with non-finite corners are dropped."""
    mesh = loose_polygons([_corners(polygon) for polygon in polygons])
    counts = face_sizes(mesh)
    bad_corner = ~np.isfinite(mesh.vertices).all(axis=1)
    bad = np.bincount(face_of_corner(mesh)[bad_corner], minlength=len(counts)) > 0
    _note(repairs, int(bad.sum()), "removed {} with a coordinate that is not a finite number", "face")
    _note(repairs, int((~bad & (counts < 3)).sum()), "removed {} with fewer than three corners", "face")
    return _only(mesh, ~bad & (counts > 2))


def _corners(polygon: ArrayLike) -> Floats:
    corners = np.asarray(polygon, dtype=float)
    if corners.size == 0:
        return np.empty((0, 3))
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise ValueError(f"a polygon must be a list of corners (x, y, z), not an array of shape {corners.shape}")
    return corners


def _only(mesh: Mesh, keep: Bools) -> Mesh:
    return mesh if keep.all() else select_faces(mesh, np.flatnonzero(keep))


def _welded(mesh: Mesh, tolerance: float, repairs: list[str]) -> Mesh:
    """Merge corners that coincide within the tolerance, and remove repeated corners of faces."""
    welded, moved = merge_corners(mesh, tolerance)
    _note(repairs, moved, "merged {} with a neighbour", "corner")
    return welded


def _without_slivers(mesh: Mesh, tolerance: float, repairs: list[str]) -> Mesh:
    """Remove faces that have no area or are narrower than the tolerance."""
    solid = face_sizes(mesh) > 2
    _note(repairs, int((~solid).sum()), "removed {} that had shrunk to a line or a point", "face")
    mesh = _only(mesh, solid)
    if len(mesh.face_offsets) == 1:
        return mesh
    areas = lengths(face_area_vectors(mesh))
    starts, ends = directed_edges(mesh)
    longest = np.maximum.reduceat(lengths(mesh.vertices[ends] - mesh.vertices[starts]), mesh.face_offsets[:-1])
    wide = 2.0 * areas > np.maximum(tolerance, 1e-12 * longest) * longest
    _note(repairs, int((~wide).sum()), "removed {} too narrow to have a direction", "face")
    return _only(mesh, wide)


def _without_doubles(mesh: Mesh, repairs: list[str]) -> Mesh:
    """Remove duplicate faces, which have the same corners."""
    counts = face_sizes(mesh)
    keep = np.zeros(len(counts), dtype=bool)
    for count in np.unique(counts):
        alike = np.flatnonzero(counts == count)
        corners = np.sort(mesh.face_vertices[mesh.face_offsets[alike][:, None] + np.arange(count)], axis=1)
        order = np.lexsort(corners.T[::-1])
        fresh = np.ones(len(alike), dtype=bool)
        fresh[1:] = (corners[order][1:] != corners[order][:-1]).any(axis=1)
        keep[alike[order[fresh]]] = True
    _note(repairs, int((~keep).sum()), "removed {} that repeated another", "face")
    return _only(mesh, keep)


@dataclass(frozen=True, eq=False)
class _Shell:
    """The surface of one bounded cell."""

    faces: Ints
    turned: Bools
    """True for each face that originally faced inward."""
    volume: float


def _shells(mesh: Mesh, tolerance: float) -> list[_Shell]:
    """Return the surfaces that enclose a volume, in the order of their first faces."""
    cell_of = cells(mesh)
    face = np.flatnonzero(cell_of[:, 0] != cell_of[:, 1]).repeat(2)
    side = np.tile([0, 1], len(face) // 2)
    cell = cell_of[face, side]
    # The front of a face is towards its cell, so the face is reversed as seen from outside.
    turned = side == 0
    vectors = face_area_vectors(mesh)
    corners = mesh.vertices[mesh.face_vertices[mesh.face_offsets[:-1]]] - mesh.vertices.mean(axis=0)
    flux = dot(corners, vectors)[face] * np.where(turned, -1.0, 1.0)
    volume = np.bincount(cell, flux, cell_of.max() + 1) / 3.0
    area = np.bincount(cell, lengths(vectors)[face], cell_of.max() + 1)
    bounded = volume > np.maximum(0.5 * tolerance * area, 1e-12 * area**1.5)
    order = np.argsort(cell, kind="stable")
    order = order[bounded[cell[order]]]
    shells = [
        _Shell(face[group], turned[group], float(volume[cell[group[0]]]))
        for group in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1)
        if len(group)
    ]
    rest = np.setdiff1d(np.arange(len(cell_of)), np.concatenate([face[:0], *(shell.faces for shell in shells)]))
    return sorted(shells + _shells_by_themselves(mesh, rest), key=lambda shell: int(shell.faces[0]))


def _shells_by_themselves(mesh: Mesh, rest: Ints) -> list[_Shell]:
    """Return the closed surfaces among faces that bound no cell.

    Where solids share an edge and their walls overlap in part, the order of the faces around that edge does not show
    which belong together; the fact that each solid is closed does.
    """
    if not len(rest):
        return []
    found = closed_shells(select_faces(mesh, rest))
    groups = (np.flatnonzero(found.of_face == number) for number in range(found.count))
    return [
        _Shell(rest[group], found.turned[group], float(found.volumes[number])) for number, group in enumerate(groups)
    ]


def _cavities(shells: list[_Shell], surfaces: list[Mesh]) -> dict[int, list[int]]:
    """Return for each solid shell its cavities: the shells inside it with the opposite orientation."""
    cavities_of: dict[int, list[int]] = {number: [] for number in range(len(shells))}
    # 1 for a shell whose faces all faced outward, -1 for all inward, 0 for a mixture.
    facing = [1 - 2 * int(shell.turned[0]) if len(set(shell.turned.tolist())) == 1 else 0 for shell in shells]
    if {1, -1} - set(facing):
        return cavities_of
    low = np.array([surface.vertices.min(axis=0) for surface in surfaces])
    high = np.array([surface.vertices.max(axis=0) for surface in surfaces])
    volumes = np.array([shell.volume for shell in shells])
    for number in np.argsort(-volumes, kind="stable").tolist():
        larger = (low <= low[number]).all(axis=1) & (high >= high[number]).all(axis=1) & (volumes > volumes[number])
        probe = surfaces[number].vertices[list(surfaces[number].faces[0])].mean(axis=0)
        hosts = sorted(np.flatnonzero(larger).tolist(), key=lambda host: float(volumes[host]))
        host = next((host for host in hosts if surrounds(surfaces[host], probe)), None)
        # A shell inside a cavity is a solid again.
        if host in cavities_of and facing[host] * facing[number] == -1:
            cavities_of[host].append(number)
            del cavities_of[number]
    return cavities_of


def _bodies(surfaces: list[Mesh], cavities_of: dict[int, list[int]]) -> tuple[Mesh, ...]:
    return tuple(
        joined_meshes([surfaces[host], *(_inside_out(surfaces[cavity]) for cavity in cavities)])
        if cavities
        else surfaces[host]
        for host, cavities in cavities_of.items()
    )


def _inside_out(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices, mesh.face_offsets, flipped(mesh.face_offsets, mesh.face_vertices))


def _open_bodies(mesh: Mesh, loose: Ints, holes: tuple[MeshHole, ...]) -> tuple[tuple[Mesh, ...], tuple[str, ...]]:
    """Return the connected groups of faces that enclose nothing, and the reason why they are open."""
    if not len(loose):
        return (), ()
    starts, ends = directed_edges(mesh)
    edge = np.isin(face_of_corner(mesh), loose)
    label = linked_groups(starts[edge], ends[edge], len(mesh.vertices))
    faces_of: dict[int, list[int]] = {}
    for face, piece in zip(loose.tolist(), label[starts[mesh.face_offsets[loose]]].tolist(), strict=True):
        faces_of.setdefault(piece, []).append(face)
    reasons_of: dict[int, list[str]] = {}
    for hole in holes:
        reasons_of.setdefault(int(label[hole.vertices[0]]), []).append(hole.reason)
    why_open = []
    for piece in faces_of:
        first, *others = reasons_of.get(piece, ["it encloses no volume"])
        why_open.append(first + (f" (and {len(others)} more)" if others else ""))
    return tuple(select_faces(mesh, np.array(faces)) for faces in faces_of.values()), tuple(why_open)
