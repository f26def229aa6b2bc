"""The player of the Simulate screen: a simulation with its events, its notices, and a timeline to go back to.

It does not depend on the screen. The simulation runs in a separate thread; changes wait for the step in progress.
"""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from rck.editor.engines import Engine
from rck.editor.program_view import ProgramView
from rck.exporting.export import export
from rck.geometry.arrays import Floats
from rck.hooks import Plugins
from rck.model import RckError, Robot
from rck.rendering.camera import Camera
from rck.rendering.posed_robot import PosedRobot
from rck.rendering.scene import Floor, Scene, floor_for
from rck.simulation import state_file
from rck.simulation.clock import RealTimeClock
from rck.simulation.event_table import ENDINGS, read_events, save_table
from rck.simulation.events import Event, in_order, motions_between, to_event_list
from rck.simulation.motor_loads import physics_maker
from rck.simulation.notices import Notice
from rck.simulation.program_runner import ProgramMemory, language_of
from rck.simulation.simulation import STEP, Simulation
from rck.simulation.state import SimulationState

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
REMEMBERED = 200
"""Number of points in the timeline."""
TRACED = 600
"""Number of points in the plots."""


@dataclass(frozen=True, eq=False, slots=True)
class TimelinePoint:
    """A notice, and the state at that time."""

    notice: Notice
    state: SimulationState
    program: ProgramMemory | None = None
    """Progress of the program; None without one."""


@dataclass(frozen=True, eq=False)
class ShownState:
    """The state to draw: a snapshot after a step."""

    figure: PosedRobot
    floor: Floor
    blocked: frozenset[str] = frozenset()


