"""A moment of a simulation in a file, to go on from there later or elsewhere.

A run that goes on from a file is the run that was not broken off, to the last bit. The control server keeps its worlds
in the same files, with what clients have set going beside the simulation.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import frozen
from rck.kinematics.motion import Path
from rck.model.files import write_atomically
from rck.model.finding import Finding, RckError
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
from rck.simulation.falling import Fall
from rck.simulation.notices import Blocking, Notice, Outcome
from rck.simulation.placed_joints import PlacedJoints
from rck.simulation.running import Running, begun
from rck.simulation.saved import SavedState
from rck.simulation.sensing import SensorUnit
from rck.simulation.simulation import Simulation
from rck.simulation.stage import NO_OBJECT, Hold, Placement

ENDING = ".state.json"
VERSION = 4
"""Of the format. Version 1 was of the control server alone, 2 had other names for what is held, 3 held old poses."""

_KINDS = {
    kind.__name__: kind for kind in (MoveJoint, FollowPath, UseGripper, SwitchSensor, SwitchCamera, Announce, WaitFor)
}


class PackedArray(msgspec.Struct, frozen=True):
    """Numbers to the last bit, infinite ones too: their bytes, compressed, in base 64."""

    type: str
    shape: tuple[int, ...]
    bytes: str


class Held(msgspec.Struct, frozen=True):
    """An object in a hand."""

    object: str
    gripper: str
    item: str
    """That the object is fastened to."""
    frames: list[list[list[float]]]


class Queued(msgspec.Struct, frozen=True):
    """A motion under way. Events are meant by their place in the table of events."""

    event: int
    motion: int
    started: float
    elapsed: float
    held: float
    closing_on: str
    why: str
    blocked: tuple[str, str] | None
    blockings: list[Blocking]
    pushed: list[str]


class Ended(msgspec.Struct, frozen=True):
    """What became of an event."""

    event: int
    started: float
    finished: float | None
    done: bool
    why: str
    blockings: list[Blocking]
    pushed: list[str]


class SensorState(msgspec.Struct, frozen=True):
    """A sensor and its past."""

    kind: str
    on: bool
    read_at: float | None
    reading: dict[str, PackedArray]
    chance: dict[str, Any]
    """Of the noise."""
    memory: Any = None
    """What the reader remembers; see :class:`rck.hooks.Remembering`."""
    interval: float = 0.0
    """The time between its last two readings, in seconds."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """The file. Radians, metres, seconds."""

    rck_state: int
    robot: str
    time: float
    joints: dict[str, float]
    objects: dict[str, list[list[float]]]
    """World from object, by its name: 4x4."""
    holds: list[Held]
    falling: dict[str, float]
    """For how long each object that falls has been falling."""
    resting: list[tuple[str, str, float]]
    """Items that lie on each other, and how deep they may go into each other."""
    touched: dict[str, list[str]]
    """The objects that each hand may touch."""
    events: list[dict[str, Any]]
    """All that are spoken of here; the others say which of these they mean."""
    listed: list[int]
    pending: list[int]
    queue: list[Queued]
    outcomes: list[Ended]
    notices: list[Notice]
    findings: list[Finding]
    sensors: dict[str, SensorState]
    placed: list[tuple[float, dict[str, float]]] = []
    """When joints were last placed from outside, and the sum of all placements up to then."""
    pushed: dict[str, str] = {}
    """The objects that were pushed in the last slice, each with the item that took it along."""
    waiting: int | None = None
    waited: float = 0.0
    delay: float = 0.0
    camera: str = ""
    emergency: bool = False
    """Whether an emergency stop was called for."""
    held: bool = False
    """Whether all motion was held for safety."""
    forces: Any = None
    """What the physics remembers."""
    served: Any = None
    """What the control server keeps besides."""
    program: Any = None
    """How far a program has come."""


def save_state(state: State, path: FilePath) -> None:
    """Write a state in one step."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(state)))


def read_state(path: FilePath) -> State:
    """The state in a file."""
    try:
        content = path.read_bytes()
        version = msgspec.json.decode(content, type=_Version).rck_state
        if version != VERSION:
            other = "a newer" if version > VERSION else "an older"
            raise RckError(
                f"{path}: written by {other} RCK (version {version} of the format); this one reads {VERSION}"
            )
        return msgspec.json.decode(content, type=State)
    except FileNotFoundError:
        raise RckError(f"{path}: there is no saved state to resume from") from None
    except msgspec.DecodeError as error:
        raise RckError(f"{path}: this is no saved state: {error}") from None


class _Version(msgspec.Struct):
    rck_state: int


