"""Motions that are under way: how much of each is done, and what holds it up."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.kinematics.motion import Path
from rck.simulation.events import Event, FollowPath, MoveJoint
from rck.simulation.notices import Blocking, Outcome
from rck.simulation.stage import NO_OBJECT

_DONE = 1e-9
"""What is left of a motion, in seconds, when it counts as done."""
_AT_ONCE = 1e-6
"""How long a motion takes that is to take no time, in seconds."""


@dataclass(slots=True)
class Running:
    """An event in the queue that moves joints."""

    event: Event
    motion: MoveJoint | FollowPath
    """What it does to joints: itself, or what the fingers of a gripper do."""
    columns: Ints
    """Where its joints stand in the joint vector."""
    started: float
    duration: float
    """How long it takes if nothing is in the way, in seconds."""
    knots: list[float]
    """When the pieces of a path begin and end; empty for other motions."""
    elapsed: float = 0.0
    """Of its own time: it stands still while the motion is held up."""
    closing_on: int = NO_OBJECT
    """The object that fingers close on."""
    why: str = ""
    """Why it cannot do all that it was to do."""
    blocked: tuple[str, str] | None = None
    """What holds it up now."""
    held: float = 0.0
    """How long it was held for safety, in seconds."""
    blockings: list[Blocking] = field(default_factory=list)
    pushed: list[str] = field(default_factory=list)
    _place: tuple[float, Floats] | None = None
    """Where a path has its joints at a time of its own: what was last worked out."""

    @property
    def finished(self) -> bool:
        """Whether it has done all that it was to do."""
        return self.elapsed >= self.duration - _DONE

    def change(self, seconds: float) -> Floats:
        """By how much it changes its joints in the next so many seconds. Shape (columns,)."""
        until = min(self.elapsed + seconds, self.duration)
        if isinstance(self.motion, MoveJoint):
            return np.array([(until - self.elapsed) / self.duration * self.motion.change])
        if self._place is None or self._place[0] != self.elapsed:
            self._place = (self.elapsed, self._on_path(self.motion.path, self.elapsed))
        there = self._on_path(self.motion.path, until)
        change = there - self._place[1]
        # Most often it gets there, and goes on from there.
        self._place = (until, there)
        return change

    def _on_path(self, path: Path, time: float) -> Floats:
        """As `path.at`, for one moment within the path and without its checks, which cost ten times as much."""
        piece = max(min(bisect_right(self.knots, time), len(self.knots) - 1) - 1, 0)
        begin, end = self.knots[piece], self.knots[piece + 1]
        share = (time - begin) / (end - begin)
        powers = (1.0, share, share**2, share**3, share**4, share**5)
        vector: Floats = np.dot(powers, path.pieces[piece])
        return vector

    def rates(self) -> tuple[Floats, Floats]:
        """Velocity and acceleration of its joints as it goes on from here; zero while it is blocked.

        Shape (columns,) each, in rad/s and rad/s2 or m/s and m/s2.
        """
        if self.blocked is not None:
            return np.zeros(len(self.columns)), np.zeros(len(self.columns))
        if isinstance(self.motion, MoveJoint):
            return np.array([self.motion.change / self.duration]), np.zeros(1)
        path = self.motion.path
        return path.speed_at(self.elapsed), path.acceleration_at(self.elapsed)

    def went_on(self, seconds: float, share: float) -> None:
        """Note that it did a share of its motion of the next so many seconds."""
        left = self.duration - self.elapsed
        ends = share == 1.0 and left <= seconds + _DONE
        self.elapsed = self.duration if ends else self.elapsed + share * min(seconds, left)

    def held_up(self, by: tuple[str, str], seconds: float) -> bool:
        """Note what held it up, and for how long; whether that is new."""
        new = self.blocked != by
        self.blocked = by
        if new or not self.blockings:
            self.blockings.append(Blocking(by, seconds))
        else:
            self.blockings[-1] = Blocking(by, self.blockings[-1].seconds + seconds)
        return new

    @property
    def ends(self) -> float:
        """When it came to where it is, in seconds, to the moment and not to the slice."""
        return self.started + self.elapsed + self.held + sum(blocking.seconds for blocking in self.blockings)

    def outcome(self, why: str = "") -> Outcome:
        """What became of it."""
        why = why or self.why
        ended = self.ends if self.finished else None
        return Outcome(self.event, self.started, ended, not why, why, tuple(self.blockings), tuple(self.pushed))


def begun(event: Event, motion: MoveJoint | FollowPath, start: float, joint_names: Sequence[str]) -> Running:
    """A motion that begins; `joint_names` are those of the joint vector."""
    if isinstance(motion, MoveJoint):
        names, knots = [motion.joint], []
    else:
        names, knots = list(motion.path.joints), motion.path.times.tolist()
    duration = max(motion.finish - motion.start, _AT_ONCE)
    columns = np.array([joint_names.index(name) for name in names], dtype=np.int64)
    return Running(event, motion, columns, start, duration, knots)
