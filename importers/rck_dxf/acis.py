"""The flat faces of ACIS solids, which DXF keeps as SAT or SAB data inside 3DSOLID, BODY and REGION."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.contour import make_contour
from rck.geometry.partition import convex_polygons
from rck.geometry.transforms import apply, frame
from rck_dxf.chains import area_vector

_MOST_PARTS = 1_000_000
"""Faces, loops and edges of one body; more is a ring that never closes."""


class CannotMesh(ValueError):
    """The body has something that cannot be turned into flat polygons; the message says what."""


def loops_of(entity: Any) -> list[list[Floats]]:
    """Each face of the entity's bodies as its loops, the outer one first. Shapes (K, 3), in drawing units."""
    from ezdxf.acis.api import AcisException, load_dxf
    from ezdxf.lldxf.const import DXFError

    try:
        bodies = load_dxf(entity)
        faces = [loops for body in bodies for loops in _faces_of(body)]
    except CannotMesh:
        raise
    except (AcisException, DXFError) as error:
        raise CannotMesh(f"its ACIS data cannot be read: {error or type(error).__name__}") from error
    except Exception as error:  # the parser meets damaged data with whatever error comes first
        raise CannotMesh(f"its ACIS data is damaged ({type(error).__name__})") from error
    if not faces:
        raise CannotMesh("it has no ACIS data" if not bodies else "its ACIS data has no faces")
    return faces


def _faces_of(body: Any) -> Iterator[list[Floats]]:
    matrix = np.eye(4) if body.transform.is_none else np.array(list(body.transform.matrix.rows())).T
    for lump in _linked(body.lump, "next_lump"):
        for shell in _linked(lump.shell, "next_shell"):
            if not shell.subshell.is_none:
                raise CannotMesh("its faces lie in subshells")
            for face in _linked(shell.face, "next_face"):
                if face.surface.type != "plane-surface":
                    raise CannotMesh("it has a curved face")
                yield [apply(matrix, _loop(loop)) for loop in _linked(face.loop, "next_loop")]


def _linked(first: Any, link: str) -> Iterator[Any]:
    count = 0
    while not first.is_none:
        count += 1
        if count > _MOST_PARTS:
            raise CannotMesh("its ACIS data goes round in a ring")
        yield first
        first = getattr(first, link)


def _loop(loop: Any) -> Floats:
    corners: list[tuple[float, float, float]] = []
    coedge = loop.coedge
    while len(corners) < _MOST_PARTS:
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
            raise CannotMesh("the edge of a face is open")
    raise CannotMesh("its ACIS data goes round in a ring")


def polygons_of(loops: list[Floats]) -> list[Floats]:
    """The face as polygons without holes: itself, or the convex ones that it is cut into."""
    if len(loops) == 1:
        return loops
    main, *holes = sorted(loops, key=lambda loop: -float(np.ptp(loop, axis=0).max()))
    plane = frame(main[0], area_vector(main))
    flat = [((loop - plane[:3, 3]) @ plane[:3, :3])[:, :2] for loop in (main, *holes)]
    tiles = convex_polygons(make_contour(flat[0], flat[1:]))
    return [apply(plane, np.c_[tile, np.zeros(len(tile))]) for tile in tiles]
