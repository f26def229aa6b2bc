"""The drawing view: draws a flat drawing in braille characters, pans, zooms, and picks clicked regions."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rck.editor.flat_scene import FlatColours, FlatScene
from rck.editor.widgets.rich_text import cell_style
from rck.hooks import Drawing
from rck.rendering.palette import DARK, LIGHT, Rgb, sixteen_colours
from rck.rendering.planar_picture import (
    ACROSS,
    DOWN,
    PlanarRaster,
    PlanarView,
    fit_plane,
    pan_plane,
    planar_cells,
    rasterise,
    scale_bar,
    zoom_plane,
)
from rck.rendering.terminal_cells import Cells, runs, with_labels
from rck.support.units import format_quantity

_ZOOM = 0.8
_MOST_ZOOM = 0.02
"""Smallest part of the drawing that a picture shows, relative to its size, when zooming to a region."""
_SCALE_BAR = 16
"""Maximum width of the scale bar in cells."""
_PAN_X, _PAN_Y = 6, 3
"""Cells per key press."""


class DrawingView(Widget, can_focus=True):
    """A view of a flat drawing."""

    HELP = """
# Drawing

The file as drawn. Plates are shaded, the selected region is orange, curves that form no outline are red, joints
magenta. **Arrows** pan, **+** and **-** zoom, **z** shows everything, **Z** the selected region. **n** and **N** select
the next and previous region, **page down** shows the next plane.

