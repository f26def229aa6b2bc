"""How far apart the items of a scene are, or how deep they overlap, and where."""

from math import sqrt

import numpy as np
from numba import types

from rck.kernels.bodies import Table
from rck.kernels.broad_phase import FLAGS, PAIRS, POSES, Bools, place_balls
from rck.kernels.capsules import between_cores
from rck.kernels.epa import grow
from rck.kernels.gjk import TOUCHING, walk
from rck.kernels.hulls import BALLS, HULLS
from rck.kernels.kernel import Floats, Ints, helper, kernel
from rck.kernels.sectors import CORNERS, SECTORS, Sectors
from rck.kernels.touch import most_hulls, place_hulls

# The columns of a measurement.
DISTANCE = 0
"""Between the nearest points, in metres; where the hulls overlap, minus the depth."""
NORMAL = 1
"""Unit vector from the first hull to the second, three columns."""
POINTS = 4
"""The nearest point of the first hull and of the second, in the world; where they overlap, the deepest ones."""
COLUMNS = 10


@helper
def measure_hulls(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    a: int,
    b: int,
    centre_a: Floats,
    centre_b: Floats,
    limit: float,
    sectors: Sectors,
    simplex: Ints,
    weights: Floats,
    row: Floats,
) -> bool:
    """Write the measurement of two hulls, whose centres in the world are given; whether it is within the limit."""
    tx, ty, tz = centre_b[0] - centre_a[0], centre_b[1] - centre_a[1], centre_b[2] - centre_a[2]
    vx, vy, vz, gap = between_cores(hulls, poses, a, b, tx, ty, tz)
    if gap > limit:
        return False
    size, vx, vy, vz = walk(corners, hulls, poses, a, b, tx, ty, tz, vx, vy, vz, limit, 0.0, sectors, simplex, weights)
    if size == 0:
        return False
    distance = sqrt(vx * vx + vy * vy + vz * vz)
    if distance > TOUCHING:
        row[NORMAL], row[NORMAL + 1], row[NORMAL + 2] = -vx / distance, -vy / distance, -vz / distance
    else:
        depth, nx, ny, nz = grow(corners, hulls, poses, a, b, tx, ty, tz, size, sectors, simplex, weights)
        distance, size = -depth, 3
        row[NORMAL], row[NORMAL + 1], row[NORMAL + 2] = nx, ny, nz
    row[DISTANCE] = distance
    for side in range(2):
        item = hulls[b]["item"] if side == 1 else hulls[a]["item"]
        x = y = z = 0.0
        for k in range(size):
            x += weights[k] * corners[simplex[k, side], 0]
            y += weights[k] * corners[simplex[k, side], 1]
            z += weights[k] * corners[simplex[k, side], 2]
        for axis in range(3):
            centre = centre_b[axis] if side == 1 else centre_a[axis]
            turned = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z
            row[POINTS + 3 * side + axis] = centre + turned
    return True


@kernel(
    types.int64(
        POSES,
        BALLS,
        HULLS,
        CORNERS,
        SECTORS,
        PAIRS,
        FLAGS,
        types.float64,
        types.boolean,
        types.int64[:, ::1],
        types.float64[:, ::1],
    )
)
def measure(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    sectors: Sectors,
    pairs: Ints,
    moving: Bools,
    limit: float,
    every: bool,
    found: Ints,
    measured: Floats,
) -> int:
    """Measure the pairs of items, shape (pairs, 2), that are no farther apart than `limit`; how many there are, or -1.

    A row of `found` gets the row of `pairs` and the two hulls that are nearest, and the same row of `measured` the
    columns above, as far as there is room. With `every`, each pair of hulls within the limit has a row of its own.
    Where `moving` is not empty, only pairs count of which one item moves and the other does not. The answer is -1
    where a pose is not finite.
    """
    centres = np.empty((len(balls), 3))
    if not place_balls(poses, balls, centres):
        return -1
    near_a = np.empty((most_hulls(balls), 4))
    near_b = np.empty_like(near_a)
    simplex = np.empty((4, 2), np.int64)
    weights = np.empty(4)
    row = np.empty(COLUMNS)
    nearest = np.empty(COLUMNS)
    count = 0
    for pair in range(len(pairs)):
        a, b = pairs[pair, 0], pairs[pair, 1]
        if len(moving) > 0 and moving[a] == moving[b]:
            continue
        in_a = place_hulls(poses, balls, hulls, a, centres, b, balls[b]["radius"] + limit, near_a)
        in_b = place_hulls(poses, balls, hulls, b, centres, a, balls[a]["radius"] + limit, near_b)
        within = limit
        one = other = -1
        for i in range(in_a):
            for j in range(in_b):
                p, q = int(near_a[i, 3]), int(near_b[j, 3])
                x, y, z = near_b[j, 0] - near_a[i, 0], near_b[j, 1] - near_a[i, 1], near_b[j, 2] - near_a[i, 2]
                if sqrt(x * x + y * y + z * z) - hulls[p]["radius"] - hulls[q]["radius"] > max(within, 0.0):
                    continue
                # Hulls that overlap are all looked at: only their depths tell which is deepest.
                if not measure_hulls(
                    corners,
                    hulls,
                    poses,
                    p,
                    q,
                    near_a[i],
                    near_b[j],
                    max(within, TOUCHING),
                    sectors,
                    simplex,
                    weights,
                    row,
                ):
                    continue
                if row[DISTANCE] > within:
                    continue
                if every:
                    if count < len(found):
                        found[count, 0], found[count, 1], found[count, 2] = pair, p, q
                        measured[count] = row
                    count += 1
                else:
                    within = row[DISTANCE]
                    one, other = p, q
                    nearest[:] = row
        if one >= 0:
            if count < len(found):
                found[count, 0], found[count, 1], found[count, 2] = pair, one, other
                measured[count] = nearest
            count += 1
    return count
