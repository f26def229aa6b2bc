"""The Simulate screen: play, pause, stop; the table of events; what was told; plots; pictures of a run."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, OptionList, Static
from textual.widgets.option_list import Option

from rck.assembly.compile import Compiled, PlacedPort
from rck.editor.dialogs import AskLine
from rck.editor.event_lines import USAGE, amount, described, event_line, parse_event
from rck.editor.screens.workshop import Workshop
from rck.editor.theatre import Theatre
from rck.editor.widgets.opening_switch import OpeningSwitch
from rck.editor.widgets.plots import plot_line
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.views import Views
from rck.editor.workbench import Topic
from rck.model import RckError, Robot
from rck.model.units import from_si
from rck.render.canvas import Bytes
from rck.render.scene import Scene

_FRAME = 1 / 30
"""Seconds between two pictures at least."""
_PICTURE = (960, 720)
_CAPTURED = (480, 360)
_MOST_FRAMES = 600


class EventTable(DataTable[Text]):
    """The events, by start."""

    BORDER_TITLE = "Events"
    HELP = """
# Events

What happens when: **a** adds an event, **Enter** changes the one under the cursor, **delete** takes it out, **u** takes
back all changes since the events were loaded or saved. `elbow/axis 45 0 2` moves a joint by 45° from second 0 to second
2; `close hand 3` closes a gripper, `open hand 5` opens it; `say 1 hello` and `view 2 top` do what they say.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "screen.add_event", "Add", show=True, id="event-add"),
        Binding("enter", "screen.change_event", "Change", show=True),
        Binding("delete,backspace", "screen.remove_event", "Delete", show=True, id="delete"),
        Binding("n", "cursor_down", "Next", show=False),
        Binding("N", "cursor_up", "Prev", show=False),
        Binding("u", "screen.revert_events", "Revert", show=True, id="event-revert"),
    ]


class Messages(OptionList):
    """What the simulation told."""

    BORDER_TITLE = "Messages"
    HELP = """
# Messages

What was blocked, pushed, gripped or refused, and when. **Enter** goes to that moment and stands still; **space** goes
on from there.
"""


