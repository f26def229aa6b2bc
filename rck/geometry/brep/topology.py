"""Bodies as CAD systems describe them: lumps of shells of faces, which edges bound and surfaces carry."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.curves import Curve, Ellipse, Helix, Spline
from rck.geometry.brep.surfaces import FaceSurface


@dataclass(frozen=True, eq=False)
class Vertex:
    """A corner of a body."""

    point: Floats


@dataclass(frozen=True, eq=False)
class Edge:
    """A piece of a curve between two vertices; the same vertex twice for a ring."""

    start: Vertex
    end: Vertex
    curve: Curve | None
    """None for an edge without length, such as the apex of a cone."""
    is_reversed: bool
    """True if the edge runs against its curve."""


@dataclass(frozen=True, eq=False)
class Coedge:
    """The use of an edge by a face, which lies on its left."""

    edge: Edge
    is_reversed: bool

    @property
    def start(self) -> Vertex:
        """Vertex that it leaves."""
        return self.edge.end if self.is_reversed else self.edge.start


@dataclass(frozen=True, eq=False)
class FaceLoop:
    """A closed boundary of a face."""

    coedges: tuple[Coedge, ...]


@dataclass(frozen=True, eq=False)
class Face:
    """A part of a surface; without loops, the whole surface."""

    surface: FaceSurface
    is_reversed: bool
    """True if the face's normal is opposite to that of its surface."""
    loops: tuple[FaceLoop, ...]
    is_double: bool
    label: str


@dataclass(frozen=True, eq=False)
class Lump:
    """A connected part of a body: the faces of its outer shell and of the shells of its cavities."""

    faces: tuple[Face, ...]


@dataclass(frozen=True, eq=False)
class BrepBody:
    """A solid, sheet or region."""

    lumps: tuple[Lump, ...]
    matrix: Floats
    """Entity from body. Shape (4, 4)."""

    @property
    def faces(self) -> Iterator[Face]:
        """All faces."""
        return (face for lump in self.lumps for face in lump.faces)


def extreme_points(lump: Lump) -> Floats:
    """Return points whose bounding box holds the edges and whole surfaces of a lump. Shape (N, 3)."""
    points = []
    for face in lump.faces:
        for loop in face.loops:
            for coedge in loop.coedges:
                points += [coedge.edge.start.point, coedge.edge.end.point]
                curve = coedge.edge.curve
                if isinstance(curve, Ellipse):
                    points += [curve.centre + a * curve.x + b * curve.y for a in (-1, 1) for b in (-1, 1)]
                elif isinstance(curve, Spline):
                    points += list(curve.curve.points[:, :3] / curve.curve.points[:, 3:])
                elif isinstance(curve, Helix):
                    points += list(curve.evaluate(curve.steps(*curve.span(points[-2], points[-1], False, False), 1e-3)))
        if not face.loops and any(face.surface.periods):
            places = np.stack(np.meshgrid(*2 * [np.linspace(-pi, pi, 13)]), axis=-1).reshape(-1, 2)
            points += list(face.surface.evaluate(places))
    return np.array(points).reshape(-1, 3)
