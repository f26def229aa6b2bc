"""The Simulate screen: plays events and programs, shows messages and readings, and captures images."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, OptionList

from rck.assembly.cameras import saved_cameras
from rck.assembly.compiler import Compiled, PlacedPort
from rck.editor.capture import Capture, write_picture
from rck.editor.dialogs.basic import ask_line, ask_to_read, ask_to_write
from rck.editor.engines import Engine
from rck.editor.event_lines import event_line, parse_event, usage
from rck.editor.overlay_layers import with_layers
from rck.editor.program_view import ProgramView
from rck.editor.scene_source import SceneBuilder
from rck.editor.screens.editor_screen import AssemblyScreen
from rck.editor.simulation_player import SimulationPlayer
from rck.editor.widgets.clock import Clock
from rck.editor.widgets.event_table import EventTable, MessageLog
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.sensor_readings import SensorReadings
from rck.editor.widgets.server_switch import ServerSwitch
from rck.editor.widgets.view_grid import ViewGrid
from rck.editor.workbench import Topic
from rck.model import RckError, Robot, at_positions
from rck.rendering.scene import Scene
from rck.simulation.state_file import ENDING

_FRAME_INTERVAL = 1 / 30
"""Minimum time between two frames of the view, in seconds."""
_FRAMES_PER_UPDATE = 3
"""Tables, messages and plots are updated once in this many frames."""
PANELS = {"1": "events", "2": "messages", "3": "plots"}
"""Keys of the panels; a small terminal shows one of them at a time."""


class SimulateScreen(AssemblyScreen):
    """The screen that simulates the robot."""

    NAME = "simulate"
    HELP = """
# Simulate

