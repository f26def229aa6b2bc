"""Distances, or penetration depths, between the items of a scene, with the nearest points."""

from math import sqrt

import numpy as np

from rck.kernels.broad_phase import FLAGS, PAIRS, POSES, Bools, sphere_centres
from rck.kernels.capsules import capsule_separation
from rck.kernels.contact import most_hulls, place_hulls
from rck.kernels.epa import penetration_depth
from rck.kernels.gjk import TOUCHING, Simplex, closest_points, empty_simplex
from rck.kernels.hull_tables import HULLS, Hulls
from rck.kernels.kernel import Floats, Ints, helper, kernel, types

# The columns of a measurement.
DISTANCE = 0
"""Between the nearest points, in metres; minus the penetration depth if the hulls overlap."""
NORMAL = 1
"""Unit vector from the first hull to the second, three columns."""
POINTS = 4
"""The nearest points of the first and of the second hull in the world; if they overlap, the deepest points."""
COLUMNS = 10


@helper
def measure_hulls(
    hulls: Hulls,
    poses: Floats,
    a: int,
    b: int,
    centre_a: Floats,
    centre_b: Floats,
    limit: float,
    simplex: Simplex,
    row: Floats,
) -> bool:
    """Write the measurement of two hulls with these centres in the world; return True if it is within the limit."""
    offset = centre_b[0] - centre_a[0], centre_b[1] - centre_a[1], centre_b[2] - centre_a[2]
    vx, vy, vz, gap = capsule_separation(hulls.table, poses, a, b, offset)
    if gap > limit:
        return False
    size, vx, vy, vz = closest_points(hulls, poses, a, b, offset, (vx, vy, vz), limit, 0.0, simplex)
    if size == 0:
        return False
    distance = sqrt(vx * vx + vy * vy + vz * vz)
    if distance > TOUCHING:
        row[NORMAL], row[NORMAL + 1], row[NORMAL + 2] = -vx / distance, -vy / distance, -vz / distance
    else:
        depth, nx, ny, nz = penetration_depth(hulls, poses, a, b, offset, size, simplex)
        distance, size = -depth, 3
        row[NORMAL], row[NORMAL + 1], row[NORMAL + 2] = nx, ny, nz
    row[DISTANCE] = distance
    for side in range(2):
        item = hulls.table[b]["item"] if side == 1 else hulls.table[a]["item"]
        x = y = z = 0.0
        for k in range(size):
            x += simplex.weights[k] * hulls.corners[simplex.rows[k, side], 0]
            y += simplex.weights[k] * hulls.corners[simplex.rows[k, side], 1]
            z += simplex.weights[k] * hulls.corners[simplex.rows[k, side], 2]
        for axis in range(3):
            centre = centre_b[axis] if side == 1 else centre_a[axis]
            turned = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z
            row[POINTS + 3 * side + axis] = centre + turned
    return True


@kernel(
    types.int64(POSES, HULLS, PAIRS, FLAGS, types.float64, types.boolean, types.int64[:, ::1], types.float64[:, ::1])
)
def measure(
    poses: Floats,
    hulls: Hulls,
    pairs: Ints,
    moving: Bools,
    limit: float,
    every: bool,
    found: Ints,
    measured: Floats,
) -> int:
    """Measure the pairs of items, shape (pairs, 2), no farther apart than `limit`; return their number.

    Each row of `found` gets the row of `pairs` and the two nearest hulls, and the same row of `measured` the columns
    above, as far as they fit. With `every`, each pair of hulls within the limit gets a row. If `moving` is not empty,
    only pairs of a moving and a resting item are measured. The number is -1 if a pose is not finite.
    """
    spheres, table = hulls.spheres, hulls.table
    centres = np.empty((len(spheres), 3))
    if not sphere_centres(poses, spheres, centres):
        return -1
    near_a = np.empty((most_hulls(spheres), 4))
    near_b = np.empty_like(near_a)
    simplex = empty_simplex()
    row = np.empty(COLUMNS)
    nearest = np.empty(COLUMNS)
    count = 0
    for pair in range(len(pairs)):
        a, b = pairs[pair, 0], pairs[pair, 1]
        if len(moving) > 0 and moving[a] == moving[b]:
            continue
        in_a = place_hulls(poses, hulls, a, centres, b, spheres[b]["radius"] + limit, near_a)
        in_b = place_hulls(poses, hulls, b, centres, a, spheres[a]["radius"] + limit, near_b)
        within = limit
        one = other = -1
        for i in range(in_a):
            for j in range(in_b):
                p, q = int(near_a[i, 3]), int(near_b[j, 3])
                x, y, z = near_b[j, 0] - near_a[i, 0], near_b[j, 1] - near_a[i, 1], near_b[j, 2] - near_a[i, 2]
                if sqrt(x * x + y * y + z * z) - table[p]["radius"] - table[q]["radius"] > max(within, 0.0):
                    continue
                # Measure all hulls that overlap: only their depths tell which is deepest.
                if not measure_hulls(hulls, poses, p, q, near_a[i], near_b[j], max(within, TOUCHING), simplex, row):
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
