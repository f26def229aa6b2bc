"""Rasterisation of triangle meshes into the buffers that ray casting of convex polyhedra fills.

The nearness of a plane is a linear function of the pixel, as in `rck.kernels.raycast`, so that both share one depth
buffer.
"""

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, Ints, kernel, read_only, types
from rck.kernels.raycast import INDICES, ROWS, Int32s

Float32s = NDArray[np.float32]


@kernel(
    types.void(
        types.int64,
        types.int64,
        INDICES,
        INDICES,
        INDICES,
        INDICES,
        ROWS,
        ROWS,
        types.float64,
        types.float64[:, ::1],
        types.int32[:, ::1],
        types.int32[:, ::1],
        types.float32[:, :, ::1],
    )
)
def draw_meshes(
    first_row: int,
    last_row: int,
    meshes: Ints,
    plane_offsets: Ints,
    face_offsets: Ints,
    face_vertices: Ints,
    projected: Floats,
    slopes: Floats,
    nearest: float,
    near: Floats,
    subitem: Int32s,
    face: Int32s,
    weights: Float32s,
) -> None:
    """Draw the faces of these meshes into the rows of the buffers, where they are nearer than what is there.

    `projected` has the column, row and nearness of each vertex, shape (vertices, 3); nearness is not above zero, and
    columns are infinite, behind the eye of a perspective camera, where faces are left out. `weights` gets the number of
    the triangle in its face, and the share of its second and third corner, shape (height, width, 3).
    """
    width = near.shape[1]
    for mesh in meshes:
        for polygon in range(plane_offsets[mesh], plane_offsets[mesh + 1]):
            start, end = face_offsets[polygon], face_offsets[polygon + 1]
            a = face_vertices[start]
            ax, ay = projected[a, 0], projected[a, 1]
            for place in range(start + 1, end - 1):
                b, c = face_vertices[place], face_vertices[place + 1]
                bx, by = projected[b, 0], projected[b, 1]
                cx, cy = projected[c, 0], projected[c, 1]
                low, high = min(ay, by, cy), max(ay, by, cy)
                # Infinite coordinates fail these comparisons.
                if not (high > first_row and low < last_row):
                    continue
                left, right = min(ax, bx, cx), max(ax, bx, cx)
                if not (right > 0.0 and left < width):
                    continue
                area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
                if area == 0.0:
                    continue
                share = 1.0 / area
                for row in range(max(first_row, ceil(low - 0.5)), min(last_row, floor(high - 0.5) + 1)):
                    y = row + 0.5
                    for column in range(max(0, ceil(left - 0.5)), min(width, floor(right - 0.5) + 1)):
                        x = column + 0.5
                        beta = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) * share
                        gamma = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) * share
                        if beta < 0.0 or gamma < 0.0 or beta + gamma > 1.0:
                            continue
                        here = slopes[polygon, 0] * x + slopes[polygon, 1] * y + slopes[polygon, 2]
                        if here <= near[row, column] or here > nearest:
                            continue
                        near[row, column] = here
                        subitem[row, column] = mesh
                        face[row, column] = polygon
                        # Shares in the picture become shares on the triangle: nearness is one everywhere in parallel.
                        p, q = projected[a, 2] * (1.0 - beta - gamma), projected[b, 2] * beta
                        r = projected[c, 2] * gamma
                        total = p + q + r
                        weights[row, column, 0] = place - start - 1
                        weights[row, column, 1] = q / total
                        weights[row, column, 2] = r / total


@kernel(
    types.void(
        types.int64,
        types.int64,
        read_only(types.int32, 2),
        read_only(types.int32, 2),
        read_only(types.float32, 3),
        types.int64,
        types.int64,
        INDICES,
        ROWS,
        INDICES,
        read_only(types.float64, 3),
        types.float32[:, :, ::1],
    )
)
def interpolate_normals(
    first_row: int,
    last_row: int,
    subitem: Int32s,
    face: Int32s,
    weights: Float32s,
    first_mesh: int,
    first_corner: int,
    face_offsets: Ints,
    corner_normals: Floats,
    item_of_subitem: Ints,
    poses: Floats,
    normals: Float32s,
) -> None:
    """Write the unit normal in the world at each pixel that shows a mesh, shape (height, width, 3).

    Meshes are the subitems from `first_mesh`; their corners start at `first_corner` of the vertices of faces.
    """
    for row in range(first_row, last_row):
        for column in range(subitem.shape[1]):
            mesh = subitem[row, column]
            if mesh < first_mesh:
                continue
            start = face_offsets[face[row, column]] - first_corner
            second = start + 1 + int(weights[row, column, 0])
            u, v = weights[row, column, 1], weights[row, column, 2]
            w = 1.0 - u - v
            pose = poses[item_of_subitem[mesh]]
            x = w * corner_normals[start, 0] + u * corner_normals[second, 0] + v * corner_normals[second + 1, 0]
            y = w * corner_normals[start, 1] + u * corner_normals[second, 1] + v * corner_normals[second + 1, 1]
            z = w * corner_normals[start, 2] + u * corner_normals[second, 2] + v * corner_normals[second + 1, 2]
            length = (x * x + y * y + z * z) ** 0.5 + 1e-30
            for axis in range(3):
                turned = (pose[axis, 0] * x + pose[axis, 1] * y + pose[axis, 2] * z) / length
                normals[row, column, axis] = turned


@kernel(types.void(INDICES, INDICES, INDICES, ROWS, types.float64, types.float64[:, ::1]))
def smooth_corners(
    order: Ints, starts: Ints, face_of_corner: Ints, vectors: Floats, smooth: float, normals: Floats
) -> None:
    """Write the normal at each corner: the mean of the faces at its vertex that bend by less than `smooth`.

    `order` has the corners of each vertex together, those of vertex v from ``starts[v]`` to ``starts[v + 1]``;
    `vectors` are the area vectors of the faces, and `smooth` is a cosine.
    """
    for group in range(len(starts) - 1):
        for i in range(starts[group], starts[group + 1]):
            corner = order[i]
            mine = face_of_corner[corner]
            mx, my, mz = vectors[mine, 0], vectors[mine, 1], vectors[mine, 2]
            length = (mx * mx + my * my + mz * mz) ** 0.5
            x, y, z = 0.0, 0.0, 0.0
            for j in range(starts[group], starts[group + 1]):
                other = face_of_corner[order[j]]
                ox, oy, oz = vectors[other, 0], vectors[other, 1], vectors[other, 2]
                reach = (ox * ox + oy * oy + oz * oz) ** 0.5
                if other == mine or mx * ox + my * oy + mz * oz >= smooth * length * reach:
                    x, y, z = x + ox, y + oy, z + oz
            size = (x * x + y * y + z * z) ** 0.5 + 1e-300
            normals[corner, 0], normals[corner, 1], normals[corner, 2] = x / size, y / size, z / size
