"""Planar faces of ACIS solids, which DXF stores as SAT or SAB data in 3DSOLID, BODY and REGION."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.contour import make_contour
from rck.geometry.partition import convex_polygons
from rck.geometry.transforms import apply, frame
from rck_importers.dxf.curve_rings import area_vector

_MAX_LINKS = 1_000_000
"""Maximum number of faces, loops or edges in one linked list; longer lists are cyclic."""


class CannotMesh(ValueError):
    """Error: the body cannot be converted to planar polygons; the message gives the reason."""


def loops_of(entity: Any) -> list[list[Floats]]:
    """Return the loops of each face of the entity's bodies, outer loop first. Shapes (K, 3), in drawing units."""
    from ezdxf.acis.api import AcisException, load_dxf
    from ezdxf.lldxf.const import DXFError

    try:
        bodies = load_dxf(entity)
        faces = [loops for body in bodies for loops in _faces_of(body)]
    except CannotMesh:
        raise
    except (AcisException, DXFError) as error:
        raise CannotMesh(f"its ACIS data cannot be read: {error or type(error).__name__}") from error
    except Exception as error:  # on damaged data the parser raises errors of any type
        raise CannotMesh(f"its ACIS data is damaged ({type(error).__name__})") from error
    if not faces:
        raise CannotMesh("it has no ACIS data" if not bodies else "its ACIS data has no faces")
    return faces


def _faces_of(body: Any) -> Iterator[list[Floats]]:
    matrix = np.eye(4) if body.transform.is_none else np.array(list(body.transform.matrix.rows())).T
    for lump in _follow_links(body.lump, "next_lump"):
        for shell in _follow_links(lump.shell, "next_shell"):
            if not shell.subshell.is_none:
                raise CannotMesh("its faces lie in subshells")
            for face in _follow_links(shell.face, "next_face"):
                if face.surface.type != "plane-surface":
                    raise CannotMesh("it has a curved face")
                yield [apply(matrix, _loop_corners(loop)) for loop in _follow_links(face.loop, "next_loop")]


def _follow_links(first: Any, link: str) -> Iterator[Any]:
    count = 0
    while not first.is_none:
        count += 1
        if count > _MAX_LINKS:
            raise CannotMesh("its ACIS data contains a cycle")
        yield first
        first = getattr(first, link)


def _loop_corners(loop: Any) -> Floats:
    corners: list[tuple[float, float, float]] = []
    coedge = loop.coedge
    while len(corners) < _MAX_LINKS:
        edge = coedge.edge
        if edge.is_none or edge.curve.type != "straight-curve":
            raise CannotMesh("it has a curved edge")
        vertex = edge.end_vertex if coedge.sense else edge.start_vertex
        x, y, z = vertex.point.location
        corners.append((x, y, z))
        coedge = coedge.next_coedge
        if coedge is loop.coedge:
            return np.array(corners, dtype=float)
        if coedge.is_none:
            raise CannotMesh("the boundary of a face is open")
    raise CannotMesh("its ACIS data contains a cycle")


def polygons_of(loops: list[Floats]) -> list[Floats]:
    """Return the face as polygons without holes: unchanged, or divided into convex polygons if it has holes."""
    if len(loops) == 1:
        return loops
    main, *holes = sorted(loops, key=lambda loop: -float(np.ptp(loop, axis=0).max()))
    plane = frame(main[0], area_vector(main))
    flat = [((loop - plane[:3, 3]) @ plane[:3, :3])[:, :2] for loop in (main, *holes)]
    tiles = convex_polygons(make_contour(flat[0], flat[1:]))
    return [apply(plane, np.c_[tile, np.zeros(len(tile))]) for tile in tiles]