Mouse: click to select, ctrl+click to select several, double click to change the role, drag to pan, wheel to zoom.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", f"pan({_PAN_X}, 0)", "Pan left", show=False),
        Binding("right", f"pan({-_PAN_X}, 0)", "Pan right", show=False),
        Binding("up", f"pan(0, {_PAN_Y})", "Pan up", show=False),
        Binding("down", f"pan(0, {-_PAN_Y})", "Pan down", show=False),
        Binding("plus,equals_sign", f"zoom({_ZOOM})", "Zoom in", show=False),
        Binding("minus", f"zoom({1 / _ZOOM})", "Zoom out", show=False),
        Binding("z", "fit", "Fit", show=True, id="fit"),
        Binding("Z", "zoom_to_chosen", "Zoom to region", show=False),
        Binding("pagedown", "next_plane", "Next plane", show=False),
    ]

    class Picked(Message):
        """The user clicked on a region, or on the background."""

        def __init__(self, region: str, add: bool, twice: bool) -> None:
            super().__init__()
            self.region = region
            """Empty for the background."""
            self.add = add
            """Add it to the selection, or remove it."""
            self.twice = twice
            """True for the second click of a double click."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._scene = FlatScene(Drawing())
        self._chosen: tuple[int, ...] = ()
        self._refused: frozenset[str] = frozenset()
        self._layer = ""
        self._view: PlanarView | None = None
        """None to fit the drawing."""
        self._raster: tuple[FlatScene, PlanarView, tuple[int, int], PlanarRaster] | None = None
        self._strips: list[Strip] = []
        self._requested = False
        self._drawing = False
        self._pressed: tuple[int, int] | None = None
        self._dragged = False
        self._pointer = ""
        """Coordinates of the mouse pointer."""
        self.name_of_drawing = ""

    @property
    def scene(self) -> FlatScene:
        """The drawing in the current plane."""
        return self._scene

    def show(self, drawing: Drawing, refused: frozenset[str]) -> None:
        """Show a drawing; the part that is shown stays if the size of the drawing does."""
        plane = min(self._scene.plane, len(drawing.planes) - 1)
        before, self._scene = self._scene.bounds, FlatScene(drawing, plane)
        if not np.allclose(before, self._scene.bounds):
            self._view = None
        self._chosen, self._refused = (), refused
        self.redraw()

    def choose(self, names: Sequence[str]) -> None:
        """Highlight regions; the view moves if none of them is visible."""
        wanted = set(names)
        chosen = tuple(number for number, one in enumerate(self._scene.drawing.regions) if one.name in wanted)
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if chosen:
            plane = self._scene.drawing.regions[chosen[0]].plane
            if plane != self._scene.plane:
                self._show_plane(plane)
            self._pan_to(chosen)
        self.redraw()

    def highlight_layer(self, layer: str) -> None:
        """Highlight the curves of a layer; empty for none."""
        if layer != self._layer:
            self._layer = layer
            self.redraw()

    def _pan_to(self, chosen: Sequence[int]) -> None:
        if self._view is None:
            return
        columns, rows = self.size.width, self.size.height
        corners = self._view.dots(np.array(self._scene.bounds_of(chosen)), columns, rows)
        if (corners.max(axis=0) < 0).any() or (corners.min(axis=0) > (ACROSS * columns, DOWN * rows)).any():
            x, y = np.mean(self._scene.bounds_of(chosen), axis=0).tolist()
            self._view = PlanarView((x, y), self._view.scale)

    @property
    def view(self) -> PlanarView:
        """The part of the plane that is shown."""
        if self._view is not None:
            return self._view
        return fit_plane(*self._scene.bounds, max(self.size.width, 1), max(self.size.height, 1))

    def on_resize(self) -> None:
        """Redraw in the new size."""
        self.redraw()

    def redraw(self) -> None:
        """Request a new picture; it is drawn in a thread, and requests made meanwhile are combined."""
        self._requested = True
        if not self._drawing and self.size.width > 0 and self.is_mounted:
            self._drawing = True
            self.run_worker(self._draw(), group="draw")

    async def _draw(self) -> None:
        try:
            while self._requested:
                self._requested = False
                colours = self.flat_colours()
                cells = await asyncio.to_thread(self._draw_cells, colours)
                if cells is not None:
                    width = cells.codes.shape[1]
                    self._strips = [
                        Strip([Segment(text, cell_style(front, back)) for text, front, back in row], width)
                        for row in runs(cells)
                    ]
                self._update_title()
                self.refresh()
        finally:
            self._drawing = False

    def flat_colours(self) -> FlatColours | None:
        """Return the colours of the theme; None without colours."""
        if self.app.no_color:
            return None
        palette = DARK if self.app.current_theme.dark else LIGHT
        if self.app.few_colours:  # type: ignore[attr-defined]
            few = sixteen_colours(palette)
            return FlatColours(few, few.horizon, few=True)
        ground: Rgb = self.background_colors[1].rgb
        return FlatColours(palette, ground)

    def _draw_cells(self, colours: FlatColours | None) -> Cells | None:
        """Draw the picture; runs in a thread."""
        columns, rows = self.size.width, self.size.height
        if columns < 1 or rows < 1:
            return None
        scene, view = self._scene, self.view
        known = self._raster
        if known is None or known[0] is not scene or known[1:3] != (view, (columns, rows)):
            raster = rasterise(scene.paths, scene.areas, view, columns, rows)
            known = self._raster = (scene, view, (columns, rows), raster)
        places = {number: place for place, number in enumerate(scene.regions)}
        outlined = [places[number] for number in self._chosen if number in places]
        flat = None if colours is None else scene.colours(colours, self._chosen, self._refused, self._layer)
        cells = planar_cells(known[3], scene.areas, view, outlined, flat)
        if colours is not None and colours.few:
            cells = Cells(cells.codes, cells.foreground)
        label = (0, 0, 0) if colours is None else colours.palette.wire
        return with_labels(cells, scene.labels(view, columns, rows), label, ACROSS, DOWN)

    def render_line(self, y: int) -> Strip:
        """Return a line of the last picture."""
        if y < len(self._strips):
            return self._strips[y].apply_style(self.rich_style)
        return Strip.blank(self.size.width, self.rich_style)

    def _update_title(self) -> None:
        planes = len(self._scene.drawing.planes)
        which = f" · plane {self._scene.plane + 1} of {planes}" if planes > 1 else ""
        self.border_title = f"Drawing{which}"
        length, width = scale_bar(self.view, _SCALE_BAR)
        bar = f"├{'─' * max(width - 2, 0)}┤ {format_quantity(length, 'length', 'mm', 4)}"
        self.border_subtitle = f"{self._pointer}  {bar}" if self._pointer else bar

    def action_pan(self, columns: int, rows: int) -> None:
        """Move the picture by some cells."""
        self._set_view(pan_plane(self.view, columns, rows))

    def action_zoom(self, factor: float) -> None:
        """Zoom in or out."""
        self._set_view(zoom_plane(self.view, factor))

    def action_fit(self) -> None:
        """Show the whole drawing."""
        self._view = None
        self.redraw()

    def action_zoom_to_chosen(self) -> None:
        """Show the selected regions."""
        if not self._chosen:
            return
        low, high = self._scene.bounds_of(self._chosen)
        smallest = _MOST_ZOOM * float(np.ptp(self._scene.bounds, axis=0).max())
        spare = np.maximum(smallest - (high - low), 0.0) / 2
        self._set_view(fit_plane(low - spare, high + spare, self.size.width, self.size.height, 0.15))

    def action_next_plane(self) -> None:
        """Show the next plane of a drawing in several planes."""
        if len(self._scene.drawing.planes) > 1:
            self._show_plane((self._scene.plane + 1) % len(self._scene.drawing.planes))
            self.redraw()

    def _show_plane(self, plane: int) -> None:
        self._scene = FlatScene(self._scene.drawing, plane)
        self._view = None

    def _set_view(self, view: PlanarView) -> None:
        self._view = view
        self.redraw()

    def region_at(self, x: int, y: int) -> str:
        """Return the name of the innermost region at a cell of the picture; empty if there is none."""
        if self._raster is None:
            return ""
        scene, _, _, raster = self._raster
        dots = raster.area[DOWN * y : DOWN * (y + 1), ACROSS * x : ACROSS * (x + 1)]
        place = int(dots.max(initial=-1))
        return scene.drawing.regions[scene.regions[place]].name if place >= 0 else ""

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start a drag or a click."""
        self._pressed, self._dragged = (event.x, event.y), False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pan while a button is held, and show the coordinates of the pointer."""
        if self._pressed is not None and (event.delta_x or event.delta_y):
            self._dragged = True
            self._set_view(pan_plane(self.view, event.delta_x, event.delta_y))
        x, y = self._point_of(event)
        self._pointer = f"x {1000 * x:.1f}  y {1000 * y:.1f} mm"
        self._update_title()

    def on_leave(self) -> None:
        """Hide the coordinates of the pointer."""
        self._pointer = ""
        self._update_title()

    def _point_of(self, event: events.MouseEvent) -> tuple[float, float]:
        column, row = event.x - self.gutter.left + 0.5, event.y - self.gutter.top + 0.5
        return self.view.point_at(column, row, self.size.width, self.size.height)

    def on_mouse_up(self) -> None:
        """End the drag."""
        self.release_mouse()
        self._pressed = None

    def on_click(self, event: events.Click) -> None:
        """Report a click."""
        if not self._dragged:
            region = self.region_at(event.x - self.gutter.left, event.y - self.gutter.top)
            self.post_message(self.Picked(region, event.ctrl or event.meta, event.chain > 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in; the point under the pointer keeps its place."""
        event.stop()
        self._set_view(zoom_plane(self.view, _ZOOM, self._point_of(event)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out; the point under the pointer keeps its place."""
        event.stop()
        self._set_view(zoom_plane(self.view, 1 / _ZOOM, self._point_of(event)))
