"""Broad phase: find the pairs of items whose bounding spheres overlap.

Spheres are sorted into hierarchical grids of cubes, one grid per size of sphere: a sphere of half the size or less is
in the next finer grid. Each sphere is compared only with spheres of its own and of coarser grids, in the few cubes
around it, so the time grows linearly with the number of items. Only occupied cubes are stored, in a hash table, so the
size of the world does not matter.
"""

from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rck.kernels.body_tables import Table
from rck.kernels.hull_tables import SPHERES
from rck.kernels.kernel import Floats, Ints, helper, inlined, kernel, read_only, types

POSES = read_only(types.float64, 3)
PAIRS = read_only(types.int64, 2)
INDICES = read_only(types.int64, 1)
FLAGS = read_only(types.boolean, 1)

Bools = NDArray[np.bool_]


class PairFilter(NamedTuple):
    """The pairs of items that are never tested."""

    group_of_item: Ints
    """Items of one group are not tested against each other. Shape (items,)."""
    scope_of_item: Ints
    """Items of different scopes are not tested against each other. Shape (items,)."""
    exempt_offsets: Ints
    """Item i is not tested against the higher items ``exempt[exempt_offsets[i]:exempt_offsets[i + 1]]``."""
    exempt: Ints


FILTER = types.NamedUniTuple(INDICES, 4, PairFilter)

# Spheres more than a million times smaller than the largest share the finest grid.
_GRIDS = 21
# Items are sorted by a grid of at most two to the power of this cells along each side.
_COARSE_LEVELS = 4
# Largest index of a cube, in both directions; the last cube contains everything farther out.
_LAST_CUBE = 2.0**62


@inlined
def sphere_centres(poses: Floats, spheres: Table, centres: Floats) -> bool:
    """Write the centres of the items' spheres in the world, shape (items, 3); return True if all are finite."""
    finite = True
    for item in range(len(spheres)):
        x, y, z = spheres[item]["centre"]
        for axis in range(3):
            here = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z + poses[item, axis, 3]
            centres[item, axis] = here
            # False for infinity too: infinity minus itself is not a number.
            finite = finite and here - here == 0.0
    return finite


@kernel(types.boolean(POSES, SPHERES, read_only(types.float64, 2), types.float64))
def has_moved(poses: Floats, spheres: Table, centres: Floats, limit: float) -> bool:
    """Return True if any item sphere is farther than `limit` from its old centre, shape (items, 3), or not finite."""
    for item in range(len(spheres)):
        x, y, z = spheres[item]["centre"]
        square = 0.0
        for axis in range(3):
            here = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z + poses[item, axis, 3]
            square += (here - centres[item, axis]) ** 2
        # Also true if the square is not a number.
        if not square <= limit * limit:
            return True
    return False


@helper
def _cube(coordinate: float, width: float) -> int:
    """Return the index of the cube that contains a coordinate."""
    return floor(min(max(coordinate / width, -_LAST_CUBE), _LAST_CUBE))


@helper
def _bucket(grid: int, x: int, y: int, z: int, buckets: int) -> int:
    """Return the bucket of a cube in the hash table, whose size is a power of two. Cubes along z are adjacent."""
    mixed = (x * 73856093) ^ (y * 19349663) ^ (grid * 50331653)
    return ((mixed ^ (mixed >> 15)) + z) & (buckets - 1)


@helper
def spatial_order(centres: Floats, spheres: Table) -> Ints:
    """Return the items in an order that keeps neighbours in the world close together. Shape (items,).

    They are sorted by the cells of a coarse grid in Morton (z-curve) order. Each item is then compared with its
    neighbours while it is still in the processor's cache.
    """
    items = len(spheres)
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


@kernel(types.int64(POSES, SPHERES, FILTER, FLAGS, types.float64, types.int64[:, ::1]))
def near_pairs(poses: Floats, spheres: Table, untested: PairFilter, moving: Bools, margin: float, pairs: Ints) -> int:
    """Find the pairs of items whose spheres are no farther apart than `margin`; return their number.

    Pairs of `untested` are skipped. If `moving` is not empty, only pairs of a moving and a resting item count. Pairs
    are written lower item first, shape (rows, 2), as far as they fit. The number is -1 if a pose is not finite.
    """
    items = len(spheres)
    centres = np.empty((items, 3))
    if not sphere_centres(poses, spheres, centres):
        return -1
    largest = 0.0
    for item in range(items):
        largest = max(largest, spheres[item]["radius"])
    if largest <= 0.0:
        return 0
    # The cubes of grid 0 are as wide as the largest sphere plus the margin; each finer grid halves the width.
    widest = 2.0 * largest + margin
    grid_of_item = np.empty(items, np.int64)
    starts = np.zeros(_GRIDS + 1, np.int64)
    for item in range(items):
        radius = spheres[item]["radius"]
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
    for item in spatial_order(centres, spheres):
        if spheres[item]["radius"] >= 0.0:
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
        x, y, z, radius = centres[item, 0], centres[item, 1], centres[item, 2], spheres[item]["radius"]
        width = widest
        for grid in range(grid_of_item[item] + 1):
            if starts[grid] < starts[grid + 1]:
                # Spheres of this grid reach half a cube from their centres, plus the margin.
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
                                    apart = radius + spheres[other]["radius"] + margin
                                    if dx * dx + dy * dy + dz * dz <= apart * apart and is_tested(
                                        item, other, untested, moving
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
def is_tested(a: int, b: int, untested: PairFilter, moving: Bools) -> bool:
    """Return True if a pair of items is to be tested; see :func:`near_pairs`."""
    group_of_item, scope_of_item, exempt_offsets, exempt = untested
    if group_of_item[a] == group_of_item[b] or scope_of_item[a] != scope_of_item[b]:
        return False
    if len(moving) > 0 and moving[a] == moving[b]:
        return False
    low, high = min(a, b), max(a, b)
    index, last = exempt_offsets[low], exempt_offsets[low + 1]
    while index < last and exempt[index] != high:
        index += 1
    return bool(index == last)
