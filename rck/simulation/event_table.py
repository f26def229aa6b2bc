"""Event lists of every kind in a file: YAML, one event to a row.

.. code-block:: yaml

    events:
    - {at: 0, until: 2, move: arm/waist, by: 45 deg}
    - {at: 2, close: hand}
    - {at: 2.5, wait: eye.distance < 0.2, patience: 5}
    - {at: 3, say: there it is}
"""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from rck.hooks.programs import Relation
from rck.model.events import EventList
from rck.model.files import write_atomically
from rck.model.finding import RckError
from rck.model.names import full_name
from rck.model.plain_yaml import dump_flow, line_of
from rck.model.robot import Robot
from rck.model.typed_yaml import Strict, convert, parse, read_text
from rck.model.units import format_quantity, parse_quantity, position_unit
from rck.simulation.conditions import RELATIONS
from rck.simulation.events import (
    Announce,
    Condition,
    Event,
    FollowPath,
    MoveJoint,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    WaitFor,
    from_event_list,
    in_order,
)

ENDINGS = (".yaml", ".yml")
KINDS = ("move", "close", "open", "say", "camera", "sensor-on", "sensor-off", "wait")
"""The keys that say what a row does: it has one of them."""


class Row(Strict, frozen=True):
    """One event of a file. Times are seconds."""

    at: float
    until: float | None = None
    """When a motion is to be done."""
    move: str | None = None
    """The joint that moves."""
    by: float | str | None = None
    """By how much: degrees or millimetres, or a number with its unit."""
    close: str | None = None
    """The gripper that closes."""
    take: str = ""
    """What it is to take."""
    open: str | None = None
    say: str | None = None
    camera: str | None = None
    sensor_on: str | None = None
    sensor_off: str | None = None
    wait: str | None = None
    """A comparison such as `eye.distance < 0.2`."""
    patience: float | None = None


class Table(Strict, frozen=True):
    """The file."""

    events: list[Row]


def read_table(path: Path, robot: Robot) -> tuple[Event, ...]:
    """The events of a file; what is wrong is told with file and row."""
    text = read_text(path)
    table = convert(parse(text, str(path)), Table, text, str(path))
    events = []
    for number, row in enumerate(table.events):
        try:
            events.append(_event(row, robot))
        except RckError as error:
            raise RckError(f"{path.name}:{line_of(text, ('events', number))}: event {number}: {error}") from None
    return in_order(events)


def save_table(events: Iterable[Event], robot: Robot, path: Path) -> None:
    """Write events; paths become motions of single joints, as near as makes no difference."""
    rows = [_row(event, robot) for event in in_order(_plain(events, robot))]
    lines = ["events:" if rows else "events: []", *(f"- {dump_flow(row)}" for row in rows)]
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def _event(row: Row, robot: Robot) -> Event:
    given = [kind for kind in KINDS if getattr(row, kind.replace("-", "_")) is not None]
    if len(given) != 1:
        raise RckError(f"say one thing that happens: {', '.join(KINDS)}; not {', '.join(given) or 'none'}")
    if row.move is not None:
        if row.by is None or row.until is None:
            raise RckError("a motion takes `by` and `until`")
        joint = full_name(row.move, (joint.name for joint in robot.free_joints), "movable joint")
        change = parse_quantity(str(row.by), *position_unit(robot.joint(joint).kind.turns))
        return MoveJoint(joint, change, row.at, row.until)
    if row.wait is not None:
        return WaitFor(condition_of(row.wait, robot), row.at, row.patience)
    if row.close is not None or row.open is not None:
        return UseGripper(gripper_named(row.close or row.open or "", robot), row.close is not None, row.at, row.take)
    if row.say is not None:
        return Announce(row.say, row.at)
    if row.camera is not None:
        return SwitchCamera(row.camera, row.at)
    sensor = sensor_named(row.sensor_on or row.sensor_off or "", robot)
    return SwitchSensor(sensor, row.sensor_on is not None, row.at)


def gripper_named(name: str, robot: Robot) -> str:
    """The full name of a gripper of the robot."""
    return full_name(name, (one.name for one in robot.devices if one.kind.grips), "gripper")


def sensor_named(name: str, robot: Robot) -> str:
    """The full name of a sensor of the robot."""
    return full_name(name, (one.name for one in robot.devices if not one.kind.grips), "sensor")


def condition_of(text: str, robot: Robot) -> Condition:
    """A comparison such as `eye.distance < 0.2`, of a sensor of the robot."""
    words = text.split()
    sensor, _, channel = words[0].rpartition(".") if words else ("", "", "")
    try:
        if len(words) != 3 or words[1] not in RELATIONS or not sensor:
            raise ValueError
        value = float(words[2])
    except ValueError:
        raise RckError(f"{text!r} is no comparison such as `eye.distance < 0.2`") from None
    return Condition(sensor_named(sensor, robot), channel, cast(Relation, words[1]), value)


def _plain(events: Iterable[Event], robot: Robot) -> list[Event]:
    """The events with paths taken apart."""
    from rck.kinematics.motion import event_list

    plain: list[Event] = []
    for event in events:
        if isinstance(event, FollowPath):
            pieces = event_list(event.path, robot, begin=round(100 * event.start))
            plain += from_event_list(EventList(pieces.events), robot)
        else:
            plain.append(event)
    return plain


def _row(event: Event, robot: Robot) -> dict[str, object]:
    at: dict[str, object] = {"at": event.start}
    if isinstance(event, MoveJoint):
        by = format_quantity(event.change, *position_unit(robot.joint(event.joint).kind.turns), digits=15)
        return {**at, "until": event.finish, "move": event.joint, "by": by}
    if isinstance(event, UseGripper):
        taken = {"take": event.object} if event.object else {}
        return {**at, "close" if event.close else "open": event.gripper, **taken}
    if isinstance(event, WaitFor):
        patience = {} if event.patience is None else {"patience": event.patience}
        return {**at, "wait": str(event.condition), **patience}
    if isinstance(event, Announce):
        return {**at, "say": event.text}
    if isinstance(event, SwitchCamera):
        return {**at, "camera": event.camera}
    if isinstance(event, SwitchSensor):
        return {**at, "sensor-on" if event.on else "sensor-off": event.sensor}
    raise RckError(f"{type(event).__name__} cannot be written")
