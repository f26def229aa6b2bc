"""A client for Python programs that wait with `await`; :mod:`rck.control.blocking` is the same for those that do not.

Every command is acknowledged or refused: a refusal is a :class:`CommandRefused` with the reason, a motion that does not
come to its end a :class:`MotionFailed`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode

import msgspec

from rck.control.messages import pose_message
from rck.control.needs import refuse_without_websockets
from rck.control.protocol import (
    ActionFeedback,
    ActionResult,
    CallService,
    CancelActionGoal,
    FromClient,
    Publish,
    SendActionGoal,
    ServiceResponse,
    Status,
    Subscribe,
    Unsubscribe,
    decode_answer,
    encode,
    raw,
)
from rck.geometry.arrays import Floats
from rck.model.finding import RckError

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

Positions: TypeAlias = Mapping[str, float] | Sequence[float]
"""By the name of the joint, or in the order of the client's joints; in radians and metres."""
Progress: TypeAlias = Callable[[Mapping[str, Any]], None]
Listener: TypeAlias = Callable[[Mapping[str, Any]], None]


class CommandRefused(RckError):
    """The server does not do what it was told; the message says why."""


class MotionFailed(RckError):
    """A motion was acknowledged, but ended before it was done; the message says why."""


class Client:
    """A connection to a control server. Make one with :func:`connect`."""

    def __init__(self, connection: "ClientConnection") -> None:
        self._connection = connection
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._progress: dict[str, Progress] = {}
        self._listeners: dict[str, dict[str, Listener]] = {}
        self._count = 0
        self._reader = asyncio.create_task(self._read())
        self.joints: tuple[str, ...] = ()
        """The joints that commands with a bare list of positions move, in that order; set it to choose others."""
        self.tip = ""
        """The tool that :meth:`move_end_effector` moves; the only one there is unless set."""
        self.complaints: list[str] = []
        """The last things that the server had to say about messages of this client."""

    # The commands

    async def move_joints_absolute(
        self, positions: Positions, duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move joints to positions; done when they are there."""
        await self.act("/move_joints", {"joints": self._named(positions), "duration": duration}, progress)

    async def move_joints_relative(
        self, changes: Positions, duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move joints by so much."""
        args = {"joints": self._named(changes), "duration": duration, "relative": True}
        await self.act("/move_joints", args, progress)

    async def move_end_effector(
        self, pose: Floats, frame: str = "", duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Bring the tool to a pose, shape (4, 4), in a frame, the world by default."""
        args = {"pose": pose_message(pose), "frame_id": frame, "tip": self.tip, "duration": duration}
        await self.act("/move_tool", args, progress)

    async def move_straight_line(
        self, pose: Floats, frame: str = "", duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """The same in a straight line of the tool."""
        args = {"pose": pose_message(pose), "frame_id": frame, "tip": self.tip, "duration": duration, "straight": True}
        await self.act("/move_tool", args, progress)

    async def follow_trajectory(
        self, times: Sequence[float], positions: Sequence[Positions], *, progress: Progress | None = None
    ) -> None:
        """Move joints through positions at times, in seconds from now."""
        rows = [self._named(row) for row in positions]
        names = list(rows[0]) if rows else []
        points = [
            {"positions": [row[name] for name in names], "time_from_start": _duration(time)}
            for time, row in zip(times, rows, strict=True)
        ]
        args = {"trajectory": {"joint_names": names, "points": points}}
        await self.act("/follow_joint_trajectory", args, progress)

    async def close_gripper(self, gripper: str = "", what: str = "") -> None:
        """Close a gripper on an object, or on whatever it can hold."""
        await self.act("/close_gripper", {"gripper": gripper, "object": what})

    async def open_gripper(self, gripper: str = "") -> None:
        """Open a gripper."""
        await self.act("/open_gripper", {"gripper": gripper})

    async def robot_speed(self, speed: float) -> None:
        """From now on the joint that has farthest to go moves at so much, in rad/s; 0 for as fast as joints can."""
        await self.call("/robot_speed", {"speed": speed})

    async def stop(self) -> None:
        """End all motions of this client where they are."""
        await self.call("/stop")

    async def pause(self, paused: bool = True) -> None:
        """Stop simulated time, or let it run."""
        await self.call("/pause", {"data": paused})

    async def step(self, seconds: float = 0.01) -> None:
        """Let a paused world go on by so much."""
        await self.call("/step", {"seconds": seconds})

    async def reset(self) -> None:
        """Put the world back to its beginning."""
        await self.call("/reset")

    async def reinitialise(self) -> None:
        """End an emergency stop."""
        await self.call("/reinitialise")

    async def speed(self, factor: float) -> None:
        """Let simulated time run so much faster than real time."""
        await self.call("/speed", {"speed": factor})

    async def spawn(
        self, name: str, shape: str = "box", sizes: Sequence[float] = (0.05, 0.05, 0.05), **more: Any
    ) -> None:
        """Add an object; further arguments are those of the service /spawn, such as `pose`."""
        await self.call("/spawn", {"name": name, "shape": shape, "sizes": list(sizes), **more})

    async def remove(self, name: str) -> None:
        """Take an object away."""
        await self.call("/remove", {"name": name})

    # Questions

    async def joint_positions(self) -> dict[str, float]:
        """Where all joints are."""
        state = await self.latest("/joint_states")
        return dict(zip(state["name"], state["position"], strict=True))

    async def collisions(self) -> list[tuple[str, str]]:
        """The pairs of items that touch."""
        reply = await self.call("/check_collision")
        return [(one, other) for one, other in reply["pairs"]]

    async def inverse_kinematics(self, pose: Floats, frame: str = "", most: int = 1) -> list[dict[str, float]]:
        """Joint positions that bring the tool to a pose; none where it cannot be reached."""
        args = {"pose": pose_message(pose), "frame_id": frame, "tip": self.tip, "most": most}
        reply = await self.call("/compute_ik", args)
        return [dict(zip(reply["joints"], row, strict=True)) for row in reply["solutions"]]

    # What all of these are made of

    async def call(self, service: str, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What a service answers; :class:`CommandRefused` where it refuses."""
        about = self._fresh("call")
        answer: ServiceResponse = await self._ask(about, CallService(id=about, service=service, args=raw(args or {})))
        values = msgspec.json.decode(answer.values)
        if not answer.result:
            raise CommandRefused(f"{service}: {values}")
        found: dict[str, Any] = values
        return found

    async def act(self, action: str, args: Mapping[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        """Have a motion done; its end. Cancelling the task that waits here stops the motion."""
        about = self._fresh("goal")
        accepted = False

        def told(values: Mapping[str, Any]) -> None:
            nonlocal accepted
            accepted = True
            if progress is not None:
                progress(values)

        self._progress[about] = told
        goal = SendActionGoal(id=about, action=action, args=raw(args), feedback=True)
        try:
            answer: ActionResult = await self._ask(about, goal)
        except asyncio.CancelledError:
            with suppress(RckError):
                await self._send(CancelActionGoal(id=about, action=action))
            raise
        finally:
            del self._progress[about]
        values: dict[str, Any] = msgspec.json.decode(answer.values)
        if not answer.result:
            kind = MotionFailed if accepted else CommandRefused
            raise kind(f"{action}: {values.get('message') or values.get('state')}")
        return values

    async def subscribe(self, topic: str, listener: Listener, throttle: float = 0.0) -> Callable[[], Any]:
        """Have a function called with each message of a topic, at most every `throttle` seconds; call to end it."""
        about = self._fresh("subscribe")
        self._listeners.setdefault(topic, {})[about] = listener
        await self._send(Subscribe(id=about, topic=topic, throttle_rate=1000 * throttle))

        async def end() -> None:
            self._listeners[topic].pop(about, None)
            await self._send(Unsubscribe(id=about, topic=topic))

        return end

    async def latest(self, topic: str) -> Mapping[str, Any]:
        """The next message of a topic."""
        found: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[f"latest {id(found)}"] = found

        def take(message: Mapping[str, Any]) -> None:
            if not found.done():
                found.set_result(message)

        end = await self.subscribe(topic, take)
        try:
            return await found
        finally:
            del self._answers[f"latest {id(found)}"]
            await end()

    async def publish(self, topic: str, message: Mapping[str, Any]) -> None:
        """Send a message on a topic that the server listens to, or that was advertised."""
        await self._send(Publish(topic=topic, msg=raw(message)))

    async def close(self) -> None:
        """End the connection."""
        await self._connection.close()
        await self._reader

    def _named(self, positions: Positions) -> dict[str, float]:
        if isinstance(positions, Mapping):
            return {name: float(value) for name, value in positions.items()}
        if len(positions) != len(self.joints):
            names = ", ".join(self.joints)
            raise RckError(
                f"{len(positions)} positions for {len(self.joints)} joints: {names}; name them or set joints"
            )
        return {name: float(value) for name, value in zip(self.joints, positions, strict=True)}

    def _fresh(self, what: str) -> str:
        self._count += 1
        return f"{what}-{self._count}"

    async def _ask(self, about: str, message: FromClient) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[about] = future
        try:
            await self._send(message)
            return await future
        finally:
            self._answers.pop(about, None)

    async def _send(self, message: FromClient) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send(encode(message), text=True)
        except ConnectionClosed as error:
            raise RckError(f"the server has gone: {_why(error)}") from None

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            async for text in self._connection:
                self._take(text)
            why = self._connection.close_reason or "the connection was closed"
        except ConnectionClosed as error:
            why = _why(error)
        for future in list(self._answers.values()):
            if not future.done():
                future.set_exception(RckError(f"the server has gone: {why}"))

    def _take(self, text: str | bytes) -> None:
        message = decode_answer(text)
        if isinstance(message, Publish):
            content = msgspec.json.decode(message.msg)
            for listener in list(self._listeners.get(message.topic, {}).values()):
                listener(content)
        elif isinstance(message, ServiceResponse | ActionResult):
            future = self._answers.get(str(message.id))
            if future is not None and not future.done():
                future.set_result(message)
        elif isinstance(message, ActionFeedback):
            told = self._progress.get(str(message.id))
            if told is not None:
                told(msgspec.json.decode(message.values))
        elif isinstance(message, Status):
            self.complaints = [*self.complaints[-99:], message.msg]
            future = self._answers.get(str(message.id))
            if message.level == "error" and future is not None and not future.done():
                future.set_exception(CommandRefused(message.msg))


@asynccontextmanager
async def connect(
    host: str = "127.0.0.1", port: int = 9090, *, name: str = "", token: str = ""
) -> AsyncIterator[Client]:
    """A client of the server at an address; the joints of its commands are all that the world has."""
    refuse_without_websockets()
    from websockets.asyncio.client import connect as open_connection
    from websockets.exceptions import InvalidHandshake

    query = urlencode({key: value for key, value in (("name", name), ("token", token)) if value})
    url = f"ws://{host}:{port}/?{query}"
    try:
        connection = await open_connection(url, compression=None, max_size=None)
    except (OSError, InvalidHandshake, TimeoutError) as error:
        raise RckError(f"no control server answers at {host}:{port}: {error}; start one with `rck serve`") from None
    client = Client(connection)
    try:
        client.joints = tuple(await client.joint_positions())
        yield client
    finally:
        await client.close()


def _duration(seconds: float) -> dict[str, int]:
    nanoseconds = round(1e9 * seconds)
    return {"sec": nanoseconds // 1_000_000_000, "nanosec": nanoseconds % 1_000_000_000}


def _why(error: Any) -> str:
    frame = error.rcvd or error.sent
    return frame.reason if frame is not None and frame.reason else "the connection broke"
