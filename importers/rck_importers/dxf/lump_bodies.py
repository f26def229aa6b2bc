"""Solid bodies from ACIS lumps: prisms stay exact, other closed lumps are divided into triangles."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.brep.bores import find_bores
from rck.geometry.brep.errors import BrepError, CrossingError
from rck.geometry.brep.prisms import find_prism
from rck.geometry.brep.revolutions import find_revolution
from rck.geometry.brep.tessellation import LumpMesh, tessellate
from rck.geometry.mass_properties import map_moments
from rck.geometry.mesh import Mesh
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.geometry.transforms import apply
from rck.hooks import Job
from rck.model import Finding, Severity
from rck.model.surface_subitems import Material, subitems_of_surface
from rck.support.finding import errors_of
from rck_importers.dxf.content import FaceHeap, LumpShape, PlacedEntity
from rck_importers.dxf.entities import EXPORT_AS_MESH
from rck_importers.dxf.flat_drawing import FlatSettings, flat_drawing
from rck_importers.dxf.loop_curves import loop_curve
from rck_importers.dxf.plates import Thicknesses, plate_of
from rck_importers.dxf.regions import PART
from rck_importers.dxf.solids import RejectedSolid, SolidBody, SurfaceHole, place_of, visual_of_draft

_ALMOST_CONVEX = 1e-3
"""Maximum excess of the hull over the true solid, as a fraction of its volume, up to which the hull replaces it."""
_COARSEST = 1 / 2000
"""Deviation, as a fraction of the size, above which a smaller one would only cost time."""
_FINER = (1, 8, 64)
"""Divisors of the deviation that are tried one after the other."""


@dataclass(eq=False)
class LumpBodies:
    """Bodies of the lumps of a drawing, the rejected ones, and those that are open, as faces."""

    bodies: list[SolidBody] = field(default_factory=list)
    refused: list[RejectedSolid] = field(default_factory=list)
    heaps: list[PlacedEntity] = field(default_factory=list)


def lump_bodies(
    placed: Sequence[PlacedEntity], material: Material, deviation: float, gap: float, job: Job
) -> LumpBodies:
    """Return the bodies of lumps whose chords stay within the deviation, in metres, or within 1/2000 of the size."""
    found = LumpBodies()
    for number, one in enumerate(placed):
        assert isinstance(one.shape, LumpShape)
        job.progress(0.4 + 0.1 * number / len(placed), "solids")
        body = _prism_body(one, one.shape, deviation, gap, job)
        if body is not None:
            found.bodies.append(body)
            continue
        try:
            mesh = _tessellated(one.shape, deviation)
        except BrepError as error:
            found.refused.append(_refusal(one, str(error), EXPORT_AS_MESH))
            continue
        if mesh.is_closed:
            _add_closed(found, one, one.shape, mesh, material, deviation)
        else:
            found.heaps.append(_heap(one, _placed(mesh, one.shape.matrix)))
    return found


def lump_heaps(placed: Sequence[PlacedEntity], deviation: float) -> list[PlacedEntity]:
    """Return the entities with lumps as faces; a lump that cannot be divided is left out."""
    heaps = []
    for one in placed:
        if isinstance(one.shape, LumpShape):
            try:
                heaps.append(_heap(one, _placed(_tessellated(one.shape, deviation), one.shape.matrix)))
            except BrepError:
                continue
        else:
            heaps.append(one)
    return heaps


def _refusal(one: PlacedEntity, why: str, fix: str) -> RejectedSolid:
    points = one.shape.corners if isinstance(one.shape, LumpShape) else np.empty((0, 3))
    return RejectedSolid(one.look, one.entity, one.handle, why, fix, points)


def _tessellated(shape: LumpShape, deviation: float) -> LumpMesh:
    """Return the triangles of a lump in the coordinates of its body."""
    fine = _local_deviation(shape, deviation)
    for finer in _FINER:
        try:
            return tessellate(shape.lump, fine / finer)
        except CrossingError:
            # Chords of neighbouring edges may cross where the edges do not.
            if finer == _FINER[-1]:
                raise
    raise AssertionError


def _local_deviation(shape: LumpShape, deviation: float) -> float:
    """Return the deviation in the unit of the body."""
    size = float(np.ptp(shape.corners, axis=0).max(initial=0.0)) if len(shape.corners) else 0.0
    return max(deviation, _COARSEST * size) / float(np.linalg.norm(shape.matrix[:3, :3], 2))


def _placed(found: LumpMesh, matrix: Floats) -> LumpMesh:
    """Return the triangles in the world; the map is applied last, in double precision."""
    corners = found.mesh.face_vertices.reshape(-1, 3)
    if np.linalg.det(matrix[:3, :3]) < 0:
        corners = corners[:, ::-1]
    mesh = Mesh(frozen(apply(matrix, found.mesh.vertices)), found.mesh.face_offsets, corners.reshape(-1))
    return LumpMesh(mesh, found.is_closed, map_moments(found.moments, matrix))


def _heap(one: PlacedEntity, mesh: LumpMesh) -> PlacedEntity:
    """Return the triangles as faces that share no corners."""
    corners = mesh.mesh.vertices[mesh.mesh.face_vertices]
    loose = Mesh(frozen(corners), mesh.mesh.face_offsets, np.arange(len(corners)))
    heap = FaceHeap(loose, (), np.zeros(len(corners) // 3, dtype=np.int64))
    return replace(one, shape=heap, looks=(one.look,))


def _add_closed(
    found: LumpBodies, one: PlacedEntity, shape: LumpShape, local: LumpMesh, material: Material, deviation: float
) -> None:
    mesh = _placed(local, shape.matrix)
    volume = mesh.moments.volume
    hull = _hull(mesh.mesh.vertices)
    where = place_of(one.look)
    if hull is not None and hull.volume <= volume * (1.0 + _ALMOST_CONVEX):
        # The corners of a convex solid lie on it, so that their hull is not larger.
        shapes: tuple[Polyhedron, ...] = (hull,)
        findings: tuple[Finding, ...] = ()
    elif not material.hull and (turned := _turned_pieces(shape, local, deviation)):
        shapes = turned
        excess = sum(piece.volume for piece in shapes) / volume - 1.0
        message = f"is a solid of revolution and was cut into {len(shapes)} convex pieces; volume {excess:+.2%}"
        findings = (Finding(310, Severity.NOTE, where, message),)
    else:
        solids = subitems_of_surface(mesh.mesh, material, where)
        shapes, findings = tuple(subitem.shape for subitem in solids.subitems), solids.findings
    if broken := errors_of(findings):
        found.refused.append(_refusal(one, f"it {broken[0].message}", broken[0].fix))
        return
    visual = visual_of_draft(mesh.mesh, shapes, volume, material)
    found.bodies.append(
        SolidBody("solid", one.look, shapes, volume, mesh.moments, findings, _holes(shape), visual=visual)
    )


def _holes(shape: LumpShape) -> tuple[SurfaceHole, ...]:
    """Return the round through holes of a lump, if they stay round; each along the axis that it is nearest to."""
    turn = shape.matrix[:3, :3]
    square = turn.T @ turn
    scale = float(np.sqrt(square[0, 0]))
    if np.abs(square - scale * scale * np.eye(3)).max() > 1e-6 * scale * scale:
        return ()
    holes = []
    for bore in find_bores(shape.lump):
        start, end = apply(shape.matrix, np.array([bore.start, bore.end]))
        along = end - start
        if along[int(np.abs(along).argmax())] < 0:
            start, along = end, -along
        holes.append(SurfaceHole(start, 2.0 * bore.radius * scale, along))
    return tuple(holes)


def _turned_pieces(shape: LumpShape, local: LumpMesh, deviation: float) -> tuple[Polyhedron, ...] | None:
    """Return the pieces of a solid of revolution; None for any other solid."""
    smallest = _local_deviation(shape, deviation)
    revolution = find_revolution(shape.lump, local, smallest)
    return None if revolution is None else revolution.pieces(shape.matrix, smallest)


def _hull(points: Floats) -> Polyhedron | None:
    try:
        return convex_hull(points)
    except ValueError:
        return None


def _prism_body(one: PlacedEntity, shape: LumpShape, deviation: float, gap: float, job: Job) -> SolidBody | None:
    """Return a lump as a plate with its holes; None if it is no prism, or one that cannot be divided as a plate."""
    try:
        prism = find_prism(shape.lump)
        if prism is None or not prism.is_upright(shape.matrix):
            return None
        loops = (loop_curve(loop, prism.sweep, prism.normal) for loop in prism.base.loops)
        curves = [replace(one, shape=curve.moved(shape.matrix)) for curve in loops]
        settings = FlatSettings(deviation, gap, chosen_gap=True, recognise=False)
        drawing = flat_drawing(curves, np.empty((0, 3)), settings, has_annotations=False)
        plates = [(outlines, region) for outlines, region in drawing.regions() if region.role == PART]
        if drawing.refused or drawing.findings or len(plates) != 1:
            return None
        body, _ = plate_of(*plates[0], Thicknesses(), deviation, job)
    except (ArithmeticError, LookupError, ValueError):
        # The triangles of damaged data have a message.
        return None
    return replace(body, content="solid")
