"""Wireframes: the edges of solids as lines, drawn in braille characters or in pixels."""

from dataclasses import replace
from enum import Enum

import numpy as np

from rck.geometry.arrays import Bools
from rck.kernels.line_drawing import plot_lines
from rck.rendering.camera import Camera
from rck.rendering.canvas import Bytes, Canvas, floats, paint_strokes, slack
from rck.rendering.palette import DARK, Palette
from rck.rendering.picture import NOTHING, SOLID, Picture, in_bands
from rck.rendering.posed_robot import PosedRobot
from rck.rendering.scene import Scene, collision_scene, items_named, subitems_named
from rck.rendering.strokes import Strokes, joined, scene_strokes, strokes
from rck.rendering.terminal_cells import BRAILLE, BRAILLE_DOTS, CELL_ASPECT, Cells
from rck.rendering.viewport import Viewport, open_window, pixels_per_metre
from rck.rendering.visibility import Int32s, VisibilityBuffer, look

# Edges with an angle of less than about 30 degrees are not drawn: they approximate round surfaces.
_SHARP = 0.87


class Hidden(str, Enum):
    """The style of hidden edges."""

    REMOVED = "removed"
    DASHED = "dashed"
    SHOWN = "shown"


# Dots drawn per period, period of the dashes, and relative opacity in pixels.
_DASHES = {Hidden.REMOVED: (0, 1, 0.0), Hidden.DASHED: (2, 5, 0.25), Hidden.SHOWN: (1, 1, 1.0)}


def edge_strokes(figure: PosedRobot, window: Viewport) -> tuple[Strokes, Bools]:
    """Return the sharp edges and outlines of a figure, uncoloured, and their mask over all edges, shape (edges,)."""
    planes, vertices = figure.placed
    ends, faces = figure.shapes.edges
    eye, forward = window.lens[0], window.lens[4]
    normals = planes[:, :3]
    front = normals @ forward < 0.0 if window.camera.parallel else normals @ eye > planes[:, 3]
    one, other = front[faces[:, 0]], front[faces[:, 1]]
    shown: Bools = (one != other) | (figure.shapes.bends < _SHARP)
    return strokes(vertices[ends[shown]], (0, 0, 0)), shown


def _coloured(figure: PosedRobot, window: Viewport, scene: Scene | None, palette: Palette) -> Strokes:
    """Return the edges of a figure in the colours of the scene, or of a ghost without a scene."""
    lines, shown = edge_strokes(figure, window)
    solids = figure.shapes.solids
    subitem = np.searchsorted(solids.plane_offsets, figure.shapes.edges[1][shown, 0], side="right") - 1
    table = np.empty((len(solids.colours), 4))
    table[:, 3] = 1.0
    if scene is None:
        table[:, :3] = floats(palette.ghost)
    else:
        table[:, :3] = 0.35 * solids.colours[:, :3] + 0.65 * floats(palette.wire)
        for name, colour in scene.item_colours.items():
            table[items_named(figure, frozenset((name,)))[solids.item_of_subitem], :3] = floats(colour)
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
    """Draw a scene in braille characters, eight dots per cell, on the terminal's default background."""
    scene = collision_scene(scene)
    window = open_window(camera, 2 * columns, 4 * rows, 2.0 * CELL_ASPECT)
    sight = look(scene.figure, window)
    marks = scene_strokes(scene, palette, pixels_per_metre(window))
    ghosts = [_coloured(ghost, window, None, palette) for ghost in scene.ghosts]
    see_through = marks.hidden > 0.0
    layers = [
        (_coloured(scene.figure, window, scene, palette), hidden),
        (joined(ghosts), Hidden.DASHED),
        (_select(marks, ~see_through), Hidden.REMOVED),
        (_select(marks, see_through), Hidden.DASHED),
    ]
    ink = _plot(layers, sight)
    lines = joined(lines for lines, _ in layers)
    # Blend faint lines with the background: a braille dot has no opacity.
    ground = floats(palette.horizon)
    colours = ground + lines.colours[:, 3:] * (lines.colours[:, :3] - ground)
    table = np.concatenate([(255.0 * colours + 0.5).astype(np.uint8), np.zeros((1, 3), np.uint8)])
    dots = ink.reshape(rows, 4, columns, 2).transpose(0, 2, 1, 3)
    patterns = ((dots >= 0) * BRAILLE_DOTS).sum(axis=(2, 3), dtype=np.uint32)
    codes = np.where(patterns > 0, BRAILLE + patterns, ord(" ")).astype(np.uint32)
    # A cell has the colour of its first line: edges come before marks, and the background last.
    flat = dots.reshape(rows, columns, 8)
    first = np.where(flat >= 0, flat, len(table) - 1).min(axis=2, initial=len(table) - 1)
    return Cells(codes, table[first])


def _select(lines: Strokes, mask: Bools) -> Strokes:
    return Strokes(lines.starts[mask], lines.ends[mask], lines.colours[mask], lines.hidden[mask], lines.widths[mask])


def _plot(layers: list[tuple[Strokes, Hidden]], sight: VisibilityBuffer) -> Int32s:
    """Return the index of the line at each dot, counted through all layers, or -1. Shape (height, width)."""
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
    """Draw a scene as a wireframe in pixels."""
    scene = collision_scene(scene)
    share = _DASHES[hidden][2]

    def paint(canvas: Canvas) -> tuple[VisibilityBuffer, Bytes]:
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
