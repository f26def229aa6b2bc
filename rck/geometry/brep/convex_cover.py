"""Convex pieces of lumps that follow from their faces: hulls, prisms and solids of revolution."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.prisms import BrepPrism, find_prism
from rck.geometry.brep.revolutions import find_revolution
from rck.geometry.brep.tessellation import LumpMesh
from rck.geometry.brep.topology import FaceLoop, Lump
from rck.geometry.contour import contours_from_rings
from rck.geometry.decomposition import ALMOST_CONVEX
from rck.geometry.partition import convex_polygons
from rck.geometry.polyhedron import convex_hull
from rck.geometry.transforms import frame

_MOST_PIECES = 1_000


@dataclass(frozen=True, eq=False)
class ConvexCover:
    """Convex pieces of a lump."""

    how: Literal["hull", "prism", "revolution"]
    clouds: tuple[Floats, ...]
    """Corners of each piece. Shapes (N, 3)."""


def find_convex_cover(lump: Lump, mesh: LumpMesh, deviation: float) -> ConvexCover | None:
    """Return convex pieces of a closed lump whose shape allows it; None for any other lump."""
    volume = mesh.moments.volume
    try:
        hull = convex_hull(mesh.mesh.vertices)
    except ValueError:
        return None
    if hull.volume <= volume * (1.0 + ALMOST_CONVEX):
        return ConvexCover("hull", (hull.vertices,))
    prism = find_prism(lump)
    clouds = _prism_clouds(prism, deviation) if prism is not None else None
    if clouds is not None:
        return ConvexCover("prism", clouds)
    revolution = find_revolution(lump, mesh, deviation)
    pieces = revolution.pieces(np.eye(4), deviation) if revolution is not None else None
    return None if pieces is None else ConvexCover("revolution", tuple(piece.vertices for piece in pieces))


def _prism_clouds(prism: BrepPrism, deviation: float) -> tuple[Floats, ...] | None:
    rings = [_ring(loop, deviation) for loop in prism.base.loops]
    flat = frame(rings[0][0], prism.normal)
    try:
        contours = contours_from_rings([((ring - flat[:3, 3]) @ flat[:3, :3])[:, :2] for ring in rings])
        sections = [section for contour in contours for section in convex_polygons(contour)]
    except ValueError:
        return None
    if len(sections) > _MOST_PIECES:
        return None
    clouds = []
    for section in sections:
        low = flat[:3, 3] + section @ flat[:3, :2].T
        clouds.append(np.concatenate([low, low + prism.sweep]))
    return tuple(clouds)


def _ring(loop: FaceLoop, deviation: float) -> Floats:
    """Return points along a loop; the first is not repeated. Shape (N, 3)."""
    parts = []
    for coedge in loop.coedges:
        edge = coedge.edge
        if edge.curve is None:
            continue
        start, end = edge.curve.span(edge.start.point, edge.end.point, edge.start is edge.end, edge.is_reversed)
        points = edge.curve.evaluate(edge.curve.steps(start, end, deviation))
        parts.append((points[::-1] if coedge.is_reversed else points)[:-1])
    return np.concatenate(parts)
