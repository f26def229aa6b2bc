"""Bounding capsules of hulls: they separate long, thin hulls, such as links, without looking at any corner.

A capsule contains all points within its radius of a segment, its core.
"""

from math import sqrt

import numpy as np

from rck.kernels.body_tables import Table
from rck.kernels.kernel import Floats, Ints, Vector, helper, inlined, kernel, read_only, types

# The number of times the matrix of second moments is squared, which leaves only its principal axis.
_SQUARINGS = 6


@kernel(types.void(read_only(types.float64, 2), read_only(types.int64, 1), types.float64[:, ::1]))
def fit_capsules(vertices: Floats, offsets: Ints, capsules: Floats) -> None:
    """Write a small capsule for each group of vertices, shape (vertices, 3); no group is empty.

    A row of `capsules`, shape (groups, 7), gets the centre of the core, half the core, and the radius, in metres. Cores
    along the axes and along the principal axis of the vertices are tried, and the capsule of least volume is kept.
    """
    axes = np.zeros((4, 3))
    for axis in range(3):
        axes[axis, axis] = 1.0
    row = np.empty(7)
    for group in range(len(capsules)):
        inside = vertices[offsets[group] : offsets[group + 1]]
        longest_axis(inside, axes[3])
        least = np.inf
        for axis in range(4):
            volume = fit_along(inside, axes[axis], row)
            if volume < least:
                least = volume
                capsules[group] = row


@helper
def longest_axis(points: Floats, axis: Floats) -> None:
    """Write the unit vector along which the points, shape (points, 3), extend most."""
    middle = np.zeros(3)
    for point in points:
        middle += point
    middle /= len(points)
    moments = np.zeros((3, 3))
    for point in points:
        for i in range(3):
            for j in range(3):
                moments[i, j] += (point[i] - middle[i]) * (point[j] - middle[j])
    for _ in range(_SQUARINGS):
        squared = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    squared[i, j] += moments[i, k] * moments[k, j]
        moments = squared / (squared[0, 0] + squared[1, 1] + squared[2, 2])
    best = 0
    for k in range(1, 3):
        if moments[k, k] > moments[best, best]:
            best = k
    size = sqrt(moments[0, best] ** 2 + moments[1, best] ** 2 + moments[2, best] ** 2)
    for k in range(3):
        axis[k] = moments[k, best] / size


@helper
def fit_along(points: Floats, axis: Floats, row: Floats) -> float:
    """Write the capsule of the points, shape (points, 3), with its core along the axis; return its volume over pi."""
    dx, dy, dz = axis
    # Two perpendicular directions; the first is also perpendicular to the coordinate axis least aligned with the axis.
    if abs(dx) <= abs(dy) and abs(dx) <= abs(dz):
        ux, uy, uz = 0.0, dz, -dy
    elif abs(dy) <= abs(dz):
        ux, uy, uz = -dz, 0.0, dx
    else:
        ux, uy, uz = dy, -dx, 0.0
    size = sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / size, uy / size, uz / size
    vx, vy, vz = dy * uz - dz * uy, dz * ux - dx * uz, dx * uy - dy * ux
    seen = np.empty((len(points), 3))
    low = np.full(3, np.inf)
    high = np.full(3, -np.inf)
    for k in range(len(points)):
        x, y, z = points[k]
        seen[k, 0] = x * dx + y * dy + z * dz
        seen[k, 1] = x * ux + y * uy + z * uz
        seen[k, 2] = x * vx + y * vy + z * vz
        for j in range(3):
            low[j], high[j] = min(low[j], seen[k, j]), max(high[j], seen[k, j])
    middle = 0.5 * (low + high)
    widest = 0.0
    for k in range(len(seen)):
        widest = max(widest, (seen[k, 1] - middle[1]) ** 2 + (seen[k, 2] - middle[2]) ** 2)
    # Shorten the core as far as the round caps still reach every point.
    start, end = np.inf, -np.inf
    for k in range(len(seen)):
        cap = sqrt(max(0.0, widest - (seen[k, 1] - middle[1]) ** 2 - (seen[k, 2] - middle[2]) ** 2))
        start, end = min(start, seen[k, 0] + cap), max(end, seen[k, 0] - cap)
    if start > end:
        start = end = middle[0]
    along, half = 0.5 * (start + end), 0.5 * (end - start)
    widest = 0.0
    for k in range(len(seen)):
        beyond = max(0.0, abs(seen[k, 0] - along) - half)
        widest = max(widest, beyond**2 + (seen[k, 1] - middle[1]) ** 2 + (seen[k, 2] - middle[2]) ** 2)
    radius = sqrt(widest)
    row[0] = along * dx + middle[1] * ux + middle[2] * vx
    row[1] = along * dy + middle[1] * uy + middle[2] * vy
    row[2] = along * dz + middle[1] * uz + middle[2] * vz
    row[3], row[4], row[5], row[6] = half * dx, half * dy, half * dz, radius
    return widest * (2.0 * half + 4.0 / 3.0 * radius)


