"""Conversion of the lines of a link drawing to the solids that they outline."""

import numpy as np

from rck.geometry.arrays import Floats, extent
from rck.geometry.polyhedron import convex_hull
from rck.importing.convex_pieces import SAME_CORNER
from rck.importing.file_errors import NotOfFormat
from rck.model import Finding, Severity, Subitem
from rck.model.surface_subitems import Material, subitems_of_polygons
from rck.support.finding import errors_of
from rck_importers.robosim.link_file import MOVE


def solids_of(vectors: Floats, density: float, where: str) -> tuple[list[Subitem], list[Finding]]:
    """Build subitems from vectors of shape (n, 4), in metres: closed loops are faces, closed surfaces are solids.

    Lines and faces that form no solid become the convex hull of their points, if it has a volume.
    """
    if not len(vectors):
        return [], []
    tolerance = SAME_CORNER * extent(vectors[:, :3])
    faces, loose_points = _loops(vectors, tolerance)
    solids = subitems_of_polygons(faces, tolerance, Material(density), where)
    if errors := errors_of(solids.findings):
        raise NotOfFormat(errors[0])
    subitems, findings = list(solids.subitems), list(solids.findings)
    clouds = [surface.vertices for surface in solids.open_surfaces]
    if len(loose_points):
        clouds.append(loose_points)
    for cloud in clouds:
        hull, finding = _hull(cloud, density, where)
        subitems += hull
        findings.append(finding)
    return subitems, findings


def _loops(vectors: Floats, tolerance: float) -> tuple[list[Floats], Floats]:
    """Return the closed loops as polygons, and the points of all other lines. Shapes (k, 3) and (n, 3)."""
    faces, loose = [], [np.empty((0, 3))]
    for line in np.split(vectors, np.flatnonzero(vectors[1:, 3] == MOVE) + 1):
        points = line[:, :3]
        if len(points) > 3 and np.abs(points[0] - points[-1]).max() <= tolerance:
            faces.append(points[:-1])
        else:
            loose.append(points)
    return faces, np.concatenate(loose)


def _hull(points: Floats, density: float, where: str) -> tuple[list[Subitem], Finding]:
    try:
        shape = convex_hull(points)
    except ValueError:
        message = f"{len(points)} points of lines that enclose no volume were ignored"
        return [], Finding(310, Severity.NOTE, where, message)
    message = f"lines that form no closed solid were replaced by the convex hull of their {len(points)} points"
    return [Subitem(shape, density=density)], Finding(310, Severity.WARNING, where, message)
