"""Contacts between the items of a scene: bounding spheres of items, bounding spheres of hulls, then the hulls.

The search is one long function on purpose: with the test of two hulls in a separate function, even an inlined one, it
takes 5 % longer.
"""

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from rck.kernels.array_table import (
    ArrayTable,
    bodies_at,
    flags_at,
    frames_at,
    hulls_at,
    indices_at,
    numbers_at,
    pairs_at,
    poses_at,
    records_at,
    rows_at,
    same_flags,
    same_poses,
    same_vector,
    sectors_at,
    spheres_at,
    vectors_at,
)
from rck.kernels.body_tables import Table
from rck.kernels.broad_phase import FLAGS, Bools, sphere_centres
from rck.kernels.capsules import capsule_separation, is_long
from rck.kernels.contact_cache import ContactCache, add_travel, record_index, still_apart, still_overlap, store
from rck.kernels.fk import VECTOR, VECTORS, place_bodies, place_frames
from rck.kernels.gjk import TOUCHING, Simplex, closest_points, quick_separation
from rck.kernels.hull_tables import Hulls
from rck.kernels.kernel import Floats, Ints, helper, inlined, kernel, read_only, types

MOST_STEPS = 1_000_000
"""Joint vectors at which an edge is tested, at most."""
_SAME_STEP = 1e-9
"""Rounding of the number of steps."""


@helper
def most_hulls(spheres: Table) -> int:
    """Return the largest number of hulls of an item."""
    most = 0
    for item in range(len(spheres)):
        most = max(most, spheres[item]["last"] - spheres[item]["first"])
    return most


@inlined
def place_hulls(poses: Floats, hulls: Hulls, item: int, centres: Floats, other: int, reach: float, near: Floats) -> int:
    """Write the hulls of an item whose spheres are within `reach` of row `other` of `centres`; return their number.

    Each row of `near` gets the centre in the world and the index of the hull.
    """
    count = 0
    for hull in range(hulls.spheres[item]["first"], hulls.spheres[item]["last"]):
        a, b, c = hulls.table[hull]["centre"]
        x = poses[item, 0, 0] * a + poses[item, 0, 1] * b + poses[item, 0, 2] * c + poses[item, 0, 3]
        y = poses[item, 1, 0] * a + poses[item, 1, 1] * b + poses[item, 1, 2] * c + poses[item, 1, 3]
        z = poses[item, 2, 0] * a + poses[item, 2, 1] * b + poses[item, 2, 2] * c + poses[item, 2, 3]
        dx, dy, dz = x - centres[other, 0], y - centres[other, 1], z - centres[other, 2]
        far = reach + hulls.table[hull]["radius"]
        if dx * dx + dy * dy + dz * dz <= far * far:
            near[count, 0], near[count, 1], near[count, 2], near[count, 3] = x, y, z, hull
            count += 1
    return count


class ContactBuffers(NamedTuple):
    """Working memory of a search."""

    centres: Floats
    """Centres of the item spheres in the world. Shape (items, 3)."""
    near_a: Floats
    near_b: Floats
    """Results of :func:`place_hulls` for the two items of a pair."""
    simplex: Simplex
    order: Ints
    """The order in which pairs are tested. Shape (pairs,)."""


