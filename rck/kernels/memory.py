"""What is remembered of two hulls from one step to the next, so that the next need not begin from nothing.

Of hulls that were apart it is the vector that parted them, of hulls that overlapped the four corners of A - B that
enclosed the origin. While motion is small, they mostly still do, and the question is answered at once. A memory is
only a guess that is tried first: whatever stands in it, the answers are the same.
"""

import numpy as np
from numba import from_dtype, types

from rck.kernels.bodies import Table
from rck.kernels.gjk import TOUCHING, difference, farthest_difference
from rck.kernels.kernel import Floats, Ints, helper
from rck.kernels.sectors import Sectors

RECORD = np.dtype(
    [
        # The hulls that the record is of: its place follows from them, but other pairs may have the same place.
        ("a", np.int64),
        ("b", np.int64),
        ("overlap", np.int64),
        # Rows of `corners`, of a and b, of the four corners that enclosed the origin.
        ("simplex", np.int64, (4, 2)),
        # From b to a, along the axes of the world.
        ("vector", np.float64, (3,)),
    ]
)
MEMORY = types.Array(from_dtype(RECORD), 1, "C")

# The origin is inside a tetrahedron where this share of the edges' lengths is between it and each face.
_WELL_INSIDE = 1e-9

# So many records there are at least, unless there are fewer pairs, and so many for each hull: with fewer, pairs would
# take each other's places.
_NEAR_RECORDS = 1 << 13
_RECORDS_PER_HULL = 16


def empty_memory(hulls: int) -> Table:
    """A memory for a scene of so many hulls."""
    slots = 1 << min(hulls * hulls, max(_NEAR_RECORDS, _RECORDS_PER_HULL * hulls)).bit_length()
    memory = np.zeros(slots, RECORD)
    memory["a"] = -1
    return memory


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
) -> bool:
    """Whether the vector that parted the hulls still does; (tx, ty, tz) is the centre of b seen from that of a."""
    vx, vy, vz = record["vector"]
    _, _, x, y, z = farthest_difference(
        corners, hulls, poses, record["a"], record["b"], tx, ty, tz, -vx, -vy, -vz, sectors
    )
    height = vx * x + vy * y + vz * z
    return bool(height > 0.0 and height * height > TOUCHING * TOUCHING * (vx * vx + vy * vy + vz * vz))


@helper
def still_overlap(
    corners: Floats, hulls: Table, poses: Floats, record: np.void, tx: float, ty: float, tz: float
) -> bool:
    """Whether the corners that enclosed the origin still do; (tx, ty, tz) is the centre of b seen from that of a."""
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
    return (one > least and two > least and three > least and four > least) or (
        one < -least and two < -least and three < -least and four < -least
    )


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
