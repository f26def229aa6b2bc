"""Solid bodies from heaps of faces: first from each heap, then from each layer and block, then from all faces."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats, Ints, cross, dot, extent, lengths
from rck.geometry.bulk_polyhedra import convex_polyhedra, shell_surface
from rck.geometry.contour import Contour
from rck.geometry.mass_properties import Moments, moments
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
from rck.geometry.shells import Shells, closed_shells
from rck.geometry.vertex_merge import merge_corners
from rck.geometry.weld import WeldResult, solids_from_polygons
from rck.hooks import Job
from rck.importing.convex_pieces import SAME_CORNER
from rck.model import Finding, Severity
from rck.model.surface_subitems import Material, subitems_of_surface
from rck.support.finding import errors_of
from rck_importers.dxf.content import FaceHeap, Look, PlacedEntity
from rck_importers.dxf.open_shells import OpenShells, pieces_of_shell
from rck_importers.dxf.openings import Opening, Slot

_CLOSE_IT = (
    "close it in the drawing, or raise the option gap if the gaps are small; export it as MESH or STL; or import it as "
    "it is: open=hull, open=thicken=2mm or open=visual"
)


@dataclass(frozen=True, eq=False)
class SurfaceHole:
    """A round hole through a plate."""

    centre: Floats
    """Centre in the lower face, which is the drawn one. Shape (3,), in metres."""
    diameter: float
    along: Floats | None = None
    """Vector from its lower to its upper end; None for the thickness of its plate. Shape (3,), in metres."""
    step: str = ""
    """Kind and diameter of the step around it, such as `counterbored 10`; empty without one."""


@dataclass(frozen=True, eq=False)
class SolidBody:
    """A solid body in world coordinates, in metres."""

    content: str
    """Type of body: `solid`, `plate` or `surface`."""
    look: Look
    shapes: tuple[Polyhedron, ...]
    """Convex pieces."""
    volume: float
    """Volume of the exact solid."""
    true_moments: Moments | None = None
    """Moments of the exact solid, if the convex pieces only approximate it."""
    findings: tuple[Finding, ...] = ()
    holes: tuple[SurfaceHole, ...] = ()
    plane: Floats | None = None
    """World from plane of a plate, z along its thickness from the drawn face. Shape (4, 4)."""
    thickness: float = 0.0
    contour: Contour | None = None
    """Outline and holes of a plate in its plane, with the corners of the convex pieces."""
    visual: Mesh | None = None
    """Surface that is displayed instead of the pieces: that of an open shell without pieces, or of a draft."""
    openings: tuple[Opening, ...] = ()
    """Holes of a plate, round or not; empty for other bodies."""
    slots: tuple[Slot, ...] = ()
    """The slots of a plate, in its plane."""

    @cached_property
    def moments(self) -> Moments:
        """Moments of the exact solid."""
        if self.true_moments is not None:
            return self.true_moments
        if not self.shapes:
            return Moments(0.0, 0.0, np.zeros(3), np.zeros((3, 3)))
        first, *others = (shape.moments for shape in self.shapes)
        return sum(others, first)

    @cached_property
    def _corners(self) -> Floats:
        surfaces = [shape.vertices for shape in self.shapes] + ([] if self.visual is None else [self.visual.vertices])
        return np.array([end for points in surfaces for end in (points.min(axis=0), points.max(axis=0))])

    @cached_property
    def low(self) -> Floats:
        """Minimum x, y and z. Shape (3,)."""
        return np.asarray(self._corners.min(axis=0))

    @cached_property
    def high(self) -> Floats:
        """Maximum x, y and z. Shape (3,)."""
        return np.asarray(self._corners.max(axis=0))


@dataclass(frozen=True, eq=False)
class RejectedSolid:
    """An entity that should be solid but cannot be converted."""

    look: Look
    entity: str
    handle: str
    why: str
    fix: str
    points: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """Points of the entity, if known. Shape (N, 3)."""
    option: str = ""
    """Option that is missing; empty if it is rejected for another reason."""
    region: str = ""
    """Region that does not become a plate; empty for other entities."""


@dataclass(frozen=True, eq=False)
class _Faces:
    """All faces of a drawing, or some of them."""

    mesh: Mesh
    """No two faces share a vertex."""
    heap: Ints
    """Index of each face's heap."""
    look: Ints
    """Index of each face's look."""
    number: Ints
    """Index of each face in the drawing."""

    def select(self, chosen: Ints) -> "_Faces":
        """Return the chosen faces."""
        mesh = select_faces(self.mesh, chosen)
        return _Faces(mesh, self.heap[chosen], self.look[chosen], self.number[chosen])