class SimulateScreen(Workshop):
    """Tries out what the robot does."""

    NAME = "simulate"
    HELP = """
# Simulate

**Space** plays and pauses, **s** makes one step, **0** puts everything back to the beginning, **[** and **]** make it
slower and faster. The view can be turned while it runs. **l** loads events, **S** saves them; **i** takes a picture,
**g** begins and ends the capture of a GIF. **o** opens the simulation to other programs on this machine, and closes it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play / Pause", show=True, id="play"),
        Binding("s", "step", "Step", show=True, id="sim-step"),
        Binding("0", "stop", "Stop", show=True, id="stop"),
        Binding("left_square_bracket", "speed(-1)", "Slower", show=False, id="slower"),
        Binding("right_square_bracket", "speed(1)", "Faster", show=True, id="faster"),
        Binding("l", "load_events", "Load", show=True, id="load-events"),
        Binding("S", "save_events", "Save events", show=False, id="save-events"),
        Binding("i", "picture", "Picture", show=False, id="picture"),
        Binding("g", "capture", "Capture", show=False, id="capture"),
        Binding("o", "open", "Serve", show=True, id="sim-open"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.theatre: Theatre | None = None
        self._robot: Robot | None = None
        self._listed = 0
        self._frames: list[Bytes] | None = None
        self._camera = ""
        self._stepping = False

    def panels(self) -> ComposeResult:
        """The view, and beside it the clock, events, messages and plots."""
        yield Views(self.workbench, scenery=self, id="views")
        with Vertical(id="sim-side"):
            yield Static(id="clock")
            yield OpeningSwitch(id="opening")
            yield EventTable(id="events", cursor_type="row")
            yield Messages(id="messages")
            yield Static(id="plots")

    def on_mount(self) -> None:
        """The events have the keys."""
        super().on_mount()
        self.query_one(EventTable).add_columns("start", "end", "what", "by", "state")
        self.query_one("#clock").border_title = "Clock"
        self.query_one("#plots").border_title = "Joints and sensors"
        self.query_one(EventTable).focus()

    def scene(self) -> Scene:
        """What the view shows."""
        if self.theatre is not None:
            return self.theatre.scene()
        from rck.editor.scenery import Scenery

        return Scenery(self.workbench).scene()

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """None: nothing is placed here."""
        return []

    def on_screen_resume(self) -> None:
        """Follow what was built meanwhile."""
        super().on_screen_resume()
        self._follow()

    def on_screen_suspend(self) -> None:
        """Nothing runs unseen."""
        self.query_one(OpeningSwitch).close()
        if self.theatre is not None:
            self.theatre.pause()

    def changed(self, topic: Topic) -> None:
        """A robot that has changed begins anew, with the events that it still can do."""
        super().changed(topic)
        if topic in ("assembly", "opened") and self.is_mounted and self.is_current:
            self._follow()

    def _follow(self) -> None:
        compiled = self.workbench.built.value
        robot = None if compiled is None else compiled.robot
        if robot is self._robot:
            return
        self._robot = robot
        events = () if self.theatre is None else self.theatre.events
        loaded = () if self.theatre is None else self.theatre.loaded
        self.theatre = None
        if robot is None:
            self.query_one(OpeningSwitch).follow(None)
            self._show()
            return
        self.query_one("#clock", Static).update("preparing the simulation ...")
        plugins = self.workbench.session.plugins

        async def prepare() -> None:
            try:
                theatre = await asyncio.to_thread(Theatre, robot, plugins, events, loaded)
            except RckError as error:
                self.workbench.say(str(error), "refused")
                return
            if robot is self._robot:
                self.theatre = theatre
                self.query_one(OpeningSwitch).follow(theatre)
                self._show()

        self.run_worker(prepare(), group="theatre", exclusive=True)

    def action_play(self) -> None:
        """Play or pause."""
        if self.theatre is None:
            return
        if self.theatre.playing:
            self.theatre.pause()
            self._show()
            return
        if not self.theatre.events and not self.theatre.shared:
            self.workbench.say(f"There are no events yet: a adds one ({USAGE}), l loads a file.")
        self.theatre.play()
        self._run()

    def _run(self) -> None:
        """Show what goes on while it plays."""
        if not self._stepping:
            self._stepping = True
            self.run_worker(self._keep_stepping(), group="run")

    async def _keep_stepping(self) -> None:
        """Step beside the interface and show each step, as often as there is time."""
        try:
            while self.theatre is not None and self.theatre.playing:
                begin = perf_counter()
                await asyncio.to_thread(self.theatre.advance)
                self._show()
                self._capture()
                await asyncio.sleep(max(0.0, _FRAME - (perf_counter() - begin)))
        finally:
            self._stepping = False
            self._show()

    def action_open(self) -> None:
        """Open what is simulated to other programs, or close it to them."""
        self.query_one(OpeningSwitch).turn()

    @on(OpeningSwitch.Said)
    def _opening_said(self, event: OpeningSwitch.Said) -> None:
        self.workbench.say(event.text, "refused" if event.refused else "done")

    @on(OpeningSwitch.Changed)
    def _others_changed_it(self) -> None:
        if self.theatre is not None and self.theatre.playing:
            self._run()
        else:
            self._show()

    def action_step(self) -> None:
        """One step."""
        if self.theatre is not None:
            self.theatre.step()
            self._show()

    def action_stop(self) -> None:
        """Back to the beginning."""
        if self.theatre is not None:
            self.theatre.stop()
            self._show()

    def action_speed(self, steps: int) -> None:
        """Slower or faster."""
        if self.theatre is not None:
            self.workbench.say(f"{self.theatre.faster(steps):g} times real time")
            self._show()

    def _show(self) -> None:
        """Show how things stand."""
        theatre = self.theatre
        if theatre is None:
            if self._robot is None:
                self.query_one("#clock", Static).update("nothing to simulate: the assembly has errors, see F2")
            return
        simulation = theatre.simulation
        if simulation.camera != self._camera:
            self._camera = simulation.camera
            for view in self.query(SceneView).filter("#view"):
                view.show_view(self._camera)
        self._show_clock(theatre)
        self._show_events(theatre)
        self._show_messages(theatre)
        self._show_plots(theatre)
        self.query_one(Views).look_again()

    def _show_clock(self, theatre: Theatre) -> None:
        simulation = theatre.simulation
        state = "playing" if theatre.playing else "at the beginning" if simulation.time == 0 else "standing still"
        if simulation.time > 0 and simulation.finished and not (theatre.playing and theatre.shared):
            state = "done"
        if simulation.emergency:
            state = "EMERGENCY STOP"
        elif simulation.stuck:
            state = "stuck"
        clock = Text(f"{simulation.time:9.2f} s", "bold", no_wrap=True).append(f"   {state}   ", "dim")
        clock.append(f"{theatre.player.speed:g}x").append(f"   wall {theatre.player.wall_time:.1f} s", "dim")
        if self._frames is not None:
            clock.append(f"   ● {len(self._frames)}", "red")
        self.query_one("#clock", Static).update(clock)

    def _show_events(self, theatre: Theatre) -> None:
        table = self.query_one(EventTable)
        units = self.workbench.assembly.units
        rows = [
            (
                f"{event.start:.4g}",
                f"{event.finish:.4g}" if hasattr(event, "finish") else "",
                described(event),
                amount(event, theatre.robot, units),
                theatre.state_of(event),
            )
            for event in theatre.events
        ]
        if len(rows) != table.row_count:
            here = table.cursor_row
            table.clear()
            for row in rows:
                table.add_row(*map(Text, row))
            table.move_cursor(row=min(here, max(0, len(rows) - 1)))
            return
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                cell = Text(text, "green" if text == "done" else "red" if text in ("blocked", "not done") else "")
                if table.get_cell_at((number, column)) != cell:  # type: ignore[arg-type]
                    table.update_cell_at((number, column), cell, update_width=True)  # type: ignore[arg-type]

    def _show_messages(self, theatre: Theatre) -> None:
        messages = self.query_one(Messages)
        if len(theatre.moments) < self._listed:
            messages.clear_options()
            self._listed = 0
        for moment in theatre.moments[self._listed :]:
            notice = moment.notice
            style = "red" if notice.kind in ("blocked", "refused", "safety", "stuck") else ""
            messages.add_option(Option(Text(f"{notice.time:7.2f}  {notice.text}", style)))
        if len(theatre.moments) > self._listed and theatre.playing:
            messages.scroll_end(animate=False)
        self._listed = len(theatre.moments)

    def _show_plots(self, theatre: Theatre) -> None:
        plots = self.query_one("#plots", Static)
        width = plots.content_region.width
        if width < 20:
            return
        units = self.workbench.assembly.units
        lines = []
        for column, joint in enumerate(theatre.simulation.robot.free_joints):
            values = [float(vector[column]) for _, vector in theatre.trace]
            dimension, unit = ("angle", units.angle) if joint.kind.turns else ("length", units.length)
            mark = "°" if unit == "deg" else f" {unit}"
            lines.append(plot_line(joint.name, values, f"{from_si(values[-1], dimension, unit):8.1f}{mark}", width))
        for sensor in theatre.simulation.sensors.values():
            for channel, reading in sensor.reading.items():
                if reading.size == 1:
                    value = float(reading.reshape(-1)[0])
                    lines.append(plot_line(f"{sensor.name} {channel}", [value], f"{value:8.4g}", width))
        plots.update(Text("\n").join(lines[: max(1, plots.content_region.height)]))

    @on(OptionList.OptionSelected, "#messages")
    def _go_to(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.theatre is not None and event.option_index < len(self.theatre.moments):
            self.theatre.go_to(self.theatre.moments[event.option_index])
            self._show()

    @on(DataTable.RowSelected, "#events")
    def _row(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_change_event()

    def action_add_event(self) -> None:
        """Ask for an event and add it."""
        self._ask_event("Add an event: " + USAGE, "", None)

    def action_change_event(self) -> None:
        """Ask for another event in the place of the one under the cursor."""
        theatre = self.theatre
        number = self.query_one(EventTable).cursor_row
        if theatre is not None and number < len(theatre.events):
            line = event_line(theatre.events[number], theatre.robot, self.workbench.assembly.units)
            self._ask_event("Change the event", line, number)

    def _ask_event(self, question: str, line: str, number: int | None) -> None:
        def decided(answer: str | None) -> None:
            theatre = self.theatre
            if not answer or theatre is None:
                return
            try:
                event = parse_event(answer, theatre.robot, self.workbench.assembly.units)
                if number is None:
                    theatre.add(event)
                else:
                    theatre.replace(number, event)
            except RckError as error:
                # What was typed can be corrected.
                self._ask_event(str(error), answer, number)
                return
            self._show()

        self.app.push_screen(AskLine(question, line), decided)

    def action_remove_event(self) -> None:
        """Take the event under the cursor out of the list."""
        number = self.query_one(EventTable).cursor_row
        if self.theatre is not None and number < len(self.theatre.events):
            self.theatre.remove(number)
            self._show()

    def action_revert_events(self) -> None:
        """The events as they were loaded or saved last."""
        if self.theatre is not None:
            self.theatre.revert()
            self._show()

    def action_load_events(self) -> None:
        """Ask for a file of events."""
        self._ask_path("Load events from", self._named(".events"), self._load)

    def _load(self, path: Path) -> None:
        assert self.theatre is not None
        self.theatre.load(path)
        self.workbench.say(f"{len(self.theatre.events)} events of {path.name}", "done")
        self._show()

    def action_save_events(self) -> None:
        """Ask for a file, and write the events to it."""
        self._ask_path("Save events as", self._named(".events"), self._save)

    def _save(self, path: Path) -> None:
        assert self.theatre is not None
        lost = self.theatre.save(path)
        self.workbench.say("; ".join([f"saved {path.name}", *lost]), "done")

    def action_picture(self) -> None:
        """Ask for a file, and draw the view as it is now: PNG, or RIB for a renderer."""
        self._ask_path("Picture (.png or .rib)", self._named(".png"), self._take_picture)

    def _take_picture(self, path: Path) -> None:
        assert self.theatre is not None
        if path.suffix.lower() == ".png":
            from rck.model.files import write_atomically
            from rck.render.image_file import png_bytes

            write_atomically(path, png_bytes(self._drawn(_PICTURE)))
        else:
            from rck.hooks.exchange import export

            export(self.theatre.simulation.stage.robot_now(), path, self.workbench.session.plugins)
        self.workbench.say(f"wrote {path.name}", "done")

    def action_capture(self) -> None:
        """Begin to capture frames, or write those that were captured as a GIF."""
        if self._frames is None:
            self._frames = []
            self.workbench.say("every frame is kept from now on; g again writes them as a GIF")
            self._show()
            return
        frames, self._frames = self._frames, None
        if not frames:
            self.workbench.say("nothing was captured: play first")
            return

        def write(path: Path) -> None:
            from rck.model.files import write_atomically
            from rck.render.image_file import gif_bytes

            write_atomically(path, gif_bytes(frames, _FRAME * 2))
            self.workbench.say(f"wrote {len(frames)} frames to {path.name}", "done")

        self._ask_path("GIF", self._named(".gif"), write)

    def _capture(self) -> None:
        if self._frames is not None and len(self._frames) < _MOST_FRAMES:
            self._frames.append(self._drawn(_CAPTURED))

    def _drawn(self, size: tuple[int, int]) -> Bytes:
        from rck.render.picture import draw

        camera = self.query_one("#view", SceneView).camera
        return draw(self.scene(), camera, *size).rgb

    def _named(self, ending: str) -> str:
        session = self.workbench.session
        return f"{session.path.stem if session.path is not None else session.assembly.name}{ending}"

    def _ask_path(self, question: str, name: str, use: Callable[[Path], None]) -> None:
        if self.theatre is None:
            return

        def decided(answer: str | None) -> None:
            if not answer or self.theatre is None:
                return
            try:
                use(self.workbench.session.folder / answer)
            except RckError as error:
                self.workbench.say(str(error), "refused")
            except OSError as error:
                self.workbench.say(f"{error.filename}: {error.strerror}", "refused")

        self.app.push_screen(AskLine(question, name), decided)
