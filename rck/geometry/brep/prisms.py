"""Recognition of prisms: a flat outline with holes, extruded at a right angle. They need no triangles to stay exact."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.curves import Straight
from rck.geometry.brep.surfaces import ConeSurface, PlaneSurface, SplineSurface
from rck.geometry.brep.topology import Face, Lump

_SAME_DIRECTION = 1e-7
"""Maximum sine of the angle between parallel directions."""
_SAME_PLACE = 1e-6
"""Maximum distance of equal heights, as a fraction of the height of the prism."""


@dataclass(frozen=True, eq=False)
class BrepPrism:
    """A plane face and the vector along which it is extruded to the opposite face."""

    base: Face
    normal: Floats
    """Unit normal of the plane of the base, on either side. Shape (3,)."""
    sweep: Floats
    """Parallel to the normal. Shape (3,)."""

    def is_upright(self, matrix: Floats) -> bool:
        """Return True if it is still extruded at a right angle after an affine map."""
        turn = matrix[:3, :3]
        # Plane normals transform by the cofactor matrix.
        normal, sweep = np.linalg.det(turn) * np.linalg.inv(turn).T @ self.normal, turn @ self.sweep
        size = np.sqrt((normal @ normal) * (sweep @ sweep))
        return bool(lengths(np.cross(normal, sweep)[None])[0] <= _SAME_DIRECTION * size)


def find_prism(lump: Lump) -> BrepPrism | None:
    """Return a lump as a prism if it is one with round sides or holes; None for every other lump."""
    planes = [(face, face.surface) for face in lump.faces if isinstance(face.surface, PlaneSurface)]
    is_curved = len(planes) < len(lump.faces)
    for place, (bottom, plane) in enumerate(planes):
        if not (is_curved or len(bottom.loops) > 1) or not bottom.loops:
            continue
        for top, other in planes[place + 1 :]:
            height = float((other.origin - plane.origin) @ plane.normal)
            if height == 0 or len(top.loops) != len(bottom.loops):
                continue
            if _is_parallel(other.normal, plane.normal) and _is_prism(lump, bottom, top, plane, height):
                return BrepPrism(bottom, plane.normal, plane.normal * height)
    return None


def _is_prism(lump: Lump, bottom: Face, top: Face, plane: PlaneSurface, height: float) -> bool:
    """Return True if all other faces and their edges are parallel to the normal of the lower face."""
    sides = [face for face in lump.faces if face is not bottom and face is not top]
    if not sides or not all(_is_along(face, plane.normal) for face in sides):
        return False
    tolerance = _SAME_PLACE * abs(height)
    rims = {id(coedge.edge) for face in (bottom, top) for loop in face.loops for coedge in loop.coedges}
    for face in sides:
        for loop in face.loops:
            for coedge in loop.coedges:
                edge = coedge.edge
                if id(edge) in rims:
                    continue
                if not isinstance(edge.curve, Straight) or not _is_parallel(edge.curve.direction, plane.normal):
                    return False
                ends = np.array([edge.start.point, edge.end.point]) - plane.origin
                heights = np.sort(ends @ plane.normal)
                if np.abs(heights - np.sort([0.0, height])).max() > tolerance:
                    return False
    return True


def _is_along(face: Face, direction: Floats) -> bool:
    """Return True if a face consists of straight lines in this direction."""
    surface = face.surface
    if isinstance(surface, PlaneSurface):
        return bool(abs(surface.normal @ direction) <= _SAME_DIRECTION)
    if isinstance(surface, ConeSurface):
        return abs(surface.slope) <= _SAME_DIRECTION and _is_parallel(surface.axis, direction)
    if isinstance(surface, SplineSurface):
        return any(_is_ruled(points, direction) for points in (surface.grid.points, _across(surface.grid.points)))
    return False


def _across(points: Floats) -> Floats:
    return points.transpose(1, 0, 2)


def _is_ruled(points: Floats, direction: Floats) -> bool:
    """Return True if all rows of control points, shape (U, V, 4), follow from the first by shifts along a direction."""
    places = points[..., :3] / points[..., 3:]
    shifts = (places - places[:1])[1:].reshape(-1, 3)
    rows = (places - places[:1])[1:]
    size = float(np.ptp(places.reshape(-1, 3), axis=0).max())
    same_shift = np.abs(rows - rows[:, :1]).max(initial=0.0) <= 1e-6 * size
    sideways = shifts - (shifts @ direction)[:, None] * direction
    same_weights = np.abs(points[..., 3] - points[:1, :, 3]).max() <= 1e-9 * np.abs(points[..., 3]).max()
    return bool(same_shift and same_weights and np.abs(sideways).max(initial=0.0) <= 1e-6 * size)


def _is_parallel(one: Floats, other: Floats) -> bool:
    """Return True if two unit vectors have the same or opposite directions."""
    return bool(lengths(np.cross(one, other)[None])[0] <= _SAME_DIRECTION)
