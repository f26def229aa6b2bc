"""State files: simulation states that are resumed later or on another machine.

A resumed run gives the same results as an uninterrupted one, to the last bit. The control server stores its worlds in
the same files, together with the motions of its clients.
"""

from pathlib import Path
from typing import Any

import msgspec

from rck.simulation.events import Event
from rck.simulation.simulation import Simulation
from rck.simulation.state import SimulationState
from rck.simulation.state_codec import StateCodec, StateError
from rck.support.files import write_atomically
from rck.support.finding import Finding, RckError

ENDING = ".state.json"
VERSION = 5
"""Version of the format. Since version 5, `state` is the encoding of :class:`rck.simulation.state.SimulationState`."""


class StateRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """Contents of a state file. Radians, metres, seconds."""

    rck_state: int
    robot: str
    joints: list[str]
    objects: list[str]
    events: list[dict[str, Any]]
    """All events; other fields refer to them by index."""
    listed: list[int]
    """The event list."""
    state: dict[str, Any]
    findings: list[Finding]
    served: Any = None
    """Additions of the control server."""
    program: Any = None
    """Progress of a program."""


class _Version(msgspec.Struct):
    rck_state: int


def save_state(record: StateRecord, path: Path) -> None:
    """Write a state file in one step."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(record)))


def read_state(path: Path) -> StateRecord:
    """Read a state file."""
    try:
        content = path.read_bytes()
        version = msgspec.json.decode(content, type=_Version).rck_state
        if version != VERSION:
            other = "a newer" if version > VERSION else "an older"
            raise RckError(
                f"{path}: written by {other} RCK (format version {version}); this one only reads version {VERSION}"
            )
        return msgspec.json.decode(content, type=StateRecord)
    except FileNotFoundError:
        raise RckError(f"{path}: there is no saved state to resume from") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise RckError(f"{path}: this is not a saved state: {error}") from None


def encode_state(simulation: Simulation) -> tuple[StateRecord, StateCodec]:
    """Return the current state of a simulation, and the codec that knows the indexes of its events."""
    codec = StateCodec(simulation)
    listed = [codec.index_of(event) for event in simulation.events]
    state = codec.encode(simulation.save(), SimulationState)
    record = StateRecord(
        VERSION,
        simulation.robot.name,
        list(simulation.kinematics.arrays.joint_names),
        [thing.name for thing in simulation.kinematics.objects],
        codec.encode_events(),
        listed,
        state,
        list(simulation.findings),
    )
    return record, codec


def restore_state(simulation: Simulation, record: StateRecord, where: str) -> list[Event]:
    """Resume a state in a simulation of the same robots and objects; return the events of the record.

    Sensors that the record does not have start without a past; sensors that the simulation does not have are ignored.
    """
    robot = simulation.robot
    objects = {thing.name for thing in simulation.kinematics.objects}
    if record.robot != robot.name or set(record.joints) != set(simulation.kinematics.arrays.joint_names):
        raise RckError(f"{where}: the state of {record.robot} does not fit {robot.name}; start without it")
    if set(record.objects) != objects:
        other = min(set(record.objects) ^ objects)
        raise RckError(f"{where}: the objects of the state and of {robot.name} differ, for example {other}")
    codec = StateCodec(simulation)
    data = record.state
    try:
        if (data["physics"] is None) != (simulation.forces is None):
            kind = "without" if data["physics"] is None else "with"
            raise RckError(f"{where}: the state was saved {kind} physics; resume it {kind} physics")
        codec.decode_events(record.events)
        known = {name: past for name, past in data["sensors"].items() if name in simulation.sensors}
        state: SimulationState = codec.decode({**data, "sensors": known}, SimulationState)
        state.sensors = {**simulation.sensors, **state.sensors}
        simulation.restore(state)
        simulation.list_events(codec.decode(index, Event) for index in record.listed)
    except RckError:
        raise
    # Readers of sensors and physics engines read their own part of the file.
    except Exception as error:
        reason = str(error) if isinstance(error, StateError) else repr(error)
        raise RckError(
            f"{where}: the state is damaged, or does not fit {robot.name}: {reason}; start without it"
        ) from None
    simulation.findings = list(record.findings)
    return codec.events
