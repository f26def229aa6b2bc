"""Clock for simulations in real time: play, pause, step, stop, slower and faster."""

from collections.abc import Callable
from time import perf_counter

from rck.simulation.simulation import STEP, Simulation
from rck.support.finding import RckError

SLOWEST, FASTEST = 0.1, 100.0
"""Limits of the real-time factor."""
LONGEST_LAG = 0.25
"""Longest delay that a call makes up for, in seconds of real time; the rest is skipped."""


class RealTimeClock:
    """A clock that drives a simulation. Call :meth:`advance` as often as possible.

    On a slow machine the calls are rarer and the steps longer.
    """

    def __init__(self, simulation: Simulation, speed: float = 1.0, clock: Callable[[], float] = perf_counter) -> None:
        self.simulation = simulation
        self.playing = False
        self.wall_time = 0.0
        """Playing time, in seconds of real time."""
        self._clock = clock
        self._seen = 0.0
        self._speed = 1.0
        self.speed = speed

    @property
    def speed(self) -> float:
        """Real-time factor: simulated seconds per second."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if not SLOWEST <= speed <= FASTEST:
            raise RckError(f"real-time factor must be from {SLOWEST:g} to {FASTEST:g}, not {speed:g}")
        self._speed = speed

    def play(self) -> None:
        """Play."""
        if not self.playing:
            self.playing = True
            self._seen = self._clock()

    def pause(self) -> None:
        """Pause. Everything can be inspected and changed."""
        self.playing = False

    def stop(self) -> None:
        """Pause and return to the start."""
        self.playing = False
        self.wall_time = 0.0
        self.simulation.restart()

    def step(self, seconds: float = STEP) -> None:
        """Pause and make one step."""
        self.playing = False
        self.simulation.step(seconds)

    def advance(self) -> float:
        """Simulate up to the present; return the simulated seconds."""
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
