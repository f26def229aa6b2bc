"""From heaps of faces to solid bodies: each mesh by itself first, then what lies on one layer, then all together."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.bulk import convex_polyhedra, shell_surface
from rck.geometry.contour import Contour
from rck.geometry.corners import merge_corners
from rck.geometry.mass import Moments, moments
from rck.geometry.mesh import (
    Mesh,
    face_area_vectors,
    face_edges,
    face_of_corner,
    face_sizes,
    joined_meshes,
    make_mesh,
    select_faces,
)
from rck.geometry.polyhedron import Polyhedron, convex_hull, polyhedron_from_mesh
from rck.geometry.rows import cross, dot, extent, lengths
from rck.geometry.shells import Shells, closed_shells
from rck.geometry.weld import WeldResult, solids_from_polygons
from rck.hooks import Job
from rck.importing.convex import SAME_CORNER
from rck.model import Finding, Severity
from rck.model.finding import errors_of
from rck.model.surface import Material, subitems_of_surface
from rck_dxf.content import FaceHeap, Look, Placed

_CLOSE_IT = "close it in the drawing, or raise the option gap where gaps are small; else export it as MESH or STL"


@dataclass(frozen=True, eq=False)
class Hole:
    """A round hole through a plate."""

    centre: Floats
    """In the middle of the lower face, where the drawing has it. Shape (3,), in metres."""
    diameter: float


@dataclass(frozen=True, eq=False)
class Body:
    """A solid thing in the world, in metres."""

    content: str
    """What it was drawn as: `solid` or `plate`."""
    look: Look
    shapes: tuple[Polyhedron, ...]
    """Convex pieces."""
    volume: float
    """Of the true solid."""
    true_moments: Moments | None = None
    """Of the true solid, where the pieces only come near it."""
    findings: tuple[Finding, ...] = ()
    holes: tuple[Hole, ...] = ()
    plane: Floats | None = None
    """Of a plate: world from plane, z through its thickness from the face that was drawn. Shape (4, 4)."""
    thickness: float = 0.0
    contour: Contour | None = None
    """Of a plate: its outline and holes in its plane, with as few corners as the pieces have."""

    @property
    def openings(self) -> int:
        """Of a plate: how many holes it has, round or not."""
        return 0 if self.contour is None else len(self.contour.holes)

    @cached_property
    def moments(self) -> Moments:
        """Of the true solid."""
        if self.true_moments is not None:
            return self.true_moments
        first, *others = (shape.moments for shape in self.shapes)
        return sum(others, first)

    @cached_property
    def low(self) -> Floats:
        """The least x, y and z. Shape (3,)."""
        return np.asarray(np.min([shape.vertices.min(axis=0) for shape in self.shapes], axis=0))

    @cached_property
    def high(self) -> Floats:
        """The greatest x, y and z. Shape (3,)."""
        return np.asarray(np.max([shape.vertices.max(axis=0) for shape in self.shapes], axis=0))


@dataclass(frozen=True, eq=False)
class Refused:
    """Something that should be solid and cannot be."""

    look: Look
    entity: str
    handle: str
    why: str
    fix: str
    points: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """Where it is, where that is known. Shape (N, 3)."""


@dataclass(frozen=True, eq=False)
class _Faces:
    """All the faces of a drawing, or some of them."""

    mesh: Mesh
    """No two share a vertex."""
    heap: Ints
    """Which heap each face is from."""
    look: Ints
    """Which of the looks each face has."""
    number: Ints
    """Which face of the drawing each is."""

    def some(self, chosen: Ints) -> "_Faces":
        """Only those."""
        mesh = select_faces(self.mesh, chosen)
        return _Faces(mesh, self.heap[chosen], self.look[chosen], self.number[chosen])


@dataclass(eq=False)
class _Work:
    """Turns the faces of heaps into bodies."""

    heaps: Sequence[Placed]
    material: Material
    tolerance: float
    job: Job
    looks: list[Look] = field(default_factory=list)
    bodies: list[tuple[int, Body]] = field(default_factory=list)
    """Each with the number of its first face."""
    refused: list[Refused] = field(default_factory=list)
    repairs: list[Finding] = field(default_factory=list)

    def faces(self) -> _Faces:
        """The faces of all heaps."""
        numbers: dict[Look, int] = {}
        looks = []
        meshes = []
        for placed in self.heaps:
            assert isinstance(placed.shape, FaceHeap)
            own = np.array([numbers.setdefault(look, len(numbers)) for look in placed.looks], dtype=np.int64)
            looks.append(own[placed.shape.style_of_face])
            meshes.append(placed.shape.mesh)
        self.looks = list(numbers)
        heap = np.arange(len(meshes)).repeat([len(mesh.face_offsets) - 1 for mesh in meshes])
        return _Faces(joined_meshes(meshes), heap, np.concatenate(looks), np.arange(len(heap)))

    def take_closed(self, faces: _Faces) -> Ints:
        """Make bodies of the faces that close by themselves; which ones are left.

        A closed surface that others share an edge with is left too: a neighbour may need its wall.
        """
        fine = SAME_CORNER * extent(faces.mesh.vertices)
        welded, kept = _sound_faces(faces.mesh, fine)
        shells = _standing_alone(welded, closed_shells(welded))
        if not shells.count or _may_have_cavities(welded, shells):
            return kept
        order = np.argsort(shells.of_face, kind="stable")[int((shells.of_face < 0).sum()) :]
        members = np.split(kept[order], np.flatnonzero(np.diff(shells.of_face[order])) + 1)
        one_look = bool((faces.look == faces.look[0]).all())
        for number, shape in enumerate(convex_polyhedra(welded, shells)):
            own = members[number]
            look = self.looks[int(faces.look[0]) if one_look else _commonest(faces.look[own])]
            first = int(faces.number[own[0]])
            if shape is not None:
                self.bodies.append((first, Body("solid", look, (shape,), float(shells.volumes[number]))))
            else:
                surface = bulging(shell_surface(welded, shells, number), fine)
                whole, _ = polyhedron_from_mesh(surface)
                if whole is not None:
                    shape = convex_hull(whole.vertices)
                    self.bodies.append((first, Body("solid", look, (shape,), shape.volume)))
                else:
                    self.take_surfaces(first, solids_from_polygons(_polygons(surface), fine), look)
        return kept[shells.of_face < 0]

    def take_surfaces(self, first: int, welded: WeldResult, look: Look) -> None:
        """Make bodies of closed surfaces with flat, convex faces."""
        where = place_of(look)
        for surface in welded.bodies:
            self.job.progress(0.6, f"cutting {where}")
            solids = subitems_of_surface(surface, self.material, where)
            if broken := errors_of(solids.findings):
                why = f"its solid {broken[0].message}"
                self.refused.append(Refused(look, "solid", "", why, broken[0].fix, surface.vertices))
                continue
            shapes = tuple(subitem.shape for subitem in solids.subitems)
            true = moments(surface)
            self.bodies.append((first, Body("solid", look, shapes, true.volume, true, solids.findings)))

    def mend(self, faces: _Faces) -> None:
        """Make bodies of what can be mended; the rest is refused."""
        polygons = _polygons(faces.mesh)
        look = self.looks[_commonest(faces.look)]
        entity = self.heaps[int(faces.heap[0])].entity
        first = int(faces.number[0])
        welded = solids_from_polygons(polygons, SAME_CORNER * extent(faces.mesh.vertices))
        self._tell(welded, look)
        self.take_surfaces(first, welded, look)
        if welded.open_bodies:
            left = [polygon for body in welded.open_bodies for polygon in _polygons(body)]
            welded = solids_from_polygons(left, self.tolerance)
            if welded.bodies:
                self._tell(welded, look)
            self.take_surfaces(first, welded, look)
        if welded.open_bodies:
            points = np.concatenate([body.vertices for body in welded.open_bodies])
            many = len(welded.open_bodies)
            count = sum(len(body.face_offsets) - 1 for body in welded.open_bodies)
            why = f"{count} faces enclose no solid: {welded.why_open[0]}" + (
                f"; {many - 1} more such" if many > 1 else ""
            )
            self.refused.append(Refused(look, entity, "", why, _CLOSE_IT, points))

    def _tell(self, welded: WeldResult, look: Look) -> None:
        if welded.bodies and welded.repairs:
            told = Finding(502, Severity.WARNING, place_of(look), "mended: " + ", ".join(welded.repairs))
            self.repairs.append(told)


def solid_bodies(
    heaps: Sequence[Placed], material: Material, tolerance: float, job: Job
) -> tuple[list[Body], list[Refused], list[Finding]]:
    """The solids that faces enclose, what encloses none, and what was mended.

    Corners within the tolerance, in metres, may be brought together where a surface does not close without.
    """
    if not heaps:
        return [], [], []
    work = _Work(heaps, material, tolerance, job)
    left = work.faces()
    places = [(placed.look.layer, placed.look.block) for placed in heaps]
    groupings: list[Sequence[Hashable]] = [range(len(heaps)), places, [0] * len(heaps)]
    for step, groups in enumerate(groupings):
        if len(left.heap) and (step == 0 or len(set(groups)) < len(set(groupings[step - 1]))):
            rest = []
            for number, chosen in enumerate(_grouped(left, groups)):
                if number % 20 == 0:
                    job.progress(0.5 + 0.1 * step, "solids")
                rest.append(chosen[work.take_closed(left.some(chosen))])
            left = left.some(np.sort(np.concatenate(rest)))
    for chosen in _grouped(left, places):
        job.progress(0.8, "mending")
        work.mend(left.some(chosen))
    work.bodies.sort(key=lambda pair: pair[0])
    return [body for _, body in work.bodies], work.refused, work.repairs


def place_of(look: Look) -> str:
    """Where something is in the drawing, for people."""
    return f"block {look.block} on layer {look.layer}" if look.block else f"layer {look.layer}"


def _grouped(faces: _Faces, groups: Sequence[Hashable]) -> Iterator[Ints]:
    """The faces by the group that their heap is in."""
    if not len(faces.heap):
        return
    numbers: dict[Hashable, int] = {}
    group = np.array([numbers.setdefault(group, len(numbers)) for group in groups])[faces.heap]
    order = np.argsort(group, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def bulging(surface: Mesh, tolerance: float) -> Mesh:
    """A closed surface with every bent quadrilateral cut into two triangles, along the diagonal that bulges out."""
    firsts = surface.face_offsets[:-1]
    quads = np.flatnonzero(face_sizes(surface) == 4)
    a, b, c, d = (surface.vertices[surface.face_vertices[firsts[quads] + k]] for k in range(4))
    normals = cross(b - a, c - a)
    height = dot(normals, d - a)
    bent = np.abs(height) > tolerance * lengths(normals)
    if not bent.any():
        return surface
    corners = surface.face_vertices[firsts[quads[bent]][:, None] + np.arange(4)]
    # With the last corner below the plane of the others, the ridge runs from the first to the third.
    turned = np.where((height[bent] > 0)[:, None], np.roll(corners, -1, axis=1), corners)
    triangles = np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]]).tolist()
    kept = np.setdiff1d(np.arange(len(firsts)), quads[bent]).tolist()
    return make_mesh(surface.vertices, [*(surface.faces[number] for number in kept), *triangles])


def _polygons(mesh: Mesh) -> list[Floats]:
    return np.split(mesh.vertices[mesh.face_vertices], mesh.face_offsets[1:-1])


def _commonest(numbers: Ints) -> int:
    return int(np.bincount(numbers).argmax())


def _sound_faces(mesh: Mesh, tolerance: float) -> tuple[Mesh, Ints]:
    """The faces that have an area once corners are welded, and which they are."""
    welded, _ = merge_corners(mesh, tolerance)
    kept = np.flatnonzero(face_sizes(welded) > 2)
    welded = select_faces(welded, kept)
    if not len(kept):
        return welded, kept
    broad = lengths(face_area_vectors(welded)) > tolerance**2
    return (welded, kept) if broad.all() else (select_faces(welded, np.flatnonzero(broad)), kept[broad])


def _standing_alone(mesh: Mesh, shells: Shells) -> Shells:
    """The shells without those that share an edge with a face that is in none."""
    edge, _, face = face_edges(mesh)
    shell = shells.of_face[face]
    if (shell >= 0).all():
        return shells
    needed = np.unique(shell[np.isin(edge, edge[shell < 0]) & (shell >= 0)])
    alone = np.ones(shells.count, dtype=bool)
    alone[needed] = False
    # One more entry, for faces that are in no shell.
    number = np.append(np.where(alone, np.cumsum(alone) - 1, -1), -1)
    return Shells(number[shells.of_face], shells.turned, shells.volumes[alone])


def _may_have_cavities(mesh: Mesh, shells: Shells) -> bool:
    """Whether a shell that faces inward lies in the box round one that faces outward."""
    inside = shells.of_face >= 0
    count = np.bincount(shells.of_face[inside], minlength=shells.count)
    turned = np.bincount(shells.of_face[inside], shells.turned[inside], shells.count)
    inward, outward = np.flatnonzero(turned == count), np.flatnonzero(turned == 0)
    if not len(inward) or not len(outward):
        return False
    shell = shells.of_face[face_of_corner(mesh)]
    low, high = np.full((shells.count, 3), np.inf), np.full((shells.count, 3), -np.inf)
    np.minimum.at(low, shell[shell >= 0], mesh.vertices[mesh.face_vertices[shell >= 0]])
    np.maximum.at(high, shell[shell >= 0], mesh.vertices[mesh.face_vertices[shell >= 0]])
    return any(
        bool(((low[outward] <= low[one]) & (high[outward] >= high[one])).all(axis=1).any()) for one in inward.tolist()
    )
