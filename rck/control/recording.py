"""What clients sent, as a file of events that can be done again.

The file has a JSON object a line: first what it is, then each event with its simulated time and its sender.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from rck.control.protocol import NOTHING, Refused
from rck.control.services import Caller
from rck.model.finding import RckError

if TYPE_CHECKING:
    from rck.control.hub import Hub

_STEP = 0.01
_OF_THE_CLOCK = ("/step", "/pause", "/speed", "/lockstep")
"""What only concerned the time on the wall: a recording has its own."""


class Heading(msgspec.Struct, frozen=True):
    """The first line."""

    rck_recording: int
    """The version of this format: 1."""
    robot: str


class Sent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a client sent, or that it has gone."""

    time: float
    """Simulated, in seconds."""
    client: str
    service: str = ""
    args: msgspec.Raw = NOTHING
    topic: str = ""
    msg: msgspec.Raw = NOTHING
    gone: bool = False
    refused: str = ""
    """Why it was not taken; then it is not done again."""


class Recorder:
    """Writes events to a file as they come. What has been written survives a crash."""

    def __init__(self, path: Path, robot: str) -> None:
        self._file: IO[bytes] = path.open("wb", buffering=0)
        self._write(Heading(1, robot))

    def note(self, event: Sent) -> None:
        """Note an event."""
        self._write(event)

    def close(self) -> None:
        """Nothing more will come."""
        self._file.close()

    def _write(self, line: Heading | Sent) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")


def read_recording(path: Path, robot: str) -> Iterator[Sent]:
    """The events of a recording, which must be one of this robot."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                if number > 1:
                    yield msgspec.json.decode(line, type=Sent)
                    continue
                heading = msgspec.json.decode(line, type=Heading)
            except msgspec.DecodeError as error:
                raise RckError(f"{path}, line {number}: this is no recording: {error}") from None
            if heading.rck_recording != 1 or heading.robot != robot:
                raise RckError(f"{path}: a recording of {heading.robot}, not of {robot}")


def replay(hub: "Hub", path: Path) -> list[str]:
    """Do all events of a recording at their times, as fast as possible; what was refused this time."""
    callers: dict[str, Caller] = {}
    refused = []
    for event in read_recording(path, hub.world.robot.name):
        _run_until(hub, event.time)
        if event.refused or event.service in _OF_THE_CLOCK:
            continue
        caller = callers.setdefault(event.client, Caller(event.client))
        try:
            _do(hub, caller, event)
        except Refused as error:
            what = event.service or event.topic
            refused.append(f"{event.time:.3f} s, {event.client}, {what}: {error.reason}")
    while hub.world.motions.live and not hub.world.simulation.stuck:
        _run_until(hub, hub.world.time + _STEP)
    for name in callers:
        # Nobody is there any more who could be waited for.
        hub.dependence.forget(name)
    return refused


def _do(hub: "Hub", caller: Caller, event: Sent) -> None:
    if event.gone:
        hub.part_from(caller)
    elif event.service:
        asyncio.run(hub.call(caller, event.service, event.args))
    else:
        hub.hear(caller, event.topic, event.msg)


def _run_until(hub: "Hub", time: float) -> None:
    while hub.world.time < time - 1e-9:
        hub.world.step(min(_STEP, time - hub.world.time))