@helper
def find_contacts(rows: Ints, poses: Floats, moving: Bools, hits: Bools) -> int:
    """Find contacts as :func:`touching` does, in one configuration; `hits` is its row.

    All arrays come from pointers, so that this is compiled once for all kernels.
    """
    hulls = Hulls(
        spheres_at(rows, _SPHERES), hulls_at(rows, _TABLE), vectors_at(rows, _CORNERS), sectors_at(rows, _SECTORS)
    )
    cache = ContactCache(
        records_at(rows, _RECORDS),
        poses_at(rows, _LAST_POSES),
        numbers_at(rows, _TRAVEL),
        numbers_at(rows, _VALID_UNTIL),
    )
    buffers = ContactBuffers(
        vectors_at(rows, _CENTRES),
        vectors_at(rows, _NEAR_A),
        vectors_at(rows, _NEAR_B),
        Simplex(pairs_at(rows, _SIMPLEX), numbers_at(rows, _WEIGHTS)),
        indices_at(rows, _ORDER),
    )
    pairs = pairs_at(rows, _PAIRS)
    spheres, table = hulls.spheres, hulls.table
    records, travel, valid_until = cache.records, cache.travel, cache.valid_until
    centres, near_a, near_b, order = buffers.centres, buffers.near_a, buffers.near_b, buffers.order
    if not sphere_centres(poses, spheres, centres):
        return -1
    if len(travel) > 0:
        add_travel(poses, spheres, cache)
    for row in range(len(hits)):
        hits[row] = False
    count = 0
    for turn in range(len(pairs)):
        row = order[turn]
        a, b = pairs[row, 0], pairs[row, 1]
        if len(moving) > 0 and moving[a] == moving[b]:
            continue
        if len(travel) > 0 and travel[a] + travel[b] < abs(valid_until[row]):
            if valid_until[row] < 0.0:
                count += 1
                if len(hits) == 0:
                    return count
                hits[row] = True
            continue
        x, y, z = centres[b, 0] - centres[a, 0], centres[b, 1] - centres[a, 1], centres[b, 2] - centres[a, 2]
        far = spheres[a]["radius"] + spheres[b]["radius"] + TOUCHING
        if x * x + y * y + z * z > far * far:
            continue
        overlap, slack = False, 0.0
        in_a = place_hulls(poses, hulls, a, centres, b, spheres[b]["radius"] + TOUCHING, near_a)
        in_b = place_hulls(poses, hulls, b, centres, a, spheres[a]["radius"] + TOUCHING, near_b)
        for pair in range(in_a * in_b):
            i, j = pair // in_b, pair % in_b
            x, y, z = near_b[j, 0] - near_a[i, 0], near_b[j, 1] - near_a[i, 1], near_b[j, 2] - near_a[i, 2]
            one, other = int(near_a[i, 3]), int(near_b[j, 3])
            square = x * x + y * y + z * z
            far = table[one]["radius"] + table[other]["radius"] + TOUCHING
            if square > far * far:
                continue
            inner = table[one]["inner_radius"] + table[other]["inner_radius"]
            if inner > 0.0 and square < inner * inner:
                overlap, slack = True, inner - sqrt(square)
                break
            vx, vy, vz, slack = -x, -y, -z, 0.0
            if is_long(table, one) or is_long(table, other):
                vx, vy, vz, slack = capsule_separation(table, poses, one, other, (x, y, z))
                if slack > TOUCHING:
                    continue
            elif square == 0.0:
                vx = 1.0
            index = 0
            if len(records) > 0:
                index = record_index(one, other, len(records))
                record = records[index]
                if record["a"] == one and record["b"] == other:
                    if record["overlap"]:
                        slack = still_overlap(hulls, poses, record, (x, y, z))
                        overlap = slack > 0.0
                    else:
                        slack = still_apart(hulls, poses, record, (x, y, z))
                        if slack > 0.0:
                            continue
            if not overlap:
                slack, vx, vy, vz = quick_separation(hulls, poses, one, other, (x, y, z), (vx, vy, vz))
                size = 0
                if slack > 0.0:
                    slack /= sqrt(vx * vx + vy * vy + vz * vz)
                else:
                    size, vx, vy, vz = closest_points(
                        hulls, poses, one, other, (x, y, z), (vx, vy, vz), TOUCHING, TOUCHING, buffers.simplex
                    )
                overlap = size > 0
                if len(records) > 0:
                    store(records[index], one, other, size, (vx, vy, vz), buffers.simplex)
            if overlap:
                break
        if len(travel) > 0:
            if not overlap and (
                spheres[a]["last"] - spheres[a]["first"] > 1 or spheres[b]["last"] - spheres[b]["first"] > 1
            ):
                # The slack is that of one of several pairs of hulls.
                slack = 0.0
            # The result holds up to the contact tolerance and rounding.
            last = travel[a] + travel[b] + max(slack - 2.0 * TOUCHING, 0.0)
            valid_until[row] = -last if overlap else last
        if overlap:
            count += 1
            if len(hits) == 0:
                # Test pairs that are often in contact earlier, so that the search ends sooner.
                order[turn], order[turn // 2] = order[turn // 2], order[turn]
                return count
            hits[row] = True
    return count


# Rows of the table of arrays that a scene gives to the kernels.
_SPHERES, _TABLE, _CORNERS, _SECTORS, _PAIRS, _BODIES, _FRAMES = range(7)
_RECORDS, _LAST_POSES, _TRAVEL, _VALID_UNTIL = range(7, 11)
_BODY_POSES, _POSES, _CENTRES, _NEAR_A, _NEAR_B, _SIMPLEX, _WEIGHTS, _ORDER, _NO_FLAGS = range(11, 20)


def scene_table(hulls: Hulls, pairs: Ints, bodies: Table, frames: Table, cache: ContactCache) -> ArrayTable:
    """Return the table that the kernels of this module take: a scene, its cache, and working memory for one thread."""
    spheres = hulls.spheres
    most = int((spheres["last"] - spheres["first"]).max(initial=0))
    room = (
        np.empty((len(bodies), 4, 4)),
        np.empty((len(frames), 4, 4)),
        np.empty((len(spheres), 3)),
        np.empty((most, 4)),
        np.empty((most, 4)),
        np.empty((4, 2), np.int64),
        np.empty(4),
        np.arange(len(pairs)),
        np.empty(0, bool),
    )
    return ArrayTable(*hulls, pairs, bodies, frames, *cache, *room)


@helper
def place_scene(rows: Ints, vector: Floats) -> Floats:
    """Return world from item at a joint vector, in the working memory of a scene. Shape (items, 4, 4)."""
    body_poses, poses = poses_at(rows, _BODY_POSES), poses_at(rows, _POSES)
    place_bodies(bodies_at(rows, _BODIES), vector, body_poses)
    place_frames(frames_at(rows, _FRAMES), body_poses, poses)
    return poses


@kernel(types.int64(types.int64, read_only(types.float64, 3)))
def touches(scene: int, poses: Floats) -> int:
    """Return 1 if a pair is in contact, 0 if none is, or -1 if a pose is not finite; world from item (items, 4, 4).

    `scene` is the address of a :func:`scene_table`, the cache of which is used and updated.
    """
    rows = rows_at(scene)
    nothing = flags_at(rows, _NO_FLAGS)
    return find_contacts(rows, same_poses(poses), nothing, nothing)


@kernel(types.int64(types.int64, VECTOR))
def touches_at(scene: int, vector: Floats) -> int:
    """Return the result of :func:`touches` at a joint vector."""
    rows = rows_at(scene)
    nothing = flags_at(rows, _NO_FLAGS)
    return find_contacts(rows, place_scene(rows, same_vector(vector)), nothing, nothing)


@kernel(types.void(types.int64, read_only(types.float64, 4), FLAGS, types.int64[::1], types.boolean[:, ::1]))
def touching(scene: int, poses: Floats, moving: Bools, counts: Ints, hits: Bools) -> None:
    """Find the pairs of items in contact for many configurations with poses (batch, items, 4, 4).

    `scene` is the address of a :func:`scene_table`, the cache of which is used and updated. `counts`, shape (batch,),
    gets the number of contacts of each, or -1 if a pose is not finite; `hits`, shape (batch, pairs), gets the pairs in
    contact. If `hits` has no columns, the search ends at the first contact. If `moving` is not empty, only pairs of a
    moving and a resting item are tested.
    """
    rows = rows_at(scene)
    for row in range(len(poses)):
        counts[row] = find_contacts(rows, same_poses(poses[row]), same_flags(moving), same_flags(hits[row]))


@kernel(types.void(types.int64, VECTORS, FLAGS, types.int64[::1], types.boolean[:, ::1]))
def touching_at(scene: int, vectors: Floats, moving: Bools, counts: Ints, hits: Bools) -> None:
    """Run forward kinematics, then :func:`touching`, for joint vectors of shape (batch, free joints)."""
    rows = rows_at(scene)
    for row in range(len(vectors)):
        poses = place_scene(rows, same_vector(vectors[row]))
        counts[row] = find_contacts(rows, poses, same_flags(moving), same_flags(hits[row]))


@kernel(types.void(types.int64, read_only(types.float64, 3), types.float64, types.boolean[::1]))
def free_edges(scene: int, edges: Floats, step: float, free: Bools) -> None:
    """Write True for each edge without contact; an edge is two joint vectors, shape (edges, 2, free joints).

    Each is tested at evenly spaced joint vectors, both ends included, in which no joint differs by more than `step`:
    first at the end and in the middle, then from the start. A joint vector that is not finite is not free.
    """
    rows = rows_at(scene)
    nothing = flags_at(rows, _NO_FLAGS)
    vector = np.empty(edges.shape[2])
    for edge in range(len(edges)):
        longest = 0.0
        for j in range(len(vector)):
            change = abs(edges[edge, 1, j] - edges[edge, 0, j])
            longest = change if not change <= longest else longest
        if not longest <= step * MOST_STEPS:
            free[edge] = False
            continue
        steps = max(ceil(longest / step - _SAME_STEP), 1)
        free[edge] = True
        for number in range(-2, steps):
            share = 1.0 if number == -2 else (steps // 2) / steps if number == -1 else number / steps
            for j in range(len(vector)):
                vector[j] = edges[edge, 0, j] + share * (edges[edge, 1, j] - edges[edge, 0, j])
            if find_contacts(rows, place_scene(rows, same_vector(vector)), nothing, nothing) != 0:
                free[edge] = False
                break
