"""The Simulate screen: play, pause, stop; the table of events; what was told; plots; pictures of a run."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, OptionList

from rck.assembly.compile import Compiled, PlacedPort
from rck.editor.asking import ask_line, ask_to_read, ask_to_write
from rck.editor.capturing import Capture, write_picture
from rck.editor.event_lines import USAGE, event_line, parse_event
from rck.editor.screens.workshop import Workshop
from rck.editor.script import Script
from rck.editor.theatre import Theatre
from rck.editor.widgets.clock import Clock
from rck.editor.widgets.event_table import EventTable, Messages
from rck.editor.widgets.opening_switch import OpeningSwitch
from rck.editor.widgets.readings import Readings
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.views import Views
from rck.editor.workbench import Topic
from rck.model import RckError, Robot
from rck.render.camera import Camera
from rck.render.scene import Scene
from rck.simulation.state_file import ENDING

_FRAME = 1 / 30
"""Seconds between two pictures at least."""
_FRAMES = 3
"""In every so many pictures tables, messages and plots follow too: nobody reads faster than that."""
PANELS = {"1": "events", "2": "messages", "3": "plots"}
"""Keys of the panels: where there is little room, one is shown."""


class SimulateScreen(Workshop):
    """Tries out what the robot does."""

    NAME = "simulate"
    HELP = """
# Simulate

