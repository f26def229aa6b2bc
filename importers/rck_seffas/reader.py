"""Reading a polygon file: one item, its solids welded from the polygons (SEEDS A3)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.weld import WeldResult, solids_from_polygons
from rck.hooks import Imported, Job, Values
from rck.hooks.number_file import LARGEST, NotOfFormat, Tokens, load, name_of, refused, units_per_metre
from rck.model import Finding, Robot, Severity, Subitem, build_item, build_robot
from rck.model.surface import subitems_of_surface
from rck_seffas.polygons import Polygon, parse, split_tokens

_WELD = 1e-6
"""Corners nearer than this share of the whole size are the same corner."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """A robot of one item, or one error that names the place."""
    try:
        density = float(values.get("density", 1000.0))
        if not 0 < density <= LARGEST:
            raise refused(path.name, f"the density {density:g} kg/m3 is not possible", code=407)
        per_metre = units_per_metre(values, "mm")
        tokens = split_tokens(path.name, load(path))
        polygons, findings = parse(tokens)
        job.progress(0.3, "solids")
        welded = _weld(tokens, polygons, per_metre)
        findings += [Finding(502, Severity.WARNING, path.name, repair) for repair in welded.repairs]
        subitems, noticed = _subitems(tokens, welded, density, hull=bool(values.get("hull", False)), job=job)
        robot = _robot(tokens, name_of(path), subitems)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    message = f"the density {density:g} kg/m3 was assumed for every solid"
    assumed = Finding(408, Severity.NOTE, path.name, message, "give it with the option density")
    return Imported(robot, findings=(*findings, *noticed, assumed))


def _weld(tokens: Tokens, polygons: Sequence[Polygon], per_metre: float) -> WeldResult:
    """The solids; a surface that encloses nothing is refused."""
    faces = [facing_its_normals(polygon) / per_metre for polygon in polygons]
    size = float(np.ptp(np.concatenate(faces), axis=0).max())
    welded = solids_from_polygons(faces, tolerance=_WELD * size)
    if welded.open_bodies:
        surface, why = welded.open_bodies[0], welded.why_open[0]
        corner = ", ".join(f"{x * per_metre:g}" for x in surface.vertices[0])
        more = f"; {len(welded.open_bodies) - 1} more are open" if len(welded.open_bodies) > 1 else ""
        message = f"the surface at {corner} ({len(surface.faces)} polygons) is open: {why}{more}"
        raise refused(tokens.name, message, code=304)
    if not welded.bodies:
        raise refused(tokens.name, "the polygons enclose no solid", code=305)
    return welded


def facing_its_normals(polygon: Polygon) -> Floats:
    """The vertices, run counter-clockwise as seen from where the normals point. Shape (n, 3)."""
    spokes = polygon.vertices - polygon.vertices[0]
    area = np.cross(spokes[:-1], spokes[1:]).sum(axis=0)
    return polygon.vertices[::-1] if area @ polygon.normals.sum(axis=0) < 0 else polygon.vertices


def _subitems(
    tokens: Tokens, welded: WeldResult, density: float, *, hull: bool, job: Job
) -> tuple[list[Subitem], list[Finding]]:
    subitems: list[Subitem] = []
    findings: list[Finding] = []
    for number, body in enumerate(welded.bodies):
        job.progress(0.5 + 0.5 * number / len(welded.bodies), "solids")
        built = subitems_of_surface(body, density=density, hull=hull, where=f"{tokens.name}: solid {number}")
        if built.value is None:
            raise NotOfFormat(built.findings[0])
        subitems += built.value
        findings += built.findings
    return subitems, findings


def _robot(tokens: Tokens, name: str, subitems: Sequence[Subitem]) -> Robot:
    item, _ = tokens.accept(build_item(name, subitems), 0)
    robot, _ = tokens.accept(build_robot(name, [item]), 0)
    return robot
