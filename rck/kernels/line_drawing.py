"""Straight lines of the world in a picture, hidden by solids in front of them."""

from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, helper, kernel, read_only, types

ROWS = read_only(types.float64, 2)
COLUMN = read_only(types.float64, 1)
NUMBERS = read_only(types.int32, 2)

Int32s = NDArray[np.int32]
Float32s = NDArray[np.float32]


@helper
def _clipped(low: float, high: float, start: float, step: float, least: float, most: float) -> tuple[float, float]:
    """Return the part of the interval low to high in which start + t * step is between least and most."""
    if step == 0.0:
        return (low, high) if least <= start <= most else (1.0, 0.0)
    a, b = (least - start) / step, (most - start) / step
    return max(low, min(a, b)), min(high, max(a, b))


@helper
def _on_screen(
    starts: Floats,
    ends: Floats,
    line: int,
    lens: Floats,
    parallel: bool,
    width: int,
    height: int,
    margin: float,
    nearest: float,
    ends_on_screen: Floats,
) -> bool:
    """Write column, row and nearness of both ends of the visible part of a line, shape (2, 3); False if hidden."""
    right_scale = 1.0 / (lens[2, 0] ** 2 + lens[2, 1] ** 2 + lens[2, 2] ** 2)
    down_scale = 1.0 / (lens[3, 0] ** 2 + lens[3, 1] ** 2 + lens[3, 2] ** 2)
    # The point of the picture in the direction of view: its centre, unless it is a part of a larger picture.
    cross_x, cross_y = 0.0, 0.0
    for axis in range(3):
        to_corner = lens[1, axis] - lens[0, axis] if parallel else lens[1, axis]
        cross_x -= to_corner * lens[2, axis] * right_scale
        cross_y -= to_corner * lens[3, axis] * down_scale
    across = np.empty(2)
    down = np.empty(2)
    depth = np.empty(2)
    for end in range(2):
        x = (starts if end == 0 else ends)[line, 0] - lens[0, 0]
        y = (starts if end == 0 else ends)[line, 1] - lens[0, 1]
        z = (starts if end == 0 else ends)[line, 2] - lens[0, 2]
        across[end] = (x * lens[2, 0] + y * lens[2, 1] + z * lens[2, 2]) * right_scale
        down[end] = (x * lens[3, 0] + y * lens[3, 1] + z * lens[3, 2]) * down_scale
        depth[end] = x * lens[4, 0] + y * lens[4, 1] + z * lens[4, 2]
    # The part of the line in front of the camera and the near clipping plane; in perspective, keep a small distance.
    closest = -nearest if parallel else max(1.0 / nearest, 1e-06 * max(abs(depth[0]), abs(depth[1])) + 1e-12)
    low, high = _clipped(0.0, 1.0, depth[0], depth[1] - depth[0], closest, np.inf)
    if not low <= high:
        return False
    for end in range(2):
        share = low if end == 0 else high
        here = depth[0] + share * (depth[1] - depth[0])
        shrink = 1.0 if parallel else 1.0 / here
        ends_on_screen[end, 0] = cross_x + (across[0] + share * (across[1] - across[0])) * shrink
        ends_on_screen[end, 1] = cross_y + (down[0] + share * (down[1] - down[0])) * shrink
        ends_on_screen[end, 2] = -here if parallel else 1.0 / here
    x, y, w = ends_on_screen[0]
    dx, dy, dw = ends_on_screen[1] - ends_on_screen[0]
    low, high = _clipped(0.0, 1.0, x, dx, -margin, width + margin)
    low, high = _clipped(low, high, y, dy, -margin, height + margin)
    if not low <= high:
        return False
    for end in range(2):
        share = low if end == 0 else high
        ends_on_screen[end, 0] = x + share * dx
        ends_on_screen[end, 1] = y + share * dy
        ends_on_screen[end, 2] = w + share * dw
    return True


