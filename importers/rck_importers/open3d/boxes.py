"""Conversion of points to boxes: occupied grid cells, merged with adjacent cells into larger boxes."""

import numpy as np

from rck.geometry.arrays import Floats, Ints


def filled_cells(points: Floats, side: float) -> tuple[Ints, Ints]:
    """Return the occupied cells as integer coordinates, shape (C, 3), and the cell index of each point, shape (P,)."""
    cells = np.floor(points / side).astype(np.int64)
    found, number = np.unique(cells, axis=0, return_inverse=True)
    return found, number.reshape(-1)


def joined_boxes(cells: Ints) -> tuple[Ints, Ints]:
    """Merge cells into few boxes; return their lowest cells and their sizes in cells. Shapes (N, 3)."""
    low = cells.copy()
    size = np.ones_like(cells)
    for axis in range(3):
        low, size = _joined_along(low, size, axis)
    return low, size


def _joined_along(low: Ints, size: Ints, axis: int) -> tuple[Ints, Ints]:
    """Merge boxes of equal cross-section that are adjacent along the axis."""
    others = [other for other in range(3) if other != axis]
    order = np.lexsort((low[:, axis], *(size[:, other] for other in others), *(low[:, other] for other in others)))
    low, size = low[order], size[order]
    section = np.concatenate([low[:, others], size[:, others]], axis=1)
    follows = (section[1:] == section[:-1]).all(axis=1) & (low[1:, axis] == low[:-1, axis] + size[:-1, axis])
    starts = np.flatnonzero(np.concatenate([[True], ~follows]))
    joined = size[starts]
    joined[:, axis] = np.add.reduceat(size[:, axis], starts)
    return low[starts], joined
