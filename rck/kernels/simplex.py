"""Nearest point to the origin on a segment, a triangle or a tetrahedron."""

import numpy as np

from rck.kernels.kernel import helper

INSIDE = -1
"""Returned instead of a side if the origin is inside."""


@helper
def nearest_on_segment(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Return the weight of b in the point of segment a-b nearest to the origin; the weight of a is one minus this."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    along = -(ux * ax + uy * ay + uz * az)
    square = ux * ux + uy * uy + uz * uz
    if along <= 0.0:
        return 0.0
    return 1.0 if along >= square else along / square


@helper
def nearest_on_triangle(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> tuple[float, float, float, float, float, float]:
    """Return the weights of the corners a, b, c in the point nearest to the origin, and that point.

    The weights add up to one; a corner that does not contribute has a weight of exactly zero. Inside the triangle, the
    point is computed along the normal: that stays accurate however near the origin is, while the direction of a
    weighted sum of corners would not.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = nx * nx + ny * ny + nz * nz
    a_weight = b_weight = c_weight = -1.0
    if square > 0.0:
        height = (ax * nx + ay * ny + az * nz) / square
        fx, fy, fz = height * nx, height * ny, height * nz
        # Areas of the triangles between the foot of the perpendicular and the sides, times twice the whole area.
        px, py, pz = ax - fx, ay - fy, az - fz
        qx, qy, qz = bx - fx, by - fy, bz - fz
        rx, ry, rz = cx - fx, cy - fy, cz - fz
        a_weight = nx * (qy * rz - qz * ry) + ny * (qz * rx - qx * rz) + nz * (qx * ry - qy * rx)
        b_weight = nx * (ry * pz - rz * py) + ny * (rz * px - rx * pz) + nz * (rx * py - ry * px)
        c_weight = nx * (py * qz - pz * qy) + ny * (pz * qx - px * qz) + nz * (px * qy - py * qx)
        if a_weight > 0.0 and b_weight > 0.0 and c_weight > 0.0:
            scale = 1.0 / (a_weight + b_weight + c_weight)
            return a_weight * scale, b_weight * scale, c_weight * scale, fx, fy, fz
    # Outside, the nearest point is on a side that separates the triangle from the foot.
    beyond_bc, beyond_ca, beyond_ab = a_weight <= 0.0, b_weight <= 0.0, c_weight <= 0.0
    shortest = np.inf
    a_weight = b_weight = c_weight = fx = fy = fz = 0.0
    if beyond_ab:
        share = nearest_on_segment(ax, ay, az, bx, by, bz)
        fx, fy, fz = ax + share * ux, ay + share * uy, az + share * uz
        shortest = fx * fx + fy * fy + fz * fz
        a_weight, b_weight = 1.0 - share, share
    if beyond_ca:
        share = nearest_on_segment(ax, ay, az, cx, cy, cz)
        x, y, z = ax + share * vx, ay + share * vy, az + share * vz
        if x * x + y * y + z * z < shortest:
            shortest = x * x + y * y + z * z
            fx, fy, fz = x, y, z
            a_weight, b_weight, c_weight = 1.0 - share, 0.0, share
    if beyond_bc:
        share = nearest_on_segment(bx, by, bz, cx, cy, cz)
        x, y, z = bx + share * (cx - bx), by + share * (cy - by), bz + share * (cz - bz)
        if x * x + y * y + z * z < shortest:
            fx, fy, fz = x, y, z
            a_weight, b_weight, c_weight = 0.0, 1.0 - share, share
    return a_weight, b_weight, c_weight, fx, fy, fz


@helper
def same_side(
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
    dx: float,
    dy: float,
    dz: float,
) -> bool:
    """Return True if the origin is on the same side of the plane through a, b, c as d, and neither is in the plane."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return ((dx - ax) * nx + (dy - ay) * ny + (dz - az) * nz) * -(ax * nx + ay * ny + az * nz) > 0.0


@helper
def nearest_on_sides(
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
    cx: float,
    cy: float,
    cz: float,
    dx: float,
    dy: float,
    dz: float,
    separated: bool,
) -> tuple[int, float, float, float, float, float, float]:
    """Return the side of a tetrahedron at corner a nearest to the origin, with its :func:`nearest_on_triangle`.

    Side 0 is a, b, c, side 1 is a, c, d, and side 2 is a, d, b; weights are in this order. The side is `INSIDE` if the
    origin is within the tetrahedron, unless it is known to be `separated` from it.
    """
    behind_d = same_side(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
    behind_b = same_side(ax, ay, az, cx, cy, cz, dx, dy, dz, bx, by, bz)
    behind_c = same_side(ax, ay, az, dx, dy, dz, bx, by, bz, cx, cy, cz)
    if behind_b and behind_c and behind_d:
        if not separated:
            return INSIDE, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        # The tetrahedron is flat, so the signs are rounding.
        behind_b = behind_c = behind_d = False
    side = 0
    shortest = np.inf
    first = second = third = x = y = z = 0.0
    if not behind_d:
        first, second, third, x, y, z = nearest_on_triangle(ax, ay, az, bx, by, bz, cx, cy, cz)
        shortest = x * x + y * y + z * z
    if not behind_b:
        one, two, three, kx, ky, kz = nearest_on_triangle(ax, ay, az, cx, cy, cz, dx, dy, dz)
        if kx * kx + ky * ky + kz * kz < shortest:
            shortest = kx * kx + ky * ky + kz * kz
            side, first, second, third, x, y, z = 1, one, two, three, kx, ky, kz
    if not behind_c:
        one, two, three, kx, ky, kz = nearest_on_triangle(ax, ay, az, dx, dy, dz, bx, by, bz)
        if kx * kx + ky * ky + kz * kz < shortest:
            side, first, second, third, x, y, z = 2, one, two, three, kx, ky, kz
    return side, first, second, third, x, y, z
