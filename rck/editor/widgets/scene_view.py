"""The 3D view: draws the scene in terminal cells, follows keys and mouse, picks what is clicked on."""

import asyncio
import os
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rck.editor.dialogs import AskLine
from rck.editor.pixel_output import cell_size, overlay, withdraw
from rck.editor.scenery import Scenery, SceneSource
from rck.editor.workbench import Selected, Workbench
from rck.language.words import quote
from rck.model.units import from_si
from rck.render.camera import VIEWS, Camera, fit, named_camera, orbit, pan, zoom
from rck.render.cells import BLOCKS, HALF, Cells, block_cells, runs, sign_cells
from rck.render.palette import DARK, LIGHT, Palette
from rck.render.picture import QUICK, SCREEN, Finish, draw
from rck.render.pixels import Protocol, detect
from rck.render.scene import Scene
from rck.render.sight import look
from rck.render.window import Window, open_window, project
from rck.render.wireframe import Hidden, wire_cells

Look = Literal["solid", "wire", "hidden lines"]
LOOKS: tuple[Look, ...] = ("solid", "wire", "hidden lines")


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """What was drawn last."""

    scene: Scene
    window: Window
    items: NDArray[np.int32]
    """The number of the item at each pixel of the window, or -1."""
    strips: list[Strip]
    rgb: NDArray[np.uint8] | None = None
    """The picture itself where the terminal shows pixels."""


_STEP = 0.12
"""Radians that an arrow key turns the view by."""
_DRAG = 0.02
"""Radians that the mouse turns it by, per cell."""
_FACE_ORDER = ("home", "front", "right", "top", "back", "left", "bottom", "iso")
_FRAME = 1 / 30
"""Seconds that a picture may take; where it takes longer, a view that moves is drawn with less."""
_AT_REST = 0.1
"""Seconds after which a view that has not moved is drawn with everything."""
_NEAR_PORT = 2.5
"""Cells within which a click means a port."""


@cache
def _colour(number: int) -> Color | None:
    """A colour from 0xrrggbb; None for the terminal's own."""
    return None if number < 0 else Color.from_rgb(number >> 16, number >> 8 & 255, number & 255)


