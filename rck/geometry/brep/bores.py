"""Round through holes of lumps: concave cylinders on one axis, open at both ends."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.curves import Ellipse
from rck.geometry.brep.surfaces import ConeSurface, PlaneSurface
from rck.geometry.brep.topology import Edge, Face, Lump

_SAME_DIRECTION = 1e-7
_SAME_AXIS = 1e-6
"""Maximum distance between equal axes, as a fraction of the radius."""


@dataclass(frozen=True, eq=False)
class Bore:
    """A round hole through a lump."""

    start: Floats
    """Centre of one end. Shape (3,)."""
    end: Floats
    """Centre of the other end. Shape (3,)."""
    radius: float
    """Radius of its narrowest cylinder."""


@dataclass(frozen=True, eq=False)
class _Hole:
    """A concave cylinder all round its axis."""

    surface: ConeSurface
    rims: tuple[Edge, Edge]

    @property
    def centres(self) -> Floats:
        """Centres of its ends. Shape (2, 3)."""
        return np.array([rim.curve.centre for rim in self.rims if isinstance(rim.curve, Ellipse)])


def find_bores(lump: Lump) -> list[Bore]:
    """Return the round through holes; the cylinders of a counterbored hole are one, with the smallest radius."""
    holes = [hole for face in lump.faces if (hole := _hole_of(face)) is not None]
    closed = {id(coedge.edge) for face in lump.faces if _is_disc(face) for coedge in face.loops[0].coedges}
    bores = []
    while holes:
        first = holes.pop()
        group = [first, *(hole for hole in holes if _is_coaxial(hole, first))]
        holes = [hole for hole in holes if not _is_coaxial(hole, first)]
        ends = [(float((centre - first.surface.centre) @ first.surface.axis), centre, rim)
                for hole in group for centre, rim in zip(hole.centres, hole.rims, strict=True)]  # fmt: skip
        ends.sort(key=lambda end: end[0])
        if id(ends[0][2]) not in closed and id(ends[-1][2]) not in closed:
            narrow = min(group, key=lambda hole: hole.surface.radius)
            bores.append(Bore(ends[0][1], ends[-1][1], narrow.surface.radius))
    return bores[::-1]


def _hole_of(face: Face) -> _Hole | None:
    """Return a face as a hole if it is a circular cylinder seen from inside, between two circles."""
    surface = face.surface
    if not isinstance(surface, ConeSurface) or abs(surface.slope) > _SAME_DIRECTION or not surface.is_circular:
        return None
    if surface.turned == face.is_reversed or len(face.loops) != 2:
        return None
    rims = [coedge.edge for loop in face.loops for coedge in loop.coedges]
    if len(rims) != 2 or not all(isinstance(rim.curve, Ellipse) and rim.start is rim.end for rim in rims):
        return None
    return _Hole(surface, (rims[0], rims[1]))


def _is_disc(face: Face) -> bool:
    """Return True for a plane face inside one circle: the bottom of a blind hole, or the end of a shaft."""
    return isinstance(face.surface, PlaneSurface) and len(face.loops) == 1 and len(face.loops[0].coedges) == 1


def _is_coaxial(one: _Hole, other: _Hole) -> bool:
    axis = other.surface.axis
    if lengths(np.cross(one.surface.axis, axis)[None])[0] > _SAME_DIRECTION:
        return False
    away = np.cross(one.surface.centre - other.surface.centre, axis)
    return bool(lengths(away[None])[0] <= _SAME_AXIS * other.surface.radius)
