"""What is remembered from one step to the next, so that the next need not begin from nothing.

Of two items it is how far they may go before the answer can change. The distance between hulls, or how deep they
overlap, shrinks no faster than the farthest points of the two move; so the way of each item is added up, and a pair is
looked at again only when both together have used up what there was between them.

Of two hulls that were apart it is the vector that parted them, of hulls that overlapped the four corners of A - B that
enclosed the origin. While motion is small, they mostly still do. Both are only tried first: whatever stands in them,
the answers are the same.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import from_dtype, types

from rck.kernels.bodies import Table
from rck.kernels.gjk import TOUCHING, difference, farthest_difference
from rck.kernels.kernel import Floats, Ints, helper, inlined
from rck.kernels.sectors import Sectors

RECORD = np.dtype(
    [
        # The hulls that the record is of: its place follows from them, but other pairs may have the same place.
        ("a", np.int32),
        ("b", np.int32),
        ("overlap", np.int64),
        # Rows of `corners`, of a and b, of the four corners that enclosed the origin.
        ("simplex", np.int32, (4, 2)),
        # From b to a, along the axes of the world; a guess, so that few digits are enough.
        ("vector", np.float32, (3,)),
        # A record then is as long as a line of the processor's cache.
        ("spare", np.int32),
    ]
)


class Memory(NamedTuple):
    """What a scene remembers; all but `records` is empty where nothing is to be remembered."""

    records: Table
    """Of pairs of hulls; as many as a power of two, or none. Shape (records,)."""
    poses: Floats
    """World from item at the last step. Shape (items, 4, 4)."""
    ways: Floats
    """No point of the item has gone farther than this since the beginning, in metres. Shape (items,)."""
    until: Floats
    """The answer about a pair of items holds until their ways together are as long as this; negative where the two
    touch. Shape (pairs,)."""


MEMORY = types.NamedTuple(
    [
        types.Array(from_dtype(RECORD), 1, "C"),
        types.float64[:, :, ::1],
        types.float64[::1],
        types.float64[::1],
    ],
    Memory,
)

# The origin is inside a tetrahedron where this share of the edges' lengths is between it and each face.
_WELL_INSIDE = 1e-9

# Ways are made longer by this share, for the rounding of sums.
_ROUNDED_UP = 1.0 + 1e-12

# So many records there are at least, unless there are fewer pairs, and so many for each hull: with fewer, pairs would
# take each other's places.
_NEAR_RECORDS = 1 << 13
_RECORDS_PER_HULL = 16


def empty_memory(items: int, hulls: int, pairs: int) -> Memory:
    """A memory for a scene of so many items and hulls, and for a list of pairs of items."""
    records = np.zeros(1 << min(hulls * hulls, max(_NEAR_RECORDS, _RECORDS_PER_HULL * hulls)).bit_length(), RECORD)
    records["a"] = -1
    return with_pairs(Memory(records, np.zeros((items, 4, 4)), np.zeros(items), np.empty(0)), pairs)


def no_memory() -> Memory:
    """For questions of which nothing is remembered."""
    return Memory(np.empty(0, RECORD), np.empty((0, 4, 4)), np.empty(0), np.empty(0))


def with_pairs(memory: Memory, pairs: int) -> Memory:
    """The memory for another list of pairs of items, of which no answer is known."""
    return memory._replace(until=np.zeros(pairs))


@inlined
def add_ways(poses: Floats, balls: Table, memory: Memory) -> None:
    """Add to each item's way how far its points have gone at most since the last step."""
    before, ways = memory.poses, memory.ways
    for item in range(len(ways)):
        turned = moved = 0.0
        cx, cy, cz = balls[item]["centre"]
        for axis in range(3):
            x = poses[item, axis, 0] - before[item, axis, 0]
            y = poses[item, axis, 1] - before[item, axis, 1]
            z = poses[item, axis, 2] - before[item, axis, 2]
            along = x * cx + y * cy + z * cz + (poses[item, axis, 3] - before[item, axis, 3])
            turned += x * x + y * y + z * z
            moved += along * along
            for column in range(4):
                before[item, axis, column] = poses[item, axis, column]
        ways[item] += (sqrt(moved) + sqrt(turned) * balls[item]["radius"]) * _ROUNDED_UP


@helper
def slot(a: int, b: int, slots: int) -> int:
    """The place of a pair of hulls in a memory whose size is a power of two."""
    mixed = a * 73856093 + b * 19349663
    return (mixed ^ (mixed >> 13)) & (slots - 1)


@helper
def still_apart(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    record: np.void,
    tx: float,
    ty: float,
    tz: float,
    sectors: Sectors,
) -> float:
    """How far apart the vector that parted the hulls still keeps them, or zero where it does not any more.

    (tx, ty, tz) is the centre of b seen from that of a.
    """
    vx, vy, vz = float(record["vector"][0]), float(record["vector"][1]), float(record["vector"][2])
    _, _, x, y, z = farthest_difference(
        corners, hulls, poses, record["a"], record["b"], tx, ty, tz, -vx, -vy, -vz, sectors
    )
    height = vx * x + vy * y + vz * z
    gap = height / sqrt(vx * vx + vy * vy + vz * vz) if height > 0.0 else 0.0
    return gap if gap > TOUCHING else 0.0


@helper
def still_overlap(
    corners: Floats, hulls: Table, poses: Floats, record: np.void, tx: float, ty: float, tz: float
) -> float:
    """How deep the origin still is among the corners that enclosed it, or zero where it is not any more.

    (tx, ty, tz) is the centre of b seen from that of a.
    """
    a, b, simplex = record["a"], record["b"], record["simplex"]
    px, py, pz = difference(corners, hulls, poses, a, b, simplex[0, 0], simplex[0, 1])
    qx, qy, qz = difference(corners, hulls, poses, a, b, simplex[1, 0], simplex[1, 1])
    rx, ry, rz = difference(corners, hulls, poses, a, b, simplex[2, 0], simplex[2, 1])
    sx, sy, sz = difference(corners, hulls, poses, a, b, simplex[3, 0], simplex[3, 1])
    px, py, pz, qx, qy, qz = px - tx, py - ty, pz - tz, qx - tx, qy - ty, qz - tz
    rx, ry, rz, sx, sy, sz = rx - tx, ry - ty, rz - tz, sx - tx, sy - ty, sz - tz
    # The volumes, times six, of the tetrahedra that the origin makes with the faces.
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
        # A volume is the area of the face, times two, times the height over it.
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
    """Of a triangle."""
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return sqrt(nx * nx + ny * ny + nz * nz)


@helper
def remember(record: np.void, a: int, b: int, size: int, vx: float, vy: float, vz: float, simplex: Ints) -> None:
    """Keep what :func:`rck.kernels.gjk.walk` found out about hulls a and b."""
    if size == 0 or size == 4:
        record["a"], record["b"], record["overlap"] = a, b, size
        record["vector"][0], record["vector"][1], record["vector"][2] = vx, vy, vz
        for k in range(size):
            record["simplex"][k, 0], record["simplex"][k, 1] = simplex[k, 0], simplex[k, 1]
    elif record["a"] == a and record["b"] == b:
        # Barely touching: nothing that would be worth trying next.
        record["a"] = -1