class SceneView(Widget, can_focus=True):
    """Shows the assembly."""

    HELP = """
# View

**Arrows** go round, with **shift** they move the view, **+** and **-** come nearer and go away, **z** shows
everything. **v** goes through the standard and saved views, **V** saves one, **w** goes through solid, wire, and wire
with hidden lines, **e** switches between perspective and parallel, **|** splits the view, **k** sets eye and target in
numbers.

Mouse: drag to go round, drag with the right button or shift to move, wheel to zoom, click to select, ctrl+click to
select several.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "orbit(-1, 0)", "Go round", show=False, id="view-left"),
        Binding("right", "orbit(1, 0)", "Go round", show=False, id="view-right"),
        Binding("up", "orbit(0, 1)", "Rise", show=False, id="view-up"),
        Binding("down", "orbit(0, -1)", "Sink", show=False, id="view-down"),
        Binding("shift+left", "pan(-1, 0)", "Move", show=False),
        Binding("shift+right", "pan(1, 0)", "Move", show=False),
        Binding("shift+up", "pan(0, 1)", "Move", show=False),
        Binding("shift+down", "pan(0, -1)", "Move", show=False),
        Binding("plus,equals_sign", "zoom(0.8)", "Nearer", show=False),
        Binding("minus", "zoom(1.25)", "Away", show=False),
        Binding("z", "fit", "Show all", show=True, id="fit"),
        Binding("v", "next_view", "Views", show=True, id="views"),
        Binding("V", "remember_view", "Remember view", show=False, id="remember-view"),
        Binding("w", "look", "Wire", show=True, id="wire"),
        Binding("e", "perspective", "Perspective", show=False, id="perspective"),
        Binding("k", "camera", "Camera", show=False, id="camera"),
        Binding("vertical_line", "split", "Split", show=False, id="split"),
    ]

    class Picked(Message):
        """The user clicked on something, or on nothing."""

        def __init__(self, thing: Selected | None, several: bool) -> None:
            super().__init__()
            self.thing = thing
            self.several = several

    class Split(Message):
        """The user wants one, two or four views."""

    def __init__(
        self,
        workbench: Workbench,
        view: str = "home",
        live: bool = False,
        scenery: SceneSource | None = None,
        **options: object,
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._scenery = scenery or Scenery(workbench, live)
        self.camera: Camera = named_camera(view)
        self.view_name = view
        self.look: Look = "solid"
        self.fineness = "quadrant"
        self._fitting = True
        self._dark = True
        self._coloured = "NO_COLOR" not in os.environ
        self.protocol = detect(os.environ) if self._coloured else Protocol.NONE
        self.pictures = 0
        """How many were shown."""
        self._last: Drawn | None = None
        self._begun = False
        self._wanted = False
        self._drawing = False
        self._slow = False
        """Whether a picture with everything takes longer than a view that moves can wait for."""
        self._styles: dict[tuple[int, int], Style] = {}
        self._pressed: tuple[int, int] | None = None
        self._dragged = False

    def on_mount(self) -> None:
        """Draw once the panels are shown: the first picture brings the kernels with it, which take a while to load."""
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._begun = True
        self.look_again()

    def on_resize(self) -> None:
        """Draw anew."""
        self.look_again()

    def look_again(self) -> None:
        """Draw what is to be seen now; drawing happens beside the interface, the newest wish wins."""
        self._wanted = True
        if self._begun and not self._drawing and self.size.width > 0:
            self._drawing = True
            self.run_worker(self._draw(), group="draw")

    async def _draw(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                if self._slow:
                    await self._show(QUICK)
                    await self._wait_for_a_wish()
                if not self._wanted:
                    await self._show(SCREEN)
        finally:
            self._drawing = False

    async def _wait_for_a_wish(self) -> None:
        """Until the view is to be drawn again, or has been at rest for a moment."""
        end = perf_counter() + _AT_REST
        while not self._wanted and perf_counter() < end:
            await asyncio.sleep(0.005)

    async def _show(self, finish: Finish) -> None:
        """Draw beside the interface, and show what was drawn."""
        self._dark = self.app.current_theme.dark
        start = perf_counter()
        self._last = await asyncio.to_thread(self._drawn, self.size.width, self.size.height, finish)
        if finish is SCREEN:
            self._slow = perf_counter() - start > _FRAME
        self.pictures += 1
        self._entitle()
        self.refresh()
        if self._last is not None and self._last.rgb is not None:
            self.call_after_refresh(self._show_pixels)

    def _drawn(self, width: int, height: int, finish: Finish) -> Drawn | None:
        """Draw; runs in a thread."""
        if width < 2 or height < 1:
            return None
        scene = self._scenery.scene()
        self._keep_in_sight(scene, width / (2 * height))
        palette = DARK if self._dark else LIGHT
        if self.look != "solid":
            return self._wire(scene, palette, width, height)
        if self.protocol is not Protocol.NONE:
            across, down = cell_size()
            picture = draw(scene, self.camera, width * across, height * down, palette=palette, finish=finish)
            return Drawn(scene, picture.window, picture.item, [Strip.blank(width)] * height, picture.rgb)
        blocks = BLOCKS[self.fineness] if self._coloured else HALF
        picture = draw(
            scene,
            self.camera,
            width * blocks.across,
            height * blocks.down,
            palette=palette,
            finish=finish,
            pixel_aspect=blocks.pixel_aspect(),
        )
        cells = block_cells(picture.rgb, blocks) if self._coloured else sign_cells(picture)
        return Drawn(scene, picture.window, picture.item, self._strips_of(cells, width))

    def _wire(self, scene: Scene, palette: Palette, width: int, height: int) -> Drawn:
        hidden = Hidden.REMOVED if self.look == "wire" else Hidden.DASHED
        cells = wire_cells(scene, self.camera, width, height, palette=palette, hidden=hidden)
        if not self._coloured:
            cells = replace(cells, foreground=None, background=None)
        sight = look(scene.figure, open_window(self.camera, width, 2 * height))
        return Drawn(scene, sight.window, sight.item, self._strips_of(cells, width))

    def _strips_of(self, cells: Cells, width: int) -> list[Strip]:
        return [
            Strip([Segment(text, self._style(front, back)) for text, front, back in row], width) for row in runs(cells)
        ]

    def _keep_in_sight(self, scene: Scene, aspect: float) -> None:
        """Fit the view to what is there as it grows, until the user has zoomed or moved it."""
        spheres = [figure.spheres for figure in (scene.figure, *scene.ghosts) if figure.robot.items]
        if scene.cloud is not None:
            spheres.append(np.pad(scene.cloud.points, ((0, 0), (0, 1))))
        if self._fitting and spheres:
            self.camera = fit(self.camera, np.concatenate(spheres), aspect, 0.12)

    def _style(self, front: int, back: int) -> Style:
        key = (front, back)
        style = self._styles.get(key)
        if style is None:
            if len(self._styles) > 50_000:
                self._styles.clear()
            style = self._styles[key] = Style(color=_colour(front), bgcolor=_colour(back))
        return style

    def _entitle(self) -> None:
        way = "parallel" if self.camera.parallel else "perspective"
        title = f"{self.view_name} · {way} · {self.look}"
        self.border_title = f"View · {title}" if self.size.width > 40 else title
        eye, target = (
            " ".join(f"{round(1000 * one)}" for one in point) for point in (self.camera.eye, self.camera.target)
        )
        grid = ""
        if self._last is not None and self._last.scene.floor is not None:
            grid = f"  {self._last.scene.floor.label}"
        self.border_subtitle = f"eye {eye}  target {target}{grid}" if self.size.width > 50 else grid.strip()

    def render_line(self, y: int) -> Strip:
        """A line of the last picture."""
        strips = self._last.strips if self._last is not None else []
        if y < len(strips):
            # Wires are drawn on the ground of the panel.
            return strips[y] if self.look == "solid" else strips[y].apply_style(self.rich_style)
        if not strips and y == self.size.height // 2:
            return Strip([Segment("preparing the view".center(self.size.width), self.rich_style)], self.size.width)
        return Strip.blank(self.size.width, self.rich_style)

    def _show_pixels(self) -> None:
        """Put the picture over the cells, unless something covers them."""
        driver = self.app._driver
        if driver is None or self._last is None or self._last.rgb is None or self.app.screen is not self.screen:
            return
        driver.write(overlay(self.protocol, self._last.rgb, self.content_region, id(self) % 65_535 + 1))

    def on_hide(self) -> None:
        """A picture of pixels does not go by itself."""
        if self.protocol is not Protocol.NONE and self.app._driver is not None:
            self.app._driver.write(withdraw(self.protocol, id(self) % 65_535 + 1))

    def set_camera(self, camera: Camera, name: str = "free") -> None:
        """Look from elsewhere."""
        self.camera, self.view_name = camera, name
        self.look_again()

    def action_orbit(self, right: int, up: int) -> None:
        """Go round the target."""
        self.set_camera(orbit(self.camera, right * _STEP, up * _STEP))

    def action_pan(self, right: int, up: int) -> None:
        """Move eye and target together."""
        self._fitting = False
        self.set_camera(pan(self.camera, 0.06 * right, 0.06 * up))

    def action_zoom(self, factor: float) -> None:
        """Come nearer or go away."""
        self._fitting = False
        self.set_camera(zoom(self.camera, factor), self.view_name)

    def action_fit(self) -> None:
        """Show everything, and go on doing so as it grows."""
        self._fitting = True
        self.look_again()

    def action_next_view(self) -> None:
        """The next standard view, then those saved in the assembly."""
        names = [*_FACE_ORDER, *self._workbench.assembly.views]
        place = names.index(self.view_name) + 1 if self.view_name in names else 0
        self.show_view(names[place % len(names)])

    def show_view(self, name: str) -> None:
        """A standard or saved view."""
        saved = self._workbench.assembly.views.get(name)
        if saved is not None:
            from rck.catalogue.quantities import Quantities

            read = Quantities(self._workbench.assembly.units)
            ex, ey, ez = read.point(saved.eye).tolist()
            tx, ty, tz = read.point(saved.target).tolist()
            self._fitting = False
            self.set_camera(Camera((ex, ey, ez), (tx, ty, tz), parallel=saved.parallel), name)
        elif name in VIEWS:
            self.camera = replace(named_camera(name), parallel=self.camera.parallel)
            self._fitting = True
            self.view_name = name
            self.look_again()

    def action_remember_view(self) -> None:
        """Save the view in the assembly under a name."""

        def decided(name: str | None) -> None:
            if name:
                unit = self._workbench.assembly.units.length
                eye, target = (
                    ",".join(f"{from_si(one, 'length', unit):.6g}" for one in point)
                    for point in (self.camera.eye, self.camera.target)
                )
                parallel = " --parallel" if self.camera.parallel else ""
                if self._workbench.do(f"view {quote(name)} --eye {eye} --target {target}{parallel}"):
                    self.view_name = name
                    self._entitle()

        self.app.push_screen(AskLine("Save this view as", f"view-{len(self._workbench.assembly.views) + 1}"), decided)

    def action_look(self) -> None:
        """Solid, wire, or wire with the hidden lines dotted."""
        self.look = LOOKS[(LOOKS.index(self.look) + 1) % len(LOOKS)]
        self.look_again()

    def action_perspective(self) -> None:
        """Perspective or parallel."""
        self.set_camera(replace(self.camera, parallel=not self.camera.parallel), self.view_name)

    def action_split(self) -> None:
        """One, two or four views."""
        self.post_message(self.Split())

    def action_camera(self) -> None:
        """Eye and target in numbers."""
        from rck.catalogue.quantities import replace_wrong_units
        from rck.editor.camera_dialog import CameraDialog

        def decided(camera: Camera | None) -> None:
            if camera is not None:
                self._fitting = False
                self.set_camera(camera)

        unit = replace_wrong_units(self._workbench.assembly.units).length
        self.app.push_screen(CameraDialog(self.camera, unit), decided)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The beginning of a drag, or of a click."""
        self._pressed, self._dragged = (event.x, event.y), False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go round, or move the view."""
        if self._pressed is None or not (event.delta_x or event.delta_y):
            return
        self._dragged = True
        if event.button == 3 or event.shift:
            self._fitting = False
            height = max(1, self.size.height)
            self.set_camera(pan(self.camera, -event.delta_x / (2 * height), event.delta_y / height))
        else:
            self.set_camera(orbit(self.camera, -event.delta_x * _DRAG, event.delta_y * 2 * _DRAG))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The end of a drag; without one it was a click."""
        self.release_mouse()
        if self._pressed is not None and not self._dragged:
            self.post_message(self.Picked(self.thing_at(event.x, event.y), event.ctrl or event.meta))
        self._pressed = None

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Nearer."""
        event.stop()
        self.action_zoom(0.9)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Away."""
        event.stop()
        self.action_zoom(1 / 0.9)

    def thing_at(self, x: int, y: int) -> Selected | None:
        """The port near a cell, or the piece that the cell shows."""
        last, compiled = self._last, self._workbench.built.value
        if last is None:
            return None
        x, y = x - self.gutter.left, y - self.gutter.top
        across, down = last.window.width / max(1, self.size.width), last.window.height / max(1, self.size.height)
        shown = [] if compiled is None else [port for port, _ in self._scenery.ports(compiled)]
        if compiled is not None and shown:
            places = project(last.window, [port.world_pose(compiled.robot)[:3, 3] for port in shown]).tolist()
            gaps = [max(abs(px / across - x), 2 * abs(py / down - y)) for px, py, _ in places]
            nearest = min(range(len(shown)), key=gaps.__getitem__)
            if gaps[nearest] <= _NEAR_PORT:
                return Selected("port", shown[nearest].end)
        cell = last.items[int(y * down) : int((y + 1) * down), int(x * across) : int((x + 1) * across)]
        seen = cell[cell >= 0]
        if not seen.size:
            return None
        item = last.scene.figure.robot.items[int(seen[0])].name
        return Selected("instance", item.partition("/")[0])
