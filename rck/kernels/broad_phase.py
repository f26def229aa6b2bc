"""Which items may touch: those whose bounding spheres do.

Spheres lie in a grid of cubes, in one grid for each size of sphere: a sphere of half the size or less is in the next
finer grid. A sphere then meets only spheres of its own and of coarser grids, in the few cubes round it, and the time
grows with the number of items and not with its square. Only cubes that hold something are stored, in a hash table, so
the world may be as wide as it likes.
"""

from math import floor

import numpy as np
from numba import types
from numpy.typing import NDArray

from rck.kernels.bodies import Table
from rck.kernels.hulls import BALLS
from rck.kernels.kernel import Floats, Ints, helper, inlined, kernel, read_only

POSES = read_only(types.float64, 3)
PAIRS = read_only(types.int64, 2)
INDICES = read_only(types.int64, 1)
FLAGS = read_only(types.boolean, 1)

Bools = NDArray[np.bool_]

# Spheres more than a million times smaller than the largest share the finest grid.
_GRIDS = 21
# Items are put in order by a grid of at most two to the power of this along each side.
_COARSE_LEVELS = 4
# Cubes are numbered up to here, either way; what is farther out is in the last one.
_LAST_CUBE = 2.0**62


@inlined
def place_balls(poses: Floats, balls: Table, centres: Floats) -> bool:
    """Write the centres of the items' spheres in the world, shape (items, 3); whether all are finite."""
    finite = True
    for item in range(len(balls)):
        x, y, z = balls[item]["centre"]
        for axis in range(3):
            here = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z + poses[item, axis, 3]
            centres[item, axis] = here
            # Infinity less itself is not a number either.
            finite = finite and here - here == 0.0
    return finite


@kernel(types.boolean(POSES, BALLS, read_only(types.float64, 2), types.float64))
def have_strayed(poses: Floats, balls: Table, centres: Floats, limit: float) -> bool:
    """Whether the sphere of any item is farther than `limit` from where it was, shape (items, 3), or not finite."""
    for item in range(len(balls)):
        x, y, z = balls[item]["centre"]
        square = 0.0
        for axis in range(3):
            here = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z + poses[item, axis, 3]
            square += (here - centres[item, axis]) ** 2
        # What is not a number is not less either.
        if not square <= limit * limit:
            return True
    return False


@helper
def _cube(coordinate: float, width: float) -> int:
    """The number of the cube that a coordinate is in."""
    return floor(min(max(coordinate / width, -_LAST_CUBE), _LAST_CUBE))


@helper
def _bucket(grid: int, x: int, y: int, z: int, buckets: int) -> int:
    """Where the hash table, whose size is a power of two, keeps a cube of a grid: cubes along z are side by side."""
    mixed = (x * 73856093) ^ (y * 19349663) ^ (grid * 50331653)
    return ((mixed ^ (mixed >> 15)) + z) & (buckets - 1)


@helper
def neighbours_together(centres: Floats, balls: Table) -> Ints:
    """The items in an order in which those near each other in the world mostly are near each other, shape (items,).

    They are sorted by the cells of a coarse grid, eight cells of a cube after another, and eight such cubes, and so on.
    Each item is then met by its neighbours while it still is in the processor's cache.
    """
    items = len(balls)
    low = np.full(3, np.inf)
    widest = 0.0
    for axis in range(3):
        high = -np.inf
        for item in range(items):
            low[axis], high = min(low[axis], centres[item, axis]), max(high, centres[item, axis])
        widest = max(widest, high - low[axis])
    levels = 1
    while levels < _COARSE_LEVELS and 8**levels < items:
        levels += 1
    side = 1 << levels
    scale = side / widest if widest > 0.0 else 0.0
    keys = np.empty(items, np.int64)
    starts = np.zeros(8**levels + 1, np.int64)
    for item in range(items):
        key = 0
        for axis in range(3):
            cell = min(int((centres[item, axis] - low[axis]) * scale), side - 1)
            for level in range(levels):
                key |= ((cell >> level) & 1) << (3 * level + axis)
        keys[item] = key
        starts[key + 1] += 1
    for key in range(8**levels):
        starts[key + 1] += starts[key]
    sequence = np.empty(items, np.int64)
    for item in range(items):
        sequence[starts[keys[item]]] = item
        starts[keys[item]] += 1
    return sequence