@dataclass(eq=False)
class SimulationPlayer:
    """A simulation of a robot that is played in real time."""

    robot: Robot
    plugins: Plugins
    events: tuple[Event, ...] = ()
    """The event list of the user, by start."""
    loaded: tuple[Event, ...] = ()
    """The events as they were last loaded or saved."""
    physics: Engine = field(default_factory=Engine)
    """The physics engine; without a name, none."""
    cameras: Mapping[str, Camera] = field(default_factory=dict)
    """The saved views of the assembly."""
    clock: RealTimeClock = field(init=False)
    shown: ShownState = field(init=False)
    moments: list[TimelinePoint] = field(default_factory=list)
    trace: deque[tuple[float, Floats]] = field(default_factory=lambda: deque(maxlen=TRACED))
    """Times and joint vectors of the last steps, for plots."""
    script: ProgramView | None = None
    """The program that is played instead of events."""
    spoken: deque[Mapping[str, float]] = field(default_factory=lambda: deque(maxlen=TRACED))
    """Scalar sensor readings of the last steps, for plots."""
    shared: bool = False
    """True if the control server is on: its clock steps the simulation until it is paused."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held during every change."""

    def __post_init__(self) -> None:
        engine = self.physics
        physics = physics_maker(self.plugins, engine.name, engine.given) if engine.name else None
        simulation = Simulation(self.robot, plugins=self.plugins, physics=physics, cameras=self.cameras)
        self.clock = RealTimeClock(simulation)
        self._first = simulation
        self._floor = floor_for(simulation.view.figure) if self.robot.items else Floor()
        kept, self.events = self.events, ()
        for event in kept:
            try:
                self.events += (simulation.add(event),)
            except RckError:
                # The robot has changed and no longer has what this event moves.
                continue
        self._note()

    @property
    def simulation(self) -> Simulation:
        """The simulation that is played."""
        return self.clock.simulation

    @property
    def playing(self) -> bool:
        """True if the clock runs."""
        return self.clock.playing

    def scene(self) -> Scene:
        """Return what to draw."""
        shown = self.shown
        return Scene(
            shown.figure, floor=shown.floor, axes=True, colliding=frozenset[str | tuple[str, int]](shown.blocked)
        )

    def play(self) -> None:
        """Play; if everything is over, start again."""
        with self.lock:
            ended = self.simulation.finished if self.script is None else self.script.finished
            if ended and self.simulation.time > 0 and not self.shared:
                self.stop()
            self.clock.play()
            told = len(self.simulation.notices)
            self._carry_on(begins=True)
            if len(self.simulation.notices) > told:
                self._remember(told)

    def play_line(self) -> None:
        """Play one line of the program."""
        assert self.script is not None
        self.script.one_line = True
        self.play()

    def pause(self) -> None:
        """Pause."""
        self.clock.pause()

    def stop(self) -> tuple[str, ...]:
        """Return to the start, with the present event list; return what plugins report about the run that ends."""
        with self.lock:
            reported = self.simulation.report_end()
            self.clock.simulation = self._first
            self.clock.stop()
            self.moments.clear()
            self.trace.clear()
            self.spoken.clear()
            if self.script is not None:
                self.script.restart(self.simulation)
            self._schedule()
            self._note()
        return reported

    def reinitialise(self) -> bool:
        """End an emergency stop and cancel the motions in progress; return True if there was one."""
        with self.lock:
            stopped = self.simulation.emergency
            told = len(self.simulation.notices)
            self.simulation.reinitialise()
            self._remember(told)
            return stopped

    def step(self, seconds: float = STEP) -> None:
        """Make one step while paused."""
        with self.lock:
            told = len(self.simulation.notices)
            self.clock.step(seconds)
            self._report_end()
            self._remember(told)

    def advance(self) -> None:
        """Catch up with real time. Called by the thread."""
        with self.lock:
            told = len(self.simulation.notices)
            if not self.shared and self.clock.advance():
                self._carry_on()
                self._report_end()
                self._remember(told)

    def _report_end(self) -> None:
        """Tell plugins that the run is over, if it is."""
        simulation, script = self.simulation, self.script
        finished = simulation.finished or simulation.stuck if script is None else script.finished
        if not self.shared and not self.playing and (finished or simulation.emergency):
            simulation.report_end()

    def go_on(self, seconds: float) -> None:
        """Simulate for a time, for the control server."""
        with self.lock:
            told = len(self.simulation.notices)
            self.simulation.step(seconds)
            self.clock.wall_time += seconds / self.clock.speed
            if self.simulation.emergency:
                self.clock.pause()
            self._remember(told)

    def take(self, simulation: Simulation) -> None:
        """Play another simulation, with other objects; the timeline starts again."""
        with self.lock:
            self.clock.simulation = simulation
            self.moments.clear()
            self._note()

    def faster(self, steps: int) -> float:
        """Change the real-time factor by a number of steps; return the new one."""
        nearest = min(range(len(SPEEDS)), key=lambda place: abs(SPEEDS[place] - self.clock.speed))
        self.clock.speed = SPEEDS[min(max(nearest + steps, 0), len(SPEEDS) - 1)]
        return self.clock.speed

    def go_to(self, moment: TimelinePoint) -> None:
        """Go to a point of the timeline, and pause."""
        with self.lock:
            self.clock.pause()
            self.simulation.restore(moment.state)
            if self.script is not None and moment.program is not None:
                self.script.go_back(moment.program)
            self._note()

    def add(self, event: Event) -> None:
        """Add an event. An impossible one is refused; one that exceeds a velocity limit finishes later."""
        with self.lock:
            self.events = in_order((*self.events, self.simulation.add(event)))
            self._schedule()

    def add_taught(self, vectors: Sequence[Floats]) -> int:
        """Add motions of all free joints from pose to pose, after all other events; return their number."""
        built = motions_between(self.robot, self._first.robot.positions, vectors, after=self.events)
        for event in built.unwrap():
            self.add(event)
        return len(built.unwrap())

    def remove(self, number: int) -> None:
        """Remove an event."""
        with self.lock:
            self.events = (*self.events[:number], *self.events[number + 1 :])
            self._schedule()

    def replace(self, number: int, event: Event) -> None:
        """Replace an event; if the new one is refused, the old one stays."""
        with self.lock:
            before = self.events
            self.remove(number)
            try:
                self.add(event)
            except RckError:
                self.events = before
                self._schedule()
                raise

    def revert(self) -> None:
        """Return to the events as they were last loaded or saved."""
        with self.lock:
            self.events = self.loaded
            self._schedule()

    def load(self, path: Path) -> str:
        """Load the events, the program or the state of a file, and restart; return a description."""
        if path.name.endswith(state_file.ENDING):
            return self._load_state(path)
        script = ProgramView(path, self.simulation, self.plugins) if language_of(path, self.plugins) else None
        events = () if script is not None else read_events(path, self.robot, self.plugins)
        with self.lock:
            before = self.events, self.script
            try:
                self.events, self.script = events, script
                self.stop()
            except RckError:
                self.events, self.script = before
                self._schedule()
                raise
            self.loaded = self.events
        return f"{len(self.events)} events" if script is None else f"a program of {len(script.rows)} lines"

    def _load_state(self, path: Path) -> str:
        state = state_file.read_state(path)
        if state.program is not None and self.script is None:
            raise RckError(f"{path.name} was saved while a program was running: load that program first")
        with self.lock:
            self.clock.pause()
            state_file.restore_state(self.simulation, state, path.name)
            self.events = self.simulation.events
            self.moments.clear()
            self.trace.clear()
            if self.script is not None and state.program is not None:
                self.script.restart(self.simulation)
                self.script.recall(msgspec.convert(state.program, ProgramMemory))
            self._note()
        return f"the state at {self.simulation.time:.2f} s"

    def save_state(self, path: Path) -> None:
        """Write a state file."""
        with self.lock:
            self.simulation.list_events(self.events)
            state, _ = state_file.encode_state(self.simulation)
            program = None if self.script is None else self.script.encode_memory()
            state_file.save_state(msgspec.structs.replace(state, program=program), path)

    def save(self, path: Path) -> tuple[str, ...]:
        """Write the events or the program to a file; return warnings about what the format cannot store."""
        if self.script is not None:
            self.script.save(path)
            return ()
        if path.suffix.lower() in ENDINGS:
            save_table(self.events, self.robot, path)
            self.loaded = self.events
            return ()
        built = to_event_list(self.events, self.robot)
        export(built.unwrap(), path, self.plugins)
        self.loaded = self.events
        return tuple(finding.message for finding in built.findings)

    def state_of(self, event: Event) -> str:
        """Return the state of an event: moving, blocked, done, not done, or empty while it is pending."""
        for running in self.simulation.running:
            if running.event is event:
                return "blocked" if running.blocked else "moving"
        for outcome in self.simulation.outcomes:
            if outcome.event is event:
                return "done" if outcome.done else "not done"
        return ""

    def _schedule(self) -> None:
        """Pass the events of the list that have not begun to the simulation."""
        simulation = self.simulation
        for event in simulation.pending:
            simulation.remove(event)
        # The simulation may change an event, for example to keep a velocity limit.
        self.events = tuple(
            simulation.add(event) if event.start > simulation.time or simulation.time == 0.0 else event
            for event in self.events
        )

    def _remember(self, told: int) -> None:
        """Add the notices after the first `told` to the timeline, and update what is drawn."""
        program = None if self.script is None else self.script.memory()
        for notice in self.simulation.notices[told:]:
            self.moments.append(TimelinePoint(notice, self.simulation.save(), program))
        del self.moments[:-REMEMBERED]
        self._note()

    def _note(self) -> None:
        """Update what is drawn, and add a point to the plots."""
        simulation = self.simulation
        blocked = {name for running in simulation.running for name in running.blocked or ()}
        self.shown = ShownState(simulation.view.figure, self._floor, frozenset(blocked))
        if not self.trace or self.trace[-1][0] != simulation.time:
            self.trace.append((simulation.time, np.array(simulation.view.vector)))
            self.spoken.append(
                {
                    f"{sensor.name} {channel}": float(values.reshape(-1)[0])
                    for sensor in simulation.sensors.values()
                    for channel, values in sensor.reading.items()
                    if values.size == 1
                }
            )

    def _carry_on(self, begins: bool = False) -> None:
        """Continue the program; it halts at its end, at an error and at breakpoints."""
        script = self.script
        if script is None:
            return
        if not begins and script.halts:
            self.clock.pause()
            return
        for done in script.carry_on():
            text = f"line {done.line.number}: {done.reply.text}"
            self.simulation.tell("message" if done.reply else "refused", text)
        if script.halts:
            self.clock.pause()
            script.one_line = False
        else:
            # Between two lines there is no motion, which would stop the clock.
            self.clock.play()
