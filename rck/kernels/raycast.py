"""Ray casting of pictures against convex polyhedra.

A ray is inside a convex polyhedron from the last face plane that it enters to the first that it leaves. For the rays of
one camera, the nearness of a plane (1 / depth, or -depth for parallel projection) is a linear function of the pixel:
clipping a row of pixels against a face takes one multiplication and one comparison each, without division. Whether a
plane is entered or left is the same for all pixels, because it depends only on the camera position.
"""

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, Ints, kernel, read_only, types

ROWS = read_only(types.float64, 2)
COLUMN = read_only(types.float64, 1)
POSES = read_only(types.float64, 3)
INDICES = read_only(types.int64, 1)
FLAGS = read_only(types.boolean, 1)

Int32s = NDArray[np.int32]

# Smallest distance of a plane from the camera, and smallest inclination to parallel rays.
_EDGE_ON = 1e-12


@kernel(types.void(ROWS, INDICES, ROWS, INDICES, INDICES, POSES, types.float64[:, ::1], types.float64[:, ::1]))
def place_solids(
    planes: Floats,
    plane_offsets: Ints,
    vertices: Floats,
    vertex_offsets: Ints,
    item_of_subitem: Ints,
    poses: Floats,
    world_planes: Floats,
    world_vertices: Floats,
) -> None:
    """Write the planes and vertices of all subitems in the world, for poses of their items of shape (items, 4, 4)."""
    for subitem in range(len(item_of_subitem)):
        pose = poses[item_of_subitem[subitem]]
        xx, xy, xz, xo = pose[0, 0], pose[0, 1], pose[0, 2], pose[0, 3]
        yx, yy, yz, yo = pose[1, 0], pose[1, 1], pose[1, 2], pose[1, 3]
        zx, zy, zz, zo = pose[2, 0], pose[2, 1], pose[2, 2], pose[2, 3]
        for face in range(plane_offsets[subitem], plane_offsets[subitem + 1]):
            a, b, c = planes[face, 0], planes[face, 1], planes[face, 2]
            x, y, z = xx * a + xy * b + xz * c, yx * a + yy * b + yz * c, zx * a + zy * b + zz * c
            world_planes[face, 0], world_planes[face, 1], world_planes[face, 2] = x, y, z
            world_planes[face, 3] = planes[face, 3] + x * xo + y * yo + z * zo
        for corner in range(vertex_offsets[subitem], vertex_offsets[subitem + 1]):
            a, b, c = vertices[corner, 0], vertices[corner, 1], vertices[corner, 2]
            world_vertices[corner, 0] = xx * a + xy * b + xz * c + xo
            world_vertices[corner, 1] = yx * a + yy * b + yz * c + yo
            world_vertices[corner, 2] = zx * a + zy * b + zz * c + zo


@kernel(
    types.void(
        ROWS,
        INDICES,
        ROWS,
        INDICES,
        FLAGS,
        ROWS,
        types.boolean,
        types.int64,
        types.int64,
        types.float64[:, ::1],
        types.int64[::1],
        types.int64[::1],
        types.int64[:, ::1],
        types.float64[::1],
    )
)
def aim(
    planes: Floats,
    plane_offsets: Ints,
    vertices: Floats,
    vertex_offsets: Ints,
    drawn: NDArray[np.bool_],
    lens: Floats,
    parallel: bool,
    width: int,
    height: int,
    slopes: Floats,
    order: Ints,
    entered: Ints,
    bounds: Ints,
    closest: Floats,
) -> None:
    """Prepare :func:`cast_rows`: planes as functions of the pixel, and the bounds of each subitem in the picture.

    `lens` has the rows eye, corner, right, down, forward of `rck.rendering.viewport`. Outputs are: `slopes`, shape
    (faces, 3), of the nearness ``slope[0] * x + slope[1] * y + slope[2]``; `order`, the faces of each subitem, those
    that rays enter first; `entered`, their number; `bounds`, the half-open ranges of columns and rows of the subitem,
    shape (subitems, 4); `closest`, its greatest nearness.
    """
    ex, ey, ez = lens[0]
    cx, cy, cz = lens[1]
    rx, ry, rz = lens[2]
    dx, dy, dz = lens[3]
    fx, fy, fz = lens[4]
    right_scale = 1.0 / (rx * rx + ry * ry + rz * rz)
    down_scale = 1.0 / (dx * dx + dy * dy + dz * dz)
    # The point of the picture in the direction of view: its centre, unless it is a part of a larger picture.
    if parallel:
        cross_x = ((ex - cx) * rx + (ey - cy) * ry + (ez - cz) * rz) * right_scale - 0.5
        cross_y = ((ex - cx) * dx + (ey - cy) * dy + (ez - cz) * dz) * down_scale - 0.5
    else:
        cross_x = -(cx * rx + cy * ry + cz * rz) * right_scale - 0.5
        cross_y = -(cx * dx + cy * dy + cz * dz) * down_scale - 0.5
    for subitem in range(len(entered)):
        first, last = plane_offsets[subitem], plane_offsets[subitem + 1]
        entering = first
        leaving = last
        for face in range(first, last):
            x, y, z, d = planes[face, 0], planes[face, 1], planes[face, 2], planes[face, 3]
            if parallel:
                scale = x * fx + y * fy + z * fz
                enters = scale < 0.0
                offset = -d
            else:
                scale = d - (x * ex + y * ey + z * ez)
                enters = scale < 0.0
                offset = 0.0
            if abs(scale) < _EDGE_ON:
                scale = -_EDGE_ON if enters else _EDGE_ON
            if enters:
                place = entering
                entering += 1
            else:
                leaving -= 1
                place = leaving
            order[place] = face
            slopes[face, 0] = (x * rx + y * ry + z * rz) / scale
            slopes[face, 1] = (x * dx + y * dy + z * dz) / scale
            slopes[face, 2] = (x * cx + y * cy + z * cz + offset) / scale
        entered[subitem] = entering - first
        left, right, top, bottom = np.inf, -np.inf, np.inf, -np.inf
        nearest, deepest = np.inf, -np.inf
        for corner in range(vertex_offsets[subitem], vertex_offsets[subitem + 1]):
            x, y, z = vertices[corner, 0] - ex, vertices[corner, 1] - ey, vertices[corner, 2] - ez
            depth = x * fx + y * fy + z * fz
            nearest, deepest = min(nearest, depth), max(deepest, depth)
            shrink = 1.0 if parallel else 1.0 / depth
            column = (x * rx + y * ry + z * rz) * right_scale * shrink
            row = (x * dx + y * dy + z * dz) * down_scale * shrink
            left, right = min(left, column), max(right, column)
            top, bottom = min(top, row), max(bottom, row)
        if parallel:
            closest[subitem] = -nearest
        elif nearest > _EDGE_ON:
            closest[subitem] = 1.0 / nearest
        else:
            # It reaches behind the camera, where projection is not defined: it may be visible anywhere.
            closest[subitem] = np.inf
            left, right, top, bottom = -np.inf, np.inf, -np.inf, np.inf
        bounds[subitem, 0] = ceil(min(max(left + cross_x - 1e-6, 0.0), width))
        bounds[subitem, 1] = floor(min(max(right + cross_x + 1e-6, -1.0), width - 1.0)) + 1
        bounds[subitem, 2] = ceil(min(max(top + cross_y - 1e-6, 0.0), height))
        bounds[subitem, 3] = floor(min(max(bottom + cross_y + 1e-6, -1.0), height - 1.0)) + 1
        # Nothing is visible if the camera is inside it, or if it is behind the camera or outside the picture.
        behind = not parallel and deepest <= 0.0
        if not drawn[subitem] or entered[subitem] == 0 or behind or bounds[subitem, 0] >= bounds[subitem, 1]:
            bounds[subitem, 3] = bounds[subitem, 2] = 0


