"""Events: actions at set times, and their conversion from and to event lists of files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import degrees, radians
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.hooks.actions import Action, MoveJoint
from rck.kinematics.motion import JointPath, event_list, joint_move, motion_limits
from rck.model.joint_events import EventList, JointEvent
from rck.model.robot import Robot
from rck.support.finding import Built, Finding, RckError, Severity


@dataclass(frozen=True, eq=False, slots=True)
class FollowPath(Action):
    """Move joints along a path, all of them together."""

    path: JointPath

    @property
    def duration(self) -> float:
        """Duration without obstacles, in seconds."""
        return self.path.duration


Motion: TypeAlias = MoveJoint | FollowPath


@dataclass(frozen=True, slots=True)
class Event:
    """An action at a set time. Two equal events are still two events: the simulation tells them apart by identity."""

    start: float
    """In seconds."""
    action: Action

    @property
    def finish(self) -> float | None:
        """Time at which a motion ends without obstacles, in seconds; None for other actions."""
        return self.start + self.action.duration if isinstance(self.action, MoveJoint | FollowPath) else None


def moved_joints(motion: Motion) -> tuple[str, ...]:
    """Return the joints that a motion moves."""
    return motion.path.joints if isinstance(motion, FollowPath) else (motion.joint,)


def in_order(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the events sorted by start; events that start together keep their order."""
    return tuple(sorted(events, key=lambda event: event.start))


def from_event_list(listed: EventList, robot: Robot, unit: float = 1.0) -> tuple[Event, ...]:
    """Return the events of a file for a robot; `unit` is the length unit of prismatic joints in metres."""
    events = []
    for event in listed.events:
        place = f"{event.where}: " if event.where else ""
        if not 0 <= event.joint < len(robot.joints):
            last = len(robot.joints) - 1
            known = f"joints are numbered 0 to {last}" if robot.joints else f"{robot.name} has no joints"
            raise RckError(f"{place}event {event.number} moves joint {event.joint}, but {known}")
        joint = robot.joints[event.joint]
        if all(joint.name != other.name for other in robot.free_joints):
            free = ", ".join(f"{robot.joint_index[other.name]} {other.name}" for other in robot.free_joints) or "none"
            why = f"joint {event.joint}, {joint.name}, cannot be moved by itself; free joints: {free}"
            raise RckError(f"{place}event {event.number}: {why}")
        change = radians(event.action) if joint.kind.turns else event.action * unit
        start = event.start / 100.0
        events.append(Event(start, MoveJoint(joint.name, change, event.finish / 100.0 - start)))
    return tuple(events)


def to_event_list(events: Iterable[Event], robot: Robot, unit: float = 1.0) -> Built[EventList]:
    """Return the joint motions for an event file, rounded to 0.01 s; a warning counts the other events."""
    rows: list[JointEvent] = []
    lost = 0
    for event in in_order(events):
        action = event.action
        if isinstance(action, MoveJoint):
            joint = robot.joint(action.joint)
            change = degrees(action.change) if joint.kind.turns else action.change / unit
            times = round(100 * event.start), round(100 * (event.start + action.duration))
            rows.append(JointEvent(len(rows), robot.joint_index[action.joint], change, *times))
        elif isinstance(action, FollowPath):
            pieces = event_list(action.path, robot, unit=unit, begin=round(100 * event.start)).events
            rows += [replace(piece, number=len(rows) + place) for place, piece in enumerate(pieces)]
        else:
            lost += 1
    message = f"{lost} events are not joint motions and were left out: event files only store joint motions"
    findings = (Finding(503, Severity.WARNING, "events", message),) if lost else ()
    return Built(EventList(tuple(rows)), findings)


def without_paths(events: Iterable[Event], robot: Robot) -> tuple[Event, ...]:
    """Return the events with paths replaced by motions of single joints that follow them closely."""
    result: list[Event] = []
    for event in events:
        if isinstance(event.action, FollowPath):
            result += from_event_list(event_list(event.action.path, robot, begin=round(100 * event.start)), robot)
        else:
            result.append(event)
    return in_order(result)


def motions_between(
    robot: Robot, start: ArrayLike, vectors: Sequence[ArrayLike], after: Iterable[Event] = ()
) -> Built[tuple[Event, ...]]:
    """Return motions of all free joints from `start` through joint vectors; they begin when the events `after` end."""
    limits = motion_limits(robot)
    names = [joint.name for joint in robot.free_joints]
    here: Floats = np.array(start, dtype=float)
    time = 0.0
    for event in after:
        if isinstance(event.action, MoveJoint):
            here[names.index(event.action.joint)] += event.action.change
        elif isinstance(event.action, FollowPath):
            path = event.action.path
            here[[names.index(name) for name in path.joints]] += path.end - path.start
        time = max(time, event.start if event.finish is None else event.finish)
    events: list[Event] = []
    for vector in vectors:
        built = joint_move(limits, here, vector)
        if built.value is None:
            return Built(None, built.findings)
        if built.value.duration > 0:
            events.append(Event(time, FollowPath(built.value)))
        time += built.value.duration
        here = np.array(vector, dtype=float)
    return Built(tuple(events))
