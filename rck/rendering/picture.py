"""Pictures: a scene drawn in pixels, with the item that each pixel shows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.rendering.camera import Camera
from rck.rendering.canvas import (
    Bytes,
    Canvas,
    Shadows,
    background,
    cast_shadows,
    finished,
    light,
    lights_for,
    paint_floor,
    paint_outline,
    paint_solids,
    paint_strokes,
    see_through,
)
from rck.rendering.palette import DARK, Palette
from rck.rendering.scene import Label, Scene, items_named, subitems_named
from rck.rendering.strokes import scene_strokes
from rck.rendering.viewport import Viewport, open_window, pixels_per_metre, project, rows_of
from rck.rendering.visibility import Int32s, VisibilityBuffer, look

# Kind of object at a pixel, for output without colours.
NOTHING, SOLID, SELECTED, COLLIDING, GHOST = range(5)

_LARGEST_BAND = 3_000_000
"""Maximum number of samples that are processed at a time: about a hundred megabytes."""
_MARGIN = 2
"""Rows that a band shares with the next, for edges and outlines."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The quality of a picture."""

    edges: float = 0.6
    """Darkness of edges, 0 to 1."""
    shadows: bool = True
    rounded: bool = True
    """Shade the facets of a round surface smoothly."""
    samples: int = 1
    """Samples per pixel in each direction."""


