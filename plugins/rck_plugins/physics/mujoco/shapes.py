"""Detection of boxes, spheres and cylinders, which MuJoCo collides exactly, so that they roll."""

from dataclasses import dataclass
from math import pi
from typing import Literal

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.geometry.bounding_sphere import smallest_sphere
from rck.geometry.box_detection import box_of
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import frame, translation

DRAG = {"box": 1.05, "cylinder": 0.7, "sphere": 0.47}
"""Drag coefficients at Reynolds numbers from 1e3 to 2e5, relative to the frontal area.

A box with a face to the flow, a cylinder side-on (end-on it has 0.89), any side of a sphere. Sources: Hoerner,
Fluid-Dynamic Drag, 1965; White, Fluid Mechanics, table 7.3, for cylinders that are 1 to 5 diameters long.
"""
ROUNDNESS = 0.95
"""Least distance of the faces of a round polyhedron from its axis or centre, relative to the radius."""
_TOLERANCE = 1e-4
"""Tolerance of vertices, relative to the size."""


@dataclass(frozen=True, eq=False, slots=True)
class Primitive:
    """A box, sphere or cylinder, the cylinder along z."""

    kind: Literal["box", "cylinder", "sphere"]
    pose: Floats
    """Polyhedron from primitive. Shape (4, 4)."""
    size: tuple[float, float, float]
    """In metres: half the sides of a box; the radius of a sphere; the radius and half the length of a cylinder."""

    @property
    def blunt_drag(self) -> float:
        """The blunt drag coefficient of MuJoCo's ellipsoid model, per density, ellipse area and squared speed.

        Faces of a box and sides of a cylinder are 4 / pi times as large as the inscribed ellipse.
        """
        return DRAG[self.kind] / 2 * (1.0 if self.kind == "sphere" else 4 / pi)


def primitive_of(shape: Polyhedron) -> Primitive | None:
    """Return the primitive that a polyhedron is or approximates; None for any other shape."""
    found = box_of(shape)
    if found is not None:
        x, y, z = (found.sides / 2).tolist()
        return Primitive("box", found.pose, (x, y, z))
    return _cylinder(shape) or _sphere(shape)


def _cylinder(shape: Polyhedron) -> Primitive | None:
    sizes = np.diff(shape.face_offsets)
    end = int(sizes.argmax())
    if len(shape.vertices) != 2 * sizes[end]:
        return None
    pose = frame(shape.vertices.mean(axis=0), z=shape.planes[end, :3])
    local = (shape.vertices - pose[:3, 3]) @ pose[:3, :3]
    radii, heights = np.hypot(local[:, 0], local[:, 1]), np.abs(local[:, 2])
    radius, half = float(radii.max()), float(heights.max())
    sides = np.abs(shape.planes[:, :3] @ pose[:3, 2]) < 0.5
    if (radii < (1 - _TOLERANCE) * radius).any() or (heights < (1 - _TOLERANCE) * half).any():
        return None
    return Primitive("cylinder", pose, (radius, half, 0.0)) if _is_round(shape, pose, radius, sides) else None


def _sphere(shape: Polyhedron) -> Primitive | None:
    if len(shape.vertices) < 20:
        return None
    bounds = smallest_sphere(shape.vertices)
    radii = np.linalg.norm(shape.vertices - bounds.centre, axis=1)
    pose = translation(bounds.centre)
    whole = np.ones(len(shape.planes), dtype=bool)
    if (radii < (1 - _TOLERANCE) * bounds.radius).any() or not _is_round(shape, pose, bounds.radius, whole):
        return None
    return Primitive("sphere", pose, (bounds.radius, 0.0, 0.0))


def _is_round(shape: Polyhedron, pose: Floats, radius: float, faces: Bools) -> bool:
    """Return True if faces, a mask of shape (faces,), are about one radius from the origin of a pose."""
    planes = shape.planes[faces]
    return bool((planes[:, 3] - planes[:, :3] @ pose[:3, 3] >= ROUNDNESS * radius).all())