@dataclass(eq=False)
class _BodyBuilder:
    """Builder of bodies from the faces of heaps."""

    heaps: Sequence[PlacedEntity]
    material: Material
    tolerance: float
    job: Job
    open_shells: OpenShells | None = None
    looks: list[Look] = field(default_factory=list)
    bodies: list[tuple[int, SolidBody]] = field(default_factory=list)
    """Bodies with the index of their first face."""
    refused: list[RejectedSolid] = field(default_factory=list)
    repairs: list[Finding] = field(default_factory=list)

    def faces(self) -> _Faces:
        """Return the faces of all heaps."""
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
        """Make bodies of the faces that form closed surfaces, and return the indices of the remaining faces.

        A closed surface that shares an edge with other faces remains too: a neighbour may need its wall.
        """
        fine = SAME_CORNER * extent(faces.mesh.vertices)
        welded, indices = _sound_faces(faces.mesh, fine)
        shells = _isolated_shells(welded, closed_shells(welded))
        if not shells.count or _may_have_cavities(welded, shells):
            return indices
        order = np.argsort(shells.of_face, kind="stable")[int((shells.of_face < 0).sum()) :]
        members = np.split(indices[order], np.flatnonzero(np.diff(shells.of_face[order])) + 1)
        one_look = bool((faces.look == faces.look[0]).all())
        for number, shape in enumerate(convex_polyhedra(welded, shells)):
            own = members[number]
            look = self.looks[int(faces.look[0]) if one_look else _most_common(faces.look[own])]
            first = int(faces.number[own[0]])
            if shape is not None:
                self.bodies.append((first, SolidBody("solid", look, (shape,), float(shells.volumes[number]))))
            else:
                surface = triangulate_bent_quads(shell_surface(welded, shells, number), fine)
                whole, _ = polyhedron_from_mesh(surface)
                if whole is not None:
                    shape = convex_hull(whole.vertices)
                    self.bodies.append((first, SolidBody("solid", look, (shape,), shape.volume)))
                else:
                    self.take_surfaces(first, solids_from_polygons(_polygons(surface), fine), look)
        return indices[shells.of_face < 0]

    def take_surfaces(self, first: int, welded: WeldResult, look: Look) -> None:
        """Make bodies of closed surfaces with flat, convex faces."""
        where = place_of(look)
        for surface in welded.bodies:
            self.job.progress(0.6, f"cutting {where}")
            solids = subitems_of_surface(surface, self.material, where)
            if broken := errors_of(solids.findings):
                why = f"its solid {broken[0].message}"
                self.refused.append(RejectedSolid(look, "solid", "", why, broken[0].fix, surface.vertices))
                continue
            shapes = tuple(subitem.shape for subitem in solids.subitems)
            true = moments(surface)
            visual = visual_of_draft(surface, shapes, true.volume, self.material)
            body = SolidBody("solid", look, shapes, true.volume, true, solids.findings, visual=visual)
            self.bodies.append((first, body))

    def repair(self, faces: _Faces) -> None:
        """Make bodies of the faces that can be repaired, and reject the others."""
        polygons = _polygons(faces.mesh)
        look = self.looks[_most_common(faces.look)]
        entity = self.heaps[int(faces.heap[0])].entity
        first = int(faces.number[0])
        welded = solids_from_polygons(polygons, SAME_CORNER * extent(faces.mesh.vertices))
        self._report_repairs(welded, look)
        self.take_surfaces(first, welded, look)
        if welded.open_bodies:
            left = [polygon for body in welded.open_bodies for polygon in _polygons(body)]
            welded = solids_from_polygons(left, self.tolerance)
            if welded.bodies:
                self._report_repairs(welded, look)
            self.take_surfaces(first, welded, look)
        if welded.open_bodies and self.open_shells is not None:
            welded = self._use_open(first, welded, look, self.open_shells)
        if welded.open_bodies:
            points = np.concatenate([body.vertices for body in welded.open_bodies])
            many = len(welded.open_bodies)
            count = sum(len(body.face_offsets) - 1 for body in welded.open_bodies)
            enclose = "face encloses" if count == 1 else "faces enclose"
            why = f"{count} {enclose} no solid: {welded.why_open[0]}" + (
                f"; {many - 1} more groups of this type" if many > 1 else ""
            )
            missing = "open" if self.open_shells is None else ""
            self.refused.append(RejectedSolid(look, entity, "", why, _CLOSE_IT, points, missing))

    def _use_open(self, first: int, welded: WeldResult, look: Look, wanted: OpenShells) -> WeldResult:
        """Make bodies of open shells; return the result with those that cannot be used."""
        left = []
        for shell, why in zip(welded.open_bodies, welded.why_open, strict=True):
            try:
                found = pieces_of_shell(shell, wanted)
            except ValueError as error:
                left.append((shell, f"{why}; {error}"))
                continue
            finding = Finding(310, Severity.WARNING, place_of(look), found.done)
            true = found.moments
            visual = None if found.pieces else shell
            volume = 0.0 if true is None else true.volume
            content = "solid" if found.pieces else "surface"
            body = SolidBody(content, look, found.pieces, volume, true, (finding,), visual=visual)
            self.bodies.append((first, body))
        return replace(welded, open_bodies=tuple(one for one, _ in left), why_open=tuple(why for _, why in left))

    def _report_repairs(self, welded: WeldResult, look: Look) -> None:
        if welded.bodies and welded.repairs:
            finding = Finding(502, Severity.WARNING, place_of(look), "repaired: " + ", ".join(welded.repairs))
            self.repairs.append(finding)


