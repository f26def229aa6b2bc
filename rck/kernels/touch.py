"""Which items of a scene touch: spheres of items, spheres of subitems, then the hulls themselves."""

import numpy as np
from numba import types

from rck.kernels.bodies import Table
from rck.kernels.broad_phase import FLAGS, PAIRS, POSES, Bools, place_balls
from rck.kernels.gjk import BLOCK, TOUCHING, walk
from rck.kernels.hulls import BALLS, HULLS
from rck.kernels.kernel import Floats, Ints, helper, kernel, read_only
from rck.kernels.memory import MEMORY, remember, slot, still_apart, still_overlap

CORNERS = read_only(types.float64, 2)


@helper
def most_hulls(balls: Table) -> int:
    """The number of hulls of the item that has most."""
    most = 0
    for item in range(len(balls)):
        most = max(most, balls[item]["last"] - balls[item]["first"])
    return most


@helper
def place_hulls(poses: Floats, balls: Table, hulls: Table, item: int, point: Floats, reach: float, near: Floats) -> int:
    """Write the hulls of an item whose spheres are within `reach` of a point; how many there are.

    A row of `near` gets the centre in the world and the number of the hull.
    """
    count = 0
    for hull in range(balls[item]["first"], balls[item]["last"]):
        a, b, c = hulls[hull]["centre"]
        x = poses[item, 0, 0] * a + poses[item, 0, 1] * b + poses[item, 0, 2] * c + poses[item, 0, 3]
        y = poses[item, 1, 0] * a + poses[item, 1, 1] * b + poses[item, 1, 2] * c + poses[item, 1, 3]
        z = poses[item, 2, 0] * a + poses[item, 2, 1] * b + poses[item, 2, 2] * c + poses[item, 2, 3]
        dx, dy, dz = x - point[0], y - point[1], z - point[2]
        far = reach + hulls[hull]["radius"]
        if dx * dx + dy * dy + dz * dz <= far * far:
            near[count, 0], near[count, 1], near[count, 2], near[count, 3] = x, y, z, hull
            count += 1
    return count


@helper
def touch_in(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    pairs: Ints,
    moving: Bools,
    most: int,
    memory: Table,
    found: Ints,
) -> int:
    """As :func:`touching`, for one configuration whose poses have shape (items, 4, 4)."""
    centres = np.empty((len(balls), 3))
    if not place_balls(poses, balls, centres):
        return -1
    room = most_hulls(balls)
    near_a = np.empty((room, 4))
    near_b = np.empty((room, 4))
    heights = np.empty(BLOCK)
    bits = heights.view(np.int64)
    simplex = np.empty((4, 2), np.int64)
    weights = np.empty(4)
    count = 0
    for row in range(len(pairs)):
        a, b = pairs[row, 0], pairs[row, 1]
        x, y, z = centres[b, 0] - centres[a, 0], centres[b, 1] - centres[a, 1], centres[b, 2] - centres[a, 2]
        far = balls[a]["radius"] + balls[b]["radius"] + TOUCHING
        if x * x + y * y + z * z > far * far:
            continue
        if len(moving) > 0 and moving[a] == moving[b]:
            continue
        in_a = place_hulls(poses, balls, hulls, a, centres[b], balls[b]["radius"] + TOUCHING, near_a)
        in_b = place_hulls(poses, balls, hulls, b, centres[a], balls[a]["radius"] + TOUCHING, near_b)
        done = False
        for i in range(in_a):
            for j in range(in_b):
                x, y, z = near_b[j, 0] - near_a[i, 0], near_b[j, 1] - near_a[i, 1], near_b[j, 2] - near_a[i, 2]
                one, other = int(near_a[i, 3]), int(near_b[j, 3])
                far = hulls[one]["radius"] + hulls[other]["radius"] + TOUCHING
                if x * x + y * y + z * z > far * far:
                    continue
                overlap = False
                place = 0
                if len(memory) > 0:
                    place = slot(one, other, len(memory))
                    record = memory[place]
                    if record["a"] == one and record["b"] == other:
                        if record["overlap"]:
                            overlap = still_overlap(corners, hulls, poses, record, x, y, z)
                        elif still_apart(corners, hulls, poses, record, x, y, z, heights, bits):
                            continue
                if not overlap:
                    guess = -x if x * x + y * y + z * z > 0.0 else 1.0
                    size, vx, vy, vz = walk(
                        corners,
                        hulls,
                        poses,
                        one,
                        other,
                        x,
                        y,
                        z,
                        guess,
                        -y,
                        -z,
                        TOUCHING,
                        TOUCHING,
                        heights,
                        bits,
                        simplex,
                        weights,
                    )
                    overlap = size > 0
                    if len(memory) > 0:
                        remember(memory[place], one, other, size, vx, vy, vz, simplex)
                if overlap:
                    if count < len(found):
                        found[count, 0], found[count, 1], found[count, 2] = row, one, other
                    count += 1
                    if count == most:
                        return count
                    done = True
                    break
            if done:
                break
    return count


@kernel(types.int64(POSES, BALLS, HULLS, CORNERS, PAIRS, FLAGS, types.int64, MEMORY, types.int64[:, ::1]))
def touching(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    pairs: Ints,
    moving: Bools,
    most: int,
    memory: Table,
    found: Ints,
) -> int:
    """Find which pairs of items touch, shape (pairs, 2); how many there are, or -1.

    A row of `found` gets the row of `pairs` and two hulls that touch, as far as there is room. Where `moving` is not
    empty, only pairs count of which one item moves and the other does not. The search ends at `most`. `memory`, empty
    or as long as a power of two, is used and brought up to date. The answer is -1 where a pose is not finite.
    """
    return touch_in(poses, balls, hulls, corners, pairs, moving, most, memory, found)


@kernel(
    types.void(
        read_only(types.float64, 4),
        BALLS,
        HULLS,
        CORNERS,
        PAIRS,
        FLAGS,
        MEMORY,
        types.int64[::1],
        types.boolean[:, ::1],
    )
)
def touching_batch(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    pairs: Ints,
    moving: Bools,
    memory: Table,
    counts: Ints,
    hits: Bools,
) -> None:
    """As :func:`touching` for many configurations; poses have shape (batch, items, 4, 4).

    Written are how many pairs of items touch in each, shape (batch,), or -1, and which, shape (batch, pairs). Where
    `hits` has no columns, the search ends at the first pair.
    """
    columns = hits.shape[1]
    found = np.empty((columns, 3), np.int64)
    for row in range(len(poses)):
        count = touch_in(poses[row], balls, hulls, corners, pairs, moving, columns if columns > 0 else 1, memory, found)
        counts[row] = count
        for column in range(columns):
            hits[row, column] = False
        for place in range(min(count, columns)):
            hits[row, found[place, 0]] = True
