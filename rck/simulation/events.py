"""What happens when: joint motions at set times, and all else that can be put into an event list."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import degrees, isfinite, radians
from typing import TypeAlias

from rck.hooks.programs import Relation
from rck.kinematics.motion import Path
from rck.model.events import EventList, JointEvent
from rck.model.finding import Built, Finding, RckError, Severity
from rck.model.joint import Joint
from rck.model.robot import Robot


@dataclass(frozen=True, slots=True)
class MoveJoint:
    """Change the position of a joint evenly between two moments."""

    joint: str
    change: float
    """In radians or metres."""
    start: float
    """In seconds, as everywhere here."""
    finish: float


@dataclass(frozen=True, eq=False, slots=True)
class FollowPath:
    """Lead joints along a path, all of them together."""

    path: Path
    start: float = 0.0

    @property
    def finish(self) -> float:
        """When it is done if nothing is in the way."""
        return self.start + self.path.duration


@dataclass(frozen=True, slots=True)
class UseGripper:
    """Close or open a gripper."""

    gripper: str
    close: bool
    start: float
    object: str = ""
    """What it is to take; without it, whatever it can."""
    opening: float = 0.0
    """How far it opens, in metres; 0 for as far as it can."""


@dataclass(frozen=True, slots=True)
class SwitchSensor:
    """Switch a sensor on or off."""

    sensor: str
    on: bool
    start: float


@dataclass(frozen=True, slots=True)
class SwitchCamera:
    """Look through another camera from now on."""

    camera: str
    start: float


@dataclass(frozen=True, slots=True)
class Announce:
    """Say something."""

    text: str
    start: float


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of what a sensor says."""

    sensor: str
    channel: str
    relation: Relation
    value: float

    def __str__(self) -> str:
        return f"{self.sensor}.{self.channel} {self.relation} {self.value:g}"


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Hold back all events that start later until a sensor says so; what is under way goes on."""

    condition: Condition
    start: float
    patience: float | None = None
    """Give up after so many seconds."""


Motion: TypeAlias = MoveJoint | FollowPath
Event: TypeAlias = MoveJoint | FollowPath | UseGripper | SwitchSensor | SwitchCamera | Announce | WaitFor


def check_event(event: Event, robot: Robot) -> Built[Event]:
    """The event as it can be done by a robot, with a warning where it takes longer than asked, or why it cannot."""
    findings: list[Finding] = []
    if not isfinite(event.start) or event.start < 0:
        findings.append(Finding(104, Severity.ERROR, described(event), "starts at no time from zero on"))
    if isinstance(event, MoveJoint):
        return _checked_motion(event, robot, findings)
    if isinstance(event, WaitFor) and event.patience is not None and not event.patience >= 0:
        message = f"patience must be 0 s or more, not {event.patience:g}"
        findings.append(Finding(104, Severity.ERROR, described(event), message, "leave it out to wait for ever"))
    if isinstance(event, FollowPath):
        findings += [_joint_finding(name, robot) for name in event.path.joints if _unfree(name, robot)]
    return Built(None if findings else event, tuple(findings))


def _checked_motion(event: MoveJoint, robot: Robot, findings: list[Finding]) -> Built[Event]:
    if _unfree(event.joint, robot):
        findings.append(_joint_finding(event.joint, robot))
    if not isfinite(event.change) or not isfinite(event.finish) or event.finish < event.start:
        findings.append(
            Finding(104, Severity.ERROR, described(event), "needs a finite change and a finish after its start")
        )
    if findings:
        return Built(None, tuple(findings))
    joint = robot.joint(event.joint)
    needed = abs(event.change) / joint.speed if joint.speed else 0.0
    if event.finish - event.start >= needed * (1.0 - 1e-9):
        return Built(event)
    asked = event.finish - event.start
    message = f"cannot be that quick: {_amount(joint, event.change)} takes {needed:.4g} s instead of {asked:.4g} s"
    warning = Finding(903, Severity.WARNING, described(event), message, "allow more time")
    return Built(replace(event, finish=event.start + needed), (warning,))


def _unfree(name: str, robot: Robot) -> bool:
    return all(joint.name != name for joint in robot.free_joints)


def _joint_finding(name: str, robot: Robot) -> Finding:
    if name not in robot.joint_index:
        known = ", ".join(joint.name for joint in robot.free_joints) or "none"
        return Finding(911, Severity.ERROR, f"joint {name}", f"does not exist; joints that can be moved: {known}")
    joint = robot.joint(name)
    why = f"follows {joint.mimic.joint}" if joint.mimic else "does not move"
    return Finding(911, Severity.ERROR, f"joint {name}", why, "move the joint that leads it" if joint.mimic else "")


def _amount(joint: Joint, change: float) -> str:
    return f"{degrees(change):.6g}°" if joint.kind.turns else f"{1000 * change:.6g} mm"


def described(event: Event) -> str:
    """An event for messages: when it starts, and what it moves."""
    if isinstance(event, MoveJoint):
        return f"event at {event.start:g} s, joint {event.joint}"
    if isinstance(event, UseGripper):
        return f"event at {event.start:g} s, gripper {event.gripper}"
    return f"event at {event.start:g} s"


def in_order(events: Iterable[Event]) -> tuple[Event, ...]:
    """By start; those that start together stay as they were."""
    return tuple(sorted(events, key=lambda event: event.start))


def from_event_list(listed: EventList, robot: Robot, unit: float = 1.0) -> tuple[Event, ...]:
    """The events of a file for a robot; `unit` is the length in metres in which sliding joints are moved."""
    events = []
    for event in listed.events:
        place = f"{event.where}: " if event.where else ""
        if not 0 <= event.joint < len(robot.joints):
            last = len(robot.joints) - 1
            known = f"joints are numbered 0 to {last}" if robot.joints else f"{robot.name} has no joints"
            raise RckError(f"{place}event {event.number} moves joint {event.joint}, but {known}")
        joint = robot.joints[event.joint]
        if _unfree(joint.name, robot):
            free = ", ".join(f"{robot.joint_index[one.name]} {one.name}" for one in robot.free_joints) or "none"
            why = f"joint {event.joint}, {joint.name}, does not move by itself; those that do: {free}"
            raise RckError(f"{place}event {event.number}: {why}")
        change = radians(event.action) if joint.kind.turns else event.action * unit
        events.append(MoveJoint(joint.name, change, event.start / 100.0, event.finish / 100.0))
    return tuple(events)


def to_event_list(events: Iterable[Event], robot: Robot, unit: float = 1.0) -> Built[EventList]:
    """The joint motions as a file can hold them, to the hundredth of a second; with a warning where others are lost."""
    from rck.kinematics.motion import event_list

    kept: list[JointEvent] = []
    lost = 0
    for event in in_order(events):
        if isinstance(event, MoveJoint):
            joint = robot.joint(event.joint)
            action = degrees(event.change) if joint.kind.turns else event.change / unit
            times = round(100 * event.start), round(100 * event.finish)
            kept.append(JointEvent(len(kept), robot.joint_index[event.joint], action, *times))
        elif isinstance(event, FollowPath):
            pieces = event_list(event.path, robot, unit=unit, begin=round(100 * event.start)).events
            kept += [replace(piece, number=len(kept) + place) for place, piece in enumerate(pieces)]
        else:
            lost += 1
    message = f"{lost} events that move no joint are left out: event files hold joint motions only"
    findings = (Finding(503, Severity.WARNING, "events", message),) if lost else ()
    return Built(EventList(tuple(kept)), findings)
