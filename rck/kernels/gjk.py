"""Convex against convex: the algorithm of Gilbert, Johnson and Keerthi (1988).

The points of hull A less the points of hull B make a convex set that holds the origin exactly when the two touch.
The algorithm walks to the point of that set nearest to the origin, over simplices of up to four of its corners. Each
of these is a corner of A less a corner of B, so the set itself is never made.

All is done along the axes of the world, seen from the centre of A: numbers stay as small as the hulls and the way
between them, wherever in the world they are.
"""

import numpy as np

from rck.kernels.bodies import Table
from rck.kernels.kernel import Floats, Ints, helper
from rck.kernels.simplex import nearest_on_triangle, shields

TOUCHING = 1e-9
"""Hulls nearer than this, in metres, touch: the rounding of coordinates up to 10 km stays below it."""

BLOCK = 512
"""So many corners are looked through at a time; a power of two."""

# The walk takes four steps on average and rarely twenty. It ends by itself, but rounding must not send it in circles.
_STEPS = 200
# A step that would shorten the way by less than this share ends the walk.
_GAIN = 1e-13
# Ways shorter than this share of the sizes and the distance are rounding.
_ROUNDING = 1e-15
# Corners are inside the bounding spheres only as far as poses are rigid.
_SLACK = 1.001


