"""Penetration depth of two convex hulls: the expanding polytope algorithm (van den Bergen 2001).

The differences of points of hull A and points of hull B form a convex set that contains the origin; the face of the set
nearest to the origin gives the shortest translation that separates the hulls. A polytope inside the set grows towards
that face: its own nearest face is moved out to the farthest corner of the set, until no corner is farther out. A face
with the origin on its outside is nearer than any other, so the polytope need not contain the origin at the start.
"""

from math import sqrt

import numpy as np

from rck.kernels.gjk import Simplex, difference, farthest_difference
from rck.kernels.hull_tables import Hulls
from rck.kernels.kernel import Floats, Ints, Vector, helper, inlined
from rck.kernels.simplex import nearest_on_triangle

# A step adds one corner and, on balance, two faces. Round hulls with some hundred corners take about a hundred steps.
_STEPS = 300
_CORNERS = _STEPS + 4
_FACES = 2 * _CORNERS
# Growth by less than this fraction of the size is rounding.
_GAIN = 1e-13


@helper
def penetration_depth(
    hulls: Hulls, poses: Floats, a: int, b: int, offset: Vector, size: int, simplex: Simplex
) -> tuple[float, float, float, float]:
    """Return the depth of the overlap of hulls a and b, and the unit vector along which b must move by it.

    `offset` is the vector from the centre of a to that of b. `simplex` has the `size` corners of A - B to start from;
    at the end it has those of the nearest face, with their weights in the nearest point. The depth of hulls that are
    barely apart is negative.
    """
    points = np.empty((_CORNERS, 3))
    numbers = np.empty((_CORNERS, 2), np.int64)
    planes = np.empty((_FACES, 4))
    faces = np.empty((_FACES, 3), np.int64)
    rim = np.empty((_FACES, 2), np.int64)
    first_corners(hulls, poses, a, b, offset, size, simplex.rows, points, numbers)
    first_faces(points, faces, planes)
    count, used = 4, 4
    tiny = _GAIN * (hulls.table[a]["radius"] + hulls.table[b]["radius"])
    depth, nx, ny, nz = np.inf, 0.0, 0.0, 0.0
    best = 0
    for _ in range(_STEPS):
        best = 0
        for face in range(1, count):
            if planes[face, 3] < planes[best, 3]:
                best = face
        dx, dy, dz = planes[best, 0], planes[best, 1], planes[best, 2]
        i, j, x, y, z = farthest_difference(hulls, poses, a, b, offset, (dx, dy, dz))
        reach = dx * x + dy * y + dz * z
        if reach < depth:
            # Moving b this far along the direction separates the hulls, even if a shorter way exists.
            depth, nx, ny, nz = reach, dx, dy, dz
        if reach - planes[best, 3] <= tiny or used == _CORNERS:
            break
        count, edges = open_towards(x, y, z, tiny, count, faces, planes, rim)
        if count + edges > _FACES or edges == 0:
            break
        points[used, 0], points[used, 1], points[used, 2] = x, y, z
        numbers[used, 0], numbers[used, 1] = i, j
        for k in range(edges):
            add_face(points, rim[k, 0], rim[k, 1], used, count, faces, planes)
            count += 1
        used += 1
    # The nearest face may consist of several triangles.
    choose_triangle(points, numbers, count, planes[best, 3] + 10.0 * tiny, faces, planes, simplex)
    return depth, nx, ny, nz


@inlined
def first_corners(
    hulls: Hulls, poses: Floats, a: int, b: int, offset: Vector, size: int, rows: Ints, points: Floats, numbers: Ints
) -> None:
    """Write the first four corners of the polytope, and the rows of `corners` that they come from.

    The first `size` are those of the simplex, given by their rows. For the others, directions in which the corners have
    no extent yet are searched for the corner that adds most.
    """
    tx, ty, tz = offset
    for k in range(size):
        numbers[k, 0], numbers[k, 1] = rows[k, 0], rows[k, 1]
        x, y, z = difference(hulls, poses, a, b, rows[k, 0], rows[k, 1])
        points[k, 0], points[k, 1], points[k, 2] = x - tx, y - ty, z - tz
    sought = np.empty((6, 3))
    for count in range(size, 4):
        directions = missing_directions(points, count, sought)
        widest = -1.0
        for k in range(directions):
            dx, dy, dz = sought[k, 0], sought[k, 1], sought[k, 2]
            i, j, x, y, z = farthest_difference(hulls, poses, a, b, offset, (dx, dy, dz))
            width = (x - points[0, 0]) * dx + (y - points[0, 1]) * dy + (z - points[0, 2]) * dz
            if width > widest:
                widest = width
                points[count, 0], points[count, 1], points[count, 2] = x, y, z
                numbers[count, 0], numbers[count, 1] = i, j


@inlined
def first_faces(points: Floats, faces: Ints, planes: Floats) -> None:
    """Write the four faces of the tetrahedron of the first four points."""
    for k in range(4):
        # The face opposite corner k, facing away from it.
        p, q, r = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        add_face(points, p, q, r, k, faces, planes)
        inner = points[k]
        above = planes[k, 0] * inner[0] + planes[k, 1] * inner[1] + planes[k, 2] * inner[2]
        if above > planes[k, 3]:
            add_face(points, q, p, r, k, faces, planes)


