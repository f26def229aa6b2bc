"""Latency of one client of the control server while another client floods it.

The server, the flooding client and the measured client are three processes. The measured client calls a service at a
constant rate; times count from the moment at which a call is due, so that a late server cannot hide later calls. It
calls an echo server, which nobody floods, at the same moments. If that one is late too, the machine is too busy, and
the flood is measured again.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from rck_bench.report import Row

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MOST_SECONDS = 0.050
"""Target for the 99th percentile of the time to an answer during a flood, in seconds."""
RATE = 100.0
"""Calls of the measured client per second."""
SECONDS = 3.0
"""Duration of each flood, in seconds."""
_QUIET_SECONDS = 1.0
"""Duration of the measurement before each flood, in seconds."""
_ATTEMPTS = 3
"""Number of times that a flood is measured while even the echo server misses the target."""
_GRACE = 10.0
"""Time to wait for answers at the end, in seconds."""
_BUILD_UP = 0.2
"""Time for a flood to build up before the measurement, in seconds."""
_IN_FLIGHT = 256
"""Messages that the flooding client sends before it reads answers."""

Messages: TypeAlias = Callable[[list[str]], Iterator[str]]
"""Returns the messages of a flood for the names of joints."""

_FAR = {"position": {"x": 50.0}, "orientation": {"w": 1.0}}
_NEAR = {"position": {"x": 0.4, "y": 0.1, "z": 0.2}, "orientation": {"w": 1.0}}
_TIP = "left/tool0"


def _message(op: str, **fields: object) -> str:
    return json.dumps({"op": op, **fields})


def _call(service: str, /, **args: object) -> str:
    return _message("call_service", service=service, args=args)


def _calls(service: str, /, **args: object) -> Messages:
    """Return a flood of equal calls."""

    message = _call(service, **args)

    def messages(joints: list[str]) -> Iterator[str]:
        while True:
            yield message

    return messages


def _move_joints(joints: list[str]) -> Iterator[str]:
    for number in count():
        yield _call("/move_joints", joints={joints[0]: 0.1 * (number % 2)})


def _trajectories(points: int) -> Messages:
    def messages(joints: list[str]) -> Iterator[str]:
        path = [{"positions": [0.0], "time_from_start": {"sec": number + 1}} for number in range(points)]
        message = _call("/follow_joint_trajectory", trajectory={"joint_names": joints[:1], "points": path})
        while True:
            yield message

    return messages


def _spawn(joints: list[str]) -> Iterator[str]:
    spawn, remove = (
        _call("/spawn", name="flood", shape="sphere", sizes=[0.02], pose=_FAR),
        _call("/remove", name="flood"),
    )
    while True:
        yield from (spawn, remove)


def _steps(joints: list[str]) -> Iterator[str]:
    while True:
        yield _call("/pause", data=True)
        yield _call("/step", seconds=1.0)
        yield _call("/pause", data=False)


def _subscriptions(joints: list[str]) -> Iterator[str]:
    for number in count():
        for topic in ("/robot_description", "/scene", "/tf", "/joint_states"):
            about = f"{topic}-{number % 40}"
            yield _message("subscribe", topic=topic, id=about)
            yield _message("unsubscribe", topic=topic, id=about)


def _throttled(joints: list[str]) -> Iterator[str]:
    for number in range(200):
        throttle = {"throttle_rate": 10 + number, "queue_length": 1000, "compression": "png"}
        yield _message("subscribe", topic="/tf", id=f"tf-{number}", **throttle)


def _publications(size: int) -> Messages:
    def messages(joints: list[str]) -> Iterator[str]:
        yield _message("advertise", topic="/flood", type="std_msgs/String")
        yield _message("subscribe", topic="/flood")
        message = _message("publish", topic="/flood", msg={"data": "x" * size})
        while True:
            yield message

    return messages


def _fragments(joints: list[str]) -> Iterator[str]:
    for number in count():
        yield _message("fragment", id=f"{number // 100}", num=number % 100, total=101, data="x" * 5000)


def _goals(joints: list[str]) -> Iterator[str]:
    for number in count():
        args = {"joints": {joints[0]: 0.1 * (number % 2)}}
        yield _message("send_action_goal", id=f"{number}", action="/move_joints", args=args, feedback=True)


def _nonsense(joints: list[str]) -> Iterator[str]:
    while True:
        yield "[" * 1000


FLOODS: Mapping[str, Messages] = {
    "/move_joints": _move_joints,
    "/follow_joint_trajectory": _trajectories(1),
    "/follow_joint_trajectory, 5,000 points": _trajectories(5000),
    "/move_tool": _calls("/move_tool", pose=_FAR, tip=_TIP),
    "/move_tool, position": _calls("/move_tool", pose=_FAR, tip=_TIP, wants="position"),
    "/move_tool, line": _calls("/move_tool", pose=_NEAR, tip=_TIP, straight=True),
    "/close_gripper": _calls("/close_gripper"),
    "/open_gripper": _calls("/open_gripper"),
    "/robot_speed": _calls("/robot_speed", full=True),
    "/stop": _calls("/stop"),
    "/spawn": _spawn,
    "/remove": _calls("/remove", name="nothing"),
    "/step": _steps,
    "/pause": _calls("/pause", data=False),
    "/reset": _calls("/reset"),
    "/reinitialise": _calls("/reinitialise"),
    "/speed": _calls("/speed", speed=1.0),
    "/act": _calls("/act", action="flood"),
    "/check_collision": _calls("/check_collision"),
    "/compute_ik": _calls("/compute_ik", pose=_FAR, tip=_TIP, most=64, budget=0.2),
    "/compute_ik, axis": _calls("/compute_ik", pose=_NEAR, tip=_TIP, most=64, budget=0.2, wants="axis"),
    "/get_pose": _calls("/get_pose", name=_TIP),
    "/stop_on_disconnect": _calls("/stop_on_disconnect"),
    "/open_on_disconnect": _calls("/open_on_disconnect"),
    "/state": _calls("/state"),
    "/look": _calls("/look", view="top"),
    "/register": _calls("/register", depends_on=[]),
    "/lockstep": _calls("/lockstep", data=False),
    "/set_value": _calls("/set_value", name="flood", value="x" * 60_000),
    "/get_value": _calls("/get_value", owner="nobody", name="flood"),
    "/seen": _calls("/seen"),
    "/feedback": _calls("/feedback", mode="off"),
    "/rosapi/topics": _calls("/rosapi/topics"),
    "/rosapi/services": _calls("/rosapi/services"),
    "/rosapi/topic_type": _calls("/rosapi/topic_type", topic="/tf"),
    "/rosapi/service_type": _calls("/rosapi/service_type", service="/state"),
    "/rosapi/get_time": _calls("/rosapi/get_time"),
    "/rosapi/nodes": _calls("/rosapi/nodes"),
    "action goals": _goals,
    "subscriptions": _subscriptions,
    "200 throttled subscriptions": _throttled,
    "messages of 100 bytes": _publications(100),
    "messages of 1,000,000 bytes": _publications(1_000_000),
    "fragments": _fragments,
    "invalid messages": _nonsense,
}
"""Messages of each flood, for the names of joints; names of services come first, up to a comma."""


@dataclass
class Latencies:
    """Times to the answers of one client, in seconds."""

    seconds: list[float] = field(default_factory=list)

    def percentile(self, percent: float) -> float:
        """Return a percentile, in seconds."""
        return float(np.percentile(self.seconds, percent))

    def __str__(self) -> str:
        return f"p99 {1000 * self.percentile(99):.1f} ms, p50 {1000 * self.percentile(50):.1f} ms"


def flood_rows(address: str) -> list[Row]:
    """Return a row without a flood, and one for each flood."""
    url = f"ws://{address}"
    quiet, quiet_echo = Latencies(), Latencies()
    rows = []
    with _child(flood_when_told, url) as flooder, _child(serve_echoes) as echo:
        echo_url = f"ws://127.0.0.1:{echo.recv()}"
        # The first calls load modules.
        asyncio.run(_measure_both(url, echo_url, _QUIET_SECONDS))
        for name in FLOODS:
            idle, idle_echo = asyncio.run(_measure_both(url, echo_url, _QUIET_SECONDS))
            quiet.seconds += idle.seconds
            quiet_echo.seconds += idle_echo.seconds
            for _ in range(_ATTEMPTS):
                flooder.send(name)
                flooder.recv()
                ours, echoed = asyncio.run(_measure_both(url, echo_url, SECONDS))
                flooder.send("stop")
                answers = flooder.recv()
                if echoed.percentile(99) <= MOST_SECONDS:
                    break
            assert isinstance(answers, float)
            rows.append(_row(f"a client while another floods {name} ({answers:,.0f} answers/s)", ours, echoed))
    return [_row("a client without floods", quiet, quiet_echo), *rows]


def _row(what: str, ours: Latencies, echo: Latencies) -> Row:
    late = ours.percentile(99)
    return Row(
        f"{what}: {ours}", 1 / late, f"echo server: {echo}", 1 / echo.percentile(99), least_rate=1 / MOST_SECONDS
    )


async def _measure_both(url: str, echo_url: str, seconds: float) -> tuple[Latencies, Latencies]:
    return await asyncio.gather(measure(url, seconds), measure(echo_url, seconds))


async def measure(url: str, seconds: float) -> Latencies:
    """Call a cheap service at a constant rate for a time; return the times to the answers."""
    latencies: list[float] = []
    due: dict[str, float] = {}

    async def hear(line: ClientConnection) -> None:
        while True:
            answer = json.loads(await line.recv())
            at = due.pop(answer.get("id"), None)
            if at is not None:
                latencies.append(perf_counter() - at)

    async with connect(url, compression=None) as line:
        hearing = asyncio.create_task(hear(line))
        start = perf_counter()
        for number in range(round(seconds * RATE)):
            at = start + number / RATE
            await asyncio.sleep(max(0.0, at - perf_counter()))
            due[f"{number}"] = at
            await line.send(json.dumps({"op": "call_service", "id": f"{number}", "service": "/rosapi/get_time"}))
        end = perf_counter() + _GRACE
        while due and perf_counter() < end:
            await asyncio.sleep(0.01)
        hearing.cancel()
        with suppress(asyncio.CancelledError):
            await hearing
    # A call without an answer counts as late.
    return Latencies([*latencies, *(perf_counter() - at for at in due.values())])


@contextmanager
def _child(work: Callable[..., None], *args: str) -> Iterator["Connection[object, object]"]:
    """Run a function in a process; yield the pipe whose other end it gets as its last argument."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(*args, theirs), daemon=True)
    process.start()
    try:
        yield ours
    finally:
        process.terminate()
        process.join()


