"""Subitems from polygons and closed surfaces that need not be convex, as in drawings and old files."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.decomposition import decompose
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import Mesh
from rck.geometry.polyhedron import Flaw, FoundFlaw, Polyhedron, convex_hull, make_polyhedron, polyhedron_from_mesh
from rck.geometry.slabs import cut_into_slabs
from rck.geometry.weld import solids_from_polygons
from rck.model.subitem import GREY, Colour, Subitem, flaw_finding
from rck.support.finding import Finding, Severity

_ALMOST_CONVEX = 1e-3
"""Excess volume of a hull, as a fraction, up to which it replaces its solid."""


@dataclass(frozen=True, slots=True)
class Material:
    """Properties for files that contain only shapes."""

    density: float = 1000.0
    """In kg/m3."""
    colour: Colour = GREY
    hull: bool = False
    """Use the hull of a solid that is not convex, instead of cutting it."""
    is_draft: bool = False
    """Take the hull of a solid that is not convex without a finding: its surface is displayed before the import."""
    tolerance: float = 0.05
    """Depth of dents that may be filled if a solid cannot be cut exactly; see :mod:`rck.geometry.decomposition`."""


@dataclass(frozen=True, eq=False)
class FoundSolids:
    """Subitems found in polygons or surfaces."""

    subitems: tuple[Subitem, ...] = ()
    open_surfaces: tuple[Mesh, ...] = ()
    """Connected polygons that enclose nothing."""
    why_open: tuple[str, ...] = ()
    """For each open surface, the reason."""
    findings: tuple[Finding, ...] = ()


def subitems_of_polygons(polygons: Sequence[Floats], tolerance: float, material: Material, where: str) -> FoundSolids:
    """Find the solids enclosed by polygons of shape (K, 3), in metres; corners within the tolerance are the same.

    If the polygons of each solid are consecutive, solids are taken one by one, so that they may overlap. Otherwise all
    polygons are welded together and repaired as needed.
    """
    separate = _separate_solids(polygons, tolerance, material, where)
    if separate is not None:
        return separate
    welded = solids_from_polygons(polygons, tolerance)
    repairs = tuple(Finding(502, Severity.WARNING, where, repair) for repair in welded.repairs)
    solids = [subitems_of_surface(body, material, f"{where}: solid {n}") for n, body in enumerate(welded.bodies)]
    joined = _joined(solids)
    return FoundSolids(joined.subitems, welded.open_bodies, welded.why_open, repairs + joined.findings)


def subitems_of_surface(surface: Mesh, material: Material, where: str) -> FoundSolids:
    """Convert a closed surface with flat, convex faces to subitems: the surface itself, its pieces, or its hull."""
    shape, flaws = polyhedron_from_mesh(surface)
    if shape is not None:
        return FoundSolids((_subitem(shape, material),), findings=_findings(flaws, where, repaired=True))
    if flaws[0].flaw is not Flaw.NOT_CONVEX:
        return FoundSolids(findings=_findings(flaws, where, repaired=False))
    volume = moments(surface).volume
    try:
        if material.is_draft:
            return FoundSolids((_subitem(convex_hull(surface.vertices), material),))
        pieces, done = _pieces(surface, volume, material)
    except (ImportError, ValueError) as error:
        fix = "" if material.hull else "use its hull instead"
        return FoundSolids(findings=(Finding(306, Severity.ERROR, where, f"is not convex; {error}", fix),))
    excess = sum(piece.volume for piece in pieces) / volume - 1.0
    severity = Severity.NOTE if abs(excess) < 0.01 else Severity.WARNING
    finding = Finding(310, severity, where, f"{done}; volume {excess:+.2%}")
    return FoundSolids(tuple(_subitem(piece, material) for piece in pieces), findings=(finding,))


def _pieces(surface: Mesh, volume: float, material: Material) -> tuple[tuple[Polyhedron, ...], str]:
    """Return convex pieces for a surface that is not convex, and a description of the method."""
    hull = convex_hull(surface.vertices)
    if material.hull:
        return (hull,), "is not convex and was replaced by its hull"
    if hull.volume < volume * (1.0 + _ALMOST_CONVEX):
        return (hull,), "is almost convex and was replaced by its hull"
    exact = cut_into_slabs(surface)
    if exact is not None:
        return exact.pieces, f"is not convex and was cut into {len(exact.pieces)} convex pieces, exactly"
    pieces = decompose(surface, material.tolerance).pieces
    return pieces, f"is not convex and was cut into {len(pieces)} convex pieces within {material.tolerance:g}"


def _subitem(shape: Polyhedron, material: Material) -> Subitem:
    return Subitem(shape, material.colour, material.density)


def _findings(flaws: Sequence[FoundFlaw], where: str, *, repaired: bool) -> tuple[Finding, ...]:
    return tuple(flaw_finding(flaw, where, repaired=repaired) for flaw in flaws)


def _joined(solids: Sequence[FoundSolids]) -> FoundSolids:
    return FoundSolids(
        tuple(subitem for solid in solids for subitem in solid.subitems),
        findings=tuple(finding for solid in solids for finding in solid.findings),
    )


def _separate_solids(
    polygons: Sequence[Floats], tolerance: float, material: Material, where: str
) -> FoundSolids | None:
    """Return the solids if the polygons are complete solids in sequence, each oriented outwards; otherwise None."""
    points, faces = _shared_corners(polygons, tolerance)
    runs = _closed_runs(faces)
    if runs is None:
        return None
    solids = []
    for number, run in enumerate(runs):
        used, renumbered = np.unique(np.concatenate([faces[n] for n in run]), return_inverse=True)
        counts = np.cumsum([len(faces[n]) for n in run[:-1]])
        shape, flaws = make_polyhedron(points[used], [face.tolist() for face in np.split(renumbered, counts)])
        if shape is not None and not flaws:
            solids.append(FoundSolids((_subitem(shape, material),)))
        elif shape is None and flaws[0].flaw is Flaw.NOT_CONVEX:
            # The weld also cuts faces that are not convex.
            welded = solids_from_polygons([polygons[n] for n in run], tolerance)
            if welded.open_bodies:
                return None
            source = f"{where}: solid {number}"
            solids.append(
                FoundSolids(findings=tuple(Finding(502, Severity.NOTE, source, repair) for repair in welded.repairs))
            )
            solids += [subitems_of_surface(body, material, source) for body in welded.bodies]
        else:
            return None
    return _joined(solids)


def _shared_corners(polygons: Sequence[Floats], tolerance: float) -> tuple[Floats, list[Ints]]:
    """Return each corner once, shape (V, 3), and the polygons as indices of corners."""
    corners = np.concatenate([np.empty((0, 3)), *polygons])
    grid = np.round(corners / tolerance) if tolerance > 0 else corners
    _, first, index = np.unique(grid, axis=0, return_index=True, return_inverse=True)
    ends = np.cumsum([len(polygon) for polygon in polygons])
    return corners[first], np.split(index.reshape(-1), ends[:-1]) if len(polygons) else []


def _closed_runs(faces: Sequence[Ints]) -> list[range] | None:
    """Return the runs of faces in which every edge has an even number of faces; None if some are left over."""
    runs = []
    start = 0
    single: set[tuple[int, int]] = set()
    for number, face in enumerate(faces):
        ring = face.tolist()
        single ^= {(min(edge), max(edge)) for edge in zip(ring, ring[1:] + ring[:1], strict=True)}
        if not single:
            runs.append(range(start, number + 1))
            start = number + 1
    return None if single else runs
