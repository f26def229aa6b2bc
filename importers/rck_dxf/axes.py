"""Where joints turn or slide: axes from lines, circles and solids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass import mass_properties
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.rows import lengths
from rck_dxf.bodies import Body
from rck_dxf.chains import Ring, area_vector
from rck_dxf.curves import Arc, Curve

_SAME_MOMENT = 1e-3
"""Principal moments that differ by less than this share are the same."""


@dataclass(frozen=True, eq=False)
class Axis:
    """A stretch of a straight line. Shapes (3,), in metres."""

    start: Floats
    end: Floats

    @property
    def length(self) -> float:
        """In metres."""
        return float(lengths((self.end - self.start)[None])[0])

    def reversed(self) -> "Axis":
        """The other way."""
        return Axis(self.end, self.start)


def axis_of_curve(curve: Curve) -> Axis | None:
    """A straight line is its own axis; an arc turns about its centre; other curves have none."""
    points, _ = curve.divided(np.inf)
    if not curve.closed and len(curve.pieces) == 1 and len(points) == 2:
        return Axis(points[0], points[1])
    arcs = [piece for piece in curve.pieces if isinstance(piece, Arc)]
    if not arcs or any(lengths((arc.centre - arcs[0].centre)[None])[0] > 1e-6 * _radius(arcs[0]) for arc in arcs):
        return None
    centre = arcs[0].centre
    if curve.sweep.any():
        return Axis(centre, centre + curve.sweep)
    normal = curve.normal / lengths(curve.normal[None])[0]
    return Axis(centre - normal * _radius(arcs[0]), centre + normal * _radius(arcs[0]))


def _radius(arc: Arc) -> float:
    return float(lengths(arc.x[None])[0])


def axis_of_ring(ring: Ring) -> Axis:
    """Through the middle of what a ring goes round, square to it."""
    vector = area_vector(ring.points)
    normal = vector / lengths(vector[None])[0]
    middle = (ring.points.min(axis=0) + ring.points.max(axis=0)) / 2
    reach = float(np.ptp(ring.points, axis=0).max()) / 2
    return (
        Axis(middle, middle + ring.sweep)
        if ring.sweep.any()
        else Axis(middle - normal * reach, middle + normal * reach)
    )


def major_axis(body: Body) -> Axis | None:
    """The axis of symmetry of a round solid, else the one along which it is longest; None if there is no telling.

    A round solid has two equal principal moments; the third belongs to its axis, be it a rod or a disc.
    """
    solid = mass_properties(body.moments, 1.0)
    values, vectors = np.linalg.eigh(solid.inertia)
    low, middle, high = values.tolist()
    alike_low, alike_high = middle - low < _SAME_MOMENT * high, high - middle < _SAME_MOMENT * high
    if alike_low and alike_high:
        return None
    direction = vectors[:, 2] if alike_low else vectors[:, 0]
    # Along rather than against the world's axes.
    if direction[int(np.abs(direction).argmax())] < 0:
        direction = -direction
    heights = np.concatenate([(shape.vertices - solid.centre) @ direction for shape in body.shapes])
    return Axis(solid.centre + direction * heights.min(), solid.centre + direction * heights.max())


def touches(axis: Axis, marks: Sequence[Polyhedron], shapes: Iterable[Polyhedron], tolerance: float) -> bool:
    """Whether the axis, or the solid that marks it, comes within the tolerance of one of the shapes."""
    corners = np.concatenate([[axis.start, axis.end], *(mark.vertices for mark in marks)])
    low, high = corners.min(axis=0) - tolerance, corners.max(axis=0) + tolerance
    segments = np.array([[axis.start, axis.end]])
    if marks:
        segments = np.concatenate([segments, *(mark.vertices[mark.edges] for mark in marks)])
    for shape in shapes:
        if (shape.vertices.max(axis=0) < low).any() or (shape.vertices.min(axis=0) > high).any():
            continue
        if crosses(segments, shape.planes, tolerance):
            return True
        own = shape.vertices[shape.edges]
        if any(crosses(own, mark.planes, tolerance) for mark in marks):
            return True
    return False


def crosses(segments: Floats, planes: Floats, tolerance: float) -> bool:
    """Whether one of the segments, shape (N, 2, 3), has a point within the planes moved out by the tolerance."""
    starts = segments[:, 0] @ planes[:, :3].T - planes[:, 3] - tolerance
    ends = segments[:, 1] @ planes[:, :3].T - planes[:, 3] - tolerance
    with np.errstate(divide="ignore", invalid="ignore"):
        share = starts / (starts - ends)
    enters = np.where((starts > 0) & (ends <= 0), share, np.where((starts > 0) & (ends > 0), 2.0, 0.0)).max(axis=1)
    leaves = np.where((starts <= 0) & (ends > 0), share, 1.0).min(axis=1)
    return bool((enters <= leaves).any())