**Space** plays and pauses, **s** makes one step, **0** resets the simulation, **[** and **]** change the speed. You can
move the camera while it runs. **l** loads events, a program or a saved state, **S** saves the events or the program,
**w** the state; **t** adds the poses taught on the Move screen. **i** saves a picture, **g** starts and stops a capture
as GIF, PNG or RIB. **1** events, **2** messages, **3** joints and sensors. **o** starts and stops the control server.
**R** resets an emergency stop.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play / Pause", show=True, id="play"),
        Binding("s", "step", "Step", show=True, id="sim-step"),
        Binding("0", "stop", "Reset", show=True, id="stop"),
        Binding("left_square_bracket", "speed(-1)", "Slower", show=False, id="slower"),
        Binding("right_square_bracket", "speed(1)", "Faster", show=True, id="faster"),
        Binding("l", "load_events", "Load", show=True, id="load-events"),
        Binding("S", "save_events", "Save events", show=False, id="save-events"),
        Binding("w", "save_state", "Save state", show=False, id="save-state"),
        Binding("R", "reinitialise", "Reset emergency stop", show=False, id="reinitialise"),
        Binding("t", "take_taught", "Add taught poses", show=False, id="take-taught"),
        *(Binding(key, f"panel('{name}')", name.capitalize(), show=False) for key, name in PANELS.items()),
        Binding("i", "picture", "Picture", show=False, id="picture"),
        Binding("g", "capture", "Capture", show=False, id="capture"),
        Binding("o", "open", "Server", show=True, id="sim-open"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.player: SimulationPlayer | None = None
        self._robot: Robot | None = None
        self._physics = Engine()
        self._capturing: Capture | None = None
        self._camera = ""
        self._stepping = False

    @property
    def _ready_player(self) -> SimulationPlayer:
        """The player; skip the action if the simulation is not ready."""
        if self.player is None:
            raise SkipAction
        return self.player

    def panels(self) -> ComposeResult:
        """Add the views, and on the right the clock, server switch, events, messages and plots."""
        yield ViewGrid(self.workbench, source=self, id="views")
        with Vertical(id="sim-side", classes="-events"):
            yield Clock(id="clock")
            yield ServerSwitch(id="opening")
            yield EventTable(id="events")
            yield MessageLog(id="messages")
            yield SensorReadings(id="plots")
            yield PluginPanels(self.workbench, self.NAME, id="extras")

    def on_mount(self) -> None:
        """Focus the events."""
        super().on_mount()
        self.query_one(EventTable).focus()

    def urgent_actions(self) -> tuple[str, ...]:
        """Put Play first."""
        return ("play",)

    def scene(self) -> Scene:
        """Return the scene of the simulation, or of the assembly if the simulation is not ready."""
        if self.player is None:
            return SceneBuilder(self.workbench).scene()
        return with_layers(self.player.scene(), self.workbench.layers.values())

    @property
    def robot(self) -> Robot | None:
        """The robot in its simulated pose."""
        if self.player is None:
            return super().robot
        with self.player.lock:
            vector = self.player.trace[-1][1] if self.player.trace else None
        return self.player.robot if vector is None else at_positions(self.player.robot, vector)

    def ports(self, compiled: Compiled) -> list[tuple[PlacedPort, bool]]:
        """Return no ports: nothing is placed on this screen."""
        return []

    def on_screen_resume(self) -> None:
        """Follow changes of the assembly."""
        super().on_screen_resume()
        self._follow_assembly()

    def on_screen_suspend(self) -> None:
        """Pause the simulation and stop the server when another screen is shown; a dialog on top changes nothing."""
        if self in self.app.screen_stack:
            return
        self.query_one(ServerSwitch).close()
        if self.player is not None:
            self.player.pause()

    def follow(self, topic: Topic) -> None:
        """Restart the simulation when the robot has changed; events that are still valid are kept."""
        super().follow(topic)
        if topic in ("assembly", "opened") and self.is_mounted and self.is_current:
            self._follow_assembly()

    def _follow_assembly(self) -> None:
        compiled = self.workbench.built.value
        robot = None if compiled is None else compiled.robot
        physics = self.workbench.engines.physics
        cameras = saved_cameras(self.workbench.assembly)
        if robot is self._robot and physics == self._physics:
            if self.player is not None:
                self.player.simulation.cameras = cameras
            return
        self._robot, self._physics = robot, physics
        events = () if self.player is None else self.player.events
        loaded = () if self.player is None else self.player.loaded
        self.player = None
        if robot is None:
            self.query_one(ServerSwitch).follow(None)
            self._update()
            return
        self.query_one(Clock).update("preparing the simulation ...")
        plugins = self.workbench.session.plugins

        async def prepare() -> None:
            try:
                player = await asyncio.to_thread(SimulationPlayer, robot, plugins, events, loaded, physics, cameras)
            except RckError as error:
                self.workbench.log(str(error), "error")
                self._drop_physics(physics)
                return
            if robot is self._robot:
                self.player = player
                self.query_one(ServerSwitch).follow(player)
                self._update()

        self.run_worker(prepare(), group="prepare", exclusive=True)

    def _drop_physics(self, physics: Engine) -> None:
        """Continue without a physics engine that failed."""
        if physics.name and self.workbench.engines.physics == physics:
            self.workbench.engines = replace(self.workbench.engines, physics=Engine())
            self._follow_assembly()

    def action_play(self) -> None:
        """Play or pause."""
        player = self._ready_player
        if player.playing:
            player.pause()
            self._update()
            return
        if not (player.events or player.script or player.shared):
            self.workbench.log(f"There are no events yet: press a to add one ({usage()}), l to load a file.")
        player.play()
        self._start_stepping()

    def _start_stepping(self) -> None:
        if not self._stepping:
            self._stepping = True
            self.run_worker(self._keep_stepping(), group="run")

    async def _keep_stepping(self) -> None:
        """Advance the simulation in a thread while it plays, and show the result."""
        try:
            for frame in count():
                if self.player is None or not self.player.playing:
                    break
                start = perf_counter()
                try:
                    await asyncio.to_thread(self.player.advance)
                except RckError as error:
                    self._pause_on_error(error)
                    break
                if frame % _FRAMES_PER_UPDATE:
                    self._update_motion()
                else:
                    self._update()
                self._capture_frame()
                await asyncio.sleep(max(0.0, _FRAME_INTERVAL - (perf_counter() - start)))
        finally:
            self._stepping = False
            self._update()

    def _pause_on_error(self, error: RckError) -> None:
        """Pause because the simulation cannot continue, for example after an error in a plugin's sensor."""
        if self.player is not None:
            self.player.pause()
        self.workbench.log(str(error), "error")

    def action_open(self) -> None:
        """Start or stop the control server."""
        self.query_one(ServerSwitch).toggle()

    @on(ServerSwitch.Report)
    def _show_report(self, event: ServerSwitch.Report) -> None:
        self.workbench.log(event.text, "error" if event.refused else "done")

    @on(ServerSwitch.Changed)
    def _follow_clients(self) -> None:
        if self.player is not None and self.player.playing:
            self._start_stepping()
        else:
            self._update()

    def action_step(self) -> None:
        """Make one step, or execute one instruction of a program."""
        player = self._ready_player
        if player.script is not None:
            player.play_line()
            self._start_stepping()
            return
        try:
            player.step()
        except RckError as error:
            self._pause_on_error(error)
        self._update()

    def action_panel(self, name: str) -> None:
        """Show and focus a panel."""
        side = self.query_one("#sim-side")
        for other in PANELS.values():
            side.set_class(other == name, f"-{other}")
        self.query_one(f"#{name}").focus()
        self._update()

    def action_breakpoint(self) -> None:
        """Set or clear a breakpoint before the highlighted instruction."""
        self._edit_program(lambda program, row: program.break_at(row))

    def action_go_to_line(self) -> None:
        """Continue at the highlighted instruction."""
        self._edit_program(lambda program, row: program.go_to(row))

    def _edit_program(self, edit: Callable[[ProgramView, int], None]) -> None:
        if self.player is None or self.player.script is None:
            self.workbench.log("no program is loaded; press l to load one")
            return
        try:
            edit(self.player.script, self.query_one(EventTable).cursor_row)
        except RckError as error:
            self.workbench.log(str(error), "error")
        self._update()

    def action_stop(self) -> None:
        """Reset the simulation to its start."""
        for message in self._ready_player.stop():
            self.workbench.log(message)
        self._update()

    def action_reinitialise(self) -> None:
        """Reset an emergency stop."""
        was_stopped = self._ready_player.reinitialise()
        self.workbench.log("emergency stop reset" if was_stopped else "there is no emergency stop")
        self._update()

    def action_speed(self, steps: int) -> None:
        """Change the real-time factor."""
        self.workbench.log(f"real-time factor {self._ready_player.faster(steps):g}")
        self._update()

    def _update(self) -> None:
        """Update all panels."""
        player = self._update_motion()
        if player is None:
            return
        units = self.workbench.assembly.units
        # Clients of the server may be advancing the simulation.
        with player.lock:
            self.query_one(EventTable).show(player, units)
            self.query_one(MessageLog).show(player)
            self.query_one(SensorReadings).show(player, units)
        self.ask_plugins()

    def _update_motion(self) -> SimulationPlayer | None:
        """Update the clock and the views; return the player if it is ready."""
        player = self.player
        if not self.query(Clock):
            # The editor is quitting while the simulation plays.
            return None
        if player is None:
            if self._robot is None:
                self.query_one(Clock).update("nothing to simulate: the assembly has errors, see F2")
            return None
        if player.simulation.camera != self._camera:
            self._camera = player.simulation.camera
            self._view.show_view(self._camera)
        with player.lock:
            self.query_one(Clock).show(player, None if self._capturing is None else len(self._capturing.frames))
        self.query_one(ViewGrid).redraw()
        return player

    @on(OptionList.OptionSelected, "#messages")
    def _go_to_message(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.player is not None and event.option_index < len(self.player.moments):
            self.player.go_to(self.player.moments[event.option_index])
            self._update()

    @on(DataTable.RowSelected, "#events")
    def _change_row(self, event: DataTable.RowSelected) -> None:
        event.stop()
        if self.player is not None:
            self.action_change_event()

    def action_add_event(self) -> None:
        """Ask for an event, or for an instruction to insert after the highlighted one."""
        if self.player is not None and self.player.script is not None:
            self._ask_instruction("Add an instruction", "", lambda program, row, line: program.insert(row, line))
        else:
            self._ask_event(f"Add an event: {usage()}", "", None)

    def action_change_event(self) -> None:
        """Ask for a replacement of the highlighted event or instruction."""
        player = self._ready_player
        row = self.query_one(EventTable).cursor_row
        if player.script is not None:
            rows = player.script.rows
            text = rows[row].text if row < len(rows) else ""
            self._ask_instruction("Change the instruction", text, lambda program, row, line: program.edit(row, line))
        elif row < len(player.events):
            line = event_line(player.events[row], player.robot, self.workbench.assembly.units)
            self._ask_event("Change the event", line, row)

    def _ask_event(self, question: str, line: str, row: int | None) -> None:
        def use(answer: str) -> None:
            player = self.player
            if not answer or player is None:
                return
            event = parse_event(answer, player.robot, self.workbench.assembly.units)
            if row is None:
                player.add(event)
            else:
                player.replace(row, event)
            change = "added" if row is None else "changed to"
            self.workbench.log(f"{change}: {answer}", "done")
            self._update()

        ask_line(self.app, question, line, use)

    def _ask_instruction(self, question: str, line: str, edit: Callable[[ProgramView, int, str], None]) -> None:
        row = self.query_one(EventTable).cursor_row

        def use(answer: str) -> None:
            if self.player is not None and self.player.script is not None:
                edit(self.player.script, row, answer)
                self._update()

        ask_line(self.app, question, line, use)

    def action_remove_event(self) -> None:
        """Delete the highlighted event or instruction."""
        player, row = self._ready_player, self.query_one(EventTable).cursor_row
        if player.script is not None:
            self._edit_program(lambda program, row: program.edit(row))
        elif row < len(player.events):
            player.remove(row)
            self._update()

    def action_revert_events(self) -> None:
        """Restore the events that were last loaded or saved."""
        self._ready_player.revert()
        self._update()

    def action_load_events(self) -> None:
        """Ask for a file with events, a program or a saved state, and load it."""
        player = self._ready_player

        def load(path: Path) -> None:
            self.workbench.log(f"{path.name}: {player.load(path)}", "done")
            self._update()

        question = "Load events (.events, .yaml), a program (.rckp, .arcs) or a state (.state.json)"
        ask_to_read(self.app, self.workbench, question, f"{self._stem}.events", load)

    def action_save_events(self) -> None:
        """Ask for a file, and save the events or the program."""
        player = self._ready_player

        def save(path: Path) -> None:
            losses = player.save(path)
            self.workbench.log("; ".join([f"saved {path.name}", *losses]), "done")

        if player.script is None:
            self._ask_to_write("Save events as (.events, or .yaml for all kinds)", ".events", save)
        else:
            file = Path(player.script.name)
            ask_to_write(self.app, self.workbench, "Save the program as", file.stem, file.suffix, save)

    def action_save_state(self) -> None:
        """Ask for a file, and save the simulation state."""
        player = self._ready_player

        def save(path: Path) -> None:
            player.save_state(path)
            self.workbench.log(f"saved the state at {player.simulation.time:.2f} s in {path.name}", "done")

        self._ask_to_write("Save the state as", ENDING, save)

    def action_take_taught(self) -> None:
        """Append events that move through the poses taught on the Move screen."""
        poses = self.workbench.taught_poses
        if self.player is None or not poses:
            self.workbench.log("no poses were taught yet: t on the Move screen teaches one")
            return
        try:
            count = self.player.add_taught(poses)
        except RckError as error:
            self.workbench.log(str(error), "error")
            return
        self.workbench.log(f"added {count} motions for {len(poses)} taught poses", "done")
        self.workbench.taught_poses = ()
        self._update()

    def action_picture(self) -> None:
        """Ask for a file, and save the view as PNG, or as RIB for a renderer."""
        player = self._ready_player

        def write(path: Path) -> None:
            plugins = self.workbench.session.plugins
            write_picture(path, self.scene(), self._view.camera, player.simulation.robot, plugins)
            self.workbench.log(f"wrote {path.name}", "done")

        self._ask_to_write("Save picture as (.png or .rib)", ".png", write)

    def action_capture(self) -> None:
        """Start a capture, or stop it and write the frames as GIF, or as numbered PNG or RIB files."""
        player = self._ready_player
        if self._capturing is None:
            self._capturing = Capture()
            self.workbench.log("capturing frames; press g again to save them as .gif, .png or .rib")
            self._update()
            return
        captured, self._capturing = self._capturing, None
        self._update()
        if not captured.frames:
            self.workbench.log("nothing was captured: press space to play")
            return

        def write(path: Path) -> None:
            robot, plugins = player.simulation.robot, self.workbench.session.plugins
            self.workbench.log(captured.write(path, robot, plugins), "done")

        self._ask_to_write("Save frames as (.gif, .png or .rib)", ".gif", write)

    def _capture_frame(self) -> None:
        if self._capturing is not None and self.player is not None:
            self._capturing.add(self.player.clock.wall_time, self.scene(), self._view.camera)

    @property
    def _view(self) -> SceneView:
        return self.query_one("#view", SceneView)

    @property
    def _stem(self) -> str:
        session = self.workbench.session
        return session.path.stem if session.path is not None else session.assembly.name

    def _ask_to_write(self, question: str, ending: str, use: Callable[[Path], None]) -> None:
        ask_to_write(self.app, self.workbench, question, self._stem, ending, use)
