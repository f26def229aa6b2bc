"""Which items of a scene touch: spheres of items, spheres of subitems, then the hulls themselves.

The search is one long function on purpose: with the comparison of two hulls in a function of its own, even one that is
written out where it is called, a search takes a twentieth longer.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import types

from rck.kernels.bodies import Table
from rck.kernels.broad_phase import FLAGS, PAIRS, Bools, place_balls
from rck.kernels.capsules import between_cores, is_long
from rck.kernels.fk import BODIES, PLACES, VECTORS, place_bodies, place_places
from rck.kernels.gjk import TOUCHING, glance, walk
from rck.kernels.hulls import BALLS, HULLS
from rck.kernels.kernel import Floats, Ints, helper, inlined, kernel, read_only
from rck.kernels.memory import MEMORY, Memory, add_ways, remember, slot, still_apart, still_overlap
from rck.kernels.sectors import CORNERS, SECTORS, Sectors

# What both kernels take after where the items are.
_SEARCH = (BALLS, HULLS, CORNERS, SECTORS, PAIRS, FLAGS, MEMORY, types.int64[::1], types.boolean[:, ::1])


@helper
def most_hulls(balls: Table) -> int:
    """The number of hulls of the item that has most."""
    most = 0
    for item in range(len(balls)):
        most = max(most, balls[item]["last"] - balls[item]["first"])
    return most


@inlined
def place_hulls(
    poses: Floats, balls: Table, hulls: Table, item: int, centres: Floats, other: int, reach: float, near: Floats
) -> int:
    """Write the hulls of an item whose spheres are within `reach` of a point; how many there are.

    A row of `near` gets the centre in the world and the number of the hull.
    """
    count = 0
    for hull in range(balls[item]["first"], balls[item]["last"]):
        a, b, c = hulls[hull]["centre"]
        x = poses[item, 0, 0] * a + poses[item, 0, 1] * b + poses[item, 0, 2] * c + poses[item, 0, 3]
        y = poses[item, 1, 0] * a + poses[item, 1, 1] * b + poses[item, 1, 2] * c + poses[item, 1, 3]
        z = poses[item, 2, 0] * a + poses[item, 2, 1] * b + poses[item, 2, 2] * c + poses[item, 2, 3]
        dx, dy, dz = x - centres[other, 0], y - centres[other, 1], z - centres[other, 2]
        far = reach + hulls[hull]["radius"]
        if dx * dx + dy * dy + dz * dz <= far * far:
            near[count, 0], near[count, 1], near[count, 2], near[count, 3] = x, y, z, hull
            count += 1
    return count


class Room(NamedTuple):
    """Room to work in, made once for many configurations."""

    centres: Floats
    """Of the items' spheres, in the world. Shape (items, 3)."""
    near_a: Floats
    near_b: Floats
    """What :func:`place_hulls` writes of the two items of a pair."""
    simplex: Ints
    weights: Floats
    """What :func:`rck.kernels.gjk.walk` writes."""
    order: Ints
    """In which pairs are looked at. Shape (pairs,)."""


@helper
def make_room(balls: Table, pairs: Ints) -> Room:
    """Room for the search among these pairs."""
    most = most_hulls(balls)
    return Room(
        np.empty((len(balls), 3)),
        np.empty((most, 4)),
        np.empty((most, 4)),
        np.empty((4, 2), np.int64),
        np.empty(4),
        np.arange(len(pairs)),
    )


