"""The queue: motions under way, done slice by slice, all at once while nothing is in the way."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from rck.geometry.arrays import Floats
from rck.simulation.events import Event, FollowPath, MoveJoint, UseGripper
from rck.simulation.meeting import Contacts
from rck.simulation.notices import NoticeKind
from rck.simulation.pushing import Moved, move, move_freely
from rck.simulation.running import Running, begun
from rck.simulation.stage import NO_OBJECT, Stage

_HARDLY = 0.01
"""A motion that is stopped when only this share of its slice is left is not called blocked yet."""

_STILL = 1e-9
"""A joint that is no faster than this, in rad/s or m/s, does not run into its limit."""


class Tell(Protocol):
    """Notes something worth telling."""

    def __call__(self, kind: NoticeKind, text: str, *items: str) -> None:
        """What sort of thing, in words, and the items that it is about."""


class Motions:
    """What is under way on a stage."""

    def __init__(self, stage: Stage, contacts: Contacts, tell: Tell, *, collisions: bool = True) -> None:
        self.running: list[Running] = []
        self.pushed: dict[int, int] = {}
        """The objects that were pushed in the last slice, each with the item of a robot that took it along."""
        self._stage = stage
        self._contacts = contacts
        self._tell = tell
        self._collisions = collisions

    def begin(self, event: Event, motion: MoveJoint | FollowPath, start: float) -> Running:
        """Put a motion into the queue."""
        running = begun(event, motion, start, self._stage.arrays.joint_names)
        self.running.append(running)
        return running

    def hold(self, seconds: float, until: float) -> None:
        """Let time pass in which nothing moves."""
        self.pushed = {}
        for running in self.running:
            running.held += min(seconds, until - running.started)

    def advance(self, seconds: float, until: float) -> list[Running]:
        """Do the share of every motion that the time asks for; those that are done leave the queue."""
        self.pushed = {}
        lasting = [(running, min(seconds, until - running.started)) for running in self.running]
        easy = [one for one in lasting if one[0].blocked is None]
        if len(easy) > 1 and self._move_together(easy):
            for running, time in easy:
                running.went_on(time, 1.0)
            lasting = [one for one in lasting if one[0].blocked is not None]
        for running, time in lasting:
            change = self._within_limits(running, self._whole(running, running.change(time)))
            if self._collisions:
                moved = move(self._stage, self._contacts, change, running.closing_on)
                self.pushed |= moved.pushed
            else:
                self._stage.move_to(self._stage.vector + change)
                moved = Moved(1.0)
            self._note(running, moved, time)
        done = [running for running in self.running if running.finished]
        self.running = [running for running in self.running if not running.finished]
        return done

    def rates(self) -> tuple[Floats, Floats]:
        """Velocity and acceleration of the free joints as the motions go on from here. Shape (free joints,) each."""
        here, arrays = self._stage.vector, self._stage.arrays
        velocity, acceleration = np.zeros(len(here)), np.zeros(len(here))
        for running in self.running:
            own_velocity, own_acceleration = running.rates()
            velocity[running.columns] += own_velocity
            acceleration[running.columns] += own_acceleration
        outward = ((here <= arrays.lower) & (velocity < -_STILL)) | ((here >= arrays.upper) & (velocity > _STILL))
        velocity[outward] = acceleration[outward] = 0.0
        return velocity, acceleration

    def _move_together(self, motions: Iterable[tuple[Running, float]]) -> bool:
        """Move everything at once if no joint comes to a limit and nothing is met; whether it was done."""
        change = np.zeros(len(self._stage.vector))
        for running, time in motions:
            # Two motions may have a joint in common: their changes add up.
            change[running.columns] += running.change(time)
        there = self._stage.vector + change
        arrays = self._stage.arrays
        if (there < arrays.lower).any() or (there > arrays.upper).any():
            return False
        if self._collisions:
            return move_freely(self._stage, self._contacts, change)
        self._stage.move_to(there)
        return True

    def _whole(self, running: Running, change: Floats) -> Floats:
        """A change of some joints as one of all. Shape (free joints,)."""
        whole = np.zeros(len(self._stage.vector))
        whole[running.columns] = change
        return whole

    def _within_limits(self, running: Running, change: Floats) -> Floats:
        """The change, or as much of it as the limits of the joints allow; the motion then ends there."""
        arrays = self._stage.arrays
        here = self._stage.vector
        wanted = here + change
        inside: Floats = np.clip(wanted, np.minimum(arrays.lower, here), np.maximum(arrays.upper, here))
        beyond = np.abs(wanted - inside) > 1e-9
        if not beyond.any():
            return change
        name = arrays.joint_names[int(beyond.argmax())]
        self._tell("limit", f"joint {name} is at its limit; the rest of its motion is left out")
        running.why = f"joint {name} is at its limit"
        return inside - here

    def _note(self, running: Running, moved: Moved, seconds: float) -> None:
        """Tell what happened to a motion in this slice."""
        running.went_on(seconds, moved.share)
        if running.why and not isinstance(running.event, UseGripper) and moved.blocked is None:
            # At its limit: there is nothing left that it could do.
            running.elapsed = running.duration
        names = self._stage.robot.items
        for number in moved.pushed:
            name = self._stage.objects[number].name
            if name not in running.pushed:
                running.pushed.append(name)
                self._tell("pushed", f"{_what(running)} pushes {name} along", name)
        touched = moved.blocked is not None and running.closing_on in self._stage.object_of_item[list(moved.blocked)]
        if touched and running.closing_on != NO_OBJECT:
            # Fingers that touch what they were to take are where they should be.
            running.elapsed = running.duration
        elif moved.blocked is not None and (1.0 - moved.share) > _HARDLY:
            by = names[moved.blocked[0]].name, names[moved.blocked[1]].name
            if running.held_up(by, (1.0 - moved.share) * seconds):
                self._tell("blocked", f"{_what(running)} is blocked: {by[0]} meets {by[1]}", *by)
        elif running.blocked is not None:
            self._tell(
                "freed", f"{_what(running)} goes on after {running.blockings[-1].seconds:.3f} s", *running.blocked
            )
            running.blocked = None


def _what(running: Running) -> str:
    if isinstance(running.motion, MoveJoint):
        return f"joint {running.motion.joint}"
    return f"the path of {', '.join(running.motion.path.joints)}"
