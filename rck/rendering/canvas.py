"""Canvases: unfinished pictures, and the functions that paint solids, floor, lines and outlines on them."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Bools, Floats
from rck.kernels.line_drawing import draw_lines
from rck.kernels.parallel import run_in_chunks
from rck.kernels.shading import average_rows, floor_rows, outline_rows, shade_rows
from rck.rendering.camera import Camera, camera_axes, fit
from rck.rendering.palette import Palette, Rgb
from rck.rendering.posed_robot import ROUND, PosedRobot
from rck.rendering.scene import Floor, points_of
from rck.rendering.strokes import Strokes
from rck.rendering.textures import texture_tints
from rck.rendering.viewport import Viewport, open_window
from rck.rendering.visibility import VisibilityBuffer, look

Bytes = NDArray[np.uint8]
Float32s = NDArray[np.float32]

_MIN_PIXELS = 100_000
"""Minimum number of pixels per thread."""
_MAX_SHADOW_MAP = 2048
_SOFTEN = 1
"""Radius of soft shadow borders, in pixels of the shadow map."""


@dataclass(frozen=True, eq=False)
class Shadows:
    """The shadow map of the key light; see `rck.kernels.shading`."""

    lens: Floats = field(default_factory=lambda: np.eye(5, 3))
    """The lens of a viewport, with `right` and `down` divided by their squares. Shape (5, 3)."""
    nearness: Floats = field(default_factory=lambda: np.empty((0, 0)))
    """Empty if there are no shadows."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """An unfinished picture."""

    window: Viewport
    rgb: Float32s
    """Red, green, blue, 0 to 1. Shape (height, width, 3)."""
    lights: Floats
    """Directions to the key light and to the fill light. Shape (2, 3)."""
    shadows: Shadows
    threads: int | None = None


def background(palette: Palette, height: int) -> Float32s:
    """Return the background colour of each row. Shape (height, 3)."""
    share = np.linspace(0.0, 1.0, max(height, 1), dtype=np.float32)[:height, None]
    sky, horizon = (floats(colour).astype(np.float32) for colour in (palette.sky, palette.horizon))
    rows: Float32s = sky + share * (horizon - sky)
    return rows


def lights_for(camera: Camera) -> Floats:
    """Return the directions to the key and fill lights as rows; the lights move with the camera."""
    right, up, forward = camera_axes(camera)
    level = np.array([-forward[0], -forward[1], 0.0])
    length = float(np.hypot(level[0], level[1]))
    # Looking straight up or down, the lower edge of the picture counts as nearest to the viewer.
    back = level / length if length > 1e-3 else -up
    key = -0.6 * right + 0.62 * back + (0.0, 0.0, 1.05)
    fill = 0.8 * right + 0.55 * back + (0.0, 0.0, 0.1)
    rows = np.array([key, fill])
    unit: Floats = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return unit


def cast_shadows(figure: PosedRobot, to_light: Floats, pixels: int, threads: int | None = None) -> Shadows:
    """Compute the shadow map of the opaque solids for a light in this direction, about `pixels` wide and high."""
    if len(figure.placed[1]) == 0:
        return Shadows()
    x, y, z = to_light.tolist()
    side = min(max(pixels, 64), _MAX_SHADOW_MAP)
    window = open_window(fit(Camera((x, y, z), parallel=True), points_of(figure), 1.0, 0.03), side, side)
    seen = look(figure, window, ~see_through(figure), threads=threads)
    lens = window.lens.copy()
    for axis in (2, 3):
        lens[axis] /= lens[axis] @ lens[axis]
    return Shadows(lens, seen.nearness)


def see_through(figure: PosedRobot) -> Bools:
    """Return the mask of the transparent subitems. Shape (subitems,)."""
    mask: Bools = figure.shapes.solids.colours[:, 3] < 1.0
    return mask


def paint_solids(
    canvas: Canvas,
    sight: VisibilityBuffer,
    colours: Floats,
    opacities: Floats,
    *,
    in_front: Floats,
    edges: float,
    edge_width: int,
    rounded: bool,
) -> None:
    """Paint the visible solids that `in_front` does not hide; `colours` are reflectances, shape (subitems, 3)."""
    shapes = sight.figure.shapes
    none = np.zeros(len(shapes.solids.planes) + 1, np.int64), np.empty(0, np.int64), np.empty(0)
    offsets, faces, reach = shapes.rounding if rounded else none
    tints = texture_tints(sight)
    _in_rows(
        canvas,
        lambda first, last: shade_rows(
            first,
            last,
            sight.nearness,
            sight.subitem,
            sight.face,
            sight.figure.placed[0],
            sight.mesh_normals,
            tints,
            sight.slopes,
            canvas.window.lens,
            canvas.window.camera.parallel,
            shapes.surfaces.first_mesh,
            colours,
            np.ascontiguousarray(opacities),
            shapes.solids.item_of_subitem,
            canvas.lights,
            offsets,
            faces,
            reach,
            canvas.shadows.lens,
            canvas.shadows.nearness,
            _SOFTEN,
            edge_width,
            edges,
            0.012 * sight.figure.size,
            ROUND,
            in_front,
            canvas.rgb,
        ),
    )


def paint_floor(canvas: Canvas, floor: Floor, palette: Palette, solids: Floats) -> None:
    """Paint the floor and the shadows on it, where no solid is nearer."""
    place = np.array([floor.height, *floor.middle, floor.spacing * floor.cells / 2])
    colour = np.array([*floats(palette.floor), 0.9, 0.5 if palette.is_dark else 0.3])
    _in_rows(
        canvas,
        lambda first, last: floor_rows(
            first,
            last,
            solids,
            canvas.window.lens,
            canvas.window.camera.parallel,
            place,
            colour,
            canvas.shadows.lens,
            canvas.shadows.nearness,
            _SOFTEN,
            canvas.rgb,
        ),
    )


def paint_strokes(canvas: Canvas, lines: Strokes, sight: VisibilityBuffer, *, scale: float) -> None:
    """Paint lines, hidden by the visible solids; widths are multiplied by `scale`."""
    draw_lines(
        lines.starts,
        lines.ends,
        lines.colours,
        lines.hidden,
        lines.widths * scale,
        canvas.window.lens,
        canvas.window.camera.parallel,
        canvas.window.nearest,
        slack(sight.figure),
        sight.nearness,
        sight.face,
        sight.slopes,
        canvas.rgb,
    )


def paint_outline(canvas: Canvas, chosen: VisibilityBuffer, sight: VisibilityBuffer, colour: Rgb, width: int) -> None:
    """Paint an outline around the visible pixels of `chosen`, faint where other solids hide it."""
    _in_rows(
        canvas,
        lambda first, last: outline_rows(
            first, last, chosen.nearness, chosen.subitem, sight.nearness, width, floats(colour), 0.35, canvas.rgb
        ),
    )


def slack(figure: PosedRobot) -> float:
    """Return the depth in metres up to which a line inside a solid counts as on its surface."""
    return 1e-3 * figure.size


def finished(canvas: Canvas, samples: int) -> Bytes:
    """Return the picture in bytes; each pixel is the mean of `samples` x `samples`."""
    height, width = canvas.window.height // samples, canvas.window.width // samples
    pixels = np.empty((height, width, 3), np.uint8)
    _in_rows(canvas, lambda first, last: average_rows(first, last, canvas.rgb, samples, pixels), height)
    return pixels


def floats(colour: Rgb) -> Floats:
    """Return a colour with channels from 0 to 1."""
    return np.array(colour, dtype=float) / 255.0


def light(colour: Rgb) -> Floats:
    """Return a colour as an amount of light."""
    return floats(colour) ** 2


def _in_rows(canvas: Canvas, work: Callable[[int, int], None], rows: int | None = None) -> None:
    """Call `work` with ranges of rows, by default of the whole canvas, in several threads if that is faster."""
    count = canvas.window.height if rows is None else rows
    smallest = max(1, _MIN_PIXELS // max(canvas.window.width, 1))
    run_in_chunks(lambda part: work(part.start, part.stop), count, smallest=smallest, threads=canvas.threads)
