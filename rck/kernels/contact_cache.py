"""Results kept from one step to the next, so that the next search has less to do.

For two items: how far they may travel before the result can change. The distance between hulls, or the depth of their
overlap, shrinks no faster than the farthest points of the two move. The travel of each item is summed, and a pair is
tested again only when the sum for both has used up the distance between them.

For two hulls that were apart: the vector that separated them. For hulls that overlapped: the four corners of A - B that
enclosed the origin. If motion is small, they mostly still do. Both are only tried first, and never change a result.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rck.kernels.body_tables import Table
from rck.kernels.gjk import TOUCHING, Simplex, difference, farthest_difference
from rck.kernels.hull_tables import Hulls
from rck.kernels.kernel import Floats, Vector, from_dtype, helper, inlined, types

RECORD = np.dtype(
    [
        # The two hulls. They determine the index of the record, but other pairs may have the same index.
        ("a", np.int32),
        ("b", np.int32),
        ("overlap", np.int64),
        # Rows of `corners`, of a and b, of the four corners that enclosed the origin.
        ("simplex", np.int32, (4, 2)),
        # From b to a, along the world axes; an estimate, so single precision is enough.
        ("vector", np.float32, (3,)),
        # Pads the record to one cache line.
        ("spare", np.int32),
    ]
)


class ContactCache(NamedTuple):
    """The results that a scene keeps. All arrays are empty if nothing is to be kept."""

    records: Table
    """One per pair of hulls; their number is a power of two or zero. Shape (records,)."""
    poses: Floats
    """World from item at the last step. Shape (items, 4, 4)."""
    travel: Floats
    """Upper bound of the distance that any point of the item has travelled, in metres. Shape (items,)."""
    valid_until: Floats
    """The result for a pair of items holds until their travel adds up to this; negative for a contact.
    Shape (pairs,)."""


CACHE = types.NamedTuple(
    [
        types.Array(from_dtype(RECORD), 1, "C"),
        types.float64[:, :, ::1],
        types.float64[::1],
        types.float64[::1],
    ],
    ContactCache,
)

# The origin counts as inside a tetrahedron if it is this fraction of the edge lengths away from each face.
_WELL_INSIDE = 1e-9

# Travel is rounded up by this factor, for the rounding of sums.
_ROUNDED_UP = 1.0 + 1e-12

# The least number of records, unless there are fewer pairs, and the number per hull: with fewer, pairs would
# overwrite each other's records.
_LEAST_RECORDS = 1 << 13
_RECORDS_PER_HULL = 16


def empty_cache(items: int, hulls: int, pairs: int) -> ContactCache:
    """Return an empty cache for a scene with these numbers of items, hulls and listed pairs of items."""
    records = np.zeros(1 << min(hulls * hulls, max(_LEAST_RECORDS, _RECORDS_PER_HULL * hulls)).bit_length(), RECORD)
    records["a"] = -1
    return with_pairs(ContactCache(records, np.zeros((items, 4, 4)), np.zeros(items), np.empty(0)), pairs)


def no_cache() -> ContactCache:
    """Return a cache that keeps nothing."""
    return ContactCache(np.empty(0, RECORD), np.empty((0, 4, 4)), np.empty(0), np.empty(0))


def with_pairs(cache: ContactCache, pairs: int) -> ContactCache:
    """Return the cache for another list of pairs of items, without results for them."""
    return cache._replace(valid_until=np.zeros(pairs))


@inlined
def add_travel(poses: Floats, spheres: Table, cache: ContactCache) -> None:
    """Add to the travel of each item the farthest that one of its points has moved since the last step."""
    before, travel = cache.poses, cache.travel
    for item in range(len(travel)):
        turned = moved = 0.0
        cx, cy, cz = spheres[item]["centre"]
        for axis in range(3):
            x = poses[item, axis, 0] - before[item, axis, 0]
            y = poses[item, axis, 1] - before[item, axis, 1]
            z = poses[item, axis, 2] - before[item, axis, 2]
            along = x * cx + y * cy + z * cz + (poses[item, axis, 3] - before[item, axis, 3])
            turned += x * x + y * y + z * z
            moved += along * along
            for column in range(4):
                before[item, axis, column] = poses[item, axis, column]
        travel[item] += (sqrt(moved) + sqrt(turned) * spheres[item]["radius"]) * _ROUNDED_UP


@helper
def record_index(a: int, b: int, records: int) -> int:
    """Return the index of the record of a pair of hulls; the number of records is a power of two."""
    mixed = a * 73856093 + b * 19349663
    return (mixed ^ (mixed >> 13)) & (records - 1)


@helper
def still_apart(hulls: Hulls, poses: Floats, record: np.void, offset: Vector) -> float:
    """Return the distance by which the recorded vector still separates the hulls, or zero if it does not.

    `offset` is the vector from the centre of hull a to that of hull b.
    """
    vx, vy, vz = float(record["vector"][0]), float(record["vector"][1]), float(record["vector"][2])
    _, _, x, y, z = farthest_difference(hulls, poses, record["a"], record["b"], offset, (-vx, -vy, -vz))
    height = vx * x + vy * y + vz * z
    gap = height / sqrt(vx * vx + vy * vy + vz * vz) if height > 0.0 else 0.0
    return gap if gap > TOUCHING else 0.0


@helper
def still_overlap(hulls: Hulls, poses: Floats, record: np.void, offset: Vector) -> float:
    """Return the depth of the origin between the corners that enclosed it, or zero if it has left them.

    `offset` is the vector from the centre of hull a to that of hull b.
    """
    tx, ty, tz = offset
    a, b, simplex = record["a"], record["b"], record["simplex"]
    px, py, pz = difference(hulls, poses, a, b, simplex[0, 0], simplex[0, 1])
    qx, qy, qz = difference(hulls, poses, a, b, simplex[1, 0], simplex[1, 1])
    rx, ry, rz = difference(hulls, poses, a, b, simplex[2, 0], simplex[2, 1])
    sx, sy, sz = difference(hulls, poses, a, b, simplex[3, 0], simplex[3, 1])
    px, py, pz, qx, qy, qz = px - tx, py - ty, pz - tz, qx - tx, qy - ty, qz - tz
    rx, ry, rz, sx, sy, sz = rx - tx, ry - ty, rz - tz, sx - tx, sy - ty, sz - tz
    # Six times the volumes of the tetrahedra between the origin and each face.
    qrx, qry, qrz = qy * rz - qz * ry, qz * rx - qx * rz, qx * ry - qy * rx
    spx, spy, spz = sy * pz - sz * py, sz * px - sx * pz, sx * py - sy * px
    one = qrx * sx + qry * sy + qrz * sz
    two = -(qrx * px + qry * py + qrz * pz)
    three = spx * qx + spy * qy + spz * qz
    four = -(spx * rx + spy * ry + spz * rz)
    size = max(abs(px) + abs(py) + abs(pz), abs(qx) + abs(qy) + abs(qz))
    size = max(size, max(abs(rx) + abs(ry) + abs(rz), abs(sx) + abs(sy) + abs(sz)))
    least = _WELL_INSIDE * size * size * size
    depth = 0.0
    if (one > least and two > least and three > least and four > least) or (
        one < -least and two < -least and three < -least and four < -least
    ):
        # Each volume is twice the area of the face times the height above it.
        depth = min(
            min(
                abs(one) / twice_the_area(qx, qy, qz, rx, ry, rz, sx, sy, sz),
                abs(two) / twice_the_area(px, py, pz, qx, qy, qz, rx, ry, rz),
            ),
            min(
                abs(three) / twice_the_area(px, py, pz, qx, qy, qz, sx, sy, sz),
                abs(four) / twice_the_area(px, py, pz, rx, ry, rz, sx, sy, sz),
            ),
        )
    return depth


@helper
def twice_the_area(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> float:
    """Return twice the area of a triangle."""
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return sqrt(nx * nx + ny * ny + nz * nz)


@helper
def store(record: np.void, a: int, b: int, size: int, vector: Vector, simplex: Simplex) -> None:
    """Store the result of :func:`rck.kernels.gjk.closest_points` for hulls a and b."""
    if size == 0 or size == 4:
        record["a"], record["b"], record["overlap"] = a, b, size
        record["vector"][0], record["vector"][1], record["vector"][2] = vector
        for k in range(size):
            record["simplex"][k, 0], record["simplex"][k, 1] = simplex.rows[k, 0], simplex.rows[k, 1]
    elif record["a"] == a and record["b"] == b:
        # A grazing contact leaves nothing worth trying next time.
        record["a"] = -1