@inlined
def open_towards(
    x: float, y: float, z: float, tiny: float, count: int, faces: Ints, planes: Floats, rim: Ints
) -> tuple[int, int]:
    """Remove the faces that see a new corner, and write the rim of the hole, to be joined to the corner.

    Return how many of the `count` faces are left, and how many edges the rim has.
    """
    edges = 0
    face = 0
    while face < count:
        if planes[face, 0] * x + planes[face, 1] * y + planes[face, 2] * z - planes[face, 3] > tiny:
            for k in range(3):
                edges = cross_rim(rim, edges, faces[face, k], faces[face, (k + 1) % 3])
            count -= 1
            for k in range(3):
                faces[face, k] = faces[count, k]
            for k in range(4):
                planes[face, k] = planes[count, k]
        else:
            face += 1
    return count, edges


@inlined
def choose_triangle(
    points: Floats,
    numbers: Ints,
    count: int,
    level: float,
    faces: Ints,
    planes: Floats,
    simplex: Simplex,
) -> None:
    """Write the triangle that contains the nearest point, of those no farther away than `level`, and its weights."""
    rows, weights = simplex.rows, simplex.weights
    nearest = np.inf
    for face in range(count):
        if planes[face, 3] <= level:
            p, q, r = points[faces[face, 0]], points[faces[face, 1]], points[faces[face, 2]]
            one, two, three, x, y, z = nearest_on_triangle(p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2])
            if x * x + y * y + z * z < nearest:
                nearest = x * x + y * y + z * z
                weights[0], weights[1], weights[2] = one, two, three
                for k in range(3):
                    rows[k, 0], rows[k, 1] = numbers[faces[face, k], 0], numbers[faces[face, k], 1]


@helper
def missing_directions(points: Floats, count: int, sought: Floats) -> int:
    """Write the directions, both ways, in which the first `count` points have no extent; return their number."""
    for k in range(6):
        for axis in range(3):
            sought[k, axis] = 0.0
        sought[k, k // 2] = 1.0 - 2.0 * (k % 2)
    if count == 1:
        return 6
    ux, uy, uz = points[1, 0] - points[0, 0], points[1, 1] - points[0, 1], points[1, 2] - points[0, 2]
    if count == 2:
        # Perpendicular to the segment and to the axis least aligned with it.
        if abs(ux) <= abs(uy) and abs(ux) <= abs(uz):
            vx, vy, vz = 0.0, uz, -uy
        elif abs(uy) <= abs(uz):
            vx, vy, vz = -uz, 0.0, ux
        else:
            vx, vy, vz = uy, -ux, 0.0
        size = sqrt(vx * vx + vy * vy + vz * vz)
        vx, vy, vz = vx / size, vy / size, vz / size
        size = sqrt(ux * ux + uy * uy + uz * uz)
        ux, uy, uz = ux / size, uy / size, uz / size
        for side in range(2):
            sign = 1.0 - 2.0 * side
            sought[side, 0], sought[side, 1], sought[side, 2] = sign * vx, sign * vy, sign * vz
            sought[2 + side, 0] = sign * (uy * vz - uz * vy)
            sought[2 + side, 1] = sign * (uz * vx - ux * vz)
            sought[2 + side, 2] = sign * (ux * vy - uy * vx)
        return 4
    vx, vy, vz = points[2, 0] - points[0, 0], points[2, 1] - points[0, 1], points[2, 2] - points[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = sqrt(nx * nx + ny * ny + nz * nz)
    for side in range(2):
        sign = (1.0 - 2.0 * side) / size
        sought[side, 0], sought[side, 1], sought[side, 2] = sign * nx, sign * ny, sign * nz
    return 2


@helper
def add_face(points: Floats, p: int, q: int, r: int, face: int, faces: Ints, planes: Floats) -> None:
    """Write the face through points p, q, r, counter-clockwise seen from outside, and its plane."""
    faces[face, 0], faces[face, 1], faces[face, 2] = p, q, r
    ux, uy, uz = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1], points[q, 2] - points[p, 2]
    vx, vy, vz = points[r, 0] - points[p, 0], points[r, 1] - points[p, 1], points[r, 2] - points[p, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        # A face without area is never the nearest and sees no corner.
        planes[face, 0], planes[face, 1], planes[face, 2], planes[face, 3] = 0.0, 0.0, 0.0, np.inf
        return
    planes[face, 0], planes[face, 1], planes[face, 2] = nx / size, ny / size, nz / size
    planes[face, 3] = (nx * points[p, 0] + ny * points[p, 1] + nz * points[p, 2]) / size


@helper
def cross_rim(rim: Ints, edges: int, start: int, end: int) -> int:
    """Add an edge to the rim, or remove it if the face on its other side has added it; return the number of edges."""
    for k in range(edges):
        if rim[k, 0] == end and rim[k, 1] == start:
            rim[k, 0], rim[k, 1] = rim[edges - 1, 0], rim[edges - 1, 1]
            return edges - 1
    rim[edges, 0], rim[edges, 1] = start, end
    return edges + 1
