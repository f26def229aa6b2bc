"""The 3D view: draws the scene in terminal cells or pixels, moves the camera, and picks clicked objects."""

import asyncio
import os
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rck.assembly.cameras import saved_cameras
from rck.editor.dialogs.basic import PromptDialog
from rck.editor.dialogs.camera import CameraDialog
from rck.editor.scene_source import SceneBuilder, SceneSource
from rck.editor.widgets.rich_text import cell_style
from rck.editor.workbench import Selected, Workbench
from rck.grammar import quote
from rck.model.quantities import replace_wrong_units
from rck.rendering.camera import VIEWS, Camera, fit, named_camera, orbit, pan, zoom
from rck.rendering.palette import DARK, LIGHT, Palette
from rck.rendering.picture import QUICK, SCREEN, Finish, draw, place_labels
from rck.rendering.scene import Scene, collision_scene
from rck.rendering.terminal_cells import BLOCKS, HALF, Cells, block_cells, runs, sign_cells, with_labels
from rck.rendering.terminal_pixels import Protocol, cell_size, clear_overlay, detect, overlay
from rck.rendering.viewport import Viewport, open_window, project
from rck.rendering.visibility import look
from rck.rendering.wireframe import Hidden, wire_cells
from rck.support.units import from_si

DrawingStyle = Literal["solid", "wireframe", "hidden lines", "collision"]
STYLES: tuple[DrawingStyle, ...] = ("solid", "wireframe", "hidden lines", "collision")


@dataclass(frozen=True, eq=False, slots=True)
class DrawnFrame:
    """The last image, with the data for picking."""

    scene: Scene
    window: Viewport
    items: NDArray[np.int32]
    """Index of the item at each pixel of the window, or -1."""
    strips: list[Strip]
    rgb: NDArray[np.uint8] | None = None
    """The image, if the terminal shows pixels."""


_STEP = 0.12
"""Radians that the camera orbits per key press."""
_DRAG = 0.02
"""Radians that the camera orbits per dragged cell."""
_VIEW_ORDER = ("home", "front", "right", "top", "back", "left", "bottom", "iso")
_FRAME = 1 / 30
"""Time budget of a frame in seconds; if drawing takes longer, a moving view is drawn with fewer details."""
_AT_REST = 0.1
"""Seconds after which a resting view is drawn with all details."""
_PORT_RADIUS = 2.5
"""Distance in cells within which a click selects a port."""


