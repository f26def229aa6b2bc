"""A real robot beside the simulated one: it leads, follows, or is compared with it.

What it reports is late: by the time that commands and readings take on the way. Positions are compared with those that
the simulation had so much earlier, and a leading robot is taken to have gone on at its speed meanwhile. Time is
simulated time, in seconds, and is given, never asked for.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.finding import RckError

Mode: TypeAlias = Literal["off", "lead", "follow", "compare"]
"""Nothing; the robot moves the simulation; the simulation moves the robot; both go their own way."""

LONGEST_LAG = 1.0
"""In seconds."""
_HISTORY = 5.0
"""How far back the positions of the simulation are kept, in seconds."""
_LAG_STEP = 0.005
_LEAST_MOTION = 0.01
"""Without so much motion, in radians or metres, nothing can be said about the lag."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a robot is coupled."""

    mode: Mode = "off"
    lag: float | None = None
    """How late its readings are, in seconds; None to find out."""
    alarm: float = 0.05
    """The deviation that is too much, in radians or metres."""
    resync: float = 0.0
    """How often the simulation takes over the robot's positions while both stand still, in seconds; 0 for never."""

    def __post_init__(self) -> None:
        if self.lag is not None and not 0.0 <= self.lag <= LONGEST_LAG:
            raise RckError(f"a lag is from 0 to {LONGEST_LAG:g} s, not {self.lag:g} s")
        if not (self.alarm > 0 and self.resync >= 0):
            raise RckError("an alarm is above zero, and the time between resynchronisations not negative")


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far the robot is from the simulation."""

    time: float
    lag: float
    by_joint: Mapping[str, float]
    """Robot minus simulation, as it was by the lag earlier, in radians and metres."""
    alarm: bool
    """Whether the largest is too much."""

    @property
    def largest(self) -> float:
        """Whatever its direction."""
        return max((abs(value) for value in self.by_joint.values()), default=0.0)

    def as_message(self) -> dict[str, Any]:
        """What is published of it."""
        return {
            "time": self.time,
            "lag": self.lag,
            "largest": self.largest,
            "alarm": self.alarm,
            "name": list(self.by_joint),
            "deviation": list(self.by_joint.values()),
        }


@dataclass
class Feedback:
    """What is known of a real robot."""

    settings: Settings = field(default_factory=Settings)
    lag: float = 0.0
    """As it was given or found, in seconds."""
    deviation: Deviation | None = None
    _simulated: deque[tuple[float, Floats]] = field(default_factory=deque)
    _measured: deque[tuple[float, Floats]] = field(default_factory=deque)
    _joints: tuple[str, ...] = ()
    _resynced: float = 0.0
    _lag_found: float = float("-inf")

    def couple(self, settings: Settings) -> None:
        """Begin anew with other settings."""
        self.settings = settings
        self.lag = settings.lag or 0.0
        self.deviation = None
        self._simulated.clear()
        self._measured.clear()

    def simulated(self, time: float, positions: Mapping[str, float]) -> None:
        """Where the simulated joints are."""
        if self.settings.mode == "off" or not self._joints:
            return
        self._simulated.append((time, np.array([positions[name] for name in self._joints])))
        while self._simulated and self._simulated[0][0] < time - _HISTORY:
            self._simulated.popleft()

    def measured(self, time: float, positions: Mapping[str, float], here: Mapping[str, float]) -> dict[str, float]:
        """Where the joints of the robot are, as it says at a time; where the simulation is to put its own, if so.

        `here` is where those of the simulation are now.
        """
        if self.settings.mode == "off":
            raise RckError("no robot is coupled; call /feedback with a mode first")
        joints = tuple(positions)
        if joints != self._joints:
            self._joints = joints
            self._simulated.clear()
            self._measured.clear()
        now = np.array(list(positions.values()), dtype=float)
        if self._measured and time <= self._measured[-1][0]:
            self._measured.pop()
        self._measured.append((time, now))
        while self._measured[0][0] < time - _HISTORY:
            self._measured.popleft()
        if self.settings.mode == "lead":
            return dict(zip(joints, (now + self.lag * self._speeds()).tolist(), strict=True))
        self._find_lag(time)
        self._compare(time, now)
        return self._resync(time, now, np.array([here[name] for name in joints]))

    def _speeds(self) -> Floats:
        """Of the robot's joints, from its last two readings, in rad/s and m/s."""
        if len(self._measured) < 2:
            return np.zeros(len(self._joints))
        (before, there), (after, here) = self._measured[-2], self._measured[-1]
        speeds: Floats = (here - there) / (after - before)
        return speeds

    def _at(self, times: Floats) -> Floats | None:
        """Where the simulation was at times, shape (times,); None without a past. Shape (times, joints)."""
        if not self._simulated:
            return None
        known = np.array([time for time, _ in self._simulated])
        rows = np.array([row for _, row in self._simulated])
        return np.array([np.interp(times, known, column) for column in rows.T]).T

    def _compare(self, time: float, now: Floats) -> None:
        then = self._at(np.array([time - self.lag]))
        if then is None:
            return
        apart = now - then[0]
        alarm = bool(np.abs(apart).max(initial=0.0) > self.settings.alarm)
        self.deviation = Deviation(time, self.lag, dict(zip(self._joints, apart.tolist(), strict=True)), alarm)

    def _find_lag(self, time: float) -> None:
        """The lag with which the readings fit the past of the simulation best."""
        if self.settings.lag is not None or time < self._lag_found + 0.5 or len(self._measured) < 10:
            return
        times = np.array([moment for moment, _ in self._measured])
        rows = np.array([row for _, row in self._measured])
        if np.ptp(rows, axis=0).max(initial=0.0) < _LEAST_MOTION or not self._simulated:
            return
        # Readings from before the simulation's past began say nothing.
        useful = times - LONGEST_LAG >= self._simulated[0][0]
        if useful.sum() < 10:
            return
        lags = np.arange(0.0, LONGEST_LAG + _LAG_STEP, _LAG_STEP)
        misfits = []
        for lag in lags:
            then = self._at(times[useful] - lag)
            assert then is not None
            misfits.append(float(((rows[useful] - then) ** 2).mean()))
        self._lag_found = time
        self.lag = float(lags[int(np.argmin(misfits))])

    def _resync(self, time: float, now: Floats, here: Floats) -> dict[str, float]:
        """The robot's positions, if it is time to take them over and both stand still."""
        every = self.settings.resync
        if every == 0.0 or time < self._resynced + every or len(self._measured) < 2:
            return {}
        past = self._at(np.array([time - every]))
        if past is None or np.abs(past[0] - here).max(initial=0.0) > 1e-9:
            return {}
        if np.abs(self._speeds()).max(initial=0.0) > self.settings.alarm:
            return {}
        self._resynced = time
        return dict(zip(self._joints, now.tolist(), strict=True))