**Space** plays and pauses, **s** makes one step, **0** puts everything back to the beginning, **[** and **]** make it
slower and faster. The view can be turned while it runs. **l** loads events, a program or a saved state, **S** saves
events or program, **w** the state; **t** adds what was taught on the Move screen. **i** takes a picture, **g** begins
and ends the capture of a run as GIF, PNG or RIB. **1** events, **2** messages, **3** joints and sensors. **o** opens
the simulation to other programs on this machine, and closes it. **R** ends an emergency stop.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play / Pause", show=True, id="play"),
        Binding("s", "step", "Step", show=True, id="sim-step"),
        Binding("0", "stop", "Stop", show=True, id="stop"),
        Binding("left_square_bracket", "speed(-1)", "Slower", show=False, id="slower"),
        Binding("right_square_bracket", "speed(1)", "Faster", show=True, id="faster"),
        Binding("l", "load_events", "Load", show=True, id="load-events"),
        Binding("S", "save_events", "Save events", show=False, id="save-events"),
        Binding("w", "save_state", "Save state", show=False, id="save-state"),
        Binding("R", "reinitialise", "Reinitialise", show=False, id="reinitialise"),
        Binding("t", "take_taught", "Taught", show=False, id="take-taught"),
        *(Binding(key, f"panel('{name}')", name.capitalize(), show=False) for key, name in PANELS.items()),
        Binding("i", "picture", "Picture", show=False, id="picture"),
        Binding("g", "capture", "Capture", show=False, id="capture"),
        Binding("o", "open", "Serve", show=True, id="sim-open"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.theatre: Theatre | None = None
        self._robot: Robot | None = None
        self._physics = ""
        self._capturing: Capture | None = None
        self._camera = ""
        self._stepping = False

    def panels(self) -> ComposeResult:
        """The view, and beside it the clock, events, messages and plots."""
        yield Views(self.workbench, scenery=self, id="views")
        with Vertical(id="sim-side", classes="-events"):
            yield Clock(id="clock")
            yield OpeningSwitch(id="opening")
            yield EventTable(id="events")
            yield Messages(id="messages")
            yield Readings(id="plots")

    def on_mount(self) -> None:
        """The events have the keys."""
        super().on_mount()
        self.query_one(EventTable).focus()

    def urgent_actions(self) -> tuple[str, ...]:
        """What one comes here for."""
        return ("play",)

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
        physics = self.workbench.engines.physics
        if robot is self._robot and physics == self._physics:
            return
        self._robot, self._physics = robot, physics
        events = () if self.theatre is None else self.theatre.events
        loaded = () if self.theatre is None else self.theatre.loaded
        self.theatre = None
        if robot is None:
            self.query_one(OpeningSwitch).follow(None)
            self._show()
            return
        self.query_one(Clock).update("preparing the simulation ...")
        plugins = self.workbench.session.plugins

        async def prepare() -> None:
            try:
                theatre = await asyncio.to_thread(Theatre, robot, plugins, events, loaded, physics)
            except RckError as error:
                self.workbench.say(str(error), "refused")
                self._give_up(physics)
                return
            if robot is self._robot:
                self.theatre = theatre
                self.query_one(OpeningSwitch).follow(theatre)
                self._show()

        self.run_worker(prepare(), group="theatre", exclusive=True)

    def _give_up(self, physics: str) -> None:
        """Go on without an engine that failed."""
        if physics and self.workbench.engines.physics == physics:
            self.workbench.engines = replace(self.workbench.engines, physics="")
            self._follow()

    def action_play(self) -> None:
        """Play or pause."""
        if self.theatre is None:
            return
        if self.theatre.playing:
            self.theatre.pause()
            self._show()
            return
        if not (self.theatre.events or self.theatre.script or self.theatre.shared):
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
            for frame in count():
                if self.theatre is None or not self.theatre.playing:
                    break
                begin = perf_counter()
                try:
                    await asyncio.to_thread(self.theatre.advance)
                except RckError as error:
                    self._halt(error)
                    break
                if frame % _FRAMES:
                    self._show_motion()
                else:
                    self._show()
                self._capture()
                await asyncio.sleep(max(0.0, _FRAME - (perf_counter() - begin)))
        finally:
            self._stepping = False
            self._show()

    def _halt(self, error: RckError) -> None:
        """Stand still because something, such as the sensor of a plugin, cannot go on."""
        if self.theatre is not None:
            self.theatre.pause()
        self.workbench.say(str(error), "refused")

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
        """One step, or one line of a program."""
        if self.theatre is None:
            return
        if self.theatre.script is None:
            try:
                self.theatre.step()
            except RckError as error:
                self._halt(error)
            self._show()
        else:
            self.theatre.play_line()
            self._run()

    def action_panel(self, name: str) -> None:
        """Show a panel, and give it the keys."""
        side = self.query_one("#sim-side")
        for other in PANELS.values():
            side.set_class(other == name, f"-{other}")
        self.query_one(f"#{name}").focus()
        self._show()

    def action_breakpoint(self) -> None:
        """Halt before the line under the cursor, or no longer."""
        self._at_line(lambda script, place: script.break_at(place))

    def action_go_to_line(self) -> None:
        """Let the line under the cursor come next."""
        self._at_line(lambda script, place: script.go_to(place))

    def _at_line(self, do: Callable[[Script, int], None]) -> None:
        if self.theatre is None or self.theatre.script is None:
            self.workbench.say("no program is loaded: l loads one")
            return
        try:
            do(self.theatre.script, self.query_one(EventTable).cursor_row)
        except RckError as error:
            self.workbench.say(str(error), "refused")
        self._show()

    def action_stop(self) -> None:
        """Back to the beginning."""
        if self.theatre is not None:
            self.theatre.stop()
            self._show()

    def action_reinitialise(self) -> None:
        """End an emergency stop."""
        if self.theatre is not None:
            ended = self.theatre.reinitialise()
            self.workbench.say("the emergency stop is over" if ended else "there is no emergency stop")
            self._show()

    def action_speed(self, steps: int) -> None:
        """Slower or faster."""
        if self.theatre is not None:
            self.workbench.say(f"{self.theatre.faster(steps):g} times real time")
            self._show()

    def _show(self) -> None:
        """Show how things stand."""
        theatre = self._show_motion()
        if theatre is None:
            return
        units = self.workbench.assembly.units
        # Other programs may be letting time pass.
        with theatre.lock:
            self.query_one(EventTable).show(theatre, units)
            self.query_one(Messages).show(theatre)
            self.query_one(Readings).show(theatre, units)

    def _show_motion(self) -> Theatre | None:
        """Show the time and the robot; what is played, if there is anything."""
        theatre = self.theatre
        if not self.query(Clock):
            # The editor is being left while it plays.
            return None
        if theatre is None:
            if self._robot is None:
                self.query_one(Clock).update("nothing to simulate: the assembly has errors, see F2")
            return None
        simulation = theatre.simulation
        if simulation.camera != self._camera:
            self._camera = simulation.camera
            for view in self.query(SceneView).filter("#view"):
                view.show_view(self._camera)
        with theatre.lock:
            self.query_one(Clock).show(theatre, None if self._capturing is None else len(self._capturing.frames))
        self.query_one(Views).look_again()
        return theatre

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
        """Ask for an event and add it; or for a line of the program, to come after that under the cursor."""
        if self.theatre is not None and self.theatre.script is not None:
            self._ask_line("Add a line", "", lambda script, place, line: script.insert(place, line))
        else:
            self._ask_event("Add an event: " + USAGE, "", None)

    def action_change_event(self) -> None:
        """Ask for another event in the place of the one under the cursor."""
        theatre = self.theatre
        number = self.query_one(EventTable).cursor_row
        if theatre is not None and theatre.script is not None:
            rows = theatre.script.rows
            text = rows[number].text if number < len(rows) else ""
            self._ask_line("Change the line", text, lambda script, place, line: script.edit(place, line))
        elif theatre is not None and number < len(theatre.events):
            line = event_line(theatre.events[number], theatre.robot, self.workbench.assembly.units)
            self._ask_event("Change the event", line, number)

    def _ask_event(self, question: str, line: str, number: int | None) -> None:
        def use(answer: str) -> None:
            theatre = self.theatre
            if not answer or theatre is None:
                return
            event = parse_event(answer, theatre.robot, self.workbench.assembly.units)
            if number is None:
                theatre.add(event)
            else:
                theatre.replace(number, event)
            self.workbench.say(f"{'added' if number is None else 'changed to'}: {answer}", "done")
            self._show()

        ask_line(self.app, question, line, use)

    def _ask_line(self, question: str, line: str, use: Callable[[Script, int, str], None]) -> None:
        place = self.query_one(EventTable).cursor_row

        def change(answer: str) -> None:
            if self.theatre is not None and self.theatre.script is not None:
                use(self.theatre.script, place, answer)
                self._show()

        ask_line(self.app, question, line, change)

    def action_remove_event(self) -> None:
        """Take the event, or the line, under the cursor out of the list."""
        number = self.query_one(EventTable).cursor_row
        if self.theatre is not None and self.theatre.script is not None:
            self._at_line(lambda script, place: script.edit(place))
        elif self.theatre is not None and number < len(self.theatre.events):
            self.theatre.remove(number)
            self._show()

    def action_revert_events(self) -> None:
        """The events as they were loaded or saved last."""
        if self.theatre is not None:
            self.theatre.revert()
            self._show()

    def action_load_events(self) -> None:
        """Ask for a file of events, a program or a saved state."""
        question = "Load events (.events, .yaml), a program (.rckp, .arcs) or a state (.state.json)"
        if self.theatre is not None:
            ask_to_read(self.app, self.workbench, question, f"{self._stem}.events", self._load)

    def _load(self, path: Path) -> None:
        assert self.theatre is not None
        self.workbench.say(f"{path.name}: {self.theatre.load(path)}", "done")
        self._show()

    def action_save_events(self) -> None:
        """Ask for a file, and write the events, or the program, to it."""
        script = None if self.theatre is None else self.theatre.script
        if script is None:
            self._ask_to_write("Save events as (.events, or .yaml for all kinds)", ".events", self._save)
        else:
            stem, ending = Path(script.name).stem, Path(script.name).suffix
            ask_to_write(self.app, self.workbench, "Save the program as", stem, ending, self._save)

    def action_save_state(self) -> None:
        """Ask for a file, and write how everything stands now; l goes on from there."""

        def write(path: Path) -> None:
            assert self.theatre is not None
            self.theatre.save_state(path)
            self.workbench.say(f"saved the state at {self.theatre.simulation.time:.2f} s in {path.name}", "done")

        self._ask_to_write("Save the state as", ENDING, write)

    def action_take_taught(self) -> None:
        """Add the poses that were taught on the Move screen as events, after all others."""
        if self.theatre is None or not self.workbench.taught:
            self.workbench.say("nothing was taught yet: t on the Move screen remembers where the joints are")
            return
        try:
            count = self.theatre.add_taught(self.workbench.taught)
        except RckError as error:
            self.workbench.say(str(error), "refused")
            return
        self.workbench.say(f"{count} motions of {len(self.workbench.taught)} taught poses", "done")
        self.workbench.taught = ()
        self._show()

    def _save(self, path: Path) -> None:
        assert self.theatre is not None
        lost = self.theatre.save(path)
        self.workbench.say("; ".join([f"saved {path.name}", *lost]), "done")

    def action_picture(self) -> None:
        """Ask for a file, and draw the view as it is now: PNG, or RIB for a renderer."""
        self._ask_to_write("Picture (.png or .rib)", ".png", self._take_picture)

    def _take_picture(self, path: Path) -> None:
        assert self.theatre is not None
        robot, plugins = self.theatre.simulation.robot, self.workbench.session.plugins
        write_picture(path, self.scene(), self._eye, robot, plugins)
        self.workbench.say(f"wrote {path.name}", "done")

    def action_capture(self) -> None:
        """Begin to keep frames, or write those that were kept: a GIF, or numbered PNG or RIB files."""
        if self._capturing is None:
            self._capturing = Capture()
            self.workbench.say("every frame is kept from now on; g again writes them: .gif, .png or .rib")
            self._show()
            return
        captured, self._capturing = self._capturing, None
        self._show()
        if not captured.frames:
            self.workbench.say("nothing was captured: play first")
            return

        def write(path: Path) -> None:
            assert self.theatre is not None
            robot, plugins = self.theatre.simulation.robot, self.workbench.session.plugins
            self.workbench.say(captured.write(path, robot, plugins), "done")

        self._ask_to_write("Frames (.gif, .png or .rib)", ".gif", write)

    def _capture(self) -> None:
        if self._capturing is not None and self.theatre is not None:
            self._capturing.add(self.theatre.player.wall_time, self.scene(), self._eye)

    @property
    def _eye(self) -> Camera:
        return self.query_one("#view", SceneView).camera

    @property
    def _stem(self) -> str:
        session = self.workbench.session
        return session.path.stem if session.path is not None else session.assembly.name

    def _ask_to_write(self, question: str, ending: str, use: Callable[[Path], None]) -> None:
        if self.theatre is not None:
            ask_to_write(self.app, self.workbench, question, self._stem, ending, use)
