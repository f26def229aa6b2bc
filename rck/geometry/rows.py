"""Vector algebra row by row on arrays of shape (N, 3).

A part has ten vertices, not ten thousand: numpy's own `cross` and `norm` spend most of their time on
deciding what they were asked. These do not ask.
"""

import numpy as np

from rck.geometry.arrays import Floats

_NEXT_AXIS = np.array([1, 2, 0])


def cross(a: Floats, b: Floats) -> Floats:
    """The cross product of each row of `a` with the same row of `b`. Shape (N, 3)."""
    rolled = a * b.take(_NEXT_AXIS, axis=1) - a.take(_NEXT_AXIS, axis=1) * b
    return rolled.take(_NEXT_AXIS, axis=1)


def dot(a: Floats, b: Floats) -> Floats:
    """The dot product of each row of `a` with the same row of `b`. Shape (N,)."""
    products: Floats = np.einsum("ij,ij->i", a, b)
    return products


def lengths(a: Floats) -> Floats:
    """The length of each row. Shape (N,)."""
    return np.sqrt(dot(a, a))


def extent(points: Floats) -> float:
    """The longest side of the box, along the axes, that holds the points."""
    return float((points.max(axis=0) - points.min(axis=0)).max())
