"""Asynchronous Python client of the control server; :mod:`rck.control.blocking_client` is the blocking one.

A refused command raises :class:`CommandRefused` with the reason, a motion that ends early :class:`MotionFailed`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode

import msgspec

from rck.control.messages import pose_message, stamp
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
    refuse_without_websockets,
)
from rck.geometry.arrays import Floats
from rck.support.finding import RckError

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

Positions: TypeAlias = Mapping[str, float] | Sequence[float]
"""By joint name, or in the order of the client's joints; in radians and metres."""
Progress: TypeAlias = Callable[[Mapping[str, Any]], None]
Listener: TypeAlias = Callable[[Mapping[str, Any]], None]


class CommandRefused(RckError):
    """The server refused a command; the message gives the reason."""


class MotionFailed(RckError):
    """An accepted motion ended early; the message gives the reason."""


class Client:
    """Connection to a control server. Create one with :func:`connect`."""

    def __init__(self, connection: "ClientConnection") -> None:
        self._connection = connection
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._progress: dict[str, Progress] = {}
        self._listeners: dict[str, dict[str, Listener]] = {}
        self._count = 0
        self._reader = asyncio.create_task(self._read())
        self.joints: tuple[str, ...] = ()
        """The joints of commands that take a plain list of positions, in that order; set it to choose others."""
        self.tip = ""
        """The tool that :meth:`move_end_effector` moves; empty for the only one."""
        self.statuses: list[str] = []
        """The last status messages of the server, at most 100."""

    # Commands

    async def move_joints_absolute(
        self, positions: Positions, duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move joints to positions and wait until they arrive."""
        await self.act("/move_joints", {"joints": self._by_name(positions), "duration": duration}, progress)

    async def move_joints_relative(
        self, changes: Positions, duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move joints by an amount relative to their current positions."""
        args = {"joints": self._by_name(changes), "duration": duration, "relative": True}
        await self.act("/move_joints", args, progress)

    async def move_end_effector(
        self, pose: Floats, frame: str = "", duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move the tool to a pose, shape (4, 4), in a frame (default: world), by a joint move."""
        args = {"pose": pose_message(pose), "frame_id": frame, "tip": self.tip, "duration": duration}
        await self.act("/move_tool", args, progress)

    async def move_straight_line(
        self, pose: Floats, frame: str = "", duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move the tool to a pose, shape (4, 4), in a frame (default: world), along a straight line."""
        args = {"pose": pose_message(pose), "frame_id": frame, "tip": self.tip, "duration": duration, "straight": True}
        await self.act("/move_tool", args, progress)

    async def follow_trajectory(
        self, times: Sequence[float], positions: Sequence[Positions], *, progress: Progress | None = None
    ) -> None:
        """Move joints through positions at times in seconds from now."""
        rows = [self._by_name(row) for row in positions]
        names = list(rows[0]) if rows else []
        points = [
            {"positions": [row[name] for name in names], "time_from_start": stamp(time)}
            for time, row in zip(times, rows, strict=True)
        ]
        args = {"trajectory": {"joint_names": names, "points": points}}
        await self.act("/follow_joint_trajectory", args, progress)

    async def close_gripper(self, gripper: str = "", item: str = "") -> None:
        """Close a gripper on an item; without a name, on any object that it can hold."""
        await self.act("/close_gripper", {"gripper": gripper, "object": item})

    async def open_gripper(self, gripper: str = "") -> None:
        """Open a gripper."""
        await self.act("/open_gripper", {"gripper": gripper})

    async def robot_speed(self, speed: float = inf) -> None:
        """Set the speed of the joint that moves farthest, in rad/s or m/s, for later moves; infinite for full speed."""
        await self.call("/robot_speed", {"full": True} if speed == inf else {"speed": speed})

    async def stop(self) -> None:
        """Stop all motions of this client at once."""
        await self.call("/stop")

    async def pause(self, paused: bool = True) -> None:
        """Pause or resume simulated time."""
        await self.call("/pause", {"data": paused})

    async def step(self, seconds: float = 0.01) -> None:
        """Advance a paused world by a time."""
        await self.call("/step", {"seconds": seconds})

    async def reset(self) -> None:
        """Reset the world to its initial state."""
        await self.call("/reset")

    async def reinitialise(self) -> None:
        """End an emergency stop."""
        await self.call("/reinitialise")

    async def speed(self, factor: float) -> None:
        """Set the real-time factor."""
        await self.call("/speed", {"speed": factor})

    async def spawn(
        self, /, name: str, shape: str = "box", sizes: Sequence[float] = (0.05, 0.05, 0.05), **options: Any
    ) -> None:
        """Add an object; options are those of the service /spawn, such as `pose`."""
        await self.call("/spawn", {"name": name, "shape": shape, "sizes": list(sizes), **options})

    async def remove(self, name: str) -> None:
        """Remove an object."""
        await self.call("/remove", {"name": name})

    # Queries

    async def joint_positions(self) -> dict[str, float]:
        """Return the position of every joint, in radians and metres."""
        state = await self.latest("/joint_states")
        return dict(zip(state["name"], state["position"], strict=True))

    async def collisions(self) -> list[tuple[str, str]]:
        """Return the pairs of items in contact."""
        reply = await self.call("/check_collision")
        return [(first, second) for first, second in reply["pairs"]]

    async def inverse_kinematics(self, pose: Floats, frame: str = "", most: int = 1) -> list[dict[str, float]]:
        """Return up to `most` solutions of joint positions for a pose of the tool; none if it is out of reach."""
        args = {"pose": pose_message(pose), "frame_id": frame, "tip": self.tip, "most": most}
        reply = await self.call("/compute_ik", args)
        return [dict(zip(reply["joints"], row, strict=True)) for row in reply["solutions"]]

    # Services, actions and topics

    async def call(self, service: str, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Call a service and return its reply; raise :class:`CommandRefused` if it refuses."""
        id_ = self._new_id("call")
        response: ServiceResponse = await self._ask(id_, CallService(id=id_, service=service, args=raw(args or {})))
        values = msgspec.json.decode(response.values)
        if not response.result:
            raise CommandRefused(f"{service}: {values}")
        reply: dict[str, Any] = values
        return reply

    async def act(self, action: str, args: Mapping[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        """Run an action and return its result. Cancelling the task that waits here stops the motion."""
        id_ = self._new_id("goal")
        accepted = False

        def receive(values: Mapping[str, Any]) -> None:
            nonlocal accepted
            accepted = True
            if progress is not None:
                progress(values)

        self._progress[id_] = receive
        goal = SendActionGoal(id=id_, action=action, args=raw(args), feedback=True)
        try:
            result: ActionResult = await self._ask(id_, goal)
        except asyncio.CancelledError:
            with suppress(RckError):
                await self._send(CancelActionGoal(id=id_, action=action))
            raise
        finally:
            del self._progress[id_]
        values: dict[str, Any] = msgspec.json.decode(result.values)
        if not result.result:
            kind = MotionFailed if accepted else CommandRefused
            raise kind(f"{action}: {values.get('message') or values.get('state')}")
        return values

    async def subscribe(self, topic: str, listener: Listener, throttle: float = 0.0) -> Callable[[], Any]:
        """Call a function with each message of a topic, at most once per `throttle` seconds.

        Call and await the result to unsubscribe.
        """
        id_ = self._new_id("subscribe")
        self._listeners.setdefault(topic, {})[id_] = listener
        await self._send(Subscribe(id=id_, topic=topic, throttle_rate=1000 * throttle))

        async def unsubscribe() -> None:
            self._listeners[topic].pop(id_, None)
            await self._send(Unsubscribe(id=id_, topic=topic))

        return unsubscribe

    async def latest(self, topic: str) -> Mapping[str, Any]:
        """Wait for the next message of a topic and return it."""
        future: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        key = self._new_id("latest")
        self._answers[key] = future

        def receive(message: Mapping[str, Any]) -> None:
            if not future.done():
                future.set_result(message)

        unsubscribe = await self.subscribe(topic, receive)
        try:
            return await future
        finally:
            del self._answers[key]
            await unsubscribe()

    async def publish(self, topic: str, message: Mapping[str, Any]) -> None:
        """Publish a message on a topic that the server listens to, or that this client has advertised."""
        await self._send(Publish(topic=topic, msg=raw(message)))

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()
        await self._reader

    def _by_name(self, positions: Positions) -> dict[str, float]:
        if isinstance(positions, Mapping):
            return {name: float(value) for name, value in positions.items()}
        if len(positions) != len(self.joints):
            names = ", ".join(self.joints)
            raise RckError(
                f"{len(positions)} positions for {len(self.joints)} joints ({names}); "
                "give positions by joint name, or set `joints`"
            )
        return {name: float(value) for name, value in zip(self.joints, positions, strict=True)}

    def _new_id(self, operation: str) -> str:
        self._count += 1
        return f"{operation}-{self._count}"

    async def _ask(self, id_: str, message: FromClient) -> Any:
        """Send a message and wait for the answer with the same id."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[id_] = future
        try:
            await self._send(message)
            return await future
        finally:
            self._answers.pop(id_, None)

    async def _send(self, message: FromClient) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send(encode(message), text=True)
        except ConnectionClosed as error:
            raise RckError(f"connection to the server lost: {_close_reason(error)}") from None

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            async for text in self._connection:
                self._receive(text)
            reason = self._connection.close_reason or "closed by the server"
        except ConnectionClosed as error:
            reason = _close_reason(error)
        for future in list(self._answers.values()):
            if not future.done():
                future.set_exception(RckError(f"connection to the server lost: {reason}"))

    def _receive(self, text: str | bytes) -> None:
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
            progress = self._progress.get(str(message.id))
            if progress is not None:
                progress(msgspec.json.decode(message.values))
        elif isinstance(message, Status):
            self.statuses = [*self.statuses[-99:], message.msg]
            future = self._answers.get(str(message.id))
            if message.level == "error" and future is not None and not future.done():
                future.set_exception(CommandRefused(message.msg))


@asynccontextmanager
async def connect(
    host: str = "127.0.0.1", port: int = 9090, *, name: str = "", token: str = ""
) -> AsyncIterator[Client]:
    """Connect to the server at an address for the duration of an `async with` block.

    `joints` of the client are all joints of the world.
    """
    refuse_without_websockets()
    from websockets.asyncio.client import connect as open_connection
    from websockets.exceptions import InvalidHandshake

    query = urlencode({key: value for key, value in (("name", name), ("token", token)) if value})
    url = f"ws://{host}:{port}/?{query}"
    try:
        connection = await open_connection(url, compression=None, max_size=None)
    except (OSError, InvalidHandshake, TimeoutError) as error:
        raise RckError(f"no control server at {host}:{port}: {error}; start one with `rck serve`") from None
    client = Client(connection)
    try:
        client.joints = tuple(await client.joint_positions())
        yield client
    finally:
        await client.close()


def _close_reason(error: Any) -> str:
    frame = error.rcvd or error.sent
    return frame.reason if frame is not None and frame.reason else "connection broken"