@kernel(
    types.void(
        types.int64,
        types.int64,
        INDICES,
        ROWS,
        INDICES,
        INDICES,
        INDICES,
        read_only(types.int64, 2),
        COLUMN,
        types.float64,
        types.float64,
        types.float64[:, ::1],
        types.int32[:, ::1],
        types.int32[:, ::1],
    )
)
def cast_rows(
    first_row: int,
    last_row: int,
    sequence: Ints,
    slopes: Floats,
    plane_offsets: Ints,
    order: Ints,
    entered: Ints,
    bounds: Ints,
    closest: Floats,
    nearest: float,
    farthest: float,
    nearness: Floats,
    subitems: Int32s,
    faces: Int32s,
) -> None:
    """Write the first hits of the rays of these rows of pixels; see :func:`aim` for the inputs.

    `sequence` is the order in which subitems are tested: nearest first is fastest. Only nearness between `farthest` and
    `nearest` is visible; solids are cut at `nearest`. Outputs, all of shape (height, width), are `nearness`, `farthest`
    without a hit; `subitems`, -1 without a hit; and `faces`, -1 without a hit and on cuts.
    """
    width = nearness.shape[1]
    enter = np.empty(width)
    leave = np.empty(width)
    for row in range(first_row, last_row):
        y = row + 0.5
        for column in range(width):
            nearness[row, column] = farthest
            subitems[row, column] = -1
        for turn in range(len(sequence)):
            subitem = sequence[turn]
            if row < bounds[subitem, 2] or row >= bounds[subitem, 3]:
                continue
            start = bounds[subitem, 0]
            count = bounds[subitem, 1] - start
            limit = min(closest[subitem], nearest)
            hidden = True
            for i in range(count):
                if nearness[row, start + i] < limit:
                    hidden = False
                    break
            if hidden:
                continue
            middle = plane_offsets[subitem] + entered[subitem]
            for i in range(count):
                enter[i] = nearest
                leave[i] = farthest
            x = start + 0.5
            for place in range(plane_offsets[subitem], middle):
                face = order[place]
                step = slopes[face, 0]
                base = step * x + slopes[face, 1] * y + slopes[face, 2]
                for i in range(count):
                    value = base + step * i
                    enter[i] = value if value < enter[i] else enter[i]
            for place in range(middle, plane_offsets[subitem + 1]):
                face = order[place]
                step = slopes[face, 0]
                base = step * x + slopes[face, 1] * y + slopes[face, 2]
                for i in range(count):
                    value = base + step * i
                    leave[i] = value if value > leave[i] else leave[i]
            for i in range(count):
                if enter[i] > leave[i] and enter[i] > nearness[row, start + i]:
                    nearness[row, start + i] = enter[i]
                    subitems[row, start + i] = subitem
        for column in range(width):
            subitem = subitems[row, column]
            faces[row, column] = -1
            if subitem >= 0:
                # The plane entered last determines the nearness; on a cut there is no such plane.
                lowest = nearest
                for place in range(plane_offsets[subitem], plane_offsets[subitem] + entered[subitem]):
                    face = order[place]
                    value = slopes[face, 0] * (column + 0.5) + slopes[face, 1] * y + slopes[face, 2]
                    if value < lowest:
                        lowest = value
                        faces[row, column] = face
