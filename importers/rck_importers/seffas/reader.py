"""Reader of polygon files: one item whose solids are welded from the polygons."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, cross, extent
from rck.hooks import Imported, Job, Values
from rck.hooks.options import units_per_metre
from rck.importing.convex_pieces import SAME_CORNER
from rck.importing.file_errors import NotOfFormat, load, refused
from rck.importing.import_options import density_of
from rck.importing.legal_names import name_of
from rck.model import Finding, Item, PartDefinition, Severity
from rck.model.surface_subitems import FoundSolids, Material, subitems_of_polygons
from rck.support.finding import errors_of
from rck_importers.seffas.polygons import Polygon, parse, split_tokens


def read(path: Path, values: Values, job: Job) -> Imported:
    """Return a part of one item, or one error that names the line."""
    try:
        density = density_of(values)
        tokens = split_tokens(path.name, load(path))
        polygons, findings = parse(tokens, job)
        job.progress(0.5, "solids")
        material = Material(density, hull=bool(values.get("hull", False)))
        solids = _solids(polygons, units_per_metre(values, "mm"), material, path.name)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    message = f"the density {density:g} kg/m3 was assumed for every solid"
    assumed = Finding(408, Severity.NOTE, path.name, message, "set the option density")
    name = name_of(path)
    part = PartDefinition(name, (Item(name, tuple(solids.subitems)),))
    return Imported((part,), findings=(*findings, *solids.findings, assumed))


def _solids(polygons: Sequence[Polygon], per_metre: float, material: Material, name: str) -> FoundSolids:
    """Return the solids; an open surface is an error."""
    faces = [facing_its_normals(polygon) / per_metre for polygon in polygons]
    solids = subitems_of_polygons(faces, SAME_CORNER * extent(np.concatenate(faces)), material, name)
    if solids.open_surfaces:
        surface, why = solids.open_surfaces[0], solids.why_open[0]
        corner = ", ".join(f"{x * per_metre:g}" for x in surface.vertices[0])
        more = f"; {len(solids.open_surfaces) - 1} more are open" if len(solids.open_surfaces) > 1 else ""
        message = f"the surface at {corner} ({len(surface.faces)} polygons) is open: {why}{more}"
        raise refused(name, message, code=304)
    if errors := errors_of(solids.findings):
        raise NotOfFormat(errors[0])
    if not solids.subitems:
        raise refused(name, "the polygons enclose no solid", code=305)
    return solids


def facing_its_normals(polygon: Polygon) -> Floats:
    """Return the vertices in counter-clockwise order as seen from the side of the normals. Shape (n, 3)."""
    spokes = polygon.vertices - polygon.vertices[0]
    area = cross(spokes[:-1], spokes[1:]).sum(axis=0)
    return polygon.vertices[::-1] if area @ polygon.normals.sum(axis=0) < 0 else polygon.vertices
