"""Ray casting of arbitrary rays against convex polyhedra, with a tree of boxes, for range sensors."""

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, Ints, helper, kernel, read_only, types

ROWS = read_only(types.float64, 2)
COLUMN = read_only(types.float64, 1)
INDICES = read_only(types.int64, 1)

Int32s = NDArray[np.int32]

_DEEPEST = 64
"""Size of the stack of nodes to visit: enough for a balanced tree of 2^64 subitems."""
_ALONG = 1e-300
"""Replaces a direction of 0 in divisions, to avoid 0 times infinity."""


@helper
def _halve(order: Ints, keys: Floats, first: int, last: int, middle: int) -> None:
    """Reorder `order` from first to last so that keys before `middle` are at most those after it."""
    low, high = first, last - 1
    while low < high:
        pivot = keys[order[(low + high) // 2]]
        i, j = low, high
        while i <= j:
            while keys[order[i]] < pivot:
                i += 1
            while keys[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel(types.int64(ROWS, INDICES, types.int64[::1], types.float64[:, ::1], types.int64[:, ::1]))
def build_tree(vertices: Floats, vertex_offsets: Ints, order: Ints, boxes: Floats, nodes: Ints) -> int:
    """Build a tree of bounding boxes of the subitems in `order`, which is reordered; return the number of nodes.

    A node's box is (low x, y, z, high x, y, z), shape (2 len(order), 6). Its two numbers in `nodes` are its children,
    or -1 and the subitem of a leaf. Leaves of two subitems took a third more time, measured on 400 polyhedra.
    """
    subitems = len(vertex_offsets) - 1
    centres = np.empty((3, subitems))
    extents = np.empty((subitems, 6))
    for subitem in range(subitems):
        for axis in range(3):
            low, high = np.inf, -np.inf
            for corner in range(vertex_offsets[subitem], vertex_offsets[subitem + 1]):
                low, high = min(low, vertices[corner, axis]), max(high, vertices[corner, axis])
            extents[subitem, axis], extents[subitem, 3 + axis] = low, high
            centres[axis, subitem] = low + high
    if len(order) == 0:
        return 0
    # Ranges of `order` that still need a node, and the node that each gets.
    waiting = np.empty((_DEEPEST, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, len(order), 0
    count, used = 1, 1
    while count > 0:
        count -= 1
        first, last, node = waiting[count, 0], waiting[count, 1], waiting[count, 2]
        for axis in range(3):
            low, high = np.inf, -np.inf
            for place in range(first, last):
                low, high = min(low, extents[order[place], axis]), max(high, extents[order[place], 3 + axis])
            boxes[node, axis], boxes[node, 3 + axis] = low, high
        if last - first == 1:
            nodes[node, 0], nodes[node, 1] = -1, order[first]
            continue
        widest, longest = 0, -1.0
        for axis in range(3):
            low, high = np.inf, -np.inf
            for place in range(first, last):
                low, high = min(low, centres[axis, order[place]]), max(high, centres[axis, order[place]])
            if high - low > longest:
                widest, longest = axis, high - low
        middle = (first + last) // 2
        _halve(order, centres[widest], first, last, middle)
        nodes[node, 0], nodes[node, 1] = used, used + 1
        waiting[count, 0], waiting[count, 1], waiting[count, 2] = first, middle, used
        waiting[count + 1, 0], waiting[count + 1, 1], waiting[count + 1, 2] = middle, last, used + 1
        count += 2
        used += 2
    return used


@helper
def _reached(
    low_x: float,
    low_y: float,
    low_z: float,
    high_x: float,
    high_y: float,
    high_z: float,
    ox: float,
    oy: float,
    oz: float,
    ix: float,
    iy: float,
    iz: float,
) -> float:
    """Return the distance along a ray to a box, from the inverse of the ray's direction; infinity for a miss."""
    a, b = (low_x - ox) * ix, (high_x - ox) * ix
    enter, leave = min(a, b), max(a, b)
    a, b = (low_y - oy) * iy, (high_y - oy) * iy
    enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    a, b = (low_z - oz) * iz, (high_z - oz) * iz
    enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    # Slightly wider than the box, so that rounding loses no grazing ray.
    return enter if leave >= 0.0 and enter <= leave + 1e-12 * leave + 1e-15 else np.inf


@kernel(
    types.void(
        ROWS,
        INDICES,
        ROWS,
        read_only(types.int64, 2),
        ROWS,
        ROWS,
        types.float64,
        types.float64[::1],
        types.int32[::1],
        types.int32[::1],
    )
)
def cast_rays(
    planes: Floats,
    plane_offsets: Ints,
    boxes: Floats,
    nodes: Ints,
    origins: Floats,
    directions: Floats,
    farthest: float,
    distances: Floats,
    subitems: Int32s,
    faces: Int32s,
) -> None:
    """Write the first hit of each ray, in multiples of its direction; the tree is that of :func:`build_tree`.

    A ray ignores a solid that contains its origin. Without a hit within `farthest`, the distance is infinite and the
    others are -1.
    """
    stack = np.empty(_DEEPEST, np.int64)
    starts = np.empty(_DEEPEST)
    for ray in range(len(origins)):
        ox, oy, oz = origins[ray, 0], origins[ray, 1], origins[ray, 2]
        dx, dy, dz = directions[ray, 0], directions[ray, 1], directions[ray, 2]
        ix = 1.0 / (dx if dx != 0.0 else _ALONG)
        iy = 1.0 / (dy if dy != 0.0 else _ALONG)
        iz = 1.0 / (dz if dz != 0.0 else _ALONG)
        best, hit, hit_face = farthest, -1, -1
        count = 1 if len(nodes) > 0 else 0
        stack[0], starts[0] = 0, -np.inf
        while count > 0:
            count -= 1
            if starts[count] >= best:
                continue
            node = stack[count]
            child, other = nodes[node, 0], nodes[node, 1]
            if child >= 0:
                one, two = boxes[child], boxes[other]
                start = _reached(one[0], one[1], one[2], one[3], one[4], one[5], ox, oy, oz, ix, iy, iz)
                other_start = _reached(two[0], two[1], two[2], two[3], two[4], two[5], ox, oy, oz, ix, iy, iz)
                # Push the nearer child last.
                if other_start > start:
                    child, other = other, child
                    start, other_start = other_start, start
                if start < best:
                    stack[count], starts[count] = child, start
                    count += 1
                if other_start < best:
                    stack[count], starts[count] = other, other_start
                    count += 1
                continue
            enter, leave, face_entered = -np.inf, best, -1
            for face in range(plane_offsets[other], plane_offsets[other + 1]):
                x, y, z = planes[face, 0], planes[face, 1], planes[face, 2]
                along = x * dx + y * dy + z * dz
                inside = planes[face, 3] - (x * ox + y * oy + z * oz)
                if along < 0.0:
                    at = inside / along
                    if at > enter:
                        enter, face_entered = at, face
                elif along > 0.0:
                    leave = min(leave, inside / along)
                elif inside < 0.0:
                    enter = np.inf
                if enter >= leave:
                    break
            if 0.0 <= enter < leave:
                best, hit, hit_face = enter, other, face_entered
        distances[ray] = best if hit >= 0 else np.inf
        subitems[ray] = hit
        faces[ray] = hit_face
