"""The control server under load: many programs listen to joint states while some send trajectories.

The server runs in a process of its own; all clients share another, so two cores carry everything. There is no peer to
compare with; what is to be reached is stated.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import sin
from pathlib import Path
from signal import SIGTERM
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from rck_bench.report import Report, Row

LISTENERS = 50
SENDERS = 10
RATE = 100.0
"""Joint states a second for each listener."""
COMMANDS = 20.0
"""Trajectories a second of each sender."""
MOST_SECONDS = 0.020
"""The 99th percentile of the time to an acknowledgement that was to be kept."""
_GRACE = 5.0
"""How long, in seconds, answers are waited for at the end."""
_CELL = Path(__file__).parent.parent.parent / "examples" / "two-arm-cell.rck"


@dataclass
class Tally:
    """What clients saw."""

    heard: int = 0
    sent: int = 0
    seconds: list[float] = field(default_factory=list)
    """From each command to its acknowledgement."""

    @property
    def lost(self) -> int:
        """Commands that were refused or never answered."""
        return self.sent - len(self.seconds)


def run(report: Report) -> None:
    """Add the rows of this area."""
    with TemporaryDirectory() as folder, _server(Path(folder)) as port:
        tally = asyncio.run(_load(port, report.seconds))
    slow = float(np.percentile(tally.seconds, 99))
    what = f"{SENDERS} clients send trajectories, {LISTENERS} listen at {RATE:g} Hz, {report.seconds:g} s"
    report.rows += [
        Row(
            f"{what}: acknowledgement, 99th percentile ({1000 * slow:.2f} ms)",
            1 / slow,
            "none",
            least_rate=1 / MOST_SECONDS,
        ),
        Row(f"{what}: joint states that arrived, a listener", tally.heard / LISTENERS / report.seconds, "none"),
        Row(
            f"{what}: commands acknowledged, {tally.lost} of {tally.sent} lost",
            (tally.sent - tally.lost) / report.seconds,
            "what was sent",
            tally.sent / report.seconds,
            difference=float(tally.lost),
            tolerance=0.0,
        ),
    ]


@contextmanager
def _server(folder: Path) -> Iterator[int]:
    """A server of the cell with two arms, in a process of its own; where it listens."""
    command = [sys.executable, "-c", "from rck.cli.main import main; main()", "serve", str(_CELL)]
    command += ["--port", "0", "--rate", str(RATE), "--state", str(folder / "state.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield int(line.split(";")[0].rpartition(":")[2])
        finally:
            process.send_signal(SIGTERM)


async def _load(port: int, seconds: float) -> Tally:
    url = f"ws://127.0.0.1:{port}"
    tally = Tally()
    listeners = [await connect(url, compression=None) for _ in range(LISTENERS)]
    senders = [await connect(url, compression=None) for _ in range(SENDERS)]
    for line in listeners:
        await line.send('{"op": "subscribe", "topic": "/joint_states"}')
    joints = json.loads(await listeners[0].recv())["msg"]["name"]
    hearing = [asyncio.create_task(_hear(line, tally)) for line in listeners]
    # The first command of each loads what is needed for it.
    await asyncio.gather(*(_send(line, joint, 0.2, Tally()) for line, joint in zip(senders, joints, strict=False)))
    tally.heard = 0
    await asyncio.gather(*(_send(line, joint, seconds, tally) for line, joint in zip(senders, joints, strict=False)))
    for task in hearing:
        task.cancel()
    for line in (*listeners, *senders):
        line.transport.abort()
    return tally


async def _hear(line: ClientConnection, tally: Tally) -> None:
    while True:
        await line.recv(decode=False)
        tally.heard += 1


async def _send(line: ClientConnection, joint: str, seconds: float, tally: Tally) -> None:
    """Send trajectories of one joint, evenly, for a time; each takes the place of the one before."""
    waiting: dict[str, float] = {}

    async def hear() -> None:
        while True:
            answer = json.loads(await line.recv())
            begun = waiting.pop(answer["id"], None)
            if begun is not None and answer["result"]:
                tally.seconds.append(perf_counter() - begun)

    hearing = asyncio.create_task(hear())
    start = perf_counter()
    for number in range(round(seconds * COMMANDS)):
        await asyncio.sleep(max(0.0, start + number / COMMANDS - perf_counter()))
        about = f"{joint}-{number}"
        waiting[about] = perf_counter()
        tally.sent += 1
        await line.send(_command(about, joint, 0.1 * sin(number / COMMANDS)))
    end = perf_counter()
    while waiting and perf_counter() < end + _GRACE:
        await asyncio.sleep(0.01)
    hearing.cancel()
    with suppress(asyncio.CancelledError):
        await hearing


def _command(about: str, joint: str, position: float) -> str:
    points = [{"positions": [position], "time_from_start": {"sec": 0, "nanosec": 400_000_000}}]
    trajectory = {"joint_names": [joint], "points": points}
    message = {"op": "call_service", "id": about, "service": "/follow_joint_trajectory"}
    return json.dumps({**message, "args": {"trajectory": trajectory}})
