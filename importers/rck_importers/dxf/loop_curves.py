"""Curves of a drawing from the loops of plane faces."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.curves import Ellipse, Spline
from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.topology import Coedge, Edge, FaceLoop
from rck_importers.dxf.curves import CircularRun, DrawingCurve, Run, SmoothRun, StraightRun

_SPLINE_POINTS = 64
"""Number of points on one edge that is a spline."""


def loop_curve(loop: FaceLoop, sweep: Floats, normal: Floats) -> DrawingCurve:
    """Return a loop of a plane face as a closed curve."""
    runs = tuple(_run(coedge) for coedge in loop.coedges if coedge.edge.curve is not None)
    if not runs:
        raise BrepError("a face has a boundary without length")
    return DrawingCurve(runs, True, sweep, normal)


def _run(coedge: Coedge) -> Run:
    edge, curve = coedge.edge, coedge.edge.curve
    if isinstance(curve, Ellipse):
        start, end = _span(edge, curve)
        first, last = (end, start) if coedge.is_reversed else (start, end)
        return CircularRun(curve.centre, curve.x, curve.y, first, last)
    if isinstance(curve, Spline):
        start, end = _span(edge, curve)
        count = _SPLINE_POINTS * max(1, len(curve.curve.axis.spans) // 8)
        points = curve.evaluate(np.linspace(start, end, count + 1))
        return SmoothRun(points[::-1] if coedge.is_reversed else points)
    ends = np.array([edge.start.point, edge.end.point])
    return StraightRun(ends[::-1] if coedge.is_reversed else ends)


def _span(edge: Edge, curve: Ellipse | Spline) -> tuple[float, float]:
    return curve.span(edge.start.point, edge.end.point, edge.start is edge.end, edge.is_reversed)
