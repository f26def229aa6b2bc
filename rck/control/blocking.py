"""A client for Python programs that simply wait: each command returns when it is done."""

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from rck.control.background import BackgroundLoop, background_loop
from rck.control.client import Client, Listener, Positions, Progress, connect
from rck.geometry.arrays import Floats

T = TypeVar("T")


class BlockingClient:
    """A connection to a control server, for programs without `await`. Make one with :func:`connected`."""

    def __init__(self, client: Client, beside: BackgroundLoop) -> None:
        self._client = client
        self._beside = beside

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that commands with a bare list of positions move, in that order; set it to choose others."""
        return self._client.joints

    @joints.setter
    def joints(self, names: Sequence[str]) -> None:
        self._client.joints = tuple(names)

    @property
    def tip(self) -> str:
        """The tool that :meth:`move_end_effector` moves; the only one there is unless set."""
        return self._client.tip

    @tip.setter
    def tip(self, name: str) -> None:
        self._client.tip = name

    def move_joints_absolute(
        self, positions: Positions, duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move joints to positions, in radians and metres."""
        self._wait(self._client.move_joints_absolute(positions, duration, progress=progress))

    def move_joints_relative(
        self, changes: Positions, duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Move joints by so much."""
        self._wait(self._client.move_joints_relative(changes, duration, progress=progress))

    def move_end_effector(
        self, pose: Floats, frame: str = "", duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """Bring the tool to a pose, shape (4, 4), in a frame, the world by default."""
        self._wait(self._client.move_end_effector(pose, frame, duration, progress=progress))

    def move_straight_line(
        self, pose: Floats, frame: str = "", duration: float | None = None, *, progress: Progress | None = None
    ) -> None:
        """The same in a straight line of the tool."""
        self._wait(self._client.move_straight_line(pose, frame, duration, progress=progress))

    def follow_trajectory(
        self, times: Sequence[float], positions: Sequence[Positions], *, progress: Progress | None = None
    ) -> None:
        """Move joints through positions at times, in seconds from now."""
        self._wait(self._client.follow_trajectory(times, positions, progress=progress))

    def close_gripper(self, gripper: str = "", what: str = "") -> None:
        """Close a gripper on an object, or on whatever it can hold."""
        self._wait(self._client.close_gripper(gripper, what))

    def open_gripper(self, gripper: str = "") -> None:
        """Open a gripper."""
        self._wait(self._client.open_gripper(gripper))

    def robot_speed(self, speed: float) -> None:
        """From now on the joint that has farthest to go moves at so much, in rad/s; 0 for as fast as joints can."""
        self._wait(self._client.robot_speed(speed))

    def stop(self) -> None:
        """End all motions of this client where they are."""
        self._wait(self._client.stop())

    def pause(self, paused: bool = True) -> None:
        """Stop simulated time, or let it run."""
        self._wait(self._client.pause(paused))

    def step(self, seconds: float = 0.01) -> None:
        """Let a paused world go on by so much."""
        self._wait(self._client.step(seconds))

    def reset(self) -> None:
        """Put the world back to its beginning."""
        self._wait(self._client.reset())

    def reinitialise(self) -> None:
        """End an emergency stop."""
        self._wait(self._client.reinitialise())

    def speed(self, factor: float) -> None:
        """Let simulated time run so much faster than real time."""
        self._wait(self._client.speed(factor))

    def spawn(self, name: str, shape: str = "box", sizes: Sequence[float] = (0.05, 0.05, 0.05), **more: Any) -> None:
        """Add an object."""
        self._wait(self._client.spawn(name, shape, sizes, **more))

    def remove(self, name: str) -> None:
        """Take an object away."""
        self._wait(self._client.remove(name))

    def joint_positions(self) -> dict[str, float]:
        """Where all joints are."""
        return self._wait(self._client.joint_positions())

    def collisions(self) -> list[tuple[str, str]]:
        """The pairs of items that touch."""
        return self._wait(self._client.collisions())

    def inverse_kinematics(self, pose: Floats, frame: str = "", most: int = 1) -> list[dict[str, float]]:
        """Joint positions that bring the tool to a pose; none where it cannot be reached."""
        return self._wait(self._client.inverse_kinematics(pose, frame, most))

    def call(self, service: str, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What a service answers."""
        return self._wait(self._client.call(service, args))

    def latest(self, topic: str) -> Mapping[str, Any]:
        """The next message of a topic."""
        return self._wait(self._client.latest(topic))

    def subscribe(self, topic: str, listener: Listener, throttle: float = 0.0) -> Callable[[], None]:
        """Have a function called, in another thread, with each message of a topic; call what it returns to end it."""
        end = self._wait(self._client.subscribe(topic, listener, throttle))
        return lambda: self._wait(end())

    def publish(self, topic: str, message: Mapping[str, Any]) -> None:
        """Send a message on a topic that the server listens to."""
        self._wait(self._client.publish(topic, message))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._beside.wait_for(work)


@contextmanager
def connected(
    host: str = "127.0.0.1", port: int = 9090, *, name: str = "", token: str = ""
) -> Iterator[BlockingClient]:
    """A client of the server at an address, for a `with` block."""
    with background_loop("rck-client") as beside:
        opening = connect(host, port, name=name, token=token)
        client = beside.wait_for(opening.__aenter__())
        try:
            yield BlockingClient(client, beside)
        finally:
            beside.wait_for(opening.__aexit__(None, None, None))
