"""How far polyhedra of primitives are from the round shapes that they stand for."""

import numpy as np

from rck.model import PrimitiveKind
from rck.model.item import Item
from rck.model.primitive import Primitive


def surface_offsets(primitive: Primitive, points: np.ndarray) -> np.ndarray:
    """Return how far points, shape (N, 3) in the frame of the primitive, are from its surface, in metres.

    For an ellipsoid it is a first-order estimate.
    """
    kind, sizes = primitive.kind, primitive.sizes
    if kind is PrimitiveKind.BOX:
        return np.abs(np.abs(points) - np.array(sizes) / 2).min(axis=1)
    if kind is PrimitiveKind.SPHERE:
        return np.abs(np.linalg.norm(points, axis=1) - sizes[0])
    if kind is PrimitiveKind.ELLIPSOID:
        return np.abs(np.linalg.norm(points / np.array(sizes), axis=1) - 1) * min(sizes)
    radius, length = sizes
    along = np.maximum(np.abs(points[:, 2]) - length / 2, 0.0)
    across = np.hypot(points[:, 0], points[:, 1])
    if kind is PrimitiveKind.CAPSULE:
        return np.abs(np.hypot(across, along) - radius)
    return np.maximum(np.abs(across - radius) * (along == 0), along)


def facet_gap(item: Item) -> float:
    """Return how far, at most, a round subitem of the item bulges beyond its polyhedron, in metres."""
    return max((_gap(one.primitive) for one in item.subitems if one.primitive is not None), default=0.0)


def _gap(primitive: Primitive) -> float:
    if primitive.kind is PrimitiveKind.BOX:
        return 0.0
    radius = max(primitive.sizes) if primitive.kind is PrimitiveKind.ELLIPSOID else primitive.sizes[0]
    # Facets of 24 sides, and of half as many rings: cos(pi / 24) ** 2 = 0.983.
    return 0.02 * radius
