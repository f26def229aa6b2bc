"""Recognising prisms, which ROBOSIM makes by extruding a polygon, among convex polyhedra."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.rows import extent
from rck.geometry.transforms import apply, frame, invert

# The corners of a prism are where its ends say, within this share of its size.
_EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class Prism:
    """A polygon in the xy plane of its own frame, extruded along z by half the height to both sides."""

    contour: Floats
    """Counter-clockwise as z sees it. Shape (n, 2)."""
    height: float
    pose: Floats
    """From the prism's frame to that of the shape. Shape (4, 4)."""


def prism_of(shape: Polyhedron) -> Prism | None:
    """The prism that the polyhedron is, standing as upright as it can; None if it is none."""
    corners = len(shape.vertices)
    if corners % 2 or len(shape.faces) != corners // 2 + 2:
        return None
    ends = [number for number, face in enumerate(shape.faces) if 2 * len(face) == corners]
    for number in sorted(ends, key=lambda end: (-shape.planes[end, 2::-1].round(9)).tolist()):
        found = _extruded(shape, list(shape.faces[number]), shape.planes[number, :3])
        if found is not None:
            return found
    return None


def _extruded(shape: Polyhedron, face: list[int], normal: Floats) -> Prism | None:
    """The prism with that face for its upper end, if the other corners are the same polygon further down."""
    upper = shape.vertices[face]
    lower = np.delete(shape.vertices, face, axis=0)
    heights = (upper[0] - lower) @ normal
    slack = _EXACT * extent(shape.vertices)
    height = float(heights.mean())
    gaps = np.linalg.norm((upper - height * normal)[:, None] - lower, axis=2).min(axis=1)
    if np.ptp(heights) > slack or gaps.max() > slack:
        return None
    pose = frame(upper.mean(axis=0) - height / 2 * normal, z=normal)
    return Prism(apply(invert(pose), upper)[:, :2], height, pose)
