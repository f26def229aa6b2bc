"""Thread symbols: arcs of three quarters of a circle round a hole (ISO 6410)."""

from collections.abc import Sequence
from math import radians

import numpy as np

from rck.geometry.arrays import lengths
from rck_importers.dxf.content import PlacedEntity
from rck_importers.dxf.curves import CircularRun, DrawingCurve

_SWEEP, _SLACK = radians(270), radians(20)
_LEAST_BORE = 0.6
"""Minimum diameter of the hole relative to its thread."""


def thread_symbols(curves: Sequence[PlacedEntity]) -> list[PlacedEntity]:
    """Return the arcs of three quarters of a circle that are concentric with a smaller circle."""
    circles, arcs = [], []
    for one in curves:
        curve = one.shape
        if isinstance(curve, DrawingCurve) and len(curve.runs) == 1 and isinstance(curve.runs[0], CircularRun):
            run = curve.runs[0]
            radius = float(np.sqrt(run.x @ run.x))
            if curve.closed:
                circles.append((*run.centre.tolist(), radius))
            elif abs(abs(run.end - run.start) - _SWEEP) < _SLACK:
                arcs.append((one, run.centre, radius))
    if not circles or not arcs:
        return []
    table = np.array(circles)
    return [
        one
        for one, centre, radius in arcs
        if (
            (lengths(table[:, :3] - centre) <= 0.01 * radius)
            & (table[:, 3] < radius)
            & (table[:, 3] > _LEAST_BORE * radius)
        ).any()
    ]
