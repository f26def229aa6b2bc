"""Detection of prisms, which ROBOSIM builds by extruding a polygon, among convex polyhedra."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, extent
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply, frame, invert

# Tolerance of the vertex positions of a prism, as a fraction of its size.
_EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class PrismShape:
    """A polygon in the xy plane of the prism frame, extruded along z by half the height in both directions."""

    contour: Floats
    """Counter-clockwise when seen from +z. Shape (n, 2)."""
    height: float
    pose: Floats
    """Shape from prism frame. Shape (4, 4)."""


def prism_of(shape: Polyhedron) -> PrismShape | None:
    """Return the polyhedron as a prism, with its axis as close to vertical as possible; None if it is not a prism."""
    corners = len(shape.vertices)
    if corners % 2 or len(shape.faces) != corners // 2 + 2:
        return None
    ends = [number for number, face in enumerate(shape.faces) if 2 * len(face) == corners]
    for number in sorted(ends, key=lambda end: (-shape.planes[end, 2::-1].round(9)).tolist()):
        found = _extruded(shape, list(shape.faces[number]), shape.planes[number, :3])
        if found is not None:
            return found
    return None


def _extruded(shape: Polyhedron, face: list[int], normal: Floats) -> PrismShape | None:
    """Return the prism with this face as its upper end, if the other vertices are the same polygon translated."""
    upper = shape.vertices[face]
    lower = np.delete(shape.vertices, face, axis=0)
    heights = (upper[0] - lower) @ normal
    slack = _EXACT * extent(shape.vertices)
    height = float(heights.mean())
    gaps = np.linalg.norm((upper - height * normal)[:, None] - lower, axis=2).min(axis=1)
    if np.ptp(heights) > slack or gaps.max() > slack:
        return None
    pose = frame(upper.mean(axis=0) - height / 2 * normal, z=normal)
    return PrismShape(apply(invert(pose), upper)[:, :2], height, pose)
