"""Playing a simulation by the clock on the wall: play, pause, step, stop, slower and faster."""

from collections.abc import Callable
from time import perf_counter

from rck.model.finding import RckError
from rck.simulation.simulation import STEP, Simulation

SLOWEST, FASTEST = 0.1, 100.0
"""How much faster than the wall clock a simulation may be told to run."""
LONGEST_LAG = 0.25
"""What a slow machine or a sleeping one misses beyond this, in seconds on the wall, is not made up for."""


class Player:
    """Call :meth:`advance` as often as there is time for it: each call does what the clock asks for.

    On a slow machine calls are rarer and steps longer, so that a second stays a second.
    """

    def __init__(self, simulation: Simulation, speed: float = 1.0, clock: Callable[[], float] = perf_counter) -> None:
        self.simulation = simulation
        self.playing = False
        self.wall_time = 0.0
        """For how long it has been playing, in seconds on the wall."""
        self._clock = clock
        self._seen = 0.0
        self._speed = 1.0
        self.speed = speed

    @property
    def speed(self) -> float:
        """Simulated seconds a second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if not SLOWEST <= speed <= FASTEST:
            raise RckError(f"speed factor must be from {SLOWEST:g} to {FASTEST:g}, not {speed:g}")
        self._speed = speed

    def play(self) -> None:
        """Go on."""
        if not self.playing:
            self.playing = True
            self._seen = self._clock()

    def pause(self) -> None:
        """Stand still; everything can be looked at and changed."""
        self.playing = False

    def stop(self) -> None:
        """Stand still and put everything back to the beginning."""
        self.playing = False
        self.wall_time = 0.0
        self.simulation.restart()

    def step(self, seconds: float = STEP) -> None:
        """One step, while paused."""
        self.playing = False
        self.simulation.step(seconds)

    def advance(self) -> float:
        """Let the simulation catch up with the clock; by how much it went on, in simulated seconds."""
        if not self.playing:
            return 0.0
        now = self._clock()
        passed = min(now - self._seen, LONGEST_LAG)
        self._seen = now
        if passed <= 0.0:
            return 0.0
        self.wall_time += passed
        self.simulation.step(passed * self.speed)
        if self.simulation.finished or self.simulation.stuck or self.simulation.emergency:
            self.playing = False
        return passed * self.speed