QUICK = Finish(edges=0.5, shadows=False, rounded=False)
"""For a moving view: facets are flat, so that cells of one colour form long runs."""
SCREEN = Finish(edges=0.5, rounded=False, samples=2)
"""For a view at rest."""
FINE = Finish(samples=3)
"""For files."""


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A text and its pixel."""

    text: str
    column: int
    row: int


@dataclass(frozen=True, eq=False)
class Picture:
    """A finished picture. Arrays have the shape (height, width)."""

    window: Viewport
    rgb: Bytes
    """Shape (height, width, 3)."""
    item: Int32s
    """Index of the item at each pixel, or -1."""
    subitem: Int32s
    """Index of the subitem at each pixel, or -1."""
    kind: Bytes
    """NOTHING, SOLID, SELECTED, COLLIDING or GHOST."""
    labels: tuple[PlacedLabel, ...] = ()


def draw(
    scene: Scene,
    camera: Camera,
    width: int,
    height: int,
    *,
    palette: Palette = DARK,
    finish: Finish = SCREEN,
    pixel_aspect: float = 1.0,
    threads: int | None = None,
) -> Picture:
    """Draw a scene; pixels are `pixel_aspect` times as wide as high."""
    colours, kinds = _colours(scene, palette)
    opaque = ~see_through(scene.figure)
    chosen = _selected(scene)
    samples = max(1, finish.samples)

    def paint(canvas: Canvas) -> tuple[VisibilityBuffer, Bytes]:
        window = canvas.window
        sight = look(scene.figure, window, opaque, threads=threads)
        if scene.floor is not None:
            paint_floor(canvas, scene.floor, palette, sight.nearness)
        _paint(canvas, sight, colours, np.ones(len(colours)), np.full(sight.nearness.shape, -np.inf), finish)
        if not opaque.all():
            clear = look(scene.figure, window, ~opaque, threads=threads)
            _paint(canvas, clear, colours, scene.figure.shapes.solids.colours[:, 3], sight.nearness, finish)
            sight = _nearer(sight, clear)
        kind = np.append(kinds, np.uint8(NOTHING))[sight.subitem]
        for ghost in scene.ghosts:
            seen = look(ghost, window, threads=threads)
            count = len(ghost.shapes.solids.item_of_subitem)
            tint = np.tile(light(palette.ghost), (count, 1))
            _paint(canvas, seen, tint, np.full(count, 0.5), sight.nearness, finish)
            kind[(seen.subitem >= 0) & (seen.nearness > sight.nearness)] = GHOST
        for surface in scene.surfaces:
            own = surface.shapes.solids.colours
            seen = look(surface, window, threads=threads)
            _paint(canvas, seen, own[:, :3] ** 2, own[:, 3], sight.nearness, finish)
        lines = scene_strokes(scene, palette, pixels_per_metre(window) / samples)
        paint_strokes(canvas, lines, sight, scale=samples)
        if chosen.any():
            seen = look(scene.figure, window, chosen, threads=threads)
            paint_outline(canvas, seen, sight, palette.selection, samples)
        return sight, kind

    window = open_window(camera, width, height, pixel_aspect)
    return in_bands(scene, window, samples, palette, paint, shadows=finish.shadows, threads=threads)


def in_bands(
    scene: Scene,
    window: Viewport,
    samples: int,
    palette: Palette,
    paint: Callable[[Canvas], tuple[VisibilityBuffer, Bytes]],
    *,
    shadows: bool = False,
    threads: int | None = None,
) -> Picture:
    """Draw a picture in bands of rows, each on its own canvas, so that large pictures fit in memory.

    The canvas has `samples` x `samples` pixels for each pixel of the window, and shows the background. `paint` draws on
    it and returns the visibility buffer and the kind of object at each pixel.
    """
    width, height = window.width, window.height
    fine = Viewport(window.camera, width * samples, height * samples, window.lens / _per_pixel(samples))
    lights = lights_for(window.camera)
    # Shadows are soft, so they need a lower resolution.
    side = round(0.7 * max(fine.width, fine.height))
    cast = cast_shadows(scene.figure, lights[0], side, threads) if shadows else Shadows()
    ground = background(palette, fine.height)
    rgb, kind = np.empty((height, width, 3), np.uint8), np.empty((height, width), np.uint8)
    subitem = np.empty((height, width), np.int32)
    rows = max(1, _LARGEST_BAND // max(width * samples * samples, 1))
    for first in range(0, height, rows):
        last = min(first + rows, height)
        above, below = max(first - _MARGIN, 0), min(last + _MARGIN, height)
        part = slice(above * samples, below * samples)
        pixels = np.repeat(ground[part, None], fine.width, axis=1)
        canvas = Canvas(rows_of(fine, part.start, part.stop), pixels, lights, cast, threads)
        sight, kinds = paint(canvas)
        kept, middle = slice(first - above, last - above), slice(samples // 2, None, samples)
        rgb[first:last] = finished(canvas, samples)[kept]
        subitem[first:last] = sight.subitem[middle, middle][kept]
        kind[first:last] = kinds[middle, middle][kept]
    items = np.append(scene.figure.shapes.solids.item_of_subitem, -1).astype(np.int32)
    return Picture(window, rgb, items[subitem], subitem, kind, place_labels(scene.labels, window))


def _per_pixel(samples: int) -> Floats:
    """Return the divisors of the rows of a lens when each pixel is split into `samples` x `samples`."""
    return np.array([1.0, 1.0, samples, samples, 1.0])[:, None]


def _selected(scene: Scene) -> Bools:
    """Return the mask of the selected subitems. Shape (subitems,)."""
    mask: Bools = items_named(scene.figure, scene.selected)[scene.figure.shapes.solids.item_of_subitem]
    return mask


def _colours(scene: Scene, palette: Palette) -> tuple[Floats, Bytes]:
    """Return the reflectance of each subitem, shape (subitems, 3), and its kind."""
    # Limit the range, so that the shape of black and white objects stays visible.
    colours = 0.03 + 0.9 * scene.figure.shapes.solids.colours[:, :3] ** 2
    kinds = np.full(len(colours), SOLID, np.uint8)
    for name, colour in scene.item_colours.items():
        mask = items_named(scene.figure, frozenset((name,)))[scene.figure.shapes.solids.item_of_subitem]
        colours[mask] = light(colour)
    for mask, colour, share, kind in (
        (_selected(scene), palette.selection, 0.55, SELECTED),
        (subitems_named(scene.figure, scene.colliding), palette.collision, 0.8, COLLIDING),
    ):
        colours[mask] += share * (light(colour) - colours[mask])
        kinds[mask] = kind
    return colours, kinds


def _paint(
    canvas: Canvas, sight: VisibilityBuffer, colours: Floats, opacities: Floats, in_front: Floats, finish: Finish
) -> None:
    paint_solids(
        canvas,
        sight,
        colours,
        opacities,
        in_front=in_front,
        edges=finish.edges,
        edge_width=max(1, round(0.5 * finish.samples)),
        rounded=finish.rounded,
    )


def _nearer(first: VisibilityBuffer, second: VisibilityBuffer) -> VisibilityBuffer:
    """Merge two visibility buffers of the same figure."""
    over = second.nearness > first.nearness
    return VisibilityBuffer(
        first.window,
        first.figure,
        np.where(over, second.nearness, first.nearness),
        np.where(over, second.subitem, first.subitem),
        np.where(over, second.face, first.face),
        first.slopes,
        first.weights,
        first.mesh_normals,
    )


def place_labels(labels: tuple[Label, ...], window: Viewport) -> tuple[PlacedLabel, ...]:
    """Return the labels that are inside the window, with their pixels."""
    points = project(window, [label.at for label in labels])
    return tuple(
        PlacedLabel(label.text, int(x), int(y))
        for label, (x, y, _) in zip(labels, points.tolist(), strict=True)
        if 0 <= x < window.width and 0 <= y < window.height
    )
