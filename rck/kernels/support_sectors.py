"""Support mapping of hulls: directions are divided into sectors, each with a short list of candidate corners.

A direction (x, y, z), divided by ``|x| + |y| + |z|``, lies on an octahedron. Seen along z, each half of the octahedron
is a square, divided into a grid. Within one cell of the grid the height of a corner is linear in the direction. A
corner that another one exceeds at all four corners of the cell is therefore never farthest there. Of a hundred corners,
a handful remain.
"""

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, Ints, helper, inlined, kernel, read_only, types

CORNERS = read_only(types.float64, 2)
SECTORS = read_only(types.int32, 1)

Sectors = NDArray[np.int32]
"""The sectors of all hulls in sequence. For each hull: the index in this array at which the list of each cell starts,
the end of the last list, and the lists of corners."""

# Cells beyond this are outside the octahedron, rounding included: one corner is enough for them.
_REACHED = 1.0 + 1e-9


@inlined
def farthest(corners: Floats, sectors: Sectors, begin: int, grid: int, x: float, y: float, z: float) -> int:
    """Return the row of `corners` that is farthest along (x, y, z), for the hull whose sectors start at `begin`."""
    size = abs(x) + abs(y) + abs(z)
    half = 0.5 * grid
    scale = half / size if size > 0.0 else 0.0
    # Clamp, so that every direction, even one that is not finite, has a cell.
    i = min(max(int(x * scale + half), 0), grid - 1)
    j = min(max(int(y * scale + half), 0), grid - 1)
    # Unsigned, so that numba skips the test for negative indices.
    cell = np.uintp(begin + (grid * grid if z < 0.0 else 0) + grid * i + j)
    first, last = np.uintp(sectors[cell]), np.uintp(sectors[cell + np.uintp(1)])
    chosen = np.uintp(sectors[first])
    highest = corners[chosen, 0] * x + corners[chosen, 1] * y + corners[chosen, 2] * z
    for place in range(first + np.uintp(1), last):
        number = np.uintp(sectors[place])
        height = corners[number, 0] * x + corners[number, 1] * y + corners[number, 2] * z
        if height > highest:
            highest = height
            chosen = number
    return int(chosen)


@kernel(
    types.int64(
        CORNERS,
        read_only(types.int64, 1),
        read_only(types.int64, 1),
        read_only(types.int64, 1),
        types.int64[::1],
        types.int32[::1],
    )
)
def fill_sectors(corners: Floats, firsts: Ints, counts: Ints, grids: Ints, begins: Ints, sectors: Sectors) -> int:
    """Write the sectors of hulls, as far as they fit, and the start of each; return the size that they need.

    The corners of a hull are `count` rows starting at `first`. Grid sizes are powers of two, at least two, because each
    grid is made by dividing the cells of the previous one.
    """
    most = 0
    for hull in range(len(counts)):
        most = max(most, 2 * grids[hull] * grids[hull] * counts[hull])
    # For the cells of a grid and of the previous one: the lists of rows, and where each list starts.
    lists = np.empty((2, most), np.int64)
    starts = np.empty((2, 2 * np.max(grids) ** 2 + 1 if len(grids) > 0 else 1), np.int64)
    heights = np.empty((np.max(counts) if len(counts) > 0 else 0, 4))
    used = 0
    for hull in range(len(counts)):
        count = counts[hull]
        for k in range(count):
            lists[0, k] = firsts[hull] + k
        now = 0
        grid = 1
        while grid < grids[hull]:
            grid *= 2
            before, now = now, 1 - now
            written = 0
            for cell in range(2 * grid * grid):
                side, i, j = cell // (grid * grid), (cell // grid) % grid, cell % grid
                first, last = 0, count
                if grid > 2:
                    above = side * (grid // 2) ** 2 + (i // 2) * (grid // 2) + j // 2
                    first, last = starts[before, above], starts[before, above + 1]
                starts[now, cell] = written
                written = keep_foremost(
                    corners, lists[before, first:last], side, i, j, grid, heights, lists[now], written
                )
            starts[now, 2 * grid * grid] = written
        cells = 2 * grid * grid + 1
        begins[hull] = used
        for cell in range(cells):
            if used + cell < len(sectors):
                sectors[used + cell] = used + cells + starts[now, cell]
        used += cells
        for place in range(starts[now, cells - 1]):
            if used + place < len(sectors):
                sectors[used + place] = lists[now, place]
        used += starts[now, cells - 1]
    return used


@helper
def keep_foremost(
    corners: Floats, numbers: Ints, side: int, i: int, j: int, grid: int, heights: Floats, kept: Ints, start: int
) -> int:
    """Write, from `start`, the rows that can be farthest in a cell of a grid; return the end of the list.

    `heights` is working memory for four numbers per corner.
    """
    width = 2.0 / grid
    left, near = i * width - 1.0, j * width - 1.0
    if min(abs(left), abs(left + width)) + min(abs(near), abs(near + width)) > _REACHED:
        kept[start] = numbers[0]
        return start + 1
    end = start
    for number in numbers:
        for corner in range(4):
            x, y = left + width * (corner // 2), near + width * (corner % 2)
            z = 1.0 - abs(x) - abs(y)
            z = -z if side == 1 else z
            heights[end - start, corner] = corners[number, 0] * x + corners[number, 1] * y + corners[number, 2] * z
        new = heights[end - start]
        place = start
        foremost = True
        while place < end:
            old = heights[place - start]
            if old[0] >= new[0] and old[1] >= new[1] and old[2] >= new[2] and old[3] >= new[3]:
                foremost = False
                break
            if new[0] >= old[0] and new[1] >= old[1] and new[2] >= old[2] and new[3] >= old[3]:
                # The last entry replaces it; the new one moves up.
                end -= 1
                kept[place] = kept[end]
                for corner in range(4):
                    old[corner] = heights[end - start, corner]
                    heights[end - start, corner] = heights[end + 1 - start, corner]
                new = heights[end - start]
            else:
                place += 1
        if foremost:
            kept[end] = number
            end += 1
    return end
