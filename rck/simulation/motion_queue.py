"""Queue of motions in progress: made substep by substep, all together while nothing is in the way."""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.actions import MoveJoint
from rck.simulation.active_motion import ActiveMotion, start_motion
from rck.simulation.contacts import ContactChecker
from rck.simulation.events import Event, moved_joints
from rck.simulation.kinematic_state import NO_OBJECT, KinematicState
from rck.simulation.notices import NoticeKind
from rck.simulation.object_motion import Moved, move, move_freely
from rck.simulation.state import SimulationState

_HARDLY = 0.01
"""A motion that is stopped with less than this share of its substep left does not count as blocked."""

_STILL = 1e-9
"""Lowest velocity of a joint that runs into its limit, in rad/s or m/s."""


HoldTest: TypeAlias = Callable[[ActiveMotion], bool]
"""Function that returns whether a motion is held."""


class NoticeSink(Protocol):
    """Function that adds a notice."""

    def __call__(self, kind: NoticeKind, text: str, *items: str) -> None:
        """Add a notice about items."""


class MotionQueue:
    """The motions in progress of a simulation."""

    def __init__(
        self,
        kinematics: KinematicState,
        contacts: ContactChecker,
        state: SimulationState,
        tell: NoticeSink,
        *,
        collisions: bool = True,
    ) -> None:
        self._kinematics = kinematics
        self._contacts = contacts
        self._state = state
        self._tell = tell
        self._collisions = collisions

    def begin(self, event: Event, start: float, fingers: MoveJoint | None = None) -> ActiveMotion:
        """Begin the motion of an event, or that of the fingers of its gripper."""
        running = start_motion(event, start, self._kinematics.arrays.joint_names, fingers)
        self._state.running.append(running)
        return running

    def advance(self, seconds: float, until: float, is_held: HoldTest) -> list[ActiveMotion]:
        """Continue all motions that are not held for a time; remove and return those that are done."""
        self._state.pushed = {}
        lasting = []
        for running in self._state.running:
            time = min(seconds, until - running.started)
            if is_held(running):
                running.held += time
            else:
                lasting.append((running, time))
        easy = [one for one in lasting if one[0].blocked is None]
        if len(easy) > 1 and self._move_together(easy):
            for running, time in easy:
                running.advance(time, 1.0)
            lasting = [one for one in lasting if one[0].blocked is not None]
        for running, time in lasting:
            change = self._within_limits(running, self._whole(running, running.change(time)))
            if self._collisions:
                moved = move(self._kinematics, self._contacts, change, running.closing_on)
                self._state.pushed |= moved.pushed
            else:
                self._kinematics.move_to(self._kinematics.vector + change)
                moved = Moved(1.0)
            self._note(running, moved, time)
        done = [running for running in self._state.running if running.finished]
        self._state.running = [running for running in self._state.running if not running.finished]
        return done

    def rates(self, is_held: HoldTest) -> tuple[Floats, Floats]:
        """Return velocity and acceleration of the free joints; held motions do not count. Shape (free joints,) each."""
        here, arrays = self._kinematics.vector, self._kinematics.arrays
        velocity, acceleration = np.zeros(len(here)), np.zeros(len(here))
        for running in self._state.running:
            if is_held(running):
                continue
            own_velocity, own_acceleration = running.rates()
            velocity[running.columns] += own_velocity
            acceleration[running.columns] += own_acceleration
        outward = ((here <= arrays.lower) & (velocity < -_STILL)) | ((here >= arrays.upper) & (velocity > _STILL))
        velocity[outward] = acceleration[outward] = 0.0
        return velocity, acceleration

    def _move_together(self, motions: Iterable[tuple[ActiveMotion, float]]) -> bool:
        """Make all motions at once if that exceeds no limit and leads to no contact; return True if it was done."""
        change = np.zeros(len(self._kinematics.vector))
        for running, time in motions:
            # Two motions may share a joint: their changes are added.
            change[running.columns] += running.change(time)
        there = self._kinematics.vector + change
        arrays = self._kinematics.arrays
        if (there < arrays.lower).any() or (there > arrays.upper).any():
            return False
        if arrays.closure is not None:
            share, _ = arrays.closure.reach(self._kinematics.vector, change, self._kinematics.coordinates)
            if share < 1.0:
                return False
        if self._collisions:
            return move_freely(self._kinematics, self._contacts, change)
        self._kinematics.move_to(there)
        return True

    def _whole(self, running: ActiveMotion, change: Floats) -> Floats:
        """Return a change of some joints as a change of all. Shape (free joints,)."""
        whole = np.zeros(len(self._kinematics.vector))
        whole[running.columns] = change
        return whole

    def _within_limits(self, running: ActiveMotion, change: Floats) -> Floats:
        """Return the part of a change that the joint limits allow; the motion then ends there."""
        arrays = self._kinematics.arrays
        here = self._kinematics.vector
        wanted = here + change
        inside: Floats = np.clip(wanted, np.minimum(arrays.lower, here), np.maximum(arrays.upper, here))
        if arrays.closure is not None:
            share, why = arrays.closure.reach(here, inside - here, self._kinematics.coordinates)
            if share < 1.0:
                self._tell("limit", f"{why}; the rest of the motion is skipped")
                running.why = why
                return share * (inside - here)
        beyond = np.abs(wanted - inside) > 1e-9
        if not beyond.any():
            return change
        name = arrays.joint_names[int(beyond.argmax())]
        self._tell("limit", f"joint {name} is at its limit; the rest of its motion is skipped")
        running.why = f"joint {name} is at its limit"
        return inside - here

    def _note(self, running: ActiveMotion, moved: Moved, seconds: float) -> None:
        """Record what happened to a motion in this substep."""
        running.advance(seconds, moved.share)
        if running.why and running.fingers is None and moved.blocked is None:
            # It is at a joint limit and cannot continue.
            running.elapsed = running.duration
        names = self._kinematics.robot.items
        for number in moved.pushed:
            name = self._kinematics.objects[number].name
            if name not in running.pushed:
                running.pushed += (name,)
                self._tell("pushed", f"{_what(running)} pushes {name}", name)
        touched = (
            moved.blocked is not None and running.closing_on in self._kinematics.object_of_item[list(moved.blocked)]
        )
        if touched and running.closing_on != NO_OBJECT:
            # Fingers that touch what they were to take are where they should be.
            running.elapsed = running.duration
        elif moved.blocked is not None and (1.0 - moved.share) > _HARDLY:
            by = names[moved.blocked[0]].name, names[moved.blocked[1]].name
            if running.block(by, (1.0 - moved.share) * seconds):
                self._tell("blocked", f"{_what(running)} is blocked: {by[0]} meets {by[1]}", *by)
        elif running.blocked is not None:
            self._tell(
                "freed", f"{_what(running)} continues after {running.blockings[-1].seconds:.3f} s", *running.blocked
            )
            running.blocked = None


def _what(running: ActiveMotion) -> str:
    motion = running.motion
    return f"joint {motion.joint}" if isinstance(motion, MoveJoint) else f"path of {', '.join(moved_joints(motion))}"
