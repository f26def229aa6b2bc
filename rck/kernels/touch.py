"""Which items of a scene touch: spheres of items, spheres of subitems, then the hulls themselves."""

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
from rck.kernels.memory import MEMORY, remember, slot, still_apart, still_overlap
from rck.kernels.sectors import CORNERS, SECTORS, Sectors


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
    memory: Table,
    room: Room,
    hits: Bools,
) -> int:
    """As :func:`touching`, for one configuration; `hits` is its row."""
    centres, near_a, near_b, order = room.centres, room.near_a, room.near_b, room.order
    if not place_balls(poses, balls, centres):
        return -1
    for row in range(len(hits)):
        hits[row] = False
    count = 0
    for turn in range(len(pairs)):
        row = order[turn]
        a, b = pairs[row, 0], pairs[row, 1]
        x, y, z = centres[b, 0] - centres[a, 0], centres[b, 1] - centres[a, 1], centres[b, 2] - centres[a, 2]
        far = balls[a]["radius"] + balls[b]["radius"] + TOUCHING
        if x * x + y * y + z * z > far * far:
            continue
        if len(moving) > 0 and moving[a] == moving[b]:
            continue
        in_a = place_hulls(poses, balls, hulls, a, centres, b, balls[b]["radius"] + TOUCHING, near_a)
        in_b = place_hulls(poses, balls, hulls, b, centres, a, balls[a]["radius"] + TOUCHING, near_b)
        overlap = False
        for i in range(in_a):
            for j in range(in_b):
                x, y, z = near_b[j, 0] - near_a[i, 0], near_b[j, 1] - near_a[i, 1], near_b[j, 2] - near_a[i, 2]
                one, other = int(near_a[i, 3]), int(near_b[j, 3])
                far = hulls[one]["radius"] + hulls[other]["radius"] + TOUCHING
                if x * x + y * y + z * z > far * far:
                    continue
                vx, vy, vz = -x, -y, -z
                if is_long(hulls, one) or is_long(hulls, other):
                    vx, vy, vz, gap = between_cores(hulls, poses, one, other, x, y, z)
                    if gap > TOUCHING:
                        continue
                elif x == 0.0 and y == 0.0 and z == 0.0:
                    vx = 1.0
                place = 0
                if len(memory) > 0:
                    place = slot(one, other, len(memory))
                    record = memory[place]
                    if record["a"] == one and record["b"] == other:
                        if record["overlap"]:
                            overlap = still_overlap(corners, hulls, poses, record, x, y, z)
                        elif still_apart(corners, hulls, poses, record, x, y, z, sectors):
                            continue
                if not overlap:
                    apart, vx, vy, vz = glance(corners, hulls, poses, one, other, x, y, z, vx, vy, vz, sectors)
                    size = 0
                    if not apart:
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
                    if len(memory) > 0:
                        remember(memory[place], one, other, size, vx, vy, vz, room.simplex)
                if overlap:
                    break
            if overlap:
                break
        if overlap:
            count += 1
            if len(hits) == 0:
                # Pairs that touch often come to be looked at first, and the search ends the sooner.
                order[turn], order[turn // 2] = order[turn // 2], order[turn]
                return count
            hits[row] = True
    return count


@kernel(
    types.void(
        read_only(types.float64, 4),
        BALLS,
        HULLS,
        CORNERS,
        SECTORS,
        PAIRS,
        FLAGS,
        MEMORY,
        types.int64[::1],
        types.boolean[:, ::1],
    )
)
def touching(
    poses: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    sectors: Sectors,
    pairs: Ints,
    moving: Bools,
    memory: Table,
    counts: Ints,
    hits: Bools,
) -> None:
    """Find which pairs of items, shape (pairs, 2), touch, for many configurations with poses (batch, items, 4, 4).

    Written are how many pairs touch in each, shape (batch,), or -1 where a pose is not finite, and which, shape
    (batch, pairs). Where `hits` has no columns, the search ends at the first. Where `moving` is not empty, only pairs
    count of which one item moves and the other does not. `memory`, empty or as long as a power of two, is used and
    brought up to date.
    """
    room = make_room(balls, pairs)
    for row in range(len(poses)):
        counts[row] = touch_in(poses[row], balls, hulls, corners, sectors, pairs, moving, memory, room, hits[row])


@kernel(
    types.void(
        BODIES,
        PLACES,
        VECTORS,
        BALLS,
        HULLS,
        CORNERS,
        SECTORS,
        PAIRS,
        FLAGS,
        MEMORY,
        types.int64[::1],
        types.boolean[:, ::1],
    )
)
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
    memory: Table,
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