def state_of(simulation: Simulation) -> tuple[State, Mapping[int, int]]:
    """The simulation as it is now, and where the table of events has those that are spoken of, by their identity."""
    saved = simulation.save()
    items = simulation.robot.items
    names = [thing.name for thing in simulation.stage.objects]
    table = _Table()
    state = State(
        VERSION,
        simulation.robot.name,
        saved.time,
        dict(zip(_joints(simulation), saved.placement.vector.tolist(), strict=True)),
        dict(zip(names, saved.placement.frames.tolist(), strict=True)),
        [
            Held(names[one.object], one.gripper, items[one.item].name, one.frames.tolist())
            for one in saved.placement.holds
        ],
        {names[fall.object]: fall.elapsed for fall in saved.falls},
        [(items[a].name, items[b].name, depth) for (a, b), depth in sorted(saved.resting.items())],
        {hand: [names[number] for number in sorted(numbers)] for hand, numbers in saved.touched.items()},
        listed=[table.place(event) for event in simulation.events],
        pending=[table.place(event) for event in saved.pending],
        queue=[_queued(running, names, table) for running in saved.queue],
        outcomes=[
            Ended(
                table.place(one.event),
                one.started,
                one.finished,
                one.done,
                one.why,
                list(one.blockings),
                list(one.pushed),
            )
            for one in saved.outcomes
        ],
        waiting=None if saved.waiting is None else table.place(saved.waiting),
        events=table.events,
        notices=list(saved.notices),
        findings=list(simulation.findings),
        sensors={sensor.name: _sensor_state(sensor) for sensor in saved.sensors},
        placed=[
            (time, dict(zip(_joints(simulation), offset.tolist(), strict=True)))
            for time, offset in zip(saved.placed.times, saved.placed.offsets, strict=True)
        ],
        pushed={names[number]: items[carrier].name for number, carrier in saved.pushed.items()},
        waited=saved.waited,
        delay=saved.delay,
        camera=saved.camera,
        emergency=saved.emergency,
        held=saved.held,
        forces=saved.forces,
    )
    return state, table.places


def restore(simulation: Simulation, state: State, where: str) -> list[Event]:
    """Let a simulation of the same robots and objects go on from a state: the table of its events."""
    robot, stage = simulation.robot, simulation.stage
    names = [thing.name for thing in stage.objects]
    joints = _joints(simulation)
    if state.robot != robot.name or set(state.joints) != set(joints):
        raise RckError(f"{where}: the state of {state.robot} does not fit {robot.name}; start without it")
    if set(state.objects) != set(names):
        other = min(set(state.objects) ^ set(names))
        raise RckError(f"{where}: its objects are not those of {robot.name}, for one {other}; start without it")
    if (state.forces is None) != (simulation.forces is None):
        kind = "without" if state.forces is None else "under"
        raise RckError(f"{where}: it was saved {kind} physics; go on in the same way")
    try:
        events = [_event(row) for row in state.events]
        simulation.restore(_saved(simulation, state, names, events))
    except (KeyError, IndexError, ValueError, zlib.error, msgspec.ValidationError) as error:
        raise RckError(f"{where}: the state does not fit {robot.name}: {error!r}; start without it") from None
    simulation.list_events(events[place] for place in state.listed)
    simulation.findings = list(state.findings)
    return events


def _saved(simulation: Simulation, state: State, names: list[str], events: list[Event]) -> SavedState:
    index = simulation.robot.item_index
    placement = Placement(
        frozen(np.array([state.joints[name] for name in _joints(simulation)])),
        frozen(np.array([state.objects[name] for name in names]).reshape(-1, 4, 4)),
        tuple(
            Hold(names.index(one.object), one.gripper, index[one.item], frozen(np.array(one.frames)))
            for one in state.holds
        ),
    )
    waiting = None if state.waiting is None else events[state.waiting]
    assert waiting is None or isinstance(waiting, WaitFor)
    return replace(
        simulation.save(),
        time=state.time,
        placement=placement,
        pending=tuple(events[place] for place in state.pending),
        queue=tuple(_running(one, simulation, names, events) for one in state.queue),
        falls=tuple(Fall(names.index(name), elapsed) for name, elapsed in state.falling.items()),
        waiting=waiting,
        waited=state.waited,
        delay=state.delay,
        camera=state.camera,
        sensors=tuple(_sensor(sensor.copy(simulation.robot), state) for sensor in simulation.sensors.values()),
        outcomes=tuple(
            Outcome(
                events[one.event], one.started, one.finished, one.done, one.why, tuple(one.blockings), tuple(one.pushed)
            )
            for one in state.outcomes
        ),
        notices=tuple(state.notices),
        emergency=state.emergency,
        held=state.held,
        forces=state.forces,
        placed=PlacedJoints(
            tuple(time for time, _ in state.placed),
            tuple(frozen(np.array([offset[name] for name in _joints(simulation)])) for _, offset in state.placed),
        ),
        pushed={names.index(name): index[carrier] for name, carrier in state.pushed.items()},
        resting={(index[a], index[b]): depth for a, b, depth in state.resting},
        touched={hand: frozenset(map(names.index, objects)) for hand, objects in state.touched.items()},
    )


