"""Flat drawings in braille characters: curves with line patterns, and areas with colours."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.kernels.planar_drawing import Int32s, fill_rings, plot_paths
from rck.rendering.canvas import Bytes
from rck.rendering.terminal_cells import BRAILLE, BRAILLE_DOTS, Cells

ACROSS, DOWN = 2, 4
"""Dots of a cell. They are square: a cell is twice as high as wide."""

PATTERNS = {"solid": "#", "dashed": "######...", "dotted": "#..", "centre": "##########...##..."}
"""Dots that are drawn along a line, by the name of its pattern."""
_NAMES = tuple(PATTERNS)
_SMALLEST_VIEW = 1e-9
"""Smallest scale of a view in metres per dot."""


@dataclass(frozen=True, eq=False)
class PlanarPaths:
    """Curves of the plane, of straight segments."""

    points: Floats
    """Shape (P, 2), in metres; path `i` has those from `offsets[i]` to `offsets[i + 1]`."""
    offsets: Ints
    patterns: Ints
    """Index in `PATTERNS` of each path."""

    def __len__(self) -> int:
        return len(self.offsets) - 1


def planar_paths(paths: Sequence[Floats], patterns: Sequence[str] | None = None) -> PlanarPaths:
    """Return paths with these points, shapes (N, 2), and patterns by name (default: solid)."""
    offsets = np.cumsum([0, *map(len, paths)])
    points = np.concatenate([*paths, np.empty((0, 2))])
    numbers = [_NAMES.index(name) for name in patterns] if patterns is not None else [0] * len(paths)
    return PlanarPaths(np.ascontiguousarray(points), offsets, np.array(numbers, dtype=np.int64))


def chosen_paths(paths: PlanarPaths, chosen: Sequence[int]) -> PlanarPaths:
    """Return some of the paths, by index."""
    parts = [paths.points[paths.offsets[number] : paths.offsets[number + 1]] for number in chosen]
    return replace(planar_paths(parts), patterns=paths.patterns[list(chosen)])


@dataclass(frozen=True, slots=True)
class PlanarView:
    """The part of a plane that a picture shows."""

    centre: tuple[float, float] = (0.0, 0.0)
    """In metres."""
    scale: float = 1e-3
    """Metres per dot."""

    def dots(self, points: Floats, columns: int, rows: int) -> Floats:
        """Return columns and rows in dots for points in metres, shape (N, 2), in a picture of this many cells."""
        middle = np.array([ACROSS * columns, DOWN * rows]) / 2
        return np.ascontiguousarray((points - self.centre) * (1 / self.scale, -1 / self.scale) + middle)

    def point_at(self, column: float, row: float, columns: int, rows: int) -> tuple[float, float]:
        """Return the point in metres at a place in cells, of a picture of this many cells."""
        x = self.centre[0] + ACROSS * (column - columns / 2) * self.scale
        return x, self.centre[1] - DOWN * (row - rows / 2) * self.scale


def fit_plane(low: Floats, high: Floats, columns: int, rows: int, margin: float = 0.05) -> PlanarView:
    """Return the view that shows a rectangle from `low` to `high`, shape (2,), with a margin."""
    width, height = (high - low).tolist()
    room = max(1.0 - 2.0 * margin, 0.1)
    scale = max(width / (ACROSS * max(columns, 1) * room), height / (DOWN * max(rows, 1) * room), _SMALLEST_VIEW)
    x, y = ((low + high) / 2).tolist()
    return PlanarView((x, y), scale if width or height else 1e-3)


def pan_plane(view: PlanarView, columns: float, rows: float) -> PlanarView:
    """Move the picture right and down by some cells."""
    x, y = view.centre
    return replace(view, centre=(x - ACROSS * columns * view.scale, y + DOWN * rows * view.scale))


def zoom_plane(view: PlanarView, factor: float, fixed: tuple[float, float] | None = None) -> PlanarView:
    """Multiply the scale by a factor; a point in metres keeps its place (default: the centre)."""
    (x, y), (fx, fy) = view.centre, fixed or view.centre
    scale = max(view.scale * factor, _SMALLEST_VIEW)
    factor = scale / view.scale
    return PlanarView((fx + factor * (x - fx), fy + factor * (y - fy)), scale)


@dataclass(frozen=True, eq=False)
class PlanarRaster:
    """Paths and areas at each dot of a picture."""

    ink: Int32s
    """Index of the path at each dot, or -1. Shape (DOWN * rows, ACROSS * columns)."""
    area: Int32s
    """Index of the last area at each dot, or -1."""


def rasterise(paths: PlanarPaths, areas: PlanarPaths, view: PlanarView, columns: int, rows: int) -> PlanarRaster:
    """Draw paths, and areas with these rings, in a picture of this many cells; the last one at a dot wins."""
    area = np.full((DOWN * rows, ACROSS * columns), -1, np.int32)
    fill_rings(view.dots(areas.points, columns, rows), areas.offsets, area)
    return PlanarRaster(_plot(paths, view, np.full_like(area, -1)), area)


def _plot(paths: PlanarPaths, view: PlanarView, ink: Int32s) -> Int32s:
    """Draw paths over `ink`, and return it."""
    rows, columns = ink.shape[0] // DOWN, ink.shape[1] // ACROSS
    marks = np.zeros((len(PATTERNS), max(map(len, PATTERNS.values()))), dtype=bool)
    for number, pattern in enumerate(PATTERNS.values()):
        marks[number, : len(pattern)] = [sign == "#" for sign in pattern]
    periods = np.array([len(pattern) for pattern in PATTERNS.values()])
    plot_paths(view.dots(paths.points, columns, rows), paths.offsets, paths.patterns, marks, periods, ink)
    return ink


@dataclass(frozen=True, eq=False)
class PlanarColours:
    """Colours of a flat drawing."""

    paths: Bytes
    """Colour of each path. Shape (paths, 3)."""
    areas: Bytes
    """Background of each area. Shape (areas, 3)."""
    ground: tuple[int, int, int]
    """Background elsewhere."""
    chosen: tuple[int, int, int]
    """Outlines of the chosen areas."""


def planar_cells(
    raster: PlanarRaster, areas: PlanarPaths, view: PlanarView, chosen: Sequence[int], colours: PlanarColours | None
) -> Cells:
    """Return a picture in braille characters; the outlines of the chosen areas are drawn over everything else.

    Without colours, the chosen areas are dotted.
    """
    rows, columns = raster.ink.shape[0] // DOWN, raster.ink.shape[1] // ACROSS
    first = int(raster.ink.max(initial=-1)) + 1
    ink = raster.ink
    if len(chosen):
        outlines = chosen_paths(areas, chosen)
        over = _plot(_closed(outlines), view, np.full_like(ink, -1))
        if colours is None:
            grid = np.indices(over.shape).sum(axis=0) % 4 == 0
            over = np.where(np.isin(raster.area, list(chosen)) & grid & (over < 0), 0, over)
        ink = np.where(over >= 0, over + first, ink)
    dots = ink.reshape(rows, DOWN, columns, ACROSS).transpose(0, 2, 1, 3)
    patterns = ((dots >= 0) * BRAILLE_DOTS).sum(axis=(2, 3), dtype=np.uint32)
    codes = np.where(patterns > 0, BRAILLE + patterns, ord(" ")).astype(np.uint32)
    if colours is None:
        return Cells(codes)
    top = dots.reshape(rows, columns, -1).max(axis=2)
    table = np.concatenate([colours.paths[:first], np.array([colours.chosen]), np.array([colours.ground])])
    front = table[np.where(top < 0, len(table) - 1, np.minimum(top, first))].astype(np.uint8)
    fills = np.concatenate([colours.areas, np.array([colours.ground])]).astype(float)
    around = raster.area.reshape(rows, DOWN, columns, ACROSS)
    back = fills[around].mean(axis=(1, 3))
    return Cells(codes, front, np.rint(back).astype(np.uint8))


def _closed(rings: PlanarPaths) -> PlanarPaths:
    parts = [rings.points[a:b] for a, b in zip(rings.offsets, rings.offsets[1:], strict=False)]
    return planar_paths([np.concatenate([part, part[:1]]) for part in parts])


def scale_bar(view: PlanarView, columns: int) -> tuple[float, int]:
    """Return a round length in metres, 1, 2 or 5 times a power of ten, and its width in cells, at most `columns`."""
    longest = ACROSS * columns * view.scale
    power = 10.0 ** floor(log10(longest))
    length = max(factor * power for factor in (1.0, 2.0, 5.0) if factor * power <= longest * (1 + 1e-9))
    return length, round(length / (ACROSS * view.scale))