@kernel(
    types.void(
        ROWS,
        ROWS,
        ROWS,
        COLUMN,
        COLUMN,
        ROWS,
        types.boolean,
        types.float64,
        types.float64,
        ROWS,
        NUMBERS,
        ROWS,
        types.float32[:, :, ::1],
    )
)
def draw_lines(
    starts: Floats,
    ends: Floats,
    colours: Floats,
    hidden: Floats,
    widths: Floats,
    lens: Floats,
    parallel: bool,
    nearest: float,
    slack: float,
    nearness: Floats,
    faces: Int32s,
    slopes: Floats,
    picture: Float32s,
) -> None:
    """Draw smooth lines over a picture, shape (height, width, 3).

    For each line, `colours` are red, green, blue and opacity, `hidden` is the fraction of the opacity behind solids,
    and `widths` are in pixels. Lines up to `slack` metres inside a solid are visible, so that lines on a surface are.
    """
    height, width = nearness.shape
    place = np.empty((2, 3))
    for line in range(len(starts)):
        half = 0.5 * widths[line]
        if not _on_screen(starts, ends, line, lens, parallel, width, height, half + 2.0, nearest, place):
            continue
        dx, dy = place[1, 0] - place[0, 0], place[1, 1] - place[0, 1]
        upright = abs(dy) > abs(dx)
        major, minor = (1, 0) if upright else (0, 1)
        first, last = (0, 1) if place[0, major] <= place[1, major] else (1, 0)
        length = place[last, major] - place[first, major]
        # A pixel belongs to only one of two lines that share an end.
        begin = ceil(place[first, major] - 0.5)
        end = ceil(place[last, major] - 0.5)
        size = height if upright else width
        across_size = width if upright else height
        slope = (place[last, minor] - place[first, minor]) / length if length > 0.0 else 0.0
        climb = (place[last, 2] - place[first, 2]) / length if length > 0.0 else 0.0
        # The width of the line measured along the rows or columns that it crosses.
        slant = sqrt(1.0 + slope * slope)
        spread = int(half * slant + 1.5)
        for i in range(max(begin, 0), min(end, size)):
            along = i + 0.5 - place[first, major]
            middle = place[first, minor] + slope * along - 0.5
            near = place[first, 2] + climb * along
            allowed = slack if parallel else slack * near * near
            nearest_pixel = floor(middle + 0.5)
            for j in range(max(nearest_pixel - spread, 0), min(nearest_pixel + spread + 1, across_size)):
                cover = half + 0.5 - abs(j - middle) / slant
                if cover <= 0.0:
                    continue
                row, column = (i, j) if upright else (j, i)
                face = faces[row, column]
                tolerance = allowed
                if face >= 0:
                    tolerance += (1.0 + half) * (abs(slopes[face, 0]) + abs(slopes[face, 1]))
                opacity = colours[line, 3] * min(cover, 1.0)
                if near + tolerance < nearness[row, column]:
                    opacity *= hidden[line]
                for channel in range(3):
                    before = picture[row, column, channel]
                    picture[row, column, channel] = before + opacity * (colours[line, channel] - before)


@kernel(
    types.void(
        ROWS,
        ROWS,
        ROWS,
        types.boolean,
        types.float64,
        types.float64,
        types.int64,
        types.int64,
        types.int64,
        ROWS,
        NUMBERS,
        ROWS,
        types.float64[:, ::1],
        types.int32[:, ::1],
    )
)
def plot_lines(
    starts: Floats,
    ends: Floats,
    lens: Floats,
    parallel: bool,
    nearest: float,
    slack: float,
    hidden_on: int,
    hidden_every: int,
    number: int,
    nearness: Floats,
    faces: Int32s,
    slopes: Floats,
    ink_nearness: Floats,
    ink: Int32s,
) -> None:
    """Write the index of the nearest line to each dot of `ink`, shape (height, width), that a line passes through.

    Of lines behind solids, `hidden_on` of every `hidden_every` dots are set. The first line has the index `number`.
    Both outputs are updated, so that lines can be added to those of an earlier call.
    """
    height, width = nearness.shape
    place = np.empty((2, 3))
    for line in range(len(starts)):
        if not _on_screen(starts, ends, line, lens, parallel, width, height, 0.0, nearest, place):
            continue
        dx, dy, dw = place[1, 0] - place[0, 0], place[1, 1] - place[0, 1], place[1, 2] - place[0, 2]
        upright = abs(dy) > abs(dx)
        major, minor = (1, 0) if upright else (0, 1)
        low, high = min(place[0, major], place[1, major]), max(place[0, major], place[1, major])
        length = place[1, major] - place[0, major]
        # One dot for each row or column that the line crosses; at least one, for lines seen end-on.
        for i in range(floor(low), max(ceil(high), floor(low) + 1)):
            share = (min(max(i + 0.5, low), high) - place[0, major]) / length if length != 0.0 else 0.0
            j = floor(place[0, minor] + share * (dx if upright else dy))
            row, column = (i, j) if upright else (j, i)
            if not (0 <= column < width and 0 <= row < height):
                continue
            near = place[0, 2] + share * dw
            face = faces[row, column]
            tolerance = slack if parallel else slack * near * near
            if face >= 0:
                tolerance += abs(slopes[face, 0]) + abs(slopes[face, 1])
            if near + tolerance < nearness[row, column] and i % hidden_every >= hidden_on:
                continue
            if near > ink_nearness[row, column]:
                ink_nearness[row, column] = near
                ink[row, column] = number + line
