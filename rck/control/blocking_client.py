"""Blocking Python client of the control server: every command returns when it is done."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from rck.control.background_loop import BackgroundLoop
from rck.control.client import Client, Listener, connect

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["BlockingClient", P], T]:
    """Return a method of `BlockingClient` that waits for a method of `Client`."""

    @wraps(method)
    def wait(self: "BlockingClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._loop.wait_for(method(self._client, *args, **kwargs))

    return wait


class BlockingClient:
    """Connection to a control server for programs without `await`. Create one with :func:`connected`."""

    def __init__(self, client: Client, loop: BackgroundLoop) -> None:
        self._client = client
        self._loop = loop

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints of commands that take a plain list of positions, in that order; set it to choose others."""
        return self._client.joints

    @joints.setter
    def joints(self, names: Sequence[str]) -> None:
        self._client.joints = tuple(names)

    @property
    def tip(self) -> str:
        """The tool that :meth:`move_end_effector` moves; empty for the only one."""
        return self._client.tip

    @tip.setter
    def tip(self, name: str) -> None:
        self._client.tip = name

    move_joints_absolute = _blocking(Client.move_joints_absolute)
    move_joints_relative = _blocking(Client.move_joints_relative)
    move_end_effector = _blocking(Client.move_end_effector)
    move_straight_line = _blocking(Client.move_straight_line)
    follow_trajectory = _blocking(Client.follow_trajectory)
    close_gripper = _blocking(Client.close_gripper)
    open_gripper = _blocking(Client.open_gripper)
    robot_speed = _blocking(Client.robot_speed)
    stop = _blocking(Client.stop)
    pause = _blocking(Client.pause)
    step = _blocking(Client.step)
    reset = _blocking(Client.reset)
    reinitialise = _blocking(Client.reinitialise)
    speed = _blocking(Client.speed)
    spawn = _blocking(Client.spawn)
    remove = _blocking(Client.remove)
    joint_positions = _blocking(Client.joint_positions)
    collisions = _blocking(Client.collisions)
    inverse_kinematics = _blocking(Client.inverse_kinematics)
    call = _blocking(Client.call)
    latest = _blocking(Client.latest)
    publish = _blocking(Client.publish)

    def subscribe(self, topic: str, listener: Listener, throttle: float = 0.0) -> Callable[[], None]:
        """Call a function, in another thread, with each message of a topic. Call the result to unsubscribe."""
        unsubscribe = self._loop.wait_for(self._client.subscribe(topic, listener, throttle))
        return lambda: self._loop.wait_for(unsubscribe())


@contextmanager
def connected(
    host: str = "127.0.0.1", port: int = 9090, *, name: str = "", token: str = ""
) -> Iterator[BlockingClient]:
    """Connect to the server at an address for the duration of a `with` block."""
    with BackgroundLoop("rck-client") as loop:
        connection = connect(host, port, name=name, token=token)
        client = loop.wait_for(connection.__aenter__())
        try:
            yield BlockingClient(client, loop)
        finally:
            loop.wait_for(connection.__aexit__(None, None, None))
