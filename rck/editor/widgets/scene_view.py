"""The 3D view: draws the scene in terminal cells, follows keys and mouse, picks what is clicked on."""

import asyncio
import os
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, Literal

import numpy as np
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rck.editor.scenery import Scenery
from rck.editor.workbench import Selected, Workbench
from rck.render.camera import VIEWS, Camera, fit, named_camera, orbit, pan, zoom
from rck.render.cells import BLOCKS, HALF, Blocks
from rck.render.picture import Picture
from rck.render.scene import Scene

Look = Literal["solid", "wire"]


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """What was drawn last, for picking."""

    scene: Scene
    picture: Picture


_STEP = 0.12
"""Radians that an arrow key turns the view by."""
_DRAG = 0.02
"""Radians that the mouse turns it by, per cell."""
_FACE_ORDER = ("home", "front", "right", "top", "back", "left", "bottom", "iso")
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

**Arrows** go round, with **shift** they move the view, **+** and **-** come nearer and go away, **z** shows everything. **v** goes
through the standard views, **w** switches between solid and wire, **e** between perspective and parallel, **|** splits the view,
**k** sets eye and target in numbers. Mouse: drag to go round, drag with the right button or shift to move, wheel to zoom, click
to select, ctrl+click to select several.
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

    def __init__(self, workbench: Workbench, view: str = "home", live: bool = False, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._scenery = Scenery(workbench, live)
        self.camera: Camera = named_camera(view)
        self.view_name = view
        self.look: Look = "solid"
        self.fineness = "quadrant"
        self._fitting = True
        self._dark = True
        self._coloured = "NO_COLOR" not in os.environ
        self._strips: list[Strip] = []
        self._last: Drawn | None = None
        self._wanted = False
        self._drawing = False
        self._styles: dict[tuple[int, int], Style] = {}
        self._pressed: tuple[int, int] | None = None
        self._dragged = False

    def on_mount(self) -> None:
        """Draw as soon as there is a size."""
        self.look_again()

    def on_resize(self) -> None:
        """Draw anew."""
        self.look_again()

    def look_again(self) -> None:
        """Draw what is to be seen now; drawing happens beside the interface, the newest wish wins."""
        self._wanted = True
        if not self._drawing and self.is_mounted and self.size.width > 0:
            self._drawing = True
            self.run_worker(self._draw(), group="draw")

    async def _draw(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                self._dark = self.app.current_theme.dark
                self._strips, self._last = await asyncio.to_thread(self._drawn, self.size.width, self.size.height)
                self._entitle()
                self.refresh()
        finally:
            self._drawing = False

    def _drawn(self, width: int, height: int) -> tuple[list[Strip], Drawn | None]:
        """The lines of cells, and the picture for picking. Runs in a thread."""
        if width < 2 or height < 1:
            return [], None
        from rck.render.cells import block_cells, runs, sign_cells
        from rck.render.palette import DARK, LIGHT
        from rck.render.picture import draw

        scene = self._scenery.scene()
        self._keep_in_sight(scene, width / (2 * height))
        palette = DARK if self._dark else LIGHT
        blocks = self._blocks
        picture = draw(
            scene,
            self.camera,
            width * blocks.across,
            height * blocks.down,
            palette=palette,
            pixel_aspect=blocks.pixel_aspect(),
        )
        cells = block_cells(picture.rgb, blocks) if self._coloured else sign_cells(picture)
        strips = [
            Strip([Segment(text, self._style(front, back)) for text, front, back in row], width) for row in runs(cells)
        ]
        return strips, Drawn(scene, picture)

    def _keep_in_sight(self, scene: Scene, aspect: float) -> None:
        """Fit the view to what is there as it grows, until the user has zoomed or moved it."""
        spheres = [figure.spheres for figure in (scene.figure, *scene.ghosts) if figure.robot.items]
        if self._fitting and spheres:
            self.camera = fit(self.camera, np.concatenate(spheres), aspect, 0.12)

    @property
    def _blocks(self) -> Blocks:
        return HALF if not self._coloured else BLOCKS[self.fineness]

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
        self.border_title = f"View · {self.view_name} · {way} · {self.look}"
        eye = " ".join(f"{1000 * one:.0f}" for one in self.camera.eye)
        target = " ".join(f"{1000 * one:.0f}" for one in self.camera.target)
        grid = ""
        if self._last is not None and self._last.scene.floor is not None:
            grid = f"  {self._last.scene.floor.label}"
        self.border_subtitle = f"eye {eye}  target {target}{grid}" if self.size.width > 50 else grid.strip()

    def render_line(self, y: int) -> Strip:
        """A line of the last picture."""
        if y < len(self._strips):
            return self._strips[y]
        if not self._strips and y == self.size.height // 2:
            return Strip([Segment("preparing the view".center(self.size.width))], self.size.width)
        return Strip.blank(self.size.width)

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

    def action_look(self) -> None:
        """Solid or wire."""
        self.look = "wire" if self.look == "solid" else "solid"
        self.look_again()

    def action_perspective(self) -> None:
        """Perspective or parallel."""
        self.set_camera(replace(self.camera, parallel=not self.camera.parallel), self.view_name)

    def action_split(self) -> None:
        """One, two or four views."""
        self.post_message(self.Split())

    def action_camera(self) -> None:
        """Eye and target in numbers."""
        from rck.editor.camera_dialog import CameraDialog

        def decided(camera: Camera | None) -> None:
            if camera is not None:
                self._fitting = False
                self.set_camera(camera)

        self.app.push_screen(CameraDialog(self.camera), decided)

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
        if self._last is None:
            return None
        from rck.render.picture import item_at
        from rck.render.window import project

        scene, picture = self._last.scene, self._last.picture
        across, down = self._blocks.across, self._blocks.down
        x, y = x - self.gutter.left, y - self.gutter.top
        compiled = self._workbench.built.value
        if compiled is not None:
            shown = [port for port, _ in self._scenery.ports(compiled)]
            if shown:
                places = project(picture.window, [port.world_pose(compiled.robot)[:3, 3] for port in shown])
                gaps = [max(abs(px / across - x), 2 * abs(py / down - y)) for px, py, _ in places.tolist()]
                nearest = min(range(len(shown)), key=gaps.__getitem__)
                if gaps[nearest] <= _NEAR_PORT:
                    return Selected("port", shown[nearest].end)
        inside = [(across * x + i, down * y + j) for i in range(across) for j in range(down)]
        item = next((name for place in inside if (name := item_at(picture, scene, *place))), None)
        return None if item is None else Selected("instance", item.partition("/")[0])
