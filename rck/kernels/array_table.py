"""Arrays that a kernel finds by one number.

Numba takes a tenth of a microsecond to unpack each array argument, and queries of two items have a dozen. A table with
the addresses and shapes of arrays is made once; its own address is all that a call passes.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.kernels.body_tables import BODY, FRAME, Table
from rck.kernels.broad_phase import Bools
from rck.kernels.contact_cache import RECORD
from rck.kernels.hull_tables import HULL, ITEM_SPHERE
from rck.kernels.kernel import Floats, Ints, NumbaFunction, helper
from rck.kernels.support_sectors import Sectors

_COLUMNS = 4
_MOST_DIMENSIONS = _COLUMNS - 1
_MOST_ARRAYS = 64


class ArrayTable:
    """The addresses and shapes of some contiguous arrays, which it keeps alive."""

    __slots__ = ("_arrays", "_rows", "address")

    def __init__(self, *arrays: Any) -> None:
        rows = np.ones((_MOST_ARRAYS, _COLUMNS), np.int64)
        for row, array in zip(rows, arrays, strict=False):
            if not array.flags.c_contiguous or array.ndim > _MOST_DIMENSIONS:
                raise ValueError("a table needs contiguous arrays of at most three dimensions")
            row[0] = array.ctypes.data
            row[1 : 1 + array.ndim] = array.shape
        self._arrays = arrays
        self._rows = rows
        self.address: int = rows.ctypes.data
        """The memory address of the table, which kernels take."""

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy must have the addresses of its own arrays.
        return ArrayTable, self._arrays


def _make_pointer() -> Any:
    """Return numba's function that turns a number into a pointer."""
    from numba import config
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    if config.DISABLE_JIT:
        return lambda address: ctypes.c_void_p(int(address))

    @intrinsic  # type: ignore[untyped-decorator]
    def pointer(_: Any, address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], cgutils.voidptr_t)

        return types.voidptr(address), generate

    return pointer


def _make_carray() -> Any:
    """Return numba's function that makes an array of a pointer, a shape and a type."""
    from numba import carray

    return carray


pointer: NumbaFunction[[int], Any] = NumbaFunction(_make_pointer)
carray: NumbaFunction[..., NDArray[Any]] = NumbaFunction(_make_carray)


@helper
def rows_at(table: int) -> Ints:
    """Return the rows of a table: address and shape of each array."""
    return carray(pointer(table), (_MOST_ARRAYS, _COLUMNS), np.int64)


@helper
def bodies_at(rows: Ints, row: int) -> Table:
    """Return an array of BODY records."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), BODY)


@helper
def frames_at(rows: Ints, row: int) -> Table:
    """Return an array of FRAME records."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), FRAME)


@helper
def spheres_at(rows: Ints, row: int) -> Table:
    """Return an array of ITEM_SPHERE records."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), ITEM_SPHERE)


@helper
def hulls_at(rows: Ints, row: int) -> Table:
    """Return an array of HULL records."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), HULL)


@helper
def records_at(rows: Ints, row: int) -> Table:
    """Return an array of RECORD records."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), RECORD)


@helper
def sectors_at(rows: Ints, row: int) -> Sectors:
    """Return an array of sectors."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), np.int32)


@helper
def flags_at(rows: Ints, row: int) -> Bools:
    """Return a one-dimensional array of flags."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), np.bool_)


@helper
def numbers_at(rows: Ints, row: int) -> Floats:
    """Return a one-dimensional array of numbers."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), np.float64)


@helper
def vectors_at(rows: Ints, row: int) -> Floats:
    """Return a two-dimensional array of numbers."""
    return carray(pointer(rows[row, 0]), (rows[row, 1], rows[row, 2]), np.float64)


@helper
def poses_at(rows: Ints, row: int) -> Floats:
    """Return a three-dimensional array of numbers."""
    return carray(pointer(rows[row, 0]), (rows[row, 1], rows[row, 2], rows[row, 3]), np.float64)


@helper
def indices_at(rows: Ints, row: int) -> Ints:
    """Return a one-dimensional array of indices."""
    return carray(pointer(rows[row, 0]), (rows[row, 1],), np.int64)


@helper
def pairs_at(rows: Ints, row: int) -> Ints:
    """Return a two-dimensional array of indices."""
    return carray(pointer(rows[row, 0]), (rows[row, 1], rows[row, 2]), np.int64)


@helper
def same_vector(vector: Floats) -> Floats:
    """Return a one-dimensional array of numbers with the type of those in tables."""
    return carray(pointer(vector.ctypes.data), vector.shape, np.float64)


@helper
def same_poses(poses: Floats) -> Floats:
    """Return a three-dimensional array of numbers with the type of those in tables."""
    return carray(pointer(poses.ctypes.data), poses.shape, np.float64)


@helper
def same_flags(flags: Bools) -> Bools:
    """Return a one-dimensional array of flags with the type of those in tables."""
    return carray(pointer(flags.ctypes.data), flags.shape, np.bool_)
