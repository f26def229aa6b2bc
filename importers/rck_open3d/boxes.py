"""Points as boxes: the cells of a grid that hold any, joined to longer boxes where they stand in rows."""

import numpy as np

from rck.geometry.arrays import Floats, Ints


def filled_cells(points: Floats, side: float) -> tuple[Ints, Ints]:
    """The cells, as rows of three whole numbers, that hold points, and for each point the number of its cell."""
    cells = np.floor(points / side).astype(np.int64)
    found, number = np.unique(cells, axis=0, return_inverse=True)
    return found, number.reshape(-1)


def joined_boxes(cells: Ints) -> tuple[Ints, Ints]:
    """Few boxes that hold all the cells and no others: their lowest cells and their sizes in cells. Shapes (N, 3)."""
    low = cells.copy()
    size = np.ones_like(cells)
    for axis in range(3):
        low, size = _joined_along(low, size, axis)
    return low, size


def _joined_along(low: Ints, size: Ints, axis: int) -> tuple[Ints, Ints]:
    """Boxes of the same section that touch along the axis become one."""
    others = [other for other in range(3) if other != axis]
    order = np.lexsort((low[:, axis], *(size[:, other] for other in others), *(low[:, other] for other in others)))
    low, size = low[order], size[order]
    section = np.concatenate([low[:, others], size[:, others]], axis=1)
    follows = (section[1:] == section[:-1]).all(axis=1) & (low[1:, axis] == low[:-1, axis] + size[:-1, axis])
    starts = np.flatnonzero(np.concatenate([[True], ~follows]))
    joined = size[starts]
    joined[:, axis] = np.add.reduceat(size[:, axis], starts)
    return low[starts], joined
