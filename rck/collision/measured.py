"""How far apart items are, or how deep in one another: the measuring kernel, with room for all that it finds."""

import numpy as np

from rck.collision.near import NOT_FINITE
from rck.collision.shapes import Shapes
from rck.geometry.arrays import Bools, Floats, Ints
from rck.kernels.measure import COLUMNS, measure
from rck.model.finding import RckError

# Rows that there is room for at least: contacts of subitems can be more than pairs of items.
_LEAST_ROOM = 16


def measured(
    shapes: Shapes, poses: Floats, pairs: Ints, moving: Bools, limit: float, *, every: bool
) -> tuple[Ints, Floats]:
    """The pairs of items no farther apart than `limit`, in metres: their nearest subitems, or `every` two so near.

    Poses are world from item, shape (items, 4, 4). First comes, shape (found, 3), the row of `pairs` and the two
    subitems; then what was measured, in the columns of :mod:`rck.kernels.measure`, shape (found, columns).
    """
    room = max(_LEAST_ROOM, len(pairs))
    while True:
        found = np.empty((room, 3), dtype=np.int64)
        rows = np.empty((room, COLUMNS))
        count = measure.unchecked(poses, *shapes.tables, pairs, moving, limit, every, found, rows)
        if count < 0:
            raise RckError(NOT_FINITE)
        if count <= room:
            return found[:count], rows[:count]
        room = count