@inlined
def is_long(hulls: Table, hull: int) -> bool:
    """Return True if the capsule of a hull is smaller than its sphere."""
    return bool(hulls[hull]["capsule_radius"] < hulls[hull]["radius"])


@inlined
def capsule_separation(
    hulls: Table, poses: Floats, a: int, b: int, offset: Vector
) -> tuple[float, float, float, float]:
    """Return the vector from the core of hull b to that of hull a, and a lower bound of the gap between the capsules.

    `offset` is the vector from the centre of a to that of b. The vector is the shortest one, up to rounding; the gap,
    in metres, is negative if the capsules overlap. Closest points of two segments: Ericson 2004, 5.1.9.
    """
    tx, ty, tz = offset
    one, other = hulls[a]["item"], hulls[b]["item"]
    x, y, z = hulls[a]["half_core"][0], hulls[a]["half_core"][1], hulls[a]["half_core"][2]
    hx = poses[one, 0, 0] * x + poses[one, 0, 1] * y + poses[one, 0, 2] * z
    hy = poses[one, 1, 0] * x + poses[one, 1, 1] * y + poses[one, 1, 2] * z
    hz = poses[one, 2, 0] * x + poses[one, 2, 1] * y + poses[one, 2, 2] * z
    x, y, z = hulls[b]["half_core"][0], hulls[b]["half_core"][1], hulls[b]["half_core"][2]
    kx = poses[other, 0, 0] * x + poses[other, 0, 1] * y + poses[other, 0, 2] * z
    ky = poses[other, 1, 0] * x + poses[other, 1, 1] * y + poses[other, 1, 2] * z
    kz = poses[other, 2, 0] * x + poses[other, 2, 1] * y + poses[other, 2, 2] * z
    hh = hx * hx + hy * hy + hz * hz
    kk = kx * kx + ky * ky + kz * kz
    hk = hx * kx + hy * ky + hz * kz
    ht = hx * tx + hy * ty + hz * tz
    kt = kx * tx + ky * ty + kz * tz
    # Positions along the cores, -1 to 1, at which they are nearest.
    across = hh * kk - hk * hk
    s = min(max((ht * kk - hk * kt) / across, -1.0), 1.0) if across > 0.0 else 0.0
    u = (hk * s - kt) / kk if kk > 0.0 else 0.0
    if u < -1.0 or u > 1.0:
        u = -1.0 if u < 0.0 else 1.0
        s = min(max((hk * u + ht) / hh, -1.0), 1.0) if hh > 0.0 else 0.0
    vx, vy, vz = s * hx - u * kx - tx, s * hy - u * ky - ty, s * hz - u * kz - tz
    # Planes across the vector prove the gap, even if the positions are rounded.
    size = sqrt(vx * vx + vy * vy + vz * vz)
    if size == 0.0:
        return 1.0, 0.0, 0.0, -np.inf
    apart = -(vx * tx + vy * ty + vz * tz)
    apart -= abs(vx * hx + vy * hy + vz * hz) + abs(vx * kx + vy * ky + vz * kz)
    return vx, vy, vz, apart / size - hulls[a]["capsule_radius"] - hulls[b]["capsule_radius"]