def serve_echoes(pipe: "Connection[object, object]") -> None:
    """Serve a WebSocket that returns every message; send its port through the pipe."""

    async def run() -> None:
        async with serve(_echo, "127.0.0.1", 0, compression=None) as server:
            pipe.send(next(iter(server.sockets)).getsockname()[1])
            await server.serve_forever()

    asyncio.run(run())


async def _echo(connection: ServerConnection) -> None:
    async for message in connection:
        await connection.send(message)


def flood_when_told(url: str, pipe: "Connection[object, object]") -> None:
    """Take names of floods from the pipe; say when each has begun, and the answers per second after the next word."""
    while True:
        asyncio.run(_flood(url, FLOODS[str(pipe.recv())], pipe))


async def _flood(url: str, messages: Messages, pipe: "Connection[object, object]") -> None:
    line = await connect(url, compression=None, max_size=None, ping_interval=None)
    await line.send('{"op": "subscribe", "topic": "/joint_states"}')
    joints = json.loads(await line.recv())["msg"]["name"]
    await line.send('{"op": "unsubscribe", "topic": "/joint_states"}')
    heard = 0

    async def hear() -> None:
        nonlocal heard
        async for _ in line:
            heard += 1

    async def send() -> None:
        for number, message in enumerate(messages(joints)):
            await line.send(message)
            if number % _IN_FLIGHT == 0:
                # Let answers in.
                await asyncio.sleep(0)

    tasks = [asyncio.create_task(hear()), asyncio.create_task(send())]
    start = perf_counter()
    await asyncio.sleep(_BUILD_UP)
    pipe.send("begun")
    while not pipe.poll():
        await asyncio.sleep(0.02)
    pipe.recv()
    seconds = perf_counter() - start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    line.transport.abort()
    pipe.send(heard / seconds)