def visual_of_draft(surface: Mesh, shapes: Sequence[Polyhedron], volume: float, material: Material) -> Mesh | None:
    """Return the surface of a solid that was not divided, to be displayed instead of its hull."""
    return surface if material.is_draft and sum(shape.volume for shape in shapes) > volume * 1.001 else None


def solid_bodies(
    heaps: Sequence[PlacedEntity],
    material: Material,
    tolerance: float,
    job: Job,
    open_shells: OpenShells | None = None,
) -> tuple[list[SolidBody], list[RejectedSolid], list[Finding]]:
    """Return the solids that the faces enclose, the rejected entities, and the findings about repairs.

    Corners within the tolerance, in metres, are merged where a surface does not close otherwise.
    """
    if not heaps:
        return [], [], []
    builder = _BodyBuilder(heaps, material, tolerance, job, open_shells)
    left = builder.faces()
    places = [(placed.look.layer, placed.look.block) for placed in heaps]
    groupings: list[Sequence[Hashable]] = [range(len(heaps)), places, [0] * len(heaps)]
    for step, groups in enumerate(groupings):
        if len(left.heap) and (step == 0 or len(set(groups)) < len(set(groupings[step - 1]))):
            rest = []
            for number, chosen in enumerate(_group_faces(left, groups)):
                if number % 20 == 0:
                    job.progress(0.5 + 0.1 * step, "solids")
                rest.append(chosen[builder.take_closed(left.select(chosen))])
            left = left.select(np.sort(np.concatenate(rest)))
    for chosen in _group_faces(left, places):
        job.progress(0.8, "repairing")
        builder.repair(left.select(chosen))
    builder.bodies.sort(key=lambda pair: pair[0])
    return [body for _, body in builder.bodies], builder.refused, builder.repairs


def place_of(look: Look) -> str:
    """Return a description of the block and layer of a look."""
    return f"block {look.block} on layer {look.layer}" if look.block else f"layer {look.layer}"


def _group_faces(faces: _Faces, groups: Sequence[Hashable]) -> Iterator[Ints]:
    """Yield the indices of the faces in each group of heaps."""
    if not len(faces.heap):
        return
    numbers: dict[Hashable, int] = {}
    group = np.array([numbers.setdefault(group, len(numbers)) for group in groups])[faces.heap]
    order = np.argsort(group, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def triangulate_bent_quads(surface: Mesh, tolerance: float) -> Mesh:
    """Divide each bent quadrilateral of a closed surface into two triangles, along the outer diagonal."""
    firsts = surface.face_offsets[:-1]
    quads = np.flatnonzero(face_sizes(surface) == 4)
    a, b, c, d = (surface.vertices[surface.face_vertices[firsts[quads] + k]] for k in range(4))
    normals = cross(b - a, c - a)
    height = dot(normals, d - a)
    bent = np.abs(height) > tolerance * lengths(normals)
    if not bent.any():
        return surface
    corners = surface.face_vertices[firsts[quads[bent]][:, None] + np.arange(4)]
    # If the last corner is below the plane of the others, the ridge runs from the first to the third corner.
    turned = np.where((height[bent] > 0)[:, None], np.roll(corners, -1, axis=1), corners)
    triangles = np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]]).tolist()
    indices = np.setdiff1d(np.arange(len(firsts)), quads[bent]).tolist()
    return make_mesh(surface.vertices, [*(surface.faces[number] for number in indices), *triangles])


def _polygons(mesh: Mesh) -> list[Floats]:
    return np.split(mesh.vertices[mesh.face_vertices], mesh.face_offsets[1:-1])


def _most_common(numbers: Ints) -> int:
    return int(np.bincount(numbers).argmax())


def _sound_faces(mesh: Mesh, tolerance: float) -> tuple[Mesh, Ints]:
    """Return the faces with an area after welding of corners, and their indices."""
    welded, _ = merge_corners(mesh, tolerance)
    indices = np.flatnonzero(face_sizes(welded) > 2)
    welded = select_faces(welded, indices)
    if not len(indices):
        return welded, indices
    broad = lengths(face_area_vectors(welded)) > tolerance**2
    return (welded, indices) if broad.all() else (select_faces(welded, np.flatnonzero(broad)), indices[broad])


def _isolated_shells(mesh: Mesh, shells: Shells) -> Shells:
    """Return the shells without those that share an edge with a face outside of all shells."""
    edge, _, face = face_edges(mesh)
    shell = shells.of_face[face]
    if (shell >= 0).all():
        return shells
    needed = np.unique(shell[np.isin(edge, edge[shell < 0]) & (shell >= 0)])
    alone = np.ones(shells.count, dtype=bool)
    alone[needed] = False
    # The extra entry is for faces that are in no shell.
    number = np.append(np.where(alone, np.cumsum(alone) - 1, -1), -1)
    return Shells(number[shells.of_face], shells.turned, shells.volumes[alone])


def _may_have_cavities(mesh: Mesh, shells: Shells) -> bool:
    """Return True if a shell that faces inward lies in the bounding box of one that faces outward."""
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
