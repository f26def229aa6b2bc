"""What the Simulate screen plays: a simulation with its events, what it told, and moments to go back to.

It knows nothing of the screen. The simulation runs in a thread beside the interface; whoever changes something waits
for the step that is being done.
"""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from rck.editor.script import Script
from rck.geometry.arrays import Floats
from rck.hooks import Plugins
from rck.hooks.exchange import export
from rck.model import RckError, Robot
from rck.render.figure import Figure
from rck.render.scene import Floor, Scene, floor_for
from rck.simulation import state_file
from rck.simulation.event_files import read_events
from rck.simulation.event_table import ENDINGS, save_table
from rck.simulation.events import Event, in_order, to_event_list
from rck.simulation.notices import Notice
from rck.simulation.player import Player
from rck.simulation.programs import Memory, language_of
from rck.simulation.saved import SavedState
from rck.simulation.simulation import STEP, Simulation
from rck.simulation.strength import physics_maker
from rck.simulation.teaching import motions_between

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
REMEMBERED = 200
"""Moments that can be gone back to."""
TRACED = 600
"""Points of the plots."""


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """Something that was told, and how everything stood then."""

    notice: Notice
    state: SavedState
    program: Memory | None = None
    """How far the program had come; None without one."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What is to be seen, taken after a step; drawing looks at nothing else."""

    figure: Figure
    floor: Floor
    blocked: frozenset[str] = frozenset()


