"""Recording and replay of the messages of clients.

A recording has one JSON object per line: first a heading, then each message with its simulated time and its sender.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from rck.control.protocol import NOTHING, ProtocolError
from rck.control.services import Caller
from rck.support.finding import RckError

if TYPE_CHECKING:
    from rck.control.hub import Hub

_STEP = 0.01
_REAL_TIME_SERVICES = ("/step", "/pause", "/speed", "/lockstep")
"""Services that only affect real time; a replay runs by the times of the recording."""


class Heading(msgspec.Struct, frozen=True):
    """The first line of a recording."""

    rck_recording: int
    """Version of the format: 1."""
    robot: str


class Sent(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message of a client, or its disconnection."""

    time: float
    """Simulated time in seconds."""
    client: str
    service: str = ""
    args: msgspec.Raw = NOTHING
    topic: str = ""
    msg: msgspec.Raw = NOTHING
    gone: bool = False
    refused: str = ""
    """The reason, if the server refused it; a replay skips refused messages."""


class ClientRecorder:
    """Writes messages to a file without buffering, so that they survive a crash."""

    def __init__(self, path: Path, robot: str) -> None:
        self._file: IO[bytes] = path.open("wb", buffering=0)
        self._write(Heading(1, robot))

    def record(self, message: Sent) -> None:
        """Write a message."""
        self._write(message)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, line: Heading | Sent) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")


def read_recording(path: Path, robot: str) -> Iterator[Sent]:
    """Yield the messages of a recording; refuse one of another robot."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                if number > 1:
                    yield msgspec.json.decode(line, type=Sent)
                    continue
                heading = msgspec.json.decode(line, type=Heading)
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                raise RckError(f"{path}, line {number}: not a recording: {error}") from None
            if heading.rck_recording != 1 or heading.robot != robot:
                raise RckError(
                    f"{path}: version {heading.rck_recording} recording of robot {heading.robot}; "
                    f"expected version 1 of robot {robot}"
                )


def replay(hub: "Hub", path: Path) -> list[str]:
    """Send all messages of a recording at their simulated times, as fast as possible; return the refusals."""
    callers: dict[str, Caller] = {}
    refused = []
    for message in read_recording(path, hub.world.robot.name):
        _run_until(hub, message.time)
        if message.refused or message.service in _REAL_TIME_SERVICES:
            continue
        caller = callers.setdefault(message.client, Caller(message.client))
        try:
            _send(hub, caller, message)
        except ProtocolError as error:
            name = message.service or message.topic
            refused.append(f"{message.time:.3f} s, {message.client}, {name}: {error.reason}")
    while hub.world.motions.live and not hub.world.simulation.stuck:
        _run_until(hub, hub.world.time + _STEP)
    for name in callers:
        # These clients are not connected: lock-step must not wait for them.
        hub.lockstep.forget(name)
    return refused


def _send(hub: "Hub", caller: Caller, message: Sent) -> None:
    if message.gone:
        hub.end_caller(caller)
    elif message.service:
        asyncio.run(hub.call(caller, message.service, message.args))
    else:
        hub.receive(caller, message.topic, message.msg)


def _run_until(hub: "Hub", time: float) -> None:
    while hub.world.time < time - 1e-9:
        hub.world.step(min(_STEP, time - hub.world.time))
