"""Convex against convex: the algorithm of Gilbert, Johnson and Keerthi (1988).

The points of hull A less the points of hull B make a convex set that holds the origin exactly when the two touch.
The algorithm walks to the point of that set nearest to the origin, over simplices of up to four of its corners. Each
of these is a corner of A less a corner of B, so the set itself is never made.

All is done along the axes of the world, seen from the centre of A: numbers stay as small as the hulls and the way
between them, wherever in the world they are.
"""

import numpy as np

from rck.kernels.bodies import Table
from rck.kernels.kernel import Floats, Ints, helper, inlined
from rck.kernels.sectors import Sectors, farthest
from rck.kernels.simplex import INSIDE, nearest_on_segment, nearest_on_sides, nearest_on_triangle

TOUCHING = 1e-9
"""Hulls nearer than this, in metres, touch: the rounding of coordinates up to 10 km stays below it."""

# The walk takes four steps on average and rarely twenty. It ends by itself, but rounding must not send it in circles.
_STEPS = 200
# Vectors that are tried before the walk; a third one is rarely worth it.
_GLANCES = 2
# A step that would shorten the way by less than this share ends the walk.
_GAIN = 1e-13
# Ways shorter than this share of the sizes and the distance are rounding.
_ROUNDING = 1e-15


@inlined
def farthest_corner(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    hull: int,
    dx: float,
    dy: float,
    dz: float,
    sectors: Sectors,
) -> tuple[int, float, float, float]:
    """The corner of a hull that is farthest along (dx, dy, dz) in the world: its row, and where it is.

    Where it is: along the axes of the world, seen from the centre of the hull.
    """
    item = hulls[hull]["item"]
    x = poses[item, 0, 0] * dx + poses[item, 1, 0] * dy + poses[item, 2, 0] * dz
    y = poses[item, 0, 1] * dx + poses[item, 1, 1] * dy + poses[item, 2, 1] * dz
    z = poses[item, 0, 2] * dx + poses[item, 1, 2] * dy + poses[item, 2, 2] * dz
    number = farthest(corners, sectors, hulls[hull]["sectors"], hulls[hull]["grid"], x, y, z)
    x, y, z = corners[number, 0], corners[number, 1], corners[number, 2]
    return (
        number,
        poses[item, 0, 0] * x + poses[item, 0, 1] * y + poses[item, 0, 2] * z,
        poses[item, 1, 0] * x + poses[item, 1, 1] * y + poses[item, 1, 2] * z,
        poses[item, 2, 0] * x + poses[item, 2, 1] * y + poses[item, 2, 2] * z,
    )


@inlined
def farthest_difference(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    a: int,
    b: int,
    tx: float,
    ty: float,
    tz: float,
    dx: float,
    dy: float,
    dz: float,
    sectors: Sectors,
) -> tuple[int, int, float, float, float]:
    """The corner of A - B that is farthest along (dx, dy, dz): the corners it comes from, and where it is.

    (tx, ty, tz) is the centre of hull b seen from that of hull a, in the world.
    """
    i, ax, ay, az = farthest_corner(corners, hulls, poses, a, dx, dy, dz, sectors)
    j, bx, by, bz = farthest_corner(corners, hulls, poses, b, -dx, -dy, -dz, sectors)
    return i, j, ax - bx - tx, ay - by - ty, az - bz - tz


@inlined
def glance(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    a: int,
    b: int,
    tx: float,
    ty: float,
    tz: float,
    vx: float,
    vy: float,
    vz: float,
    sectors: Sectors,
) -> tuple[float, float, float, float]:
    """How far apart a few vectors at hand show the hulls to be, times the vector, or zero; and the last of them.

    Most hulls that do not touch are told so. (tx, ty, tz) is the centre of b seen from that of a, (vx, vy, vz) a
    guess of the vector from b to a. The next one is its mirror image by the corner of A - B that was in the way
    (Chung and Wang 1996).
    """
    apart = 0.0
    for _ in range(_GLANCES):
        _, _, x, y, z = farthest_difference(corners, hulls, poses, a, b, tx, ty, tz, -vx, -vy, -vz, sectors)
        height = vx * x + vy * y + vz * z
        if height > 0.0 and height * height > TOUCHING * TOUCHING * (vx * vx + vy * vy + vz * vz):
            apart = height
            break
        square = x * x + y * y + z * z
        if height == 0.0 or square == 0.0:
            break
        share = 2.0 * height / square
        vx, vy, vz = vx - share * x, vy - share * y, vz - share * z
    return apart, vx, vy, vz


@helper
def difference(
    corners: Floats, hulls: Table, poses: Floats, a: int, b: int, i: int, j: int
) -> tuple[float, float, float]:
    """Corner i of hull a less corner j of hull b, each seen from its own centre, along the axes of the world."""
    one, other = hulls[a]["item"], hulls[b]["item"]
    x, y, z = corners[i, 0], corners[i, 1], corners[i, 2]
    u, v, w = corners[j, 0], corners[j, 1], corners[j, 2]
    return (
        (poses[one, 0, 0] * x + poses[one, 0, 1] * y + poses[one, 0, 2] * z)
        - (poses[other, 0, 0] * u + poses[other, 0, 1] * v + poses[other, 0, 2] * w),
        (poses[one, 1, 0] * x + poses[one, 1, 1] * y + poses[one, 1, 2] * z)
        - (poses[other, 1, 0] * u + poses[other, 1, 1] * v + poses[other, 1, 2] * w),
        (poses[one, 2, 0] * x + poses[one, 2, 1] * y + poses[one, 2, 2] * z)
        - (poses[other, 2, 0] * u + poses[other, 2, 1] * v + poses[other, 2, 2] * w),
    )


