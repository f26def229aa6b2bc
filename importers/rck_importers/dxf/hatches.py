"""Boundaries of hatches as curves, for drawings that consist of filled areas only."""

from collections.abc import Iterator
from math import radians, tau
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck_importers.dxf.curves import CircularRun, DrawingCurve, Run, SmoothRun, StraightRun, bulged, circular

_FLATTENING = 1e-4
"""Deviation of flattened splines and ellipses, relative to their size."""


def hatch_curves(entity: Any, world_from_ocs: Floats) -> Iterator[DrawingCurve]:
    """Yield the boundaries of a hatch; `world_from_ocs` has shape (3, 3)."""
    matrix = np.eye(4)
    matrix[:3, :3] = world_from_ocs
    matrix[:3, 3] = world_from_ocs[:, 2] * float(tuple(entity.dxf.get("elevation", (0.0, 0.0, 0.0)))[2])
    normal = world_from_ocs[:, 2]
    for path in entity.paths:
        if hasattr(path, "vertices"):
            rows = [(float(x), float(y), float(bulge)) for x, y, bulge in path.vertices]
            runs = bulged([row[:2] for row in rows], [row[2] for row in rows], closed=True)
            yield DrawingCurve(tuple(run.moved(matrix) for run in runs), True, np.zeros(3), normal)
            continue
        for edge in path.edges:
            run = _edge_run(edge)
            if run is not None:
                closed = isinstance(run, CircularRun) and abs(abs(run.end - run.start) - tau) < 1e-9
                yield DrawingCurve((run.moved(matrix),), closed, np.zeros(3), normal)


def _edge_run(edge: Any) -> Run | None:
    if hasattr(edge, "radius"):
        centre = np.array([float(edge.center[0]), float(edge.center[1]), 0.0])
        x, y = np.array([float(edge.radius), 0.0, 0.0]), np.array([0.0, float(edge.radius), 0.0])
        return circular(centre, x, y, radians(edge.start_angle), radians(edge.end_angle))
    if hasattr(edge, "start") and hasattr(edge, "end"):
        ends = np.array([(*tuple(edge.start)[:2], 0.0), (*tuple(edge.end)[:2], 0.0)], dtype=float)
        return StraightRun(ends) if (ends[0] != ends[1]).any() else None
    tool = edge.construction_tool()
    size = max(float(np.ptp(np.array([tuple(point) for point in tool.flattening(1.0)]), axis=0).max()), 1e-9)
    return SmoothRun(np.array([(*tuple(point)[:2], 0.0) for point in tool.flattening(_FLATTENING * size)]))
