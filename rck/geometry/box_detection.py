"""Detection of boxes among convex polyhedra."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, cross, extent, frozen
from rck.geometry.polyhedron import Polyhedron

# Largest distance of a vertex from the corner of the box, as a fraction of its size.
_EXACT = 1e-9
# Largest difference from 0 or 1 of the cosine between faces of a box; the corners decide.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Box:
    """A cuboid, centred at the origin of its frame."""

    sides: Floats
    """Along its own x, y and z. Shape (3,), in metres."""
    pose: Floats
    """From the box's frame, at its centre, to that of the shape. Shape (4, 4)."""


def box_of(shape: Polyhedron) -> Box | None:
    """Return the polyhedron as a box, its axes as close as possible to those of the frame; None if it is not a box."""
    if len(shape.vertices) != 8:
        return None
    normals = shape.planes[:, :3]
    x_axis = _along(normals, 0)
    cosines = abs(normals @ x_axis)
    if (abs(cosines - np.round(cosines)) > _ROUNDING).any():
        return None
    across = normals[cosines < _EXACT]
    if not len(across):
        return None
    y_axis = _along(across, 1)
    turn = np.stack([x_axis, y_axis, cross(x_axis[None], y_axis[None])[0]], axis=1)
    seen = shape.vertices @ turn
    low, high = seen.min(axis=0), seen.max(axis=0)
    slack = _EXACT * extent(shape.vertices)
    # A vertex that is neither low nor high is not a corner. Eight different vertices that are corners are all corners.
    if not ((abs(seen - low) <= slack) | (abs(seen - high) <= slack)).all():
        return None
    pose = np.eye(4)
    pose[:3, :3] = turn
    pose[:3, 3] = turn @ ((low + high) / 2)
    return Box(frozen(high - low), frozen(pose))


def _along(normals: Floats, axis: int) -> Floats:
    """Return the normal that is closest to an axis of the frame, on its positive side. Shape (3,)."""
    chosen: Floats = normals[abs(normals[:, axis]).argmax()]
    return chosen if chosen[axis] >= 0 else -chosen
