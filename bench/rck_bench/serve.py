"""The control server under load: many clients subscribe to joint states while some send trajectories.

The server, the subscribers and the senders are three processes, so that the times to acknowledgements are those of the
server. There is no peer to compare with, so targets are stated. `rck_bench.flood` measures a client during floods.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from math import sin
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from rck.cli.demo import examples_folder
from rck_bench.flood import flood_rows
from rck_bench.live_view import add_live_view, rck_process
from rck_bench.report import Report, Row

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

LISTENERS = 50
SENDERS = 10
RATE = 100.0
"""Joint states per second for each subscriber."""
COMMANDS = 20.0
"""Trajectories per second of each sender."""
MOST_SECONDS = 0.020
"""Target for the 99th percentile of the time to an acknowledgement, in seconds."""
_GRACE = 5.0
"""Time to wait for answers at the end, in seconds."""
_CELL = examples_folder() / "two-arm-cell.rck"


@dataclass
class Tally:
    """The measurements of the clients."""

    heard: float = 0.0
    """Joint states per second, of all subscribers together."""
    sent: int = 0
    seconds: list[float] = field(default_factory=list)
    """Seconds from each command to its acknowledgement."""

    @property
    def lost(self) -> int:
        """Commands that were refused or never answered."""
        return self.sent - len(self.seconds)


def run(report: Report) -> None:
    """Add the rows of this area."""
    with TemporaryDirectory() as folder, _server(Path(folder)) as address:
        tally = _load(address, report.seconds)
        floods = flood_rows(address)
    slow = float(np.percentile(tally.seconds, 99))
    what = f"{SENDERS} clients send trajectories, {LISTENERS} listen at {RATE:g} Hz, {report.seconds:g} s"
    report.rows += [
        Row(
            f"{what}: acknowledgement, 99th percentile ({1000 * slow:.2f} ms)",
            1 / slow,
            "none",
            least_rate=1 / MOST_SECONDS,
        ),
        Row(f"{what}: joint states that arrived, a listener", tally.heard / LISTENERS, "none"),
        Row(
            f"{what}: commands acknowledged, {tally.lost} of {tally.sent} lost",
            (tally.sent - tally.lost) / report.seconds,
            "what was sent",
            tally.sent / report.seconds,
            difference=float(tally.lost),
            tolerance=0.0,
        ),
        *floods,
    ]
    add_live_view(report)


def _server(folder: Path) -> AbstractContextManager[str]:
    """Run a server of the cell with two arms; yield its address."""
    return rck_process("serve", str(_CELL), "--port", "0", "--rate", str(RATE), "--state", str(folder / "state.json"))


def _load(address: str, seconds: float) -> Tally:
    url = f"ws://{address}"
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    listening = context.Process(target=listen, args=(url, theirs), daemon=True)
    listening.start()
    joints = ours.recv()
    tally = asyncio.run(_send_all(url, joints, seconds))
    ours.send("end")
    tally.heard = ours.recv()
    listening.join()
    return tally


def listen(url: str, told: "Connection[object, object]") -> None:
    """Subscribe to joint states until the pipe sends a stop; send the joint names first, and the rate at the end."""

    async def run() -> None:
        lines = [await connect(url, compression=None) for _ in range(LISTENERS)]
        for line in lines:
            await line.send('{"op": "subscribe", "topic": "/joint_states"}')
        told.send(json.loads(await lines[0].recv())["msg"]["name"])
        heard = 0

        async def hear(line: ClientConnection) -> None:
            nonlocal heard
            while True:
                await line.recv(decode=False)
                heard += 1

        start = perf_counter()
        hearing = [asyncio.create_task(hear(line)) for line in lines]
        while not told.poll():
            await asyncio.sleep(0.05)
        for task in hearing:
            task.cancel()
        told.send(heard / (perf_counter() - start))
        for line in lines:
            line.transport.abort()

    asyncio.run(run())


async def _send_all(url: str, joints: Sequence[str], seconds: float) -> Tally:
    tally = Tally()
    lines = [await connect(url, compression=None) for _ in range(SENDERS)]
    # The first command of each loads the modules.
    await asyncio.gather(*(_send(line, joint, 0.2, Tally()) for line, joint in zip(lines, joints, strict=False)))
    await asyncio.gather(*(_send(line, joint, seconds, tally) for line, joint in zip(lines, joints, strict=False)))
    for line in lines:
        line.transport.abort()
    return tally


async def _send(line: ClientConnection, joint: str, seconds: float, tally: Tally) -> None:
    """Send trajectories of one joint at a constant rate for a time; each replaces the previous one."""
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
