"""Curves and areas of the plane in a grid of dots."""

from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, Ints, kernel, read_only, types

POINTS = read_only(types.float64, 2)
INDICES = read_only(types.int64, 1)

Int32s = NDArray[np.int32]


@kernel(types.void(POINTS, INDICES, INDICES, read_only(types.boolean, 2), INDICES, types.int32[:, ::1]))
def plot_paths(
    points: Floats, offsets: Ints, pattern: Ints, marks: NDArray[np.bool_], periods: Ints, ink: Int32s
) -> None:
    """Write the index of each path to the dots of `ink`, shape (height, width), that it passes; the last one wins.

    `points` are columns and rows in dots, shape (P, 2); path `i` has those from `offsets[i]` to `offsets[i + 1]`.
    Along a path, the dots with a mark in its pattern are written: `marks` has a row for each pattern, of which the
    first `periods` entries repeat.
    """
    height, width = ink.shape
    for path in range(len(offsets) - 1):
        style = pattern[path]
        period = periods[style]
        travelled = 0.0
        for point in range(offsets[path], offsets[path + 1] - 1):
            x0, y0 = points[point, 0], points[point, 1]
            dx, dy = points[point + 1, 0] - x0, points[point + 1, 1] - y0
            length = sqrt(dx * dx + dy * dy)
            upright = abs(dy) > abs(dx)
            start, step = (y0, dy) if upright else (x0, dx)
            across, climb = (x0, dx) if upright else (y0, dy)
            low, high = min(start, start + step), max(start, start + step)
            size = height if upright else width
            # One dot for each row or column that the line crosses; at least one.
            first, last = floor(max(low, -1.0)), ceil(min(high, size + 1.0))
            for i in range(max(first, 0), min(max(last, first + 1), size)):
                share = (min(max(i + 0.5, low), high) - start) / step if step != 0.0 else 0.0
                j = floor(across + share * climb)
                row, column = (i, j) if upright else (j, i)
                if 0 <= row < height and 0 <= column < width:
                    place = int(travelled + share * length) % period
                    if marks[style, place]:
                        ink[row, column] = path
            travelled = (travelled + length) % period


@kernel(types.void(POINTS, INDICES, types.int32[:, ::1]))
def fill_rings(points: Floats, offsets: Ints, region: Int32s) -> None:
    """Write the index of each ring to the dots of `region`, shape (height, width), inside it; the last one wins.

    `points` are columns and rows in dots, shape (P, 2); ring `i` has those from `offsets[i]` to `offsets[i + 1]`. A dot
    is inside if a line from its centre to the left crosses the ring an odd number of times.
    """
    height, width = region.shape
    crossed = np.zeros((height, width), dtype=np.uint8)
    for ring in range(len(offsets) - 1):
        begin, end = offsets[ring], offsets[ring + 1]
        if end - begin < 3:
            continue
        top, bottom, left, right = height, -1, width, 0
        for point in range(begin, end):
            after = point + 1 if point + 1 < end else begin
            x0, y0, x1, y1 = points[point, 0], points[point, 1], points[after, 0], points[after, 1]
            low, high = min(y0, y1), max(y0, y1)
            for row in range(max(ceil(max(low, 0.0) - 0.5), 0), min(ceil(min(high, height) - 0.5), height)):
                top, bottom = min(top, row), max(bottom, row)
                x = x0 + (row + 0.5 - y0) / (y1 - y0) * (x1 - x0)
                column = max(ceil(min(max(x, -1.0), width) - 0.5), 0)
                left, right = min(left, column), max(right, min(column, width - 1))
                if column < width:
                    crossed[row, column] ^= 1
        for row in range(top, bottom + 1):
            inside = False
            for column in range(left, right + 1):
                if crossed[row, column]:
                    inside = not inside
                    crossed[row, column] = 0
                if inside:
                    region[row, column] = ring
