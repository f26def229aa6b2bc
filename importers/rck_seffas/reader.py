"""Reading a polygon file: one item, its solids welded from the polygons."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.rows import cross, extent
from rck.hooks import Imported, Job, Values
from rck.hooks.numbers import units_per_metre
from rck.importing.convex import SAME_CORNER
from rck.importing.names import name_of
from rck.importing.refusals import NotOfFormat, load, refused
from rck.importing.settings import density_of
from rck.model import Finding, Severity, build_item, build_robot
from rck.model.finding import errors_of
from rck.model.surface import FoundSolids, Material, subitems_of_polygons
from rck_seffas.polygons import Polygon, parse, split_tokens


def read(path: Path, values: Values, job: Job) -> Imported:
    """A robot of one item, or one error that names the place."""
    try:
        density = density_of(values)
        tokens = split_tokens(path.name, load(path))
        polygons, findings = parse(tokens, job)
        job.progress(0.5, "solids")
        material = Material(density, hull=bool(values.get("hull", False)))
        solids = _solids(polygons, units_per_metre(values, "mm"), material, path.name)
        item, _ = tokens.accept(build_item(name_of(path), solids.subitems), 0)
        robot, _ = tokens.accept(build_robot(name_of(path), [item]), 0)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    message = f"the density {density:g} kg/m3 was assumed for every solid"
    assumed = Finding(408, Severity.NOTE, path.name, message, "give it with the option density")
    return Imported(robot, findings=(*findings, *solids.findings, assumed))


def _solids(polygons: Sequence[Polygon], per_metre: float, material: Material, name: str) -> FoundSolids:
    """The solids; a surface that encloses nothing is refused."""
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
    """The vertices, run counter-clockwise as seen from where the normals point. Shape (n, 3)."""
    spokes = polygon.vertices - polygon.vertices[0]
    area = cross(spokes[:-1], spokes[1:]).sum(axis=0)
    return polygon.vertices[::-1] if area @ polygon.normals.sum(axis=0) < 0 else polygon.vertices