@inlined
def touch_in(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    sectors: Sectors,
    pairs: Ints,
    moving: Bools,
    memory: Memory,
    room: Room,
    hits: Bools,
) -> int:
    """As :func:`touching`, for one configuration; `hits` is its row."""
    records, ways, until = memory.records, memory.ways, memory.until
    centres, near_a, near_b, order = room.centres, room.near_a, room.near_b, room.order
    if not place_balls(poses, balls, centres):
        return -1
    if len(ways) > 0:
        add_ways(poses, balls, memory)
    for row in range(len(hits)):
        hits[row] = False
    count = 0
    for turn in range(len(pairs)):
        row = order[turn]
        a, b = pairs[row, 0], pairs[row, 1]
        if len(moving) > 0 and moving[a] == moving[b]:
            continue
        if len(ways) > 0 and ways[a] + ways[b] < abs(until[row]):
            if until[row] < 0.0:
                count += 1
                if len(hits) == 0:
                    return count
                hits[row] = True
            continue
        x, y, z = centres[b, 0] - centres[a, 0], centres[b, 1] - centres[a, 1], centres[b, 2] - centres[a, 2]
        far = balls[a]["radius"] + balls[b]["radius"] + TOUCHING
        if x * x + y * y + z * z > far * far:
            continue
        overlap, slack = False, 0.0
        in_a = place_hulls(poses, balls, hulls, a, centres, b, balls[b]["radius"] + TOUCHING, near_a)
        in_b = place_hulls(poses, balls, hulls, b, centres, a, balls[a]["radius"] + TOUCHING, near_b)
        for pair in range(in_a * in_b):
            i, j = pair // in_b, pair % in_b
            x, y, z = near_b[j, 0] - near_a[i, 0], near_b[j, 1] - near_a[i, 1], near_b[j, 2] - near_a[i, 2]
            one, other = int(near_a[i, 3]), int(near_b[j, 3])
            square = x * x + y * y + z * z
            far = hulls[one]["radius"] + hulls[other]["radius"] + TOUCHING
            if square > far * far:
                continue
            inner = hulls[one]["inner"] + hulls[other]["inner"]
            if inner > 0.0 and square < inner * inner:
                overlap, slack = True, inner - sqrt(square)
                break
            vx, vy, vz, slack = -x, -y, -z, 0.0
            if is_long(hulls, one) or is_long(hulls, other):
                vx, vy, vz, slack = between_cores(hulls, poses, one, other, x, y, z)
                if slack > TOUCHING:
                    continue
            elif square == 0.0:
                vx = 1.0
            place = 0
            if len(records) > 0:
                place = slot(one, other, len(records))
                record = records[place]
                if record["a"] == one and record["b"] == other:
                    if record["overlap"]:
                        slack = still_overlap(corners, hulls, poses, record, x, y, z)
                        overlap = slack > 0.0
                    else:
                        slack = still_apart(corners, hulls, poses, record, x, y, z, sectors)
                        if slack > 0.0:
                            continue
            if not overlap:
                slack, vx, vy, vz = glance(corners, hulls, poses, one, other, x, y, z, vx, vy, vz, sectors)
                size = 0
                if slack > 0.0:
                    slack /= sqrt(vx * vx + vy * vy + vz * vz)
                else:
                    size, vx, vy, vz = walk(
                        corners,
                        hulls,
                        poses,
                        one,
                        other,
                        x,
                        y,
                        z,
                        vx,
                        vy,
                        vz,
                        TOUCHING,
                        TOUCHING,
                        sectors,
                        room.simplex,
                        room.weights,
                    )
                overlap = size > 0
                if len(records) > 0:
                    remember(records[place], one, other, size, vx, vy, vz, room.simplex)
            if overlap:
                break
        if len(ways) > 0:
            if not overlap and (balls[a]["last"] - balls[a]["first"] > 1 or balls[b]["last"] - balls[b]["first"] > 1):
                # That was of one of several pairs of hulls.
                slack = 0.0
            # The answer would be the same within what counts as touching, and within rounding.
            last = ways[a] + ways[b] + max(slack - 2.0 * TOUCHING, 0.0)
            until[row] = -last if overlap else last
        if overlap:
            count += 1
            if len(hits) == 0:
                # Pairs that touch often come to be looked at first, and the search ends the sooner.
                order[turn], order[turn // 2] = order[turn // 2], order[turn]
                return count
            hits[row] = True
    return count


@kernel(types.void(read_only(types.float64, 4), *_SEARCH))
def touching(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    sectors: Sectors,
    pairs: Ints,
    moving: Bools,
    memory: Memory,
    counts: Ints,
    hits: Bools,
) -> None:
    """Find which pairs of items, shape (pairs, 2), touch, for many configurations with poses (batch, items, 4, 4).

    Written are how many pairs touch in each, shape (batch,), or -1 where a pose is not finite, and which, shape
    (batch, pairs). Where `hits` has no columns, the search ends at the first. Where `moving` is not empty, only pairs
    count of which one item moves and the other does not. `memory` is used and brought up to date.
    """
    room = make_room(balls, pairs)
    for row in range(len(poses)):
        counts[row] = touch_in(poses[row], balls, hulls, corners, sectors, pairs, moving, memory, room, hits[row])


@kernel(types.void(BODIES, PLACES, VECTORS, *_SEARCH))
def touching_at(
    bodies: Table,
    places: Table,
    vectors: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    sectors: Sectors,
    pairs: Ints,
    moving: Bools,
    memory: Memory,
    counts: Ints,
    hits: Bools,
) -> None:
    """As :func:`touching`, for joint vectors of shape (batch, free joints): kinematics and search at one go."""
    body_poses = np.empty((len(bodies), 4, 4))
    poses = np.empty((len(places), 4, 4))
    room = make_room(balls, pairs)
    for row in range(len(vectors)):
        place_bodies(bodies, vectors[row], body_poses)
        place_places(places, body_poses, poses)
        counts[row] = touch_in(poses, balls, hulls, corners, sectors, pairs, moving, memory, room, hits[row])
