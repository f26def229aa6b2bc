"""Primitives that MJCF fits to a mesh: a geom with a primitive type and a mesh."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mesh import joined_meshes
from rck.geometry.transforms import identity
from rck.importing.link_shapes import LinkShape


def fit(kind: str, shape: LinkShape, to_bounds: bool, scale: float) -> tuple[Floats, list[float]]:
    """Return mesh from primitive, shape (4, 4), and the sizes of a geom of this kind, as MuJoCo's compiler fits it.

    The primitive has the axes of the inertia ellipsoid of the mesh. Its size is that of the box with the same inertia,
    or with `to_bounds` that of the bounding box of the vertices along these axes.
    """
    solid = shape.solid
    moments, axes = np.linalg.eigh(solid.inertia)
    # The largest moment comes first, so the longest side is along z.
    moments, axes = moments[::-1], axes[:, ::-1].copy()
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    pose = identity()
    pose[:3, :3], pose[:3, 3] = axes, solid.centre
    if to_bounds:
        vertices = (joined_meshes([one.mesh for one in shape.surfaces]).vertices - solid.centre) @ axes
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        pose[:3, 3] += axes @ ((low + high) / 2)
        sizes = _bounding_sizes(kind, *((high - low) / 2).tolist())
    else:
        half = np.sqrt(np.maximum(moments.sum() - 2 * moments, 0.0) * 6 / solid.mass) / 2
        sizes = _inertial_sizes(kind, *half.tolist())
    return pose, [scale * size for size in sizes]


def _inertial_sizes(kind: str, x: float, y: float, z: float) -> list[float]:
    """Return the sizes for the half sides of the box with the inertia of the mesh."""
    radius = (x + y) / 2
    if kind == "sphere":
        return [(x + y + z) / 3]
    if kind == "capsule":
        return [radius, max(0.0, z - radius / 2)]
    return [radius, z] if kind == "cylinder" else [x, y, z]


def _bounding_sizes(kind: str, x: float, y: float, z: float) -> list[float]:
    """Return the sizes for the half sides of the bounding box."""
    if kind == "sphere":
        return [max(x, y, z)]
    if kind == "capsule":
        return [max(x, y), max(0.0, z - max(x, y))]
    return [max(x, y), z] if kind == "cylinder" else [x, y, z]
