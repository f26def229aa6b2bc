"""Pictures: a scene as its camera sees it, in pixels, with what each pixel shows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Bools, Floats
from rck.render.camera import Camera, camera_axes, fit
from rck.render.figure import Figure
from rck.render.palette import DARK, Palette, Rgb
from rck.render.scene import Label, Scene, items_named, subitems_named
from rck.render.sight import Int32s, Sight, look
from rck.render.strokes import scene_strokes
from rck.render.window import Window, open_window, project

Bytes = NDArray[np.uint8]
Float32s = NDArray[np.float32]

# What a pixel shows, for those who cannot tell by its colour.
NOTHING, SOLID, SELECTED, COLLIDING, GHOST = range(5)

_SMALLEST_PART = 100_000
"""Pixels below which a further thread does not pay."""


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
    canvas = _Canvas(scene, window, palette, finish, threads)
    canvas.background()
    sight = canvas.solids()
    kind = canvas.kind
    canvas.strokes(sight)
    canvas.selection(sight)
    middle = samples // 2
    final = window if samples == 1 else open_window(camera, width, height, pixel_aspect)
    return Picture(
        final,
        _bytes(canvas.rgb, samples),
        sight.item[middle::samples, middle::samples],
        sight.subitem[middle::samples, middle::samples],
        kind[middle::samples, middle::samples],
        _placed_labels(scene.labels, final),
    )


def item_at(picture: Picture, scene: Scene, column: int, row: int) -> str | None:
    """The name of the item that a pixel shows."""
    if not (0 <= column < picture.window.width and 0 <= row < picture.window.height):
        return None
    number = int(picture.item[row, column])
    return None if number < 0 else scene.figure.robot.items[number].name


class _Canvas:
    """A picture in the making: amounts of each colour, 0 to 1, in float32."""

    def __init__(self, scene: Scene, window: Window, palette: Palette, finish: Finish, threads: int | None) -> None:
        self.scene = scene
        self.window = window
        self.palette = palette
        self.finish = finish
        self.threads = threads
        self.rgb = np.empty((window.height, window.width, 3), np.float32)
        self.kind = np.zeros((window.height, window.width), np.uint8)
        self.lights = lights_for(window.camera)
        self.map_lens, self.shadow_map = np.eye(5, 3), np.empty((0, 0))
        if finish.shadows:
            self.map_lens, self.shadow_map = _shadow_map(scene.figure, self.lights[0], max(window.width, window.height))

    def background(self) -> None:
        share = np.linspace(0.0, 1.0, max(self.window.height, 1), dtype=np.float32)[: self.window.height, None]
        sky, horizon = (_floats(colour).astype(np.float32) for colour in (self.palette.sky, self.palette.horizon))
        self.rgb[:] = (sky + share * (horizon - sky))[:, None, :]

    def solids(self) -> Sight:
        """Draw floor and solids, the see-through ones over the others; what is seen of those that are not."""
        solids = self.scene.figure.shapes.arrays.solids
        clear = solids.colours[:, 3] < 1.0
        sight = look(self.scene.figure, self.window, ~clear, threads=self.threads)
        self._floor(sight)
        colours, kinds = self._colours()
        self.kind[:] = np.append(kinds, NOTHING)[sight.subitem]
        self._shade(sight, colours, np.ones(len(colours)), np.full(sight.nearness.shape, -np.inf))
        if clear.any():
            through = look(self.scene.figure, self.window, clear, threads=self.threads)
            self._shade(through, colours, solids.colours[:, 3], sight.nearness)
            sight = _nearer(sight, through)
        for ghost in self.scene.ghosts:
            seen = look(ghost, self.window, threads=self.threads)
            tint = np.broadcast_to(_light(self.palette.ghost), (len(ghost.shapes.arrays.solids.colours), 3))
            self._shade(seen, np.ascontiguousarray(tint), np.full(len(tint), 0.5), sight.nearness)
            self.kind[(seen.subitem >= 0) & (seen.nearness > sight.nearness)] = GHOST
        return sight

    def _colours(self) -> tuple[Floats, Bytes]:
        """The light that each subitem reflects, shape (subitems, 3), and what kind of thing it is."""
        figure = self.scene.figure
        colours = figure.shapes.arrays.solids.colours[:, :3] ** 2
        # Nothing is so black or so white that its shape is lost.
        colours = 0.03 + 0.9 * colours
        kinds = np.full(len(colours), SOLID, np.uint8)
        selected = items_named(figure, self.scene.selected)[figure.shapes.arrays.solids.item_of_subitem]
        colliding = subitems_named(figure, self.scene.colliding)
        for chosen, colour, share, kind in (
            (selected, self.palette.selection, 0.55, SELECTED),
            (colliding, self.palette.collision, 0.8, COLLIDING),
        ):
            colours[chosen] += share * (_light(colour) - colours[chosen])
            kinds[chosen] = kind
        return colours, kinds

    def _shade(self, sight: Sight, colours: Floats, opacities: Floats, in_front: Floats) -> None:
        from rck.kernels.shade import SMOOTH, shade_rows

        shapes = sight.figure.shapes
        count = len(shapes.arrays.solids.planes)
        none = np.zeros(count + 1, np.int64), np.empty(0, np.int64), np.empty(0)
        offsets, faces, reach = shapes.rounding(SMOOTH) if self.finish.rounded else none
        self._in_rows(
            lambda first, last: shade_rows(
                first,
                last,
                sight.nearness,
                sight.subitem,
                sight.face,
                sight.figure.placed[0],
                sight.slopes,
                self.window.lens,
                self.window.camera.parallel,
                colours,
                opacities,
                self.lights,
                offsets,
                faces,
                reach,
                self.map_lens,
                self.shadow_map,
                1,
                max(1, round(0.5 * self.finish.samples)),
                self.finish.edges,
                0.012 * self.scene.figure.size,
                in_front,
                self.rgb,
            )
        )

    def _floor(self, sight: Sight) -> None:
        floor = self.scene.floor
        if floor is None:
            return
        from rck.kernels.shade import floor_rows

        place = np.array([floor.height, *floor.middle, floor.spacing * floor.cells / 2])
        colour = np.array([*_floats(self.palette.floor), 0.9, 0.5 if self.palette.is_dark else 0.3])
        self._in_rows(
            lambda first, last: floor_rows(
                first,
                last,
                sight.nearness,
                self.window.lens,
                self.window.camera.parallel,
                place,
                colour,
                self.map_lens,
                self.shadow_map,
                2,
                self.rgb,
            )
        )

    def strokes(self, sight: Sight) -> None:
        from rck.kernels.lines import draw_lines

        lines = scene_strokes(self.scene, self.palette)
        draw_lines(
            lines.starts,
            lines.ends,
            lines.colours,
            lines.hidden,
            lines.widths * self.finish.samples,
            self.window.lens,
            self.window.camera.parallel,
            self.window.nearest,
            1e-3 * self.scene.figure.size,
            sight.nearness,
            sight.face,
            sight.slopes,
            self.rgb,
        )

    def selection(self, sight: Sight) -> None:
        """A line round the selection, faint where something stands before it."""
        if not self.scene.selected:
            return
        from rck.kernels.shade import outline_rows

        figure = self.scene.figure
        chosen = items_named(figure, self.scene.selected)[figure.shapes.arrays.solids.item_of_subitem]
        if not chosen.any():
            return
        seen = look(figure, self.window, chosen, threads=self.threads)
        self._in_rows(
            lambda first, last: outline_rows(
                first,
                last,
                seen.nearness,
                seen.subitem,
                sight.nearness,
                self.finish.samples,
                _floats(self.palette.selection),
                0.35,
                self.rgb,
            )
        )

    def _in_rows(self, work: Callable[[int, int], None]) -> None:
        from rck.kernels.parallel import run_in_chunks

        smallest = max(1, _SMALLEST_PART // max(self.window.width, 1))
        run_in_chunks(
            lambda rows: work(rows.start, rows.stop), self.window.height, smallest=smallest, threads=self.threads
        )


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
    return rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))


def _shadow_map(figure: Figure, to_light: Floats, pixels: int) -> tuple[Floats, Floats]:
    """The lens and the nearness of what the light sees; see `rck.kernels.shade`."""
    vertices = figure.placed[1]
    if len(vertices) == 0:
        return np.eye(5, 3), np.empty((0, 0))
    x, y, z = to_light.tolist()
    side = int(min(max(pixels, 64), 2048))
    spheres = np.concatenate([vertices, np.zeros((len(vertices), 1))], axis=1)
    window = open_window(fit(Camera((x, y, z), parallel=True), spheres, 1.0, 0.03), side, side)
    drawn = figure.shapes.arrays.solids.colours[:, 3] >= 1.0
    lens = window.lens.copy()
    for axis in (2, 3):
        lens[axis] /= lens[axis] @ lens[axis]
    return lens, look(figure, window, drawn).nearness


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
    inside: Bools = (places[:, 2] > 0) & (places[:, :2] >= 0).all(axis=1)
    inside &= (places[:, 0] < window.width) & (places[:, 1] < window.height)
    return tuple(
        PlacedLabel(label.text, int(x), int(y))
        for label, (x, y, _), shown in zip(labels, places.tolist(), inside, strict=True)
        if shown
    )


def _bytes(rgb: Float32s, samples: int) -> Bytes:
    """The picture in bytes, each pixel the mean of its samples."""
    height, width = rgb.shape[0] // samples, rgb.shape[1] // samples
    if samples > 1:
        rgb = rgb.reshape(height, samples, width, samples, 3).mean(axis=(1, 3))
    pixels: Bytes = np.clip(rgb * 255.0 + 0.5, 0.0, 255.0).astype(np.uint8)
    return pixels


def _floats(colour: Rgb) -> Floats:
    """A colour as a picture holds it, 0 to 1."""
    return np.array(colour, dtype=float) / 255.0


def _light(colour: Rgb) -> Floats:
    """A colour as an amount of light."""
    return _floats(colour) ** 2