@dataclass(eq=False)
class Theatre:
    """A robot, its events, and the run."""

    robot: Robot
    plugins: Plugins
    events: tuple[Event, ...] = ()
    """Those of the user, by start; they stay when the run is over."""
    loaded: tuple[Event, ...] = ()
    """As they were loaded or saved last."""
    physics: str = ""
    """The engine under whose forces it is played; empty for none."""
    player: Player = field(init=False)
    shown: Shown = field(init=False)
    moments: list[Moment] = field(default_factory=list)
    trace: deque[tuple[float, Floats]] = field(default_factory=lambda: deque(maxlen=TRACED))
    """Times and joint vectors of the last steps."""
    script: Script | None = None
    """The program that is played instead of events."""
    spoken: deque[Mapping[str, float]] = field(default_factory=lambda: deque(maxlen=TRACED))
    """What sensors said in the last steps, as far as it was a number."""
    shared: bool = False
    """Whether other programs take part: they let time pass, and it goes on until somebody pauses it."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held while anything changes."""

    def __post_init__(self) -> None:
        physics = physics_maker(self.plugins, self.physics) if self.physics else None
        simulation = Simulation(self.robot, plugins=self.plugins, physics=physics)
        self.player = Player(simulation)
        self._first = simulation
        self._floor = floor_for(simulation.view.figure) if self.robot.items else Floor()
        kept, self.events = self.events, ()
        for event in kept:
            try:
                self.events += (simulation.add(event),)
            except RckError:
                # The robot has changed, and what this event moved is gone.
                continue
        self._note()

    @property
    def simulation(self) -> Simulation:
        """What is played."""
        return self.player.simulation

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        return self.player.playing

    def scene(self) -> Scene:
        """What is to be seen now."""
        shown = self.shown
        return Scene(
            shown.figure, floor=shown.floor, axes=True, colliding=frozenset[str | tuple[str, int]](shown.blocked)
        )

    def play(self) -> None:
        """Go on; from the beginning where all is done."""
        with self.lock:
            ended = self.simulation.finished if self.script is None else self.script.run.finished
            if ended and self.simulation.time > 0 and not self.shared:
                self.stop()
            self.player.play()
            told = len(self.simulation.notices)
            self._carry_on(begins=True)
            if len(self.simulation.notices) > told:
                self._remember(told)

    def play_line(self) -> None:
        """Carry out one line of the program."""
        assert self.script is not None
        self.script.one_line = True
        self.play()

    def pause(self) -> None:
        """Stand still."""
        self.player.pause()

    def stop(self) -> None:
        """Put everything back to the beginning, with the events as they are now."""
        with self.lock:
            self.player.simulation = self._first
            self.player.stop()
            self.moments.clear()
            self.trace.clear()
            self.spoken.clear()
            if self.script is not None:
                self.script.begin(self.simulation)
            self._schedule()
            self._note()

    def reinitialise(self) -> bool:
        """End an emergency stop, which gives up what is under way; whether there was one."""
        with self.lock:
            stopped = self.simulation.emergency
            told = len(self.simulation.notices)
            self.simulation.reinitialise()
            self._remember(told)
            return stopped

    def step(self, seconds: float = STEP) -> None:
        """One step, while standing still."""
        with self.lock:
            told = len(self.simulation.notices)
            self.player.step(seconds)
            self._remember(told)

    def advance(self) -> None:
        """Catch up with the clock; for a thread."""
        with self.lock:
            told = len(self.simulation.notices)
            if not self.shared and self.player.advance():
                self._carry_on()
                self._remember(told)

    def go_on(self, seconds: float) -> None:
        """Let simulated time pass, for those who take part."""
        with self.lock:
            told = len(self.simulation.notices)
            self.simulation.step(seconds)
            self.player.wall_time += seconds / self.player.speed
            if self.simulation.emergency:
                self.player.pause()
            self._remember(told)

    def take(self, simulation: Simulation) -> None:
        """Play another simulation from here on, one with other objects; the moments before it are gone."""
        with self.lock:
            self.player.simulation = simulation
            self.moments.clear()
            self._note()

    def faster(self, steps: int) -> float:
        """Another speed, so many steps further; the speed."""
        nearest = min(range(len(SPEEDS)), key=lambda place: abs(SPEEDS[place] - self.player.speed))
        self.player.speed = SPEEDS[min(max(nearest + steps, 0), len(SPEEDS) - 1)]
        return self.player.speed

    def go_to(self, moment: Moment) -> None:
        """Go back to, or on from, a moment that was noted, and stand still."""
        with self.lock:
            self.player.pause()
            self.simulation.restore(moment.state)
            if self.script is not None and moment.program is not None:
                self.script.go_back(moment.program)
            self._note()

    def add(self, event: Event) -> None:
        """Put an event into the list; one that cannot be done is refused, one that is too quick finishes later."""
        with self.lock:
            self.events = in_order((*self.events, self.simulation.add(event)))
            self._schedule()

    def add_taught(self, vectors: Sequence[Floats]) -> int:
        """Add motions from pose to pose, each of all free joints, after all other events; how many there are."""
        built = motions_between(self.robot, self._first.robot.positions, vectors, after=self.events)
        for event in built.unwrap():
            self.add(event)
        return len(built.unwrap())

    def remove(self, number: int) -> None:
        """Take an event out of the list."""
        with self.lock:
            self.events = (*self.events[:number], *self.events[number + 1 :])
            self._schedule()

    def replace(self, number: int, event: Event) -> None:
        """Put another event in the place of one; if it is refused, the old one stays."""
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
        """The events as they were loaded or saved last."""
        with self.lock:
            self.events = self.loaded
            self._schedule()

    def load(self, path: Path) -> str:
        """Take the events, the program or the saved state of a file, and begin with it: what it is."""
        if path.name.endswith(state_file.ENDING):
            return self._load_state(path)
        script = Script(path, self.robot, self.plugins) if language_of(path, self.plugins) else None
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
            raise RckError(f"{path.name} was saved in a program: load that first")
        with self.lock:
            self.player.pause()
            state_file.restore(self.simulation, state, path.name)
            self.events = self.simulation.events
            self.moments.clear()
            self.trace.clear()
            if self.script is not None and state.program is not None:
                self.script.begin(self.simulation)
                self.script.recall(state.program)
            self._note()
        return f"the state at {state.time:.2f} s"

    def save_state(self, path: Path) -> None:
        """Write how everything stands now."""
        with self.lock:
            self.simulation.list_events(self.events)
            state, _ = state_file.state_of(self.simulation)
            program = None if self.script is None else self.script.memory()
            state_file.save_state(msgspec.structs.replace(state, program=program), path)

    def save(self, path: Path) -> tuple[str, ...]:
        """Write the events, or the program, to a file; what it could not hold."""
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
        """Whether an event is to come, moving, blocked, done, or could not be done."""
        for running in self.simulation.running:
            if running.event is event:
                return "blocked" if running.blocked else "moving"
        for outcome in self.simulation.outcomes:
            if outcome.event is event:
                return "done" if outcome.done else "not done"
        return ""

    def _schedule(self) -> None:
        """Let the simulation have those events of the list that have not begun."""
        simulation = self.simulation
        for event in simulation.pending:
            simulation.remove(event)
        # What the simulation will do counts: it lets an event finish later that is too quick for its joint.
        self.events = tuple(
            simulation.add(event) if event.start > simulation.time or simulation.time == 0.0 else event
            for event in self.events
        )

    def _remember(self, told: int) -> None:
        """Keep how things stand, also as the moment of all that was told beyond the first so many notices."""
        program = None if self.script is None else self.script.run.memory()
        for notice in self.simulation.notices[told:]:
            self.moments.append(Moment(notice, self.simulation.save(), program))
        del self.moments[:-REMEMBERED]
        self._note()

    def _note(self) -> None:
        """Keep what is to be seen, and a point of the plots."""
        simulation = self.simulation
        blocked = {name for running in simulation.running for name in running.blocked or ()}
        self.shown = Shown(simulation.view.figure, self._floor, frozenset(blocked))
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
        """Let the program do what it can now; it halts at its end, at an error, and where it was told to."""
        script = self.script
        if script is None:
            return
        if not begins and script.halts:
            self.player.pause()
            return
        for done in script.carry_on():
            text = f"line {done.line.number}: {done.reply.text}"
            self.simulation.tell("message" if done.reply else "refused", text)
        if script.halts:
            self.player.pause()
            script.one_line = False
        else:
            # Between two lines nothing is under way, which is not the end.
            self.player.play()
