"""Motions in progress: how much of each is done, and what blocks it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.actions import MoveJoint
from rck.kinematics.motion import JointPath
from rck.simulation.events import Event, FollowPath, Motion, moved_joints
from rck.simulation.kinematic_state import NO_OBJECT, JointIndices, ObjectIndex
from rck.simulation.notices import Blocking, EventOutcome

_DONE = 1e-9
"""A motion with less than this time left, in seconds, is done."""
_SHORTEST = 1e-6
"""Duration of a motion that should take no time, in seconds."""


@dataclass(eq=False, slots=True)
class ActiveMotion:
    """A motion of joints in progress."""

    event: Event
    columns: JointIndices
    """Columns of its joints in the joint vector."""
    started: float
    fingers: MoveJoint | None = None
    """The motion of the fingers, if the event uses a gripper."""
    elapsed: float = 0.0
    """Time on its own clock, which stands still while the motion is blocked, in seconds."""
    closing_on: ObjectIndex = NO_OBJECT
    """The object that the fingers close on."""
    why: str = ""
    """The reason why it cannot be completed."""
    blocked: tuple[str, str] | None = None
    """The items in contact that block it now."""
    held: float = 0.0
    """Time for which safety sensors held it, in seconds."""
    blockings: tuple[Blocking, ...] = ()
    pushed: tuple[str, ...] = ()
    motion: Motion = field(init=False)
    """The motion of the joints: that of the fingers, or the action of the event."""
    duration: float = field(init=False)
    """Duration without obstacles, in seconds."""
    knots: list[float] = field(init=False)
    """Times at which the pieces of a path begin and end; empty for other motions."""
    _last: tuple[float, Floats] | None = field(init=False, default=None)
    """The last computed position on a path, with its time."""

    def __post_init__(self) -> None:
        motion = self.fingers or self.event.action
        assert isinstance(motion, MoveJoint | FollowPath)
        self.motion = motion
        self.duration = max(motion.duration, _SHORTEST)
        self.knots = motion.path.times.tolist() if isinstance(motion, FollowPath) else []

    @property
    def finished(self) -> bool:
        """True if the whole motion is done."""
        return self.elapsed >= self.duration - _DONE

    def change(self, seconds: float) -> Floats:
        """Return the change of its joints in the next `seconds`. Shape (columns,)."""
        until = min(self.elapsed + seconds, self.duration)
        motion = self.motion
        if isinstance(motion, MoveJoint):
            return np.array([(until - self.elapsed) / self.duration * motion.change])
        if self._last is None or self._last[0] != self.elapsed:
            self._last = (self.elapsed, self._on_path(motion.path, self.elapsed))
        there = self._on_path(motion.path, until)
        change = there - self._last[1]
        # The motion is rarely blocked, so the next step usually starts here.
        self._last = (until, there)
        return change

    def _on_path(self, path: JointPath, time: float) -> Floats:
        """Return `path.at(time)` without its checks, which cost ten times as much."""
        piece = max(min(bisect_right(self.knots, time), len(self.knots) - 1) - 1, 0)
        begin, end = self.knots[piece], self.knots[piece + 1]
        # A piece without duration stays at its start.
        share = min((time - begin) / (end - begin), 1.0) if end > begin else 0.0
        powers = (1.0, share, share**2, share**3, share**4, share**5)
        vector: Floats = np.dot(powers, path.pieces[piece])
        return vector

    def rates(self) -> tuple[Floats, Floats]:
        """Return velocity and acceleration of its joints now; zero while it is blocked.

        Shape (columns,) each, in rad/s and rad/s2 or m/s and m/s2.
        """
        motion = self.motion
        if self.blocked is not None:
            return np.zeros(len(self.columns)), np.zeros(len(self.columns))
        if isinstance(motion, MoveJoint):
            return np.array([motion.change / self.duration]), np.zeros(1)
        return motion.path.speed_at(self.elapsed), motion.path.acceleration_at(self.elapsed)

    def advance(self, seconds: float, share: float) -> None:
        """Record that a share of the motion of the next `seconds` was made."""
        left = self.duration - self.elapsed
        ends = share == 1.0 and left <= seconds + _DONE
        self.elapsed = self.duration if ends else self.elapsed + share * min(seconds, left)

    def block(self, by: tuple[str, str], seconds: float) -> bool:
        """Record that items in contact blocked it for a time; return True if they did not block it before."""
        new = self.blocked != by
        self.blocked = by
        if new or not self.blockings:
            self.blockings += (Blocking(by, seconds),)
        else:
            self.blockings = (*self.blockings[:-1], Blocking(by, self.blockings[-1].seconds + seconds))
        return new

    def outcome(self, why: str = "") -> EventOutcome:
        """Return the outcome of its event."""
        why = why or self.why
        # Exact, and not the end of the step.
        ends = self.started + self.elapsed + self.held + sum(blocking.seconds for blocking in self.blockings)
        return EventOutcome(
            self.event, self.started, ends if self.finished else None, not why, why, self.blockings, self.pushed
        )


def start_motion(
    event: Event, start: float, joint_names: Sequence[str], fingers: MoveJoint | None = None
) -> ActiveMotion:
    """Return the motion of an event that begins at `start`; `joint_names` are the columns of the joint vector."""
    motion = fingers or event.action
    assert isinstance(motion, MoveJoint | FollowPath)
    columns = np.array([joint_names.index(name) for name in moved_joints(motion)], dtype=np.int64)
    return ActiveMotion(event, columns, start, fingers)
