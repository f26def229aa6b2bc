"""Events as a line that people type and read: `elbow/axis 45 0 2` moves a joint by 45 from second 0 to second 2."""

from rck.catalogue.manifest import Units
from rck.model import RckError, Robot
from rck.model.names import full_name
from rck.model.units import format_number, from_si, parse_quantity, round_in_unit
from rck.simulation.event_table import condition_of, gripper_named, sensor_named
from rck.simulation.events import (
    Announce,
    Event,
    FollowPath,
    MoveJoint,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    WaitFor,
)

USAGE = (
    "JOINT CHANGE START FINISH, or close/open GRIPPER START, say START TEXT, view START NAME,"
    " wait START SENSOR.CHANNEL < VALUE [PATIENCE], on/off SENSOR START"
)


def parse_event(line: str, robot: Robot, units: Units) -> Event:
    """The event that a line tells of; a change is in the units of the assembly, times are seconds."""
    words = line.split()
    if len(words) >= 3 and words[0] in ("close", "open"):
        return UseGripper(gripper_named(words[1], robot), words[0] == "close", _seconds(words[2]), " ".join(words[3:]))
    if len(words) >= 3 and words[0] == "say":
        return Announce(" ".join(words[2:]), _seconds(words[1]))
    if len(words) == 3 and words[0] == "view":
        return SwitchCamera(words[2], _seconds(words[1]))
    if len(words) in (5, 6) and words[0] == "wait":
        patience = _seconds(words[5]) if len(words) == 6 else None
        return WaitFor(condition_of(" ".join(words[2:5]), robot), _seconds(words[1]), patience)
    if len(words) == 3 and words[0] in ("on", "off"):
        return SwitchSensor(sensor_named(words[1], robot), words[0] == "on", _seconds(words[2]))
    if len(words) != 4:
        raise RckError(f"an event is {USAGE}")
    joint = full_name(words[0], (joint.name for joint in robot.free_joints), "movable joint")
    change = parse_quantity(words[1], *units.position_unit(robot.joint(joint).kind.turns))
    return MoveJoint(joint, change, _seconds(words[2]), _seconds(words[3]))


def event_line(event: Event, robot: Robot, units: Units) -> str:
    """The line that gives the event again; of those that cannot be typed, what they do."""
    if isinstance(event, MoveJoint):
        unit = units.position_unit(robot.joint(event.joint).kind.turns)
        change = format_number(round_in_unit(event.change, *unit, digits=6))
        return f"{event.joint} {change} {event.start:.6g} {event.finish:.6g}"
    if isinstance(event, UseGripper):
        return f"{'close' if event.close else 'open'} {event.gripper} {event.start:.6g} {event.object}".rstrip()
    if isinstance(event, Announce):
        return f"say {event.start:.6g} {event.text}"
    if isinstance(event, SwitchCamera):
        return f"view {event.start:.6g} {event.camera}"
    if isinstance(event, WaitFor):
        patience = "" if event.patience is None else f" {event.patience:.6g}"
        return f"wait {event.start:.6g} {event.condition}{patience}"
    if isinstance(event, SwitchSensor):
        return f"{'on' if event.on else 'off'} {event.sensor} {event.start:.6g}"
    return described(event)


def described(event: Event) -> str:
    """What an event does, in a few words."""
    if isinstance(event, MoveJoint):
        return event.joint
    if isinstance(event, UseGripper):
        return f"{'close' if event.close else 'open'} {event.gripper}"
    if isinstance(event, FollowPath):
        return f"path of {len(event.path.joints)} joints"
    if isinstance(event, SwitchSensor):
        return f"{event.sensor} {'on' if event.on else 'off'}"
    if isinstance(event, SwitchCamera):
        return f"view {event.camera}"
    return f"say {event.text}" if isinstance(event, Announce) else f"wait for {event.condition}"


def amount(event: Event, robot: Robot, units: Units) -> str:
    """By how much an event moves a joint, with the unit; empty for others."""
    if not isinstance(event, MoveJoint):
        return ""
    dimension, unit = units.position_unit(robot.joint(event.joint).kind.turns)
    mark = "°" if unit == "deg" else f" {unit}"
    return f"{from_si(event.change, dimension, unit):.4g}{mark}"


def _seconds(text: str) -> float:
    return parse_quantity(text, "time", "s")