class SceneView(Widget, can_focus=True):
    """A view of a scene."""

    HELP = """
# View

**Arrows** orbit, with **shift** they pan, **+** and **-** zoom, **z** shows everything. **v** steps through the
standard and saved views, **V** saves the view. **w** switches between solid, wireframe, wireframe with hidden lines,
and the collision geometry, **e** between perspective and parallel projection. **|** splits the view, **k** sets eye
and target as numbers.

Mouse: drag to orbit, drag with the right button or shift to pan, wheel to zoom, click to select, ctrl+click to select
several.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "orbit(-1, 0)", "Orbit left", show=False, id="view-left"),
        Binding("right", "orbit(1, 0)", "Orbit right", show=False, id="view-right"),
        Binding("up", "orbit(0, 1)", "Orbit up", show=False, id="view-up"),
        Binding("down", "orbit(0, -1)", "Orbit down", show=False, id="view-down"),
        Binding("shift+left", "pan(-1, 0)", "Pan left", show=False),
        Binding("shift+right", "pan(1, 0)", "Pan right", show=False),
        Binding("shift+up", "pan(0, 1)", "Pan up", show=False),
        Binding("shift+down", "pan(0, -1)", "Pan down", show=False),
        Binding("plus,equals_sign", "zoom(0.8)", "Zoom in", show=False),
        Binding("minus", "zoom(1.25)", "Zoom out", show=False),
        Binding("z", "fit", "Fit", show=True, id="fit"),
        Binding("v", "next_view", "Views", show=True, id="views"),
        Binding("V", "save_view", "Save view", show=False, id="remember-view"),
        Binding("w", "drawing_style", "Wireframe", show=True, id="wire"),
        Binding("e", "perspective", "Perspective", show=False, id="perspective"),
        Binding("k", "camera", "Camera", show=False, id="camera"),
        Binding("vertical_line", "split", "Split", show=False, id="split"),
    ]

    class Picked(Message):
        """The user clicked on an object, or on the background."""

        def __init__(self, thing: Selected | None, add: bool) -> None:
            super().__init__()
            self.thing = thing
            self.add = add
            """Add the object to the selection, or remove it."""

    class Split(Message):
        """The next layout of views is to be shown."""

    def __init__(
        self,
        workbench: Workbench,
        view: str = "home",
        live: bool = False,
        source: SceneSource | None = None,
        **options: object,
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._source = source or SceneBuilder(workbench, live)
        self.camera: Camera = named_camera(view)
        self.view_name = view
        self.drawing_style: DrawingStyle = "solid"
        self.resolution = "quadrant"
        self._fitting = True
        self._dark = True
        self._coloured = "NO_COLOR" not in os.environ
        self.protocol = detect(os.environ) if self._coloured else Protocol.NONE
        self.frames = 0
        """The number of frames shown so far."""
        self._last: DrawnFrame | None = None
        self._begun = False
        self._requested = False
        self._drawing = False
        self._slow = False
        """True if a frame with all details exceeds the time budget."""
        self._pressed: tuple[int, int] | None = None
        self._dragged = False

    def on_mount(self) -> None:
        """Draw after the panels are shown: the first frame loads the kernels, which takes some time."""
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._begun = True
        self.redraw()

    def on_resize(self) -> None:
        """Redraw in the new size."""
        self.redraw()

    def redraw(self) -> None:
        """Request a new frame; it is drawn in a thread, and requests made meanwhile are combined."""
        self._requested = True
        if self._begun and not self._drawing and self.size.width > 0:
            self._drawing = True
            self.run_worker(self._draw(), group="draw")

    async def _draw(self) -> None:
        try:
            while self._requested:
                self._requested = False
                if self._slow:
                    await self._show(QUICK)
                    await self._wait_for_request()
                if not self._requested:
                    await self._show(SCREEN)
        finally:
            self._drawing = False

    async def _wait_for_request(self) -> None:
        """Wait until a new frame is requested, or the view has been at rest for a moment."""
        end = perf_counter() + _AT_REST
        while not self._requested and perf_counter() < end:
            await asyncio.sleep(0.005)

    async def _show(self, finish: Finish) -> None:
        """Draw a frame in a thread, and show it."""
        self._dark = self.app.current_theme.dark
        start = perf_counter()
        self._last = await asyncio.to_thread(self._draw_frame, self.size.width, self.size.height, finish)
        if finish is SCREEN:
            self._slow = perf_counter() - start > _FRAME
        self.frames += 1
        self._update_title()
        self.refresh()
        if self._last is not None and self._last.rgb is not None:
            self.call_after_refresh(self._show_pixels)

    def _draw_frame(self, width: int, height: int, finish: Finish) -> DrawnFrame | None:
        """Draw a frame; runs in a thread."""
        if width < 2 or height < 1:
            return None
        scene = self._source.scene()
        self._fit_to_scene(scene, width / (2 * height))
        palette = DARK if self._dark else LIGHT
        if self.drawing_style == "collision":
            scene = collision_scene(scene)
        elif self.drawing_style != "solid":
            return self._draw_wireframe(scene, palette, width, height)
        if self.protocol is not Protocol.NONE:
            across, down = cell_size()
            picture = draw(scene, self.camera, width * across, height * down, palette=palette, finish=finish)
            return DrawnFrame(scene, picture.window, picture.item, [Strip.blank(width)] * height, picture.rgb)
        blocks = BLOCKS[self.resolution] if self._coloured else HALF
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
        cells = with_labels(cells, picture.labels, palette.label, blocks.across, blocks.down)
        return DrawnFrame(scene, picture.window, picture.item, _strips_of(cells, width))

    def _draw_wireframe(self, scene: Scene, palette: Palette, width: int, height: int) -> DrawnFrame:
        hidden = Hidden.REMOVED if self.drawing_style == "wireframe" else Hidden.DASHED
        cells = wire_cells(scene, self.camera, width, height, palette=palette, hidden=hidden)
        if not self._coloured:
            cells = replace(cells, foreground=None, background=None)
        sight = look(scene.figure, open_window(self.camera, width, 2 * height))
        cells = with_labels(cells, place_labels(scene.labels, sight.window), palette.label)
        return DrawnFrame(scene, sight.window, sight.item, _strips_of(cells, width))

    def _fit_to_scene(self, scene: Scene, aspect: float) -> None:
        """Fit the camera to the scene, unless the user has zoomed or panned."""
        spheres = [figure.spheres for figure in (scene.figure, *scene.ghosts) if figure.robot.items]
        spheres += [np.pad(cloud.points, ((0, 0), (0, 1))) for cloud in scene.clouds]
        if self._fitting and spheres:
            self.camera = fit(self.camera, np.concatenate(spheres), aspect, 0.12)

    def _update_title(self) -> None:
        projection = "parallel" if self.camera.parallel else "perspective"
        title = f"{self.view_name} · {projection} · {self.drawing_style}"
        self.border_title = f"View · {title}" if self.size.width > 40 else title
        eye, target = (
            " ".join(f"{round(1000 * value)}" for value in point) for point in (self.camera.eye, self.camera.target)
        )
        grid = ""
        if self._last is not None and self._last.scene.floor is not None:
            grid = f"  {self._last.scene.floor.label}"
        self.border_subtitle = f"eye {eye}  target {target}{grid}" if self.size.width > 50 else grid.strip()

    def render_line(self, y: int) -> Strip:
        """Return a line of the last frame."""
        strips = self._last.strips if self._last is not None else []
        if y < len(strips):
            # A wireframe is drawn on the background of the panel.
            return strips[y] if self.drawing_style in ("solid", "collision") else strips[y].apply_style(self.rich_style)
        if not strips and y == self.size.height // 2:
            return Strip([Segment("loading view ...".center(self.size.width), self.rich_style)], self.size.width)
        return Strip.blank(self.size.width, self.rich_style)

    def _show_pixels(self) -> None:
        """Show the image over the cells, unless a dialog covers them."""
        driver = self.app._driver
        if driver is None or self._last is None or self._last.rgb is None or self.app.screen is not self.screen:
            return
        place, size = self.content_region.offset, self.content_region.size
        driver.write(overlay(self.protocol, self._last.rgb, place, size, id(self) % 65_535 + 1))

    def on_hide(self) -> None:
        """Remove the image: the terminal would keep it."""
        if self.protocol is not Protocol.NONE and self.app._driver is not None:
            self.app._driver.write(clear_overlay(self.protocol, id(self) % 65_535 + 1))

    def set_camera(self, camera: Camera, name: str = "free") -> None:
        """Change the camera."""
        self.camera, self.view_name = camera, name
        self.redraw()

    def action_orbit(self, right: int, up: int) -> None:
        """Orbit about the target."""
        self.set_camera(orbit(self.camera, right * _STEP, up * _STEP))

    def action_pan(self, right: int, up: int) -> None:
        """Pan: move eye and target together."""
        self._fitting = False
        self.set_camera(pan(self.camera, 0.06 * right, 0.06 * up))

    def action_zoom(self, factor: float) -> None:
        """Zoom in or out."""
        self._fitting = False
        self.set_camera(zoom(self.camera, factor), self.view_name)

    def action_fit(self) -> None:
        """Show everything, also when the assembly grows."""
        self._fitting = True
        self.redraw()

    def action_next_view(self) -> None:
        """Show the next standard or saved view."""
        names = [*_VIEW_ORDER, *self._workbench.assembly.views]
        index = names.index(self.view_name) + 1 if self.view_name in names else 0
        self.show_view(names[index % len(names)])

    def show_view(self, name: str) -> None:
        """Show a standard or saved view."""
        saved = saved_cameras(self._workbench.assembly).get(name)
        if saved is not None:
            self._fitting = False
            self.set_camera(saved, name)
        elif name in VIEWS:
            self.camera = replace(named_camera(name), parallel=self.camera.parallel)
            self._fitting = True
            self.view_name = name
            self.redraw()

    def action_save_view(self) -> None:
        """Ask for a name, and save the view in the assembly."""

        def save(name: str | None) -> None:
            if name:
                unit = self._workbench.assembly.units.length
                eye, target = (
                    ",".join(f"{from_si(value, 'length', unit):.6g}" for value in point)
                    for point in (self.camera.eye, self.camera.target)
                )
                parallel = " --parallel" if self.camera.parallel else ""
                if self._workbench.run(f"view {quote(name)} --eye {eye} --target {target}{parallel}"):
                    self.view_name = name
                    self._update_title()

        default = f"view-{len(self._workbench.assembly.views) + 1}"
        self.app.push_screen(PromptDialog("Save this view as", default), save)

    def action_drawing_style(self) -> None:
        """Switch between solid, wireframe, wireframe with dotted hidden lines, and the collision geometry."""
        # Without visuals, the collision geometry is what the solid view shows.
        has_visuals = any(item.visuals for item in self._source.scene().figure.robot.items)
        styles = STYLES if has_visuals else STYLES[:3]
        self.drawing_style = styles[(STYLES.index(self.drawing_style) + 1) % len(styles)]
        self.redraw()

    def action_perspective(self) -> None:
        """Switch between perspective and parallel projection."""
        self.set_camera(replace(self.camera, parallel=not self.camera.parallel), self.view_name)

    def action_split(self) -> None:
        """Switch to the next layout of one, two or four views."""
        self.post_message(self.Split())

    def action_camera(self) -> None:
        """Open the dialog for eye and target."""

        def apply(camera: Camera | None) -> None:
            if camera is not None:
                self._fitting = False
                self.set_camera(camera)

        unit = replace_wrong_units(self._workbench.assembly.units).length
        self.app.push_screen(CameraDialog(self.camera, unit), apply)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start a drag or a click."""
        self._pressed, self._dragged = (event.x, event.y), False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Orbit, or pan with shift or the right button."""
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
        """End the drag, or report a click."""
        self.release_mouse()
        if self._pressed is not None and not self._dragged:
            self.post_message(self.Picked(self.thing_at(event.x, event.y), event.ctrl or event.meta))
        self._pressed = None

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in."""
        event.stop()
        self.action_zoom(0.9)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out."""
        event.stop()
        self.action_zoom(1 / 0.9)

    def thing_at(self, x: int, y: int) -> Selected | None:
        """Return the port near a cell, or the instance that the cell shows."""
        last, compiled = self._last, self._workbench.built.value
        if last is None:
            return None
        x, y = x - self.gutter.left, y - self.gutter.top
        across, down = last.window.width / max(1, self.size.width), last.window.height / max(1, self.size.height)
        ports = [] if compiled is None else [port for port, _ in self._source.ports(compiled)]
        if compiled is not None and ports:
            points = project(last.window, [port.world_pose(compiled.robot)[:3, 3] for port in ports]).tolist()
            gaps = [max(abs(px / across - x), 2 * abs(py / down - y)) for px, py, _ in points]
            nearest = min(range(len(ports)), key=gaps.__getitem__)
            if gaps[nearest] <= _PORT_RADIUS:
                return Selected("port", ports[nearest].end)
        cell = last.items[int(y * down) : int((y + 1) * down), int(x * across) : int((x + 1) * across)]
        visible = cell[cell >= 0]
        if not visible.size:
            return None
        item = last.scene.figure.robot.items[int(visible[0])].name
        return Selected("instance", item.partition("/")[0])


def _strips_of(cells: Cells, width: int) -> list[Strip]:
    return [Strip([Segment(text, cell_style(front, back)) for text, front, back in row], width) for row in runs(cells)]