@kernel(types.int64(POSES, BALLS, INDICES, INDICES, INDICES, INDICES, FLAGS, types.float64, types.int64[:, ::1]))
def near_pairs(
    poses: Floats,
    balls: Table,
    group_of_item: Ints,
    scope_of_item: Ints,
    exempt_offsets: Ints,
    exempt: Ints,
    moving: Bools,
    margin: float,
    pairs: Ints,
) -> int:
    """Find the pairs of items whose spheres are no farther apart than `margin`; how many there are, or -1.

    Left out are items of one group, items of different scopes, and those that the list of the lower item in `exempt`
    names, which runs from ``exempt_offsets[item]`` to ``exempt_offsets[item + 1]``. Where `moving` is not empty, one
    of the two moves and the other does not. Pairs are written lower item first, shape (room, 2), as far as there is
    room. The answer is -1 where a pose is not finite.
    """
    items = len(balls)
    centres = np.empty((items, 3))
    if not place_balls(poses, balls, centres):
        return -1
    largest = 0.0
    for item in range(items):
        largest = max(largest, balls[item]["radius"])
    if largest <= 0.0:
        return 0
    # Grid 0 has cubes as wide as the largest sphere and the margin; each further grid has cubes half as wide.
    widest = 2.0 * largest + margin
    grid_of_item = np.empty(items, np.int64)
    starts = np.zeros(_GRIDS + 1, np.int64)
    for item in range(items):
        radius = balls[item]["radius"]
        grid = 0
        width = 0.5 * widest
        while grid < _GRIDS - 1 and 2.0 * radius + margin <= width:
            grid += 1
            width *= 0.5
        grid_of_item[item] = grid
        if radius >= 0.0:
            starts[grid + 1] += 1
    for grid in range(_GRIDS):
        starts[grid + 1] += starts[grid]
    order = np.empty(starts[_GRIDS], np.int64)
    filled = starts.copy()
    for item in neighbours_together(centres, balls):
        if balls[item]["radius"] >= 0.0:
            order[filled[grid_of_item[item]]] = item
            filled[grid_of_item[item]] += 1
    buckets = 1
    while buckets < 2 * items:
        buckets *= 2
    newest = np.full(buckets, -1, np.int64)
    older = np.empty(items, np.int64)
    cubes = np.empty((items, 3), np.int64)
    count = 0
    for turn in range(len(order)):
        item = order[turn]
        x, y, z, radius = centres[item, 0], centres[item, 1], centres[item, 2], balls[item]["radius"]
        width = widest
        for grid in range(grid_of_item[item] + 1):
            if starts[grid] < starts[grid + 1]:
                # Spheres of this grid reach half a cube from their centres, and the margin is between them.
                reach = radius + 0.5 * (width + margin)
                x_first, x_last = _cube(x - reach, width), _cube(x + reach, width)
                y_first, y_last = _cube(y - reach, width), _cube(y + reach, width)
                z_first, z_last = _cube(z - reach, width), _cube(z + reach, width)
                for i in range(x_first, x_last + 1):
                    for j in range(y_first, y_last + 1):
                        for k in range(z_first, z_last + 1):
                            other = newest[_bucket(grid, i, j, k, buckets)]
                            while other >= 0:
                                if (
                                    cubes[other, 0] == i
                                    and cubes[other, 1] == j
                                    and cubes[other, 2] == k
                                    and grid_of_item[other] == grid
                                ):
                                    dx, dy, dz = x - centres[other, 0], y - centres[other, 1], z - centres[other, 2]
                                    apart = radius + balls[other]["radius"] + margin
                                    if dx * dx + dy * dy + dz * dz <= apart * apart and is_tested(
                                        item, other, group_of_item, scope_of_item, exempt_offsets, exempt, moving
                                    ):
                                        if count < len(pairs):
                                            pairs[count, 0] = min(item, other)
                                            pairs[count, 1] = max(item, other)
                                        count += 1
                                other = older[other]
            width *= 0.5
        width = widest * 0.5 ** grid_of_item[item]
        for axis in range(3):
            cubes[item, axis] = _cube(centres[item, axis], width)
        bucket = _bucket(grid_of_item[item], cubes[item, 0], cubes[item, 1], cubes[item, 2], buckets)
        older[item] = newest[bucket]
        newest[bucket] = item
    return count


@helper
def is_tested(
    a: int, b: int, group_of_item: Ints, scope_of_item: Ints, exempt_offsets: Ints, exempt: Ints, moving: Bools
) -> bool:
    """Whether a pair of items is to be tested at all; see :func:`near_pairs`."""
    if group_of_item[a] == group_of_item[b] or scope_of_item[a] != scope_of_item[b]:
        return False
    if len(moving) > 0 and moving[a] == moving[b]:
        return False
    low, high = min(a, b), max(a, b)
    place, last = exempt_offsets[low], exempt_offsets[low + 1]
    while place < last and exempt[place] != high:
        place += 1
    return bool(place == last)
