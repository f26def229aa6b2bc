"""Distance between convex hulls: the algorithm of Gilbert, Johnson and Keerthi (1988).

The differences of points of hull A and points of hull B form a convex set, which contains the origin exactly if the
hulls are in contact. The algorithm descends to the point of that set nearest to the origin, over simplices of up to
four of its corners. Each of these is a corner of A minus a corner of B, so the set is never built.

Coordinates are along the world axes and relative to the centre of A. They stay as small as the hulls and the distance
between them, wherever the hulls are in the world.
"""

from typing import NamedTuple

import numpy as np

from rck.kernels.hull_tables import Hulls
from rck.kernels.kernel import Floats, Ints, Vector, helper, inlined
from rck.kernels.simplex import INSIDE, nearest_on_segment, nearest_on_sides, nearest_on_triangle
from rck.kernels.support_sectors import farthest

TOUCHING = 1e-9
"""Hulls nearer than this, in metres, are in contact: coordinates up to 10 km are rounded by less."""

# The descent takes four steps on average and rarely twenty. The limit guards against cycles caused by rounding.
_STEPS = 200
# Vectors tried before the descent; a third one rarely pays.
_GUESSES = 2
# A step that shortens the vector by less than this fraction ends the descent.
_GAIN = 1e-13
# Lengths below this fraction of the sizes and the distance are rounding.
_ROUNDING = 1e-15


class Simplex(NamedTuple):
    """The corners of A - B that the nearest points of two hulls are weighted means of."""

    rows: Ints
    """Rows of `corners`: of hull A in the first column, of hull B in the second. Shape (4, 2)."""
    weights: Floats
    """Shape (4,)."""


@helper
def empty_simplex() -> Simplex:
    """Return a simplex to write to."""
    return Simplex(np.empty((4, 2), np.int64), np.empty(4))


@inlined
def farthest_corner(hulls: Hulls, poses: Floats, hull: int, direction: Vector) -> tuple[int, float, float, float]:
    """Return the row and the position of the corner of a hull that is farthest along a world direction.

    The position is along the world axes, relative to the centre of the hull.
    """
    dx, dy, dz = direction
    item = hulls.table[hull]["item"]
    x = poses[item, 0, 0] * dx + poses[item, 1, 0] * dy + poses[item, 2, 0] * dz
    y = poses[item, 0, 1] * dx + poses[item, 1, 1] * dy + poses[item, 2, 1] * dz
    z = poses[item, 0, 2] * dx + poses[item, 1, 2] * dy + poses[item, 2, 2] * dz
    corners = hulls.corners
    number = farthest(corners, hulls.sectors, hulls.table[hull]["sectors"], hulls.table[hull]["grid"], x, y, z)
    x, y, z = corners[number, 0], corners[number, 1], corners[number, 2]
    return (
        number,
        poses[item, 0, 0] * x + poses[item, 0, 1] * y + poses[item, 0, 2] * z,
        poses[item, 1, 0] * x + poses[item, 1, 1] * y + poses[item, 1, 2] * z,
        poses[item, 2, 0] * x + poses[item, 2, 1] * y + poses[item, 2, 2] * z,
    )


@inlined
def farthest_difference(
    hulls: Hulls, poses: Floats, a: int, b: int, offset: Vector, direction: Vector
) -> tuple[int, int, float, float, float]:
    """Return the corner of A - B that is farthest along a world direction: its two rows and its position.

    `offset` is the vector from the centre of hull a to that of hull b.
    """
    i, ax, ay, az = farthest_corner(hulls, poses, a, direction)
    j, bx, by, bz = farthest_corner(hulls, poses, b, (-direction[0], -direction[1], -direction[2]))
    return i, j, ax - bx - offset[0], ay - by - offset[1], az - bz - offset[2]


@inlined
def quick_separation(
    hulls: Hulls, poses: Floats, a: int, b: int, offset: Vector, guess: Vector
) -> tuple[float, float, float, float]:
    """Return the distance that a few vectors prove, times the length of the vector, or zero; and the last vector.

    Most hulls that are not in contact are found here. `offset` is the vector from the centre of a to that of b, `guess`
    an estimate of the vector from b to a. The next vector is its mirror image by the corner of A - B that disproved it
    (Chung and Wang 1996).
    """
    vx, vy, vz = guess
    apart = 0.0
    for _ in range(_GUESSES):
        _, _, x, y, z = farthest_difference(hulls, poses, a, b, offset, (-vx, -vy, -vz))
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
def difference(hulls: Hulls, poses: Floats, a: int, b: int, i: int, j: int) -> Vector:
    """Return corner i of hull a minus corner j of hull b, each relative to its centre, along the world axes."""
    corners = hulls.corners
    one, other = hulls.table[a]["item"], hulls.table[b]["item"]
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
def closest_points(
    hulls: Hulls,
    poses: Floats,
    a: int,
    b: int,
    offset: Vector,
    guess: Vector,
    beyond: float,
    within: float,
    simplex: Simplex,
) -> tuple[int, float, float, float]:
    """Find the closest points of hulls a and b.

    `offset` is the vector from the centre of a to that of b. `guess` is an estimate of the vector from the closest
    point of b to that of a, of any length but zero. The search ends early once the distance is certainly above
    `beyond` or below `within`.

    Returned are the number of corners of the last simplex, and the vector from b to a between its closest points. The
    number is zero if the distance is above `beyond`: two planes across the vector prove it. The vector is zero if four
    corners enclose the origin: the hulls overlap.
    """
    tx, ty, tz = offset
    vx, vy, vz = guess
    rows, weights = simplex.rows, simplex.weights
    # Vectors shorter than the rounding of coordinates mean nothing.
    rounding = _ROUNDING * (hulls.table[a]["radius"] + hulls.table[b]["radius"] + abs(tx) + abs(ty) + abs(tz))
    enough = max(within, rounding) ** 2
    # The simplex: corners p, q, r of A - B, the newest first, with their rows and weights.
    px = py = pz = qx = qy = qz = rx = ry = rz = 0.0
    pi = pj = qi = qj = ri = rj = -1
    p_weight, q_weight, r_weight = 1.0, 0.0, 0.0
    size = 0
    shortest = np.inf
    for _ in range(_STEPS):
        ni, nj, nx, ny, nz = farthest_difference(hulls, poses, a, b, offset, (-vx, -vy, -vz))
        height = vx * nx + vy * ny + vz * nz
        if height > 0.0 and height * height > beyond * beyond * (vx * vx + vy * vy + vz * vz):
            return 0, vx, vy, vz
        if size > 0 and shortest - height <= _GAIN * shortest:
            break
        if (ni == pi and nj == pj) or (ni == qi and nj == qj) or (ni == ri and nj == rj):
            break
        # The triangle n, e, f that now contains the nearest point, (x, y, z).
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
                rows[3, 0], rows[3, 1] = ni, nj
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
            # Within rounding, the vector cannot become shorter.
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
    rows[0, 0], rows[0, 1], weights[0] = pi, pj, p_weight
    rows[1, 0], rows[1, 1], weights[1] = qi, qj, q_weight
    rows[2, 0], rows[2, 1], weights[2] = ri, rj, r_weight
    return size, vx, vy, vz
