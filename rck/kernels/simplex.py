"""The point of a triangle or tetrahedron that is nearest to the origin."""

from rck.kernels.kernel import helper


@helper
def nearest_on_triangle(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> tuple[float, float, float]:
    """Weights of the corners a, b, c that give the point nearest to the origin (Ericson 2005, 5.1.5).

    They add up to one, and a corner that does not carry the point has a weight of exactly zero.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    ua, va = -(ux * ax + uy * ay + uz * az), -(vx * ax + vy * ay + vz * az)
    if ua <= 0.0 and va <= 0.0:
        return 1.0, 0.0, 0.0
    ub, vb = -(ux * bx + uy * by + uz * bz), -(vx * bx + vy * by + vz * bz)
    if ub >= 0.0 and vb <= ub:
        return 0.0, 1.0, 0.0
    uc, vc = -(ux * cx + uy * cy + uz * cz), -(vx * cx + vy * cy + vz * cz)
    if vc >= 0.0 and uc <= vc:
        return 0.0, 0.0, 1.0
    weight_c = ua * vb - ub * va
    if weight_c <= 0.0 and ua >= 0.0 and ub <= 0.0:
        share = ua / (ua - ub)
        return 1.0 - share, share, 0.0
    weight_b = uc * va - ua * vc
    if weight_b <= 0.0 and va >= 0.0 and vc <= 0.0:
        share = va / (va - vc)
        return 1.0 - share, 0.0, share
    weight_a = ub * vc - uc * vb
    if weight_a <= 0.0 and vb >= ub and uc >= vc:
        share = (vb - ub) / ((vb - ub) + (uc - vc))
        return 0.0, 1.0 - share, share
    scale = 1.0 / (weight_a + weight_b + weight_c)
    return weight_a * scale, weight_b * scale, weight_c * scale


@helper
def shields(
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
    """Whether the plane through a, b, c has the origin on the same side as d, and none of them in it."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return ((dx - ax) * nx + (dy - ay) * ny + (dz - az) * nz) * -(ax * nx + ay * ny + az * nz) > 0.0
