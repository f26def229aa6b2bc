"""Canvases: pictures in the making, to which one thing after another is added."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Bools, Floats
from rck.render.camera import Camera, camera_axes, fit
from rck.render.figure import ROUND, Figure
from rck.render.palette import Palette, Rgb
from rck.render.scene import Floor, points_of
from rck.render.sight import Sight, look
from rck.render.strokes import Strokes
from rck.render.window import Window, open_window

Bytes = NDArray[np.uint8]
Float32s = NDArray[np.float32]

_SMALLEST_PART = 100_000
"""Pixels below which a further thread does not pay."""
_LARGEST_MAP = 2048
_SOFTEN = 1
"""Pixels of the shadow map that the borders of shadows are softened by."""


@dataclass(frozen=True, eq=False)
class Shadows:
    """What the key light sees; see `rck.kernels.shade`."""

    lens: Floats = field(default_factory=lambda: np.eye(5, 3))
    """As that of a window, with `right` and `down` divided by their squares. Shape (5, 3)."""
    nearness: Floats = field(default_factory=lambda: np.empty((0, 0)))
    """Empty where there are no shadows."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """Pixels under work."""

    window: Window
    rgb: Float32s
    """Red, green, blue, 0 to 1. Shape (height, width, 3)."""
    lights: Floats
    """The directions to the key light and to the fill light. Shape (2, 3)."""
    shadows: Shadows
    threads: int | None = None


def background(palette: Palette, height: int) -> Float32s:
    """The colour of each row where there is nothing else. Shape (height, 3)."""
    share = np.linspace(0.0, 1.0, max(height, 1), dtype=np.float32)[:height, None]
    sky, horizon = (floats(colour).astype(np.float32) for colour in (palette.sky, palette.horizon))
    rows: Float32s = sky + share * (horizon - sky)
    return rows


def lights_for(camera: Camera) -> Floats:
    """The directions to the key and to the fill light, as rows: they go round the scene with the camera."""
    right, up, forward = camera_axes(camera)
    level = np.array([-forward[0], -forward[1], 0.0])
    length = float(np.hypot(level[0], level[1]))
    # From straight above or below, what is nearest to the viewer is the lower edge of the picture.
    back = level / length if length > 1e-3 else -up
    key = -0.6 * right + 0.62 * back + (0.0, 0.0, 1.05)
    fill = 0.8 * right + 0.55 * back + (0.0, 0.0, 0.1)
    rows = np.array([key, fill])
    unit: Floats = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return unit


def cast_shadows(figure: Figure, to_light: Floats, pixels: int, threads: int | None = None) -> Shadows:
    """What a light in that direction sees of the figure's opaque solids, in a square of about so many pixels."""
    if len(figure.placed[1]) == 0:
        return Shadows()
    x, y, z = to_light.tolist()
    side = min(max(pixels, 64), _LARGEST_MAP)
    window = open_window(fit(Camera((x, y, z), parallel=True), points_of(figure), 1.0, 0.03), side, side)
    seen = look(figure, window, ~see_through(figure), threads=threads)
    lens = window.lens.copy()
    for axis in (2, 3):
        lens[axis] /= lens[axis] @ lens[axis]
    return Shadows(lens, seen.nearness)


def see_through(figure: Figure) -> Bools:
    """Which subitems are not opaque. Shape (subitems,)."""
    clear: Bools = figure.shapes.arrays.solids.colours[:, 3] < 1.0
    return clear


def paint_solids(
    canvas: Canvas,
    sight: Sight,
    colours: Floats,
    opacities: Floats,
    *,
    in_front: Floats,
    edges: float,
    edge_width: int,
    rounded: bool,
) -> None:
    """Add what is seen, in amounts of light per subitem, shape (subitems, 3), where `in_front` is not nearer."""
    from rck.kernels.shade import shade_rows

    shapes = sight.figure.shapes
    none = np.zeros(len(shapes.arrays.solids.planes) + 1, np.int64), np.empty(0, np.int64), np.empty(0)
    offsets, faces, reach = shapes.rounding if rounded else none
    _in_rows(
        canvas,
        lambda first, last: shade_rows(
            first,
            last,
            sight.nearness,
            sight.subitem,
            sight.face,
            sight.figure.placed[0],
            sight.slopes,
            canvas.window.lens,
            canvas.window.camera.parallel,
            colours,
            np.ascontiguousarray(opacities),
            shapes.arrays.solids.item_of_subitem,
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
    """Add the floor where no solid is nearer, with the shadows on it."""
    from rck.kernels.shade import floor_rows

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


def paint_strokes(canvas: Canvas, lines: Strokes, sight: Sight, *, scale: float) -> None:
    """Add lines, hidden behind what is seen; widths are multiplied by `scale`."""
    from rck.kernels.lines import draw_lines

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


def paint_outline(canvas: Canvas, chosen: Sight, sight: Sight, colour: Rgb, width: int) -> None:
    """Add a line round what `chosen` sees, faint where something stands before it."""
    from rck.kernels.shade import outline_rows

    _in_rows(
        canvas,
        lambda first, last: outline_rows(
            first, last, chosen.nearness, chosen.subitem, sight.nearness, width, floats(colour), 0.35, canvas.rgb
        ),
    )


def slack(figure: Figure) -> float:
    """How far inside a solid a line may run, in metres, and still count as on its surface."""
    return 1e-3 * figure.size


def finished(canvas: Canvas, samples: int) -> Bytes:
    """The picture in bytes, each pixel the mean of so many times so many."""
    from rck.kernels.shade import average_rows

    height, width = canvas.window.height // samples, canvas.window.width // samples
    pixels = np.empty((height, width, 3), np.uint8)
    _in_rows(canvas, lambda first, last: average_rows(first, last, canvas.rgb, samples, pixels), height)
    return pixels


def floats(colour: Rgb) -> Floats:
    """A colour as a canvas holds it, 0 to 1."""
    return np.array(colour, dtype=float) / 255.0


def light(colour: Rgb) -> Floats:
    """A colour as an amount of light."""
    return floats(colour) ** 2


def _in_rows(canvas: Canvas, work: Callable[[int, int], None], rows: int | None = None) -> None:
    """Call `work` with ranges of rows, all those of the canvas or so many, on several threads where that pays."""
    from rck.kernels.parallel import run_in_chunks

    count = canvas.window.height if rows is None else rows
    smallest = max(1, _SMALLEST_PART // max(canvas.window.width, 1))
    run_in_chunks(lambda part: work(part.start, part.stop), count, smallest=smallest, threads=canvas.threads)
