"""What clients did, as a file of events that can be done again.

The file has a JSON object a line: first what it is, then each command with its simulated time and its sender.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from rck.control.hub import Hub
from rck.control.protocol import Refused
from rck.control.services import Caller
from rck.model.finding import RckError

_STEP = 0.01
_OF_THE_CLOCK = ("/step", "/pause", "/speed")
"""What only concerned the time on the wall: a recording has its own."""


class Heading(msgspec.Struct, frozen=True):
    """The first line."""

    rck_recording: int
    """The version of this format: 1."""
    robot: str


class Command(msgspec.Struct, frozen=True):
    """A command that a client gave."""

    time: float
    """Simulated, in seconds."""
    client: str
    service: str
    args: msgspec.Raw


class Recorder:
    """Writes commands to a file as they come. What has been written survives a crash."""

    def __init__(self, path: Path, robot: str) -> None:
        self._file: IO[bytes] = path.open("wb", buffering=0)
        self._write(Heading(1, robot))

    def note(self, time: float, client: str, service: str, args: bytes) -> None:
        """Note a command that was acknowledged."""
        self._write(Command(time, client, service, msgspec.Raw(args)))

    def close(self) -> None:
        """Nothing more will come."""
        self._file.close()

    def _write(self, line: Heading | Command) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")


def read_recording(path: Path, robot: str) -> Iterator[Command]:
    """The commands of a recording, which must be one of this robot."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                if number > 1:
                    yield msgspec.json.decode(line, type=Command)
                    continue
                heading = msgspec.json.decode(line, type=Heading)
            except msgspec.DecodeError as error:
                raise RckError(f"{path}, line {number}: this is no recording: {error}") from None
            if heading.rck_recording != 1 or heading.robot != robot:
                raise RckError(f"{path}: a recording of {heading.robot}, not of {robot}")


def replay(hub: Hub, path: Path) -> list[str]:
    """Do all commands of a recording at their times, as fast as possible; what was refused this time."""
    callers: dict[str, Caller] = {}
    refused = []
    for command in read_recording(path, hub.world.robot.name):
        _run_until(hub, command.time)
        if command.service in _OF_THE_CLOCK:
            continue
        caller = callers.setdefault(command.client, Caller(command.client))
        try:
            asyncio.run(hub.call(caller, command.service, command.args))
        except Refused as error:
            refused.append(f"{command.time:.3f} s, {command.client}, {command.service}: {error.reason}")
    while hub.world.motions.live and not hub.world.simulation.stuck:
        _run_until(hub, hub.world.time + _STEP)
    return refused


def _run_until(hub: Hub, time: float) -> None:
    while hub.world.time < time - 1e-9:
        hub.world.step(min(_STEP, time - hub.world.time))
