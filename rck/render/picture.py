"""Pictures: a scene as its camera sees it, in pixels, with what each pixel shows."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.render.camera import Camera
from rck.render.canvas import (
    Bytes,
    Canvas,
    finished,
    light,
    open_canvas,
    paint_floor,
    paint_outline,
    paint_solids,
    paint_strokes,
    see_through,
)
from rck.render.palette import DARK, Palette
from rck.render.scene import Label, Scene, items_named, subitems_named
from rck.render.sight import Int32s, Sight, look
from rck.render.strokes import scene_strokes
from rck.render.window import Window, open_window, pixels_per_metre, project

# What a pixel shows, for those who cannot tell by its colour.
NOTHING, SOLID, SELECTED, COLLIDING, GHOST = range(5)


@dataclass(frozen=True, slots=True)
class Finish:
    """How much work goes into the looks of a picture."""

    edges: float = 0.6
    """How dark edges are, 0 to 1."""
    shadows: bool = True
    rounded: bool = True
    """Whether facets that stand for a round surface are shaded as one."""
    samples: int = 1
    """Each pixel is the mean of so many times so many."""


QUICK = Finish(edges=0.5, shadows=False, rounded=False)
"""For a view that moves: facets are flat, so that cells of one colour make long runs."""
SCREEN = Finish(edges=0.5, rounded=False, samples=2)
"""For a view that stands still."""
FINE = Finish(samples=3)
"""For files."""


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A text and the pixel it belongs to."""

    text: str
    column: int
    row: int


@dataclass(frozen=True, eq=False)
class Picture:
    """A finished picture. Arrays have the shape (height, width)."""

    window: Window
    rgb: Bytes
    """Shape (height, width, 3)."""
    item: Int32s
    """The number of the item at each pixel, or -1."""
    subitem: Int32s
    """The number of the subitem at each pixel, or -1."""
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
    """The scene as the camera sees it; pixels are `pixel_aspect` times as wide as high."""
    samples = max(1, finish.samples)
    window = open_window(camera, width * samples, height * samples, pixel_aspect)
    canvas = open_canvas(window, palette, scene.figure if finish.shadows else None, threads)
    colours, kinds = _colours(scene, palette)
    opaque = ~see_through(scene.figure)
    sight = look(scene.figure, window, opaque, threads=threads)
    if scene.floor is not None:
        paint_floor(canvas, scene.floor, palette, sight.nearness)
    behind_nothing = np.full(sight.nearness.shape, -np.inf)
    _paint(canvas, sight, colours, np.ones(len(colours)), behind_nothing, finish)
    if not opaque.all():
        clear = look(scene.figure, window, ~opaque, threads=threads)
        _paint(canvas, clear, colours, scene.figure.shapes.arrays.solids.colours[:, 3], sight.nearness, finish)
        sight = _nearer(sight, clear)
    kind = np.append(kinds, np.uint8(NOTHING))[sight.subitem]
    for ghost in scene.ghosts:
        seen = look(ghost, window, threads=threads)
        count = len(ghost.shapes.arrays.solids.item_of_subitem)
        tint = np.tile(light(palette.ghost), (count, 1))
        _paint(canvas, seen, tint, np.full(count, 0.5), sight.nearness, finish)
        kind[(seen.subitem >= 0) & (seen.nearness > sight.nearness)] = GHOST
    lines = scene_strokes(scene, palette, pixels_per_metre(window) / samples)
    paint_strokes(canvas, lines, sight, scale=samples)
    chosen = _selected(scene)
    if chosen.any():
        paint_outline(canvas, look(scene.figure, window, chosen, threads=threads), sight, palette.selection, samples)
    return finished_picture(canvas, scene, sight, kind, samples)


def finished_picture(canvas: Canvas, scene: Scene, sight: Sight, kind: Bytes, samples: int) -> Picture:
    """The canvas as a picture of one pixel for each `samples` times `samples` of it."""
    fine = canvas.window
    middle = slice(samples // 2, None, samples)
    window = Window(fine.camera, fine.width // samples, fine.height // samples, fine.lens * _per_pixel(samples))
    return Picture(
        window,
        finished(canvas, samples),
        sight.item[middle, middle],
        sight.subitem[middle, middle],
        kind[middle, middle],
        _placed_labels(scene.labels, window),
    )


def item_at(picture: Picture, scene: Scene, column: int, row: int) -> str | None:
    """The name of the item that a pixel shows; None where there is none, or no such pixel."""
    if not (0 <= column < picture.window.width and 0 <= row < picture.window.height):
        return None
    number = int(picture.item[row, column])
    return None if number < 0 else scene.figure.robot.items[number].name


def _per_pixel(samples: int) -> Floats:
    """What the rows of a lens are multiplied by when its pixels are joined."""
    return np.array([1.0, 1.0, samples, samples, 1.0])[:, None]


def _selected(scene: Scene) -> Bools:
    """Which subitems are selected. Shape (subitems,)."""
    chosen: Bools = items_named(scene.figure, scene.selected)[scene.figure.shapes.arrays.solids.item_of_subitem]
    return chosen


def _colours(scene: Scene, palette: Palette) -> tuple[Floats, Bytes]:
    """The light that each subitem reflects, shape (subitems, 3), and what kind of thing it is."""
    # Nothing is so black or so white that its shape is lost.
    colours = 0.03 + 0.9 * scene.figure.shapes.arrays.solids.colours[:, :3] ** 2
    kinds = np.full(len(colours), SOLID, np.uint8)
    for chosen, colour, share, kind in (
        (_selected(scene), palette.selection, 0.55, SELECTED),
        (subitems_named(scene.figure, scene.colliding), palette.collision, 0.8, COLLIDING),
    ):
        colours[chosen] += share * (light(colour) - colours[chosen])
        kinds[chosen] = kind
    return colours, kinds


def _paint(canvas: Canvas, sight: Sight, colours: Floats, opacities: Floats, in_front: Floats, finish: Finish) -> None:
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


def _nearer(first: Sight, second: Sight) -> Sight:
    """Two sights of the same figure as one."""
    over = second.nearness > first.nearness
    return Sight(
        first.window,
        first.figure,
        np.where(over, second.nearness, first.nearness),
        np.where(over, second.subitem, first.subitem),
        np.where(over, second.face, first.face),
        first.slopes,
    )


def _placed_labels(labels: tuple[Label, ...], window: Window) -> tuple[PlacedLabel, ...]:
    places = project(window, [label.at for label in labels])
    return tuple(
        PlacedLabel(label.text, int(x), int(y))
        for label, (x, y, _) in zip(labels, places.tolist(), strict=True)
        if 0 <= x < window.width and 0 <= y < window.height
    )
