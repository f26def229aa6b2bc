"""Coupling with a real robot that leads the simulation, follows it, or is compared with it.

Readings of the robot are late by the time that commands and readings take to arrive, the lag. They are compared with
the positions of the simulation one lag earlier, and the positions of a leading robot are extrapolated by one lag.
Callers pass the current simulated time, in seconds.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from rck.geometry.arrays import Floats
from rck.support.finding import RckError

Mode: TypeAlias = Literal["off", "lead", "follow", "compare"]
"""No coupling; the robot moves the simulation; the simulation moves the robot; both move independently."""

LONGEST_LAG = 1.0
"""Longest lag, in seconds."""
_HISTORY = 5.0
"""Time for which positions are kept, in seconds."""
_LAG_STEP = 0.005
_LEAST_MOTION = 0.01
"""Smallest motion from which the lag can be estimated, in radians or metres."""


@dataclass(frozen=True, slots=True)
class FeedbackSettings:
    """Settings of the coupling with a real robot."""

    mode: Mode = "off"
    lag: float | None = None
    """Delay of its readings, in seconds; None to estimate it."""
    alarm: float = 0.05
    """Deviation that raises an alarm, in radians or metres."""
    resync: float = 0.0
    """Time between resynchronisations of the simulation with a robot at rest, in seconds; 0 for never."""

    def __post_init__(self) -> None:
        if self.lag is not None and not 0.0 <= self.lag <= LONGEST_LAG:
            raise RckError(f"lag must be from 0 to {LONGEST_LAG:g} s, not {self.lag:g} s")
        if not (self.alarm > 0 and self.resync >= 0):
            raise RckError("alarm must be positive, and resync must not be negative")


@dataclass(frozen=True, slots=True)
class Deviation:
    """Deviation of the robot from the simulation."""

    time: float
    lag: float
    by_joint: Mapping[str, float]
    """Robot minus simulation one lag earlier, in radians and metres."""
    alarm: bool
    """True if the largest deviation is above the limit."""

    @property
    def largest(self) -> float:
        """The largest absolute deviation."""
        return max((abs(value) for value in self.by_joint.values()), default=0.0)

    def as_message(self) -> dict[str, Any]:
        """Return the message for /deviation."""
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
    """State of the coupling with a real robot."""

    settings: FeedbackSettings = field(default_factory=FeedbackSettings)
    lag: float = 0.0
    """The set or estimated lag, in seconds."""
    deviation: Deviation | None = None
    _simulated: deque[tuple[float, Floats]] = field(default_factory=deque)
    _measured: deque[tuple[float, Floats]] = field(default_factory=deque)
    _joints: tuple[str, ...] = ()
    _resynced: float = 0.0
    _lag_estimated_at: float = float("-inf")

    def couple(self, settings: FeedbackSettings) -> None:
        """Restart the coupling with other settings."""
        self.settings = settings
        self.lag = settings.lag or 0.0
        self.deviation = None
        self._simulated.clear()
        self._measured.clear()

    def add_simulated(self, time: float, positions: Mapping[str, float]) -> None:
        """Store the positions of the simulated joints."""
        if self.settings.mode == "off" or not self._joints:
            return
        self._simulated.append((time, np.array([positions[name] for name in self._joints])))
        while self._simulated and self._simulated[0][0] < time - _HISTORY:
            self._simulated.popleft()

    def add_measured(self, time: float, positions: Mapping[str, float], here: Mapping[str, float]) -> dict[str, float]:
        """Store measured joint positions; return the positions to which the simulation must move its joints, if any.

        `here` are the current positions of the simulated joints.
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
            return dict(zip(joints, (now + self.lag * self._velocities()).tolist(), strict=True))
        self._estimate_lag(time)
        self._compare(time, now)
        return self._resync(time, now, np.array([here[name] for name in joints]))

    def _velocities(self) -> Floats:
        """Return the velocities of the robot's joints from its last two readings, in rad/s and m/s."""
        if len(self._measured) < 2:
            return np.zeros(len(self._joints))
        (before, there), (after, here) = self._measured[-2], self._measured[-1]
        velocities: Floats = (here - there) / (after - before)
        return velocities

    def _simulated_at(self, times: Floats) -> Floats | None:
        """Return the simulated positions at times, shape (times, joints); None without any."""
        if not self._simulated:
            return None
        known = np.array([time for time, _ in self._simulated])
        rows = np.array([row for _, row in self._simulated])
        return np.array([np.interp(times, known, column) for column in rows.T]).T

    def _compare(self, time: float, now: Floats) -> None:
        then = self._simulated_at(np.array([time - self.lag]))
        if then is None:
            return
        deviation = now - then[0]
        alarm = bool(np.abs(deviation).max(initial=0.0) > self.settings.alarm)
        self.deviation = Deviation(time, self.lag, dict(zip(self._joints, deviation.tolist(), strict=True)), alarm)

    def _estimate_lag(self, time: float) -> None:
        """Estimate the lag with which the readings fit the simulated positions best."""
        if self.settings.lag is not None or time < self._lag_estimated_at + 0.5 or len(self._measured) < 10:
            return
        times = np.array([time for time, _ in self._measured])
        rows = np.array([row for _, row in self._measured])
        if np.ptp(rows, axis=0).max(initial=0.0) < _LEAST_MOTION or not self._simulated:
            return
        # Only readings for which all lags fall into the stored positions can be compared.
        useful = times - LONGEST_LAG >= self._simulated[0][0]
        if useful.sum() < 10:
            return
        lags = np.arange(0.0, LONGEST_LAG + _LAG_STEP, _LAG_STEP)
        errors = []
        for lag in lags:
            then = self._simulated_at(times[useful] - lag)
            assert then is not None
            errors.append(float(((rows[useful] - then) ** 2).mean()))
        self._lag_estimated_at = time
        self.lag = float(lags[int(np.argmin(errors))])

    def _resync(self, time: float, now: Floats, here: Floats) -> dict[str, float]:
        """Return the robot's positions if a resynchronisation is due and both are at rest."""
        interval = self.settings.resync
        if interval == 0.0 or time < self._resynced + interval or len(self._measured) < 2:
            return {}
        past = self._simulated_at(np.array([time - interval]))
        if past is None or np.abs(past[0] - here).max(initial=0.0) > 1e-9:
            return {}
        if np.abs(self._velocities()).max(initial=0.0) > self.settings.alarm:
            return {}
        self._resynced = time
        return dict(zip(self._joints, now.tolist(), strict=True))
