"""Shading of the pixels of a picture: light, shadow, edges, floor.

Colours are linear light, 0 to 1 per channel; a picture contains their square roots, close to the gamma of screens. Rows
of pixels are independent, so threads can share them.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from rck.kernels.kernel import Floats, Ints, helper, inlined, kernel, read_only, types

ROWS = read_only(types.float64, 2)
COLUMN = read_only(types.float64, 1)
INDICES = read_only(types.int64, 1)
NUMBERS = read_only(types.int32, 2)
PICTURE = types.float32[:, :, ::1]
PIXELS = read_only(types.float32, 3)

Int32s = NDArray[np.int32]
Float32s = NDArray[np.float32]

# Light by its source; a surface that faces the key light is just below white.
_SKY, _GROUND = 0.42, 0.18
_KEY, _FILL = 0.98, 0.28
_SHINE, _RIM = 0.10, 0.05
_BLACKISH = 0.05


@helper
def _lit(x: float, y: float, z: float, bias: float, map_lens: Floats, shadow_map: Floats, soften: int) -> float:
    """Return the fraction of the key light that reaches a point; `shadow_map` is the nearness seen from the light."""
    height, width = shadow_map.shape
    if height == 0:
        return 1.0
    x -= map_lens[0, 0]
    y -= map_lens[0, 1]
    z -= map_lens[0, 2]
    column = x * map_lens[2, 0] + y * map_lens[2, 1] + z * map_lens[2, 2] + width / 2 - 0.5
    row = x * map_lens[3, 0] + y * map_lens[3, 1] + z * map_lens[3, 2] + height / 2 - 0.5
    threshold = bias - (x * map_lens[4, 0] + y * map_lens[4, 1] + z * map_lens[4, 2])
    if not (soften < column < width - 2 - soften and soften < row < height - 2 - soften):
        return 1.0
    left, top = int(column), int(row)
    across, down = column - left, row - top
    # Average over a square at subpixel position, for soft borders.
    clear = 0.0
    for i in range(-soften, soften + 2):
        weight_down = 1.0 - down if i == -soften else down if i == soften + 1 else 1.0
        for j in range(-soften, soften + 2):
            weight = 1.0 - across if j == -soften else across if j == soften + 1 else 1.0
            if shadow_map[top + i, left + j] <= threshold:
                clear += weight * weight_down
    return clear / (2 * soften + 1) ** 2


@helper
def _edge(
    row: int,
    column: int,
    nearness: Floats,
    subitems: Int32s,
    faces: Int32s,
    planes: Floats,
    slopes: Floats,
    items: Ints,
    parallel: bool,
    reach: int,
    step: float,
    smooth: float,
) -> float:
    """Return the strength of an edge at a pixel, 0 to 1, from the pixels at distance `reach` on each side."""
    height, width = nearness.shape
    subitem, face = subitems[row, column], faces[row, column]
    dark = 0.0
    for side in range(4):
        down = 1 if side == 0 else -1 if side == 1 else 0
        across = 1 if side == 2 else -1 if side == 3 else 0
        i, j = row + reach * down, column + reach * across
        if i < 0 or j < 0 or i >= height or j >= width:
            continue
        other_subitem, other = subitems[i, j], faces[i, j]
        if other == face and other_subitem == subitem:
            continue
        if other_subitem < 0:
            dark = max(dark, 0.8)
            continue
        # Distance of the other surface behind the continuation of this one.
        expected = slopes[face, 0] * (j + 0.5) + slopes[face, 1] * (i + 0.5) + slopes[face, 2]
        gap = 0.0
        if parallel:
            gap = expected - nearness[i, j]
        elif expected > 0.0:
            gap = 1.0 / nearness[i, j] - 1.0 / expected
        if gap > step:
            dark = max(dark, min(0.5 + 0.5 * gap / (8.0 * step), 1.0))
        elif gap > -step and other >= 0:
            if _cosine(planes, face, other) >= smooth:
                if items[subitem] != items[other_subitem]:
                    dark = max(dark, 0.4)
                continue
            # Solids in contact show slivers of their ends; with the same surface beyond, there is no edge.
            i, j = i + reach * down, j + reach * across
            if 0 <= i < height and 0 <= j < width:
                beyond = faces[i, j]
                if beyond >= 0 and _cosine(planes, face, beyond) >= smooth:
                    continue
            dark = max(dark, 0.55)
    return dark


@inlined
def _rounded(
    x: float, y: float, z: float, face: int, planes: Floats, offsets: Ints, others: Ints, reach: Floats
) -> tuple[float, float, float]:
    """Return the unit normal at a point of a face, blended with those of its smooth neighbours."""
    nx, ny, nz = planes[face, 0], planes[face, 1], planes[face, 2]
    for place in range(offsets[face], offsets[face + 1]):
        other = others[place]
        ax, ay, az = planes[other, 0], planes[other, 1], planes[other, 2]
        below = planes[other, 3] - (ax * x + ay * y + az * z)
        weight = 1.0 - below / reach[place]
        if weight > 0.0:
            weight = min(weight, 1.0)
            nx, ny, nz = nx + weight * ax, ny + weight * ay, nz + weight * az
    length = sqrt(nx * nx + ny * ny + nz * nz) + 1e-12
    return nx / length, ny / length, nz / length


@helper
def _toned(value: float, brightness: float, line: float) -> float:
    """Return the pixel value of an amount of light on a surface of some brightness, with an edge line, 0 to 1."""
    # Lines darken light surfaces and lighten dark ones.
    if brightness > _BLACKISH:
        value *= 1.0 - line
    else:
        value += line * (0.10 - value)
    # Compress bright light, so that white surfaces keep their shading.
    return sqrt(min(value * (1.0 + 0.3 * value) / (1.0 + 0.55 * value), 1.0))


@helper
def _cosine(planes: Floats, one: int, other: int) -> float:
    """Return the cosine of the angle between two faces."""
    product: float = 0.0
    for axis in range(3):
        product += planes[one, axis] * planes[other, axis]
    return product


@kernel(
    types.void(
        types.int64,
        types.int64,
        ROWS,
        NUMBERS,
        NUMBERS,
        ROWS,
        PIXELS,
        PIXELS,
        ROWS,
        ROWS,
        types.boolean,
        types.int64,
        ROWS,
        COLUMN,
        INDICES,
        ROWS,
        INDICES,
        INDICES,
        COLUMN,
        ROWS,
        ROWS,
        types.int64,
        types.int64,
        types.float64,
        types.float64,
        types.float64,
        ROWS,
        PICTURE,
    )
)
def shade_rows(
    first_row: int,
    last_row: int,
    nearness: Floats,
    subitems: Int32s,
    faces: Int32s,
    planes: Floats,
    mesh_normals: Float32s,
    tints: Float32s,
    slopes: Floats,
    lens: Floats,
    parallel: bool,
    first_mesh: int,
    colours: Floats,
    opacities: Floats,
    items: Ints,
    lights: Floats,
    smooth_offsets: Ints,
    smooth_faces: Ints,
    smooth_reach: Floats,
    map_lens: Floats,
    shadow_map: Floats,
    soften: int,
    reach: int,
    edge: float,
    step: float,
    smooth: float,
    in_front: Floats,
    picture: Float32s,
) -> None:
    """Blend the solids of these rows of pixels over `picture`, shape (height, width, 3).

    The first arrays are outputs of `rck.kernels.raycast`. `colours`, `opacities` and `items` are per subitem; `lights`
    has the directions to the key light and to the fill light as rows. `mesh_normals` and `tints`, which multiply
    colours, have a row for each pixel, or none. Face f is smooth with the faces
    ``smooth_faces[smooth_offsets[f]:smooth_offsets[f + 1]]``; its centre is `smooth_reach` away from their planes.
    `edge` is the darkness of edges, 0 to 1; they are `reach` pixels wide. A step in depth of at least `step` metres,
    and a bend with a cosine below `smooth`, are edges. Pixels behind `in_front` are not drawn.
    """
    width = nearness.shape[1]
    key_x, key_y, key_z = lights[0]
    fill_x, fill_y, fill_z = lights[1]
    half_x, half_y, half_z = lights[0] - lens[4]
    length = sqrt(half_x * half_x + half_y * half_y + half_z * half_z) + 1e-12
    half_x, half_y, half_z = half_x / length, half_y / length, half_z / length
    # The size of a pixel of the shadow map, in metres, for its depth tolerance.
    grain = 1.0 / sqrt(map_lens[2, 0] ** 2 + map_lens[2, 1] ** 2 + map_lens[2, 2] ** 2) * (1 + soften)
    for row in range(first_row, last_row):
        for column in range(width):
            subitem = subitems[row, column]
            near = nearness[row, column]
            if subitem < 0 or near <= in_front[row, column]:
                continue
            face = faces[row, column]
            depth = -near if parallel else 1.0 / near
            x, y = column + 0.5, row + 0.5
            dx = lens[1, 0] + x * lens[2, 0] + y * lens[3, 0]
            dy = lens[1, 1] + x * lens[2, 1] + y * lens[3, 1]
            dz = lens[1, 2] + x * lens[2, 2] + y * lens[3, 2]
            if parallel:
                px, py, pz = dx + depth * lens[4, 0], dy + depth * lens[4, 1], dz + depth * lens[4, 2]
            else:
                px, py, pz = lens[0, 0] + depth * dx, lens[0, 1] + depth * dy, lens[0, 2] + depth * dz
            if face < 0:
                nx, ny, nz = -lens[4, 0], -lens[4, 1], -lens[4, 2]
                flat_key = 1.0
            else:
                flat_key = planes[face, 0] * key_x + planes[face, 1] * key_y + planes[face, 2] * key_z
                nx, ny, nz = _rounded(px, py, pz, face, planes, smooth_offsets, smooth_faces, smooth_reach)
                if mesh_normals.shape[0] > 0 and subitem >= first_mesh:
                    nx = float(mesh_normals[row, column, 0])
                    ny = float(mesh_normals[row, column, 1])
                    nz = float(mesh_normals[row, column, 2])
                    # Meshes may be open: their back is lit like their front.
                    if parallel:
                        away = nx * lens[4, 0] + ny * lens[4, 1] + nz * lens[4, 2]
                    else:
                        away = nx * dx + ny * dy + nz * dz
                    if away > 0.0:
                        nx, ny, nz, flat_key = -nx, -ny, -nz, -flat_key
            key = max(nx * key_x + ny * key_y + nz * key_z, 0.0)
            shine = max(nx * half_x + ny * half_y + nz * half_z, 0.0)
            shine *= shine
            shine *= shine
            shine *= shine
            shine *= shine * shine
            if key > 0.0 and shadow_map.shape[0] > 0:
                # At grazing light, the depth changes more within one pixel of the map.
                slack = grain * (0.5 + 1.5 * sqrt(max(1.0 - flat_key * flat_key, 0.0)) / max(flat_key, 0.1))
                clear = _lit(px, py, pz, slack, map_lens, shadow_map, soften)
                key *= clear
                shine *= clear
            fill = max(nx * fill_x + ny * fill_y + nz * fill_z, 0.0)
            light = _GROUND + (_SKY - _GROUND) * (0.5 + 0.5 * nz) + _KEY * key + _FILL * fill
            dark = 0.0
            if edge > 0.0 and face >= 0:
                dark = _edge(
                    row, column, nearness, subitems, faces, planes, slopes, items, parallel, reach, step, smooth
                )
            # Rim light, which shows the shape of dark surfaces.
            if parallel:
                facing = -(nx * lens[4, 0] + ny * lens[4, 1] + nz * lens[4, 2])
            else:
                facing = -(nx * dx + ny * dy + nz * dz) / sqrt(dx * dx + dy * dy + dz * dz)
            rim = 1.0 - min(max(facing, 0.0), 1.0)
            gloss = _SHINE * shine + _RIM * rim * rim * rim
            brightness = 0.3 * colours[subitem, 0] + 0.6 * colours[subitem, 1] + 0.1 * colours[subitem, 2]
            opacity = opacities[subitem]
            for channel in range(3):
                colour = colours[subitem, channel]
                if tints.shape[0] > 0:
                    colour *= tints[row, column, channel]
                value = _toned(colour * light + gloss, brightness, edge * dark)
                before = picture[row, column, channel]
                picture[row, column, channel] = before + opacity * (value - before)


@kernel(
    types.void(
        types.int64,
        types.int64,
        ROWS,
        ROWS,
        types.boolean,
        COLUMN,
        COLUMN,
        ROWS,
        ROWS,
        types.int64,
        PICTURE,
    )
)
def floor_rows(
    first_row: int,
    last_row: int,
    nearness: Floats,
    lens: Floats,
    parallel: bool,
    floor: Floats,
    colour: Floats,
    map_lens: Floats,
    shadow_map: Floats,
    soften: int,
    picture: Float32s,
) -> None:
    """Draw the floor behind the solids of these rows, with shadows; it fades out towards its rim.

    `floor` is its height, the x and y of its centre and its radius, in metres; `colour` has three channels, the opacity
    at the centre, and the darkness of full shadow. The floor is visible only from above.
    """
    width = nearness.shape[1]
    level, middle_x, middle_y, radius = floor[0], floor[1], floor[2], floor[3]
    for row in range(first_row, last_row):
        for column in range(width):
            x, y = column + 0.5, row + 0.5
            dx = lens[1, 0] + x * lens[2, 0] + y * lens[3, 0]
            dy = lens[1, 1] + x * lens[2, 1] + y * lens[3, 1]
            dz = lens[1, 2] + x * lens[2, 2] + y * lens[3, 2]
            if parallel:
                if lens[4, 2] >= 0.0:
                    continue
                depth = (level - dz) / lens[4, 2]
                near = -depth
                px, py = dx + depth * lens[4, 0], dy + depth * lens[4, 1]
            else:
                if dz >= 0.0 or lens[0, 2] <= level:
                    continue
                depth = (level - lens[0, 2]) / dz
                near = 1.0 / depth
                px, py = lens[0, 0] + depth * dx, lens[0, 1] + depth * dy
            away = sqrt((px - middle_x) ** 2 + (py - middle_y) ** 2) / radius
            if away >= 1.0 or near <= nearness[row, column]:
                continue
            fade = 1.0 - away * away
            fade *= fade
            clear = _lit(px, py, level, 0.0, map_lens, shadow_map, soften)
            shadow = 1.0 - colour[4] * (1.0 - clear) * min(2.0 * fade, 1.0)
            opacity = colour[3] * fade
            for channel in range(3):
                before = picture[row, column, channel]
                picture[row, column, channel] = (before + opacity * (colour[channel] - before)) * shadow


@kernel(types.void(types.int64, types.int64, ROWS, NUMBERS, ROWS, types.int64, COLUMN, types.float64, PICTURE))
def outline_rows(
    first_row: int,
    last_row: int,
    nearness: Floats,
    subitems: Int32s,
    in_front: Floats,
    reach: int,
    colour: Floats,
    hidden: float,
    picture: Float32s,
) -> None:
    """Draw an outline of all pixels with a hit in `subitems`, `reach` pixels wide, on these rows of the picture.

    The outline of pixels behind `in_front` has the opacity `hidden`.
    """
    height, width = nearness.shape
    for row in range(first_row, last_row):
        for column in range(width):
            if subitems[row, column] >= 0:
                continue
            strength = 0.0
            for i in range(max(row - reach, 0), min(row + reach + 1, height)):
                for j in range(max(column - reach, 0), min(column + reach + 1, width)):
                    far = (i - row) ** 2 + (j - column) ** 2 > (reach + 0.5) ** 2
                    if subitems[i, j] < 0 or far:
                        continue
                    strength = max(strength, 1.0 if nearness[i, j] >= in_front[i, j] else hidden)
            for channel in range(3):
                before = picture[row, column, channel]
                picture[row, column, channel] = before + strength * (colour[channel] - before)


@kernel(types.void(types.int64, types.int64, read_only(types.float32, 3), types.int64, types.uint8[:, :, ::1]))
def average_rows(first_row: int, last_row: int, picture: Float32s, samples: int, pixels: NDArray[np.uint8]) -> None:
    """Write these rows of `pixels`, 0 to 255, each the mean of `samples` times `samples` values of `picture`."""
    width = pixels.shape[1]
    share = 255.0 / (samples * samples)
    for row in range(first_row, last_row):
        for column in range(width):
            for channel in range(3):
                total = 0.0
                for i in range(row * samples, (row + 1) * samples):
                    for j in range(column * samples, (column + 1) * samples):
                        total += picture[i, j, channel]
                pixels[row, column, channel] = int(min(max(total * share + 0.5, 0.0), 255.0))