@helper
def farthest(
    corners: Floats, first: int, count: int, x: float, y: float, z: float, reach: float, heights: Floats, bits: Ints
) -> int:
    """The column of `corners`, among `count` from `first` on, that is farthest along (x, y, z).

    `reach` exceeds the height of every corner. `heights` has room for a block, and `bits` is the same memory read as
    integers. Positive floats sort like the integers with the same bits; with the number of the corner in the lowest
    nine, the farthest is a maximum of integers, which the compiler takes over several corners at once. Corners whose
    heights differ only in these bits are as good as each other.
    """
    best = np.int64(0)
    chosen = first
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        for i in range(size):
            # Unsigned: numba then need not ask whether to count from the end.
            column = np.uintp(first + start + i)
            heights[np.uintp(i)] = (corners[0, column] * x + corners[1, column] * y + corners[2, column] * z) + reach
        highest = np.int64(0)
        for i in range(size):
            marked = (bits[np.uintp(i)] & ~np.int64(BLOCK - 1)) | i
            highest = marked if marked > highest else highest
        if highest > best:
            best = highest
            chosen = first + start + int(highest & np.int64(BLOCK - 1))
    return chosen


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
    heights: Floats,
    bits: Ints,
    simplex: Ints,
    weights: Floats,
) -> tuple[int, float, float, float]:
    """Walk over corners of hulls a and b to the nearest points of the two.

    (tx, ty, tz) is the centre of b seen from that of a. (vx, vy, vz) is a guess of the vector from the nearest point
    of b to that of a, of any length but zero. The walk ends early once the hulls are certainly farther apart than
    `beyond`, or nearer than `within`. `heights` and `bits` are room for :func:`farthest`.

    Returned are the number of corners of the last simplex, and the vector from b to a between its nearest points. The
    number is zero where the hulls are farther apart than `beyond`: two planes across the vector show it. The vector
    is zero where four corners enclose the origin: the hulls overlap. `simplex`, shape (4, 2), gets the columns of
    `corners` of a and of b, and `weights`, shape (4,), what each counts in the nearest points.
    """
    item_a, item_b = hulls[a]["item"], hulls[b]["item"]
    first_a, count_a, radius_a = hulls[a]["first"], hulls[a]["count"], hulls[a]["radius"]
    first_b, count_b, radius_b = hulls[b]["first"], hulls[b]["count"], hulls[b]["radius"]
    axx, axy, axz = poses[item_a, 0, 0], poses[item_a, 0, 1], poses[item_a, 0, 2]
    ayx, ayy, ayz = poses[item_a, 1, 0], poses[item_a, 1, 1], poses[item_a, 1, 2]
    azx, azy, azz = poses[item_a, 2, 0], poses[item_a, 2, 1], poses[item_a, 2, 2]
    bxx, bxy, bxz = poses[item_b, 0, 0], poses[item_b, 0, 1], poses[item_b, 0, 2]
    byx, byy, byz = poses[item_b, 1, 0], poses[item_b, 1, 1], poses[item_b, 1, 2]
    bzx, bzy, bzz = poses[item_b, 2, 0], poses[item_b, 2, 1], poses[item_b, 2, 2]
    # No way shorter than the rounding of coordinates means anything.
    rounding = _ROUNDING * (radius_a + radius_b + abs(tx) + abs(ty) + abs(tz))
    enough = max(within, rounding) ** 2
    # The simplex: corners p, q, r of A - B, the newest first, with the columns they come from and their weights.
    px = py = pz = qx = qy = qz = rx = ry = rz = 0.0
    pi = pj = qi = qj = ri = rj = -1
    p_weight, q_weight, r_weight = 1.0, 0.0, 0.0
    size = 0
    shortest = np.inf
    for _ in range(_STEPS):
        # The corner n of A - B that is farthest against the vector.
        x = axx * vx + ayx * vy + azx * vz
        y = axy * vx + ayy * vy + azy * vz
        z = axz * vx + ayz * vy + azz * vz
        reach = _SLACK * radius_a * (abs(x) + abs(y) + abs(z))
        ni = farthest(corners, first_a, count_a, -x, -y, -z, reach, heights, bits)
        x = bxx * vx + byx * vy + bzx * vz
        y = bxy * vx + byy * vy + bzy * vz
        z = bxz * vx + byz * vy + bzz * vz
        reach = _SLACK * radius_b * (abs(x) + abs(y) + abs(z))
        nj = farthest(corners, first_b, count_b, x, y, z, reach, heights, bits)
        ix, iy, iz = corners[0, ni], corners[1, ni], corners[2, ni]
        jx, jy, jz = corners[0, nj], corners[1, nj], corners[2, nj]
        nx = (axx * ix + axy * iy + axz * iz) - (bxx * jx + bxy * jy + bxz * jz) - tx
        ny = (ayx * ix + ayy * iy + ayz * iz) - (byx * jx + byy * jy + byz * jz) - ty
        nz = (azx * ix + azy * iy + azz * iz) - (bzx * jx + bzy * jy + bzz * jz) - tz
        height = vx * nx + vy * ny + vz * nz
        if height > 0.0 and height * height > beyond * beyond * (vx * vx + vy * vy + vz * vz):
            return 0, vx, vy, vz
        if size > 0 and shortest - height <= _GAIN * shortest:
            break
        if (ni == pi and nj == pj) or (ni == qi and nj == qj) or (ni == ri and nj == rj):
            break
        # The triangle n, e, f that now holds the nearest point.
        ex, ey, ez, ei, ej = px, py, pz, pi, pj
        fx, fy, fz, fi, fj = qx, qy, qz, qi, qj
        if size == 0:
            n_weight, e_weight, f_weight = 1.0, 0.0, 0.0
        elif size == 1:
            n_weight, e_weight, f_weight = nearest_on_triangle(nx, ny, nz, ex, ey, ez, ex, ey, ez)
        elif size == 2:
            n_weight, e_weight, f_weight = nearest_on_triangle(nx, ny, nz, ex, ey, ez, fx, fy, fz)
        else:
            behind_r = shields(nx, ny, nz, px, py, pz, qx, qy, qz, rx, ry, rz)
            behind_p = shields(nx, ny, nz, qx, qy, qz, rx, ry, rz, px, py, pz)
            behind_q = shields(nx, ny, nz, rx, ry, rz, px, py, pz, qx, qy, qz)
            if behind_p and behind_q and behind_r:
                if height <= 0.0:
                    simplex[3, 0], simplex[3, 1] = ni, nj
                    size = 4
                    vx, vy, vz = 0.0, 0.0, 0.0
                    break
                # The vector separates the hulls: the tetrahedron is flat, and the sides are chance.
                behind_p = behind_q = behind_r = False
            shortest_so_far = np.inf
            n_weight, e_weight, f_weight = 0.0, 0.0, 0.0
            if not behind_r:
                n_weight, e_weight, f_weight = nearest_on_triangle(nx, ny, nz, px, py, pz, qx, qy, qz)
                x = n_weight * nx + e_weight * px + f_weight * qx
                y = n_weight * ny + e_weight * py + f_weight * qy
                z = n_weight * nz + e_weight * pz + f_weight * qz
                shortest_so_far = x * x + y * y + z * z
            if not behind_p:
                one, two, three = nearest_on_triangle(nx, ny, nz, qx, qy, qz, rx, ry, rz)
                x = one * nx + two * qx + three * rx
                y = one * ny + two * qy + three * ry
                z = one * nz + two * qz + three * rz
                if x * x + y * y + z * z < shortest_so_far:
                    shortest_so_far = x * x + y * y + z * z
                    n_weight, e_weight, f_weight = one, two, three
                    ex, ey, ez, ei, ej = qx, qy, qz, qi, qj
                    fx, fy, fz, fi, fj = rx, ry, rz, ri, rj
            if not behind_q:
                one, two, three = nearest_on_triangle(nx, ny, nz, rx, ry, rz, px, py, pz)
                x = one * nx + two * rx + three * px
                y = one * ny + two * ry + three * py
                z = one * nz + two * rz + three * pz
                if x * x + y * y + z * z < shortest_so_far:
                    n_weight, e_weight, f_weight = one, two, three
                    ex, ey, ez, ei, ej = rx, ry, rz, ri, rj
                    fx, fy, fz, fi, fj = px, py, pz, pi, pj
        x = n_weight * nx + e_weight * ex + f_weight * fx
        y = n_weight * ny + e_weight * ey + f_weight * fy
        z = n_weight * nz + e_weight * ez + f_weight * fz
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
    simplex[0, 0], simplex[0, 1], weights[0] = pi, pj, p_weight
    simplex[1, 0], simplex[1, 1], weights[1] = qi, qj, q_weight
    simplex[2, 0], simplex[2, 1], weights[2] = ri, rj, r_weight
    return size, vx, vy, vz
