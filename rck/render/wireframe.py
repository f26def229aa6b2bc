"""Wireframes: the edges of solids as lines, in the dots of braille characters or in pixels."""

from dataclasses import replace
from enum import Enum

import numpy as np

from rck.geometry.arrays import Bools
from rck.render.camera import Camera
from rck.render.canvas import Bytes, Canvas, floats, paint_strokes, slack
from rck.render.cells import BRAILLE, BRAILLE_DOTS, CELL_ASPECT, Cells
from rck.render.figure import Figure
from rck.render.palette import DARK, Palette
from rck.render.picture import NOTHING, SOLID, Picture, in_bands
from rck.render.scene import Scene, items_named, subitems_named
from rck.render.sight import Int32s, Sight, look
from rck.render.strokes import Strokes, joined, scene_strokes, strokes
from rck.render.window import Window, open_window, pixels_per_metre

# Edges at which the surface bends by less than about 30 degrees are not drawn: they only stand for roundness.
_SHARP = 0.87


class Hidden(str, Enum):
    """What becomes of the edges that solids hide."""

    REMOVED = "removed"
    DASHED = "dashed"
    SHOWN = "shown"


# Dots that are set, out of how many, and the share of opacity in pixels.
_DASHES = {Hidden.REMOVED: (0, 1, 0.0), Hidden.DASHED: (2, 5, 0.25), Hidden.SHOWN: (1, 1, 1.0)}


def edge_strokes(figure: Figure, window: Window) -> tuple[Strokes, Bools]:
    """The sharp edges of a figure and its outlines, uncoloured, and which of all edges they are. Shape (edges,)."""
    planes, vertices = figure.placed
    ends, faces = figure.shapes.edges
    eye, forward = window.lens[0], window.lens[4]
    normals = planes[:, :3]
    front = normals @ forward < 0.0 if window.camera.parallel else normals @ eye > planes[:, 3]
    one, other = front[faces[:, 0]], front[faces[:, 1]]
    shown: Bools = (one != other) | (figure.shapes.bends < _SHARP)
    return strokes(vertices[ends[shown]], (0, 0, 0)), shown


def _coloured(figure: Figure, window: Window, scene: Scene | None, palette: Palette) -> Strokes:
    """The edges of a figure in the colours of the scene, or of a ghost where there is none."""
    lines, shown = edge_strokes(figure, window)
    solids = figure.shapes.arrays.solids
    subitem = np.searchsorted(solids.plane_offsets, figure.shapes.edges[1][shown, 0], side="right") - 1
    table = np.empty((len(solids.colours), 4))
    table[:, 3] = 1.0
    if scene is None:
        table[:, :3] = floats(palette.ghost)
    else:
        table[:, :3] = 0.35 * solids.colours[:, :3] + 0.65 * floats(palette.wire)
        table[items_named(figure, scene.selected)[solids.item_of_subitem], :3] = floats(palette.selection)
        table[subitems_named(figure, scene.colliding), :3] = floats(palette.collision)
    return replace(lines, colours=table[subitem])


def wire_cells(
    scene: Scene,
    camera: Camera,
    columns: int,
    rows: int,
    *,
    palette: Palette = DARK,
    hidden: Hidden = Hidden.REMOVED,
) -> Cells:
    """The scene in braille characters, eight dots to a cell, on the terminal's own background."""
    window = open_window(camera, 2 * columns, 4 * rows, 2.0 * CELL_ASPECT)
    sight = look(scene.figure, window)
    marks = scene_strokes(scene, palette, pixels_per_metre(window))
    ghosts = [_coloured(ghost, window, None, palette) for ghost in scene.ghosts]
    covered, through = (_some(marks, marks.hidden > 0.0, one) for one in (False, True))
    layers = [
        (_coloured(scene.figure, window, scene, palette), hidden),
        (joined(ghosts), Hidden.DASHED),
        (covered, Hidden.REMOVED),
        (through, Hidden.DASHED),
    ]
    ink = _plotted(layers, sight)
    lines = joined(lines for lines, _ in layers)
    # Lines that are faint take on the background, which a dot cannot do by itself.
    ground = floats(palette.horizon)
    colours = ground + lines.colours[:, 3:] * (lines.colours[:, :3] - ground)
    table = np.concatenate([(255.0 * colours + 0.5).astype(np.uint8), np.zeros((1, 3), np.uint8)])
    dots = ink.reshape(rows, 4, columns, 2).transpose(0, 2, 1, 3)
    patterns = ((dots >= 0) * BRAILLE_DOTS).sum(axis=(2, 3), dtype=np.uint32)
    codes = np.where(patterns > 0, BRAILLE + patterns, ord(" ")).astype(np.uint32)
    # Edges come before marks in number, and marks before nothing.
    flat = dots.reshape(rows, columns, 8)
    first = np.where(flat >= 0, flat, len(table) - 1).min(axis=2, initial=len(table) - 1)
    return Cells(codes, table[first])


def _some(lines: Strokes, chosen: Bools, which: bool) -> Strokes:
    kept = chosen == which
    return Strokes(lines.starts[kept], lines.ends[kept], lines.colours[kept], lines.hidden[kept], lines.widths[kept])


def _plotted(layers: list[tuple[Strokes, Hidden]], sight: Sight) -> Int32s:
    """The number of the line at each dot, counted through all layers, or -1. Shape (height, width)."""
    from rck.kernels.lines import plot_lines

    window = sight.window
    ink = np.full((window.height, window.width), -1, np.int32)
    nearness = np.full(ink.shape, -np.inf)
    number = 0
    for lines, hidden in layers:
        on, every, _ = _DASHES[hidden]
        plot_lines(
            np.ascontiguousarray(lines.starts),
            np.ascontiguousarray(lines.ends),
            window.lens,
            window.camera.parallel,
            window.nearest,
            slack(sight.figure),
            on,
            every,
            number,
            sight.nearness,
            sight.face,
            sight.slopes,
            nearness,
            ink,
        )
        number += len(lines.starts)
    return ink


def wire_picture(
    scene: Scene,
    camera: Camera,
    width: int,
    height: int,
    *,
    palette: Palette = DARK,
    hidden: Hidden = Hidden.REMOVED,
    samples: int = 1,
) -> Picture:
    """The scene as a wireframe in pixels."""
    share = _DASHES[hidden][2]

    def paint(canvas: Canvas) -> tuple[Sight, Bytes]:
        window = canvas.window
        sight = look(scene.figure, window)
        edges = _coloured(scene.figure, window, scene, palette)
        count = len(edges.starts)
        edges = replace(edges, hidden=np.full(count, share), widths=np.full(count, 1.2))
        ghosts = [_coloured(ghost, window, None, palette) for ghost in scene.ghosts]
        marks = scene_strokes(scene, palette, pixels_per_metre(window) / samples)
        paint_strokes(canvas, joined([marks, *ghosts, edges]), sight, scale=samples)
        return sight, np.where(sight.subitem < 0, NOTHING, SOLID).astype(np.uint8)

    return in_bands(scene, open_window(camera, width, height), samples, palette, paint)