def _joints(simulation: Simulation) -> list[str]:
    return [joint.name for joint in simulation.robot.free_joints]


class _Table:
    """Events, each once, however often it is spoken of."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.places: dict[int, int] = {}

    def place(self, event: Event) -> int:
        """Where the event is in the table."""
        if id(event) not in self.places:
            self.places[id(event)] = len(self.events)
            self.events.append({"kind": type(event).__name__, **_plain(event)})
        return self.places[id(event)]


def _plain(event: Event) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(event, enc_hook=lambda array: array.tolist())
    return plain


def _event(row: dict[str, Any]) -> Event:
    fields = {name: value for name, value in row.items() if name != "kind"}
    kind: type[Event] = _KINDS[row["kind"]]
    if kind is FollowPath:
        path = fields["path"]
        times, pieces = (frozen(np.array(path[name], dtype=float)) for name in ("times", "pieces"))
        return FollowPath(Path(tuple(path["joints"]), times, pieces), fields["start"])
    return msgspec.convert(fields, kind)


def _queued(running: Running, names: list[str], table: _Table) -> Queued:
    return Queued(
        table.place(running.event),
        table.place(running.motion),
        running.started,
        running.elapsed,
        running.held,
        "" if running.closing_on == NO_OBJECT else names[running.closing_on],
        running.why,
        running.blocked,
        list(running.blockings),
        list(running.pushed),
    )


def _running(queued: Queued, simulation: Simulation, names: list[str], events: list[Event]) -> Running:
    motion = events[queued.motion]
    if not isinstance(motion, MoveJoint | FollowPath):
        raise ValueError(f"event {queued.motion} moves no joint")
    running = begun(events[queued.event], motion, queued.started, simulation.stage.arrays.joint_names)
    return replace(
        running,
        elapsed=queued.elapsed,
        held=queued.held,
        closing_on=names.index(queued.closing_on) if queued.closing_on else NO_OBJECT,
        why=queued.why,
        blocked=queued.blocked,
        blockings=list(queued.blockings),
        pushed=list(queued.pushed),
    )


def _sensor_state(sensor: SensorUnit) -> SensorState:
    reading = {channel: _packed(np.asarray(values)) for channel, values in sensor.reading.items()}
    read_at = sensor.read_at if np.isfinite(sensor.read_at) else None
    # The numbers of the noise are longer than those of JSON.
    chance = _deep(sensor.chance.bit_generator.state, (int,), str)
    return SensorState(sensor.kind, sensor.on, read_at, reading, chance, sensor.memory, sensor.interval)


def _sensor(sensor: SensorUnit, state: State) -> SensorUnit:
    """A sensor with its past; one that the state does not know has none."""
    known = state.sensors.get(sensor.name)
    if known is None:
        return sensor
    if known.kind != sensor.kind:
        raise ValueError(f"sensor {sensor.name} is {sensor.kind}, not {known.kind}")
    sensor.on = known.on
    sensor.interval = known.interval
    sensor.read_at = -np.inf if known.read_at is None else known.read_at
    sensor.reading = {channel: _unpacked(values) for channel, values in known.reading.items()}
    sensor.chance.bit_generator.state = {
        name: value if name == "bit_generator" else _deep(value, (str,), int) for name, value in known.chance.items()
    }
    sensor.recall(known.memory)
    return sensor


def _deep(value: Any, types: tuple[type, ...], change: type) -> Any:
    """A tree of values with those of some types changed."""
    if isinstance(value, dict):
        return {name: _deep(one, types, change) for name, one in value.items()}
    return change(value) if isinstance(value, types) else value


def _packed(array: NDArray[Any]) -> PackedArray:
    content = zlib.compress(np.ascontiguousarray(array).tobytes())
    return PackedArray(array.dtype.str, array.shape, base64.b64encode(content).decode())


def _unpacked(packed: PackedArray) -> NDArray[Any]:
    content = zlib.decompress(base64.b64decode(packed.bytes))
    return np.frombuffer(content, dtype=np.dtype(packed.type)).reshape(packed.shape).copy()