@helper
def walk(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    a: int,
    b: int,
    tx: float,
    ty: float,
    tz: float,
    vx: float,
    vy: float,
    vz: float,
    beyond: float,
    within: float,
    sectors: Sectors,
    simplex: Ints,
    weights: Floats,
) -> tuple[int, float, float, float]:
    """Walk over corners of hulls a and b to the nearest points of the two.

    (tx, ty, tz) is the centre of b seen from that of a. (vx, vy, vz) is a guess of the vector from the nearest point
    of b to that of a, of any length but zero. The walk ends early once the hulls are certainly farther apart than
    `beyond`, or nearer than `within`.

    Returned are the number of corners of the last simplex, and the vector from b to a between its nearest points. The
    number is zero where the hulls are farther apart than `beyond`: two planes across the vector show it. The vector
    is zero where four corners enclose the origin: the hulls overlap. `simplex`, shape (4, 2), gets the rows of
    `corners` of a and of b, and `weights`, shape (4,), what each counts in the nearest points.
    """
    # No way shorter than the rounding of coordinates means anything.
    rounding = _ROUNDING * (hulls[a]["radius"] + hulls[b]["radius"] + abs(tx) + abs(ty) + abs(tz))
    enough = max(within, rounding) ** 2
    # The simplex: corners p, q, r of A - B, the newest first, with the rows they come from and their weights.
    px = py = pz = qx = qy = qz = rx = ry = rz = 0.0
    pi = pj = qi = qj = ri = rj = -1
    p_weight, q_weight, r_weight = 1.0, 0.0, 0.0
    size = 0
    shortest = np.inf
    for _ in range(_STEPS):
        ni, nj, nx, ny, nz = farthest_difference(corners, hulls, poses, a, b, tx, ty, tz, -vx, -vy, -vz, sectors)
        height = vx * nx + vy * ny + vz * nz
        if height > 0.0 and height * height > beyond * beyond * (vx * vx + vy * vy + vz * vz):
            return 0, vx, vy, vz
        if size > 0 and shortest - height <= _GAIN * shortest:
            break
        if (ni == pi and nj == pj) or (ni == qi and nj == qj) or (ni == ri and nj == rj):
            break
        # The triangle n, e, f that now holds the nearest point, (x, y, z).
        ex, ey, ez, ei, ej = px, py, pz, pi, pj
        fx, fy, fz, fi, fj = qx, qy, qz, qi, qj
        if size == 0:
            n_weight, e_weight, f_weight = 1.0, 0.0, 0.0
            x, y, z = nx, ny, nz
        elif size == 1:
            e_weight, f_weight = nearest_on_segment(nx, ny, nz, ex, ey, ez), 0.0
            n_weight = 1.0 - e_weight
            x, y, z = nx + e_weight * (ex - nx), ny + e_weight * (ey - ny), nz + e_weight * (ez - nz)
        elif size == 2:
            n_weight, e_weight, f_weight, x, y, z = nearest_on_triangle(nx, ny, nz, ex, ey, ez, fx, fy, fz)
        else:
            side, n_weight, e_weight, f_weight, x, y, z = nearest_on_sides(
                nx, ny, nz, px, py, pz, qx, qy, qz, rx, ry, rz, height > 0.0
            )
            if side == INSIDE:
                simplex[3, 0], simplex[3, 1] = ni, nj
                size, shortest = 4, 0.0
                vx, vy, vz = 0.0, 0.0, 0.0
                break
            if side == 1:
                ex, ey, ez, ei, ej = qx, qy, qz, qi, qj
                fx, fy, fz, fi, fj = rx, ry, rz, ri, rj
            elif side == 2:
                ex, ey, ez, ei, ej = rx, ry, rz, ri, rj
                fx, fy, fz, fi, fj = px, py, pz, pi, pj
        square = x * x + y * y + z * z
        if square >= shortest or n_weight == 0.0:
            # Rounding has the last word: the vector cannot become shorter.
            break
        shortest = square
        vx, vy, vz = x, y, z
        if e_weight == 0.0:
            ex, ey, ez, ei, ej, e_weight = fx, fy, fz, fi, fj, f_weight
            f_weight = 0.0
        px, py, pz, pi, pj, p_weight = nx, ny, nz, ni, nj, n_weight
        qx, qy, qz, qi, qj, q_weight = ex, ey, ez, ei, ej, e_weight
        rx, ry, rz, ri, rj, r_weight = fx, fy, fz, fi, fj, f_weight
        size = 3
        if r_weight == 0.0:
            ri = rj = -1
            size = 2
            if q_weight == 0.0:
                qi = qj = -1
                size = 1
        if square <= enough:
            break
    if shortest > beyond * beyond:
        return 0, vx, vy, vz
    simplex[0, 0], simplex[0, 1], weights[0] = pi, pj, p_weight
    simplex[1, 0], simplex[1, 1], weights[1] = qi, qj, q_weight
    simplex[2, 0], simplex[2, 1], weights[2] = ri, rj, r_weight
    return size, vx, vy, vz
