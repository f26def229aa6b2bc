"""Joint axes from lines, circles and solids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.mass_properties import mass_properties
from rck.geometry.polyhedron import Polyhedron
from rck_importers.dxf.curves import CircularRun, DrawingCurve
from rck_importers.dxf.outlines import Outlines
from rck_importers.dxf.solids import SolidBody

_SAME_MOMENT = 1e-3
"""Relative tolerance within which principal moments are equal."""


@dataclass(frozen=True, eq=False)
class DrawingAxis:
    """A line segment. Shapes (3,), in metres."""

    start: Floats
    end: Floats

    @property
    def length(self) -> float:
        """Length in metres."""
        return float(lengths((self.end - self.start)[None])[0])

    def reversed(self) -> "DrawingAxis":
        """Return the axis in the opposite direction."""
        return DrawingAxis(self.end, self.start)


def axis_of_curve(curve: DrawingCurve) -> DrawingAxis | None:
    """Return the axis of a curve: a straight line itself, the normal at the centre of an arc, None for other curves."""
    points, _ = curve.divided(np.inf)
    if not curve.closed and len(curve.runs) == 1 and len(points) == 2:
        return DrawingAxis(points[0], points[1])
    arcs = [run for run in curve.runs if isinstance(run, CircularRun)]
    if not arcs or any(lengths((arc.centre - arcs[0].centre)[None])[0] > 1e-6 * _radius(arcs[0]) for arc in arcs):
        return None
    centre = arcs[0].centre
    if curve.sweep.any():
        return DrawingAxis(centre, centre + curve.sweep)
    normal = curve.normal / lengths(curve.normal[None])[0]
    return DrawingAxis(centre - normal * _radius(arcs[0]), centre + normal * _radius(arcs[0]))


def _radius(arc: CircularRun) -> float:
    return float(lengths(arc.x[None])[0])


def axes_of_outlines(outlines: Outlines) -> list[DrawingAxis]:
    """Return an axis normal to each outline, through the centre of its bounding box."""
    axes = []
    for component in outlines.components:
        sources = outlines.sources_of(component.outer)
        points = outlines.in_space(component.outer.points)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        sweep = next((path.sweep for path in sources if path.sweep.any()), None)
        if sweep is not None:
            axes.append(DrawingAxis(middle, middle + sweep))
        else:
            reach = outlines.plane.world_from_plane[:3, 2] * float(np.ptp(points, axis=0).max()) / 2
            axes.append(DrawingAxis(middle - reach, middle + reach))
    return axes


def major_axis(body: SolidBody) -> DrawingAxis | None:
    """Return the symmetry axis of a round solid, else its longest principal axis; None if no axis stands out.

    A round solid (rod or disc) has two equal principal moments; the third belongs to its axis.
    """
    solid = mass_properties(body.moments, 1.0)
    values, vectors = np.linalg.eigh(solid.inertia)
    low, middle, high = values.tolist()
    alike_low, alike_high = middle - low < _SAME_MOMENT * high, high - middle < _SAME_MOMENT * high
    if alike_low and alike_high:
        return None
    direction = vectors[:, 2] if alike_low else vectors[:, 0]
    # Prefer the positive direction of the dominant world axis.
    if direction[int(np.abs(direction).argmax())] < 0:
        direction = -direction
    heights = np.concatenate([(shape.vertices - solid.centre) @ direction for shape in body.shapes])
    return DrawingAxis(solid.centre + direction * heights.min(), solid.centre + direction * heights.max())


def touches(axis: DrawingAxis, marks: Sequence[Polyhedron], shapes: Iterable[Polyhedron], tolerance: float) -> bool:
    """Return True if the axis, or the solid that marks it, is within the tolerance of one of the shapes."""
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
    """Return True if one of the segments, shape (N, 2, 3), enters the planes offset outward by the tolerance."""
    starts = segments[:, 0] @ planes[:, :3].T - planes[:, 3] - tolerance
    ends = segments[:, 1] @ planes[:, :3].T - planes[:, 3] - tolerance
    with np.errstate(divide="ignore", invalid="ignore"):
        share = starts / (starts - ends)
    enters = np.where((starts > 0) & (ends <= 0), share, np.where((starts > 0) & (ends > 0), 2.0, 0.0)).max(axis=1)
    leaves = np.where((starts <= 0) & (ends > 0), share, 1.0).min(axis=1)
    return bool((enters <= leaves).any())
