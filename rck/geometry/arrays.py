"""Array types for signatures, read-only arrays, and vector algebra on the rows of arrays.

A part has about ten vertices. For such small arrays, `cross`, `dot` and `lengths` are faster than those of NumPy, which
spend most of their time on checking arguments.
"""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Point: TypeAlias = tuple[float, float, float]

_Array = TypeVar("_Array", NDArray[np.float64], NDArray[np.int64])

_NEXT_AXIS = np.array([1, 2, 0])


def frozen(array: _Array) -> _Array:
    """Return the array, contiguous and read-only, so that it cannot change."""
    fixed = np.ascontiguousarray(array)
    if fixed is array or fixed.base is not None:
        fixed = fixed.copy()
    fixed.setflags(write=False)
    return fixed


def as_point(numbers: Iterable[float]) -> Point:
    """Convert three numbers to a tuple of floats, which can be compared and encoded."""
    x, y, z = numbers
    return float(x), float(y), float(z)


def cross(a: Floats, b: Floats) -> Floats:
    """Return the cross product of each row of `a` with the same row of `b`. Shape (N, 3)."""
    rolled = a * b.take(_NEXT_AXIS, axis=1) - a.take(_NEXT_AXIS, axis=1) * b
    return rolled.take(_NEXT_AXIS, axis=1)


def dot(a: Floats, b: Floats) -> Floats:
    """Return the dot product of each row of `a` with the same row of `b`. Shape (N,)."""
    products: Floats = np.einsum("ij,ij->i", a, b)
    return products


def lengths(a: Floats) -> Floats:
    """Return the length of each row. Shape (N,)."""
    return np.sqrt(dot(a, a))


def extent(points: Floats) -> float:
    """Return the longest side of the axis-aligned bounding box of the points."""
    return float((points.max(axis=0) - points.min(axis=0)).max())
