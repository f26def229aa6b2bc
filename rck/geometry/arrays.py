"""Names for the array types that appear in signatures."""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Point: TypeAlias = tuple[float, float, float]

_Array = TypeVar("_Array", NDArray[np.float64], NDArray[np.int64])


def frozen(array: _Array) -> _Array:
    """The array, contiguous and read-only, so that a value that holds it cannot change."""
    fixed = np.ascontiguousarray(array)
    if fixed is array or fixed.base is not None:
        fixed = fixed.copy()
    fixed.setflags(write=False)
    return fixed


def as_point(numbers: Iterable[float]) -> Point:
    """Three numbers, of an array or not, as a value that can be compared and written."""
    x, y, z = numbers
    return float(x), float(y), float(z)
