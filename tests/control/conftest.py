"""Fixtures for control servers in background threads, with real sockets."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

import pytest

from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.control.server import Address, ControlServer, serve_in_thread
from rck.hooks import Page, Plugins, discover
from rck.language.session import open_session
from rck.model.robot import Robot

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@cache
def plugins() -> Plugins:
    return discover()


@cache
def robot_of(name: str) -> Robot:
    return open_session(plugins(), EXAMPLES / f"{name}.rck").compile().unwrap().robot


def make_world(name: str = "scara-cell") -> ServedWorld:
    return ServedWorld.of(robot_of(name), plugins())


@pytest.fixture
def example() -> Callable[[str], Robot]:
    """Return the robot of an example by name."""
    return robot_of


@pytest.fixture
def world_of() -> Callable[..., ServedWorld]:
    """Return a new world of an example by name."""
    return make_world


class Served:
    """A server that runs in a thread."""

    def __init__(self, hub: Hub, server: ControlServer, loop: asyncio.AbstractEventLoop) -> None:
        self.hub = hub
        self.server = server
        self.loop = loop

    @property
    def port(self) -> int:
        return self.server.port

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def do(self, work: Callable[[], object]) -> object:
        """Run a function in the event loop of the server and wait for it."""

        async def run() -> object:
            return work()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(30)


@contextmanager
def run_server(
    hub: Hub, address: Address | None = None, rate: float = 100.0, page: Page | None = None
) -> Iterator[Served]:
    server = ControlServer(hub, address or Address(port=0), rate=rate, page=page)
    with serve_in_thread(server) as background:
        yield Served(hub, server, background.loop)


@pytest.fixture
def serving() -> Callable[..., AbstractContextManager[Served]]:
    """Serve a hub for the duration of a `with` block."""
    return run_server


@pytest.fixture
def served() -> Iterator[Served]:
    """A served cell with a SCARA arm."""
    with run_server(Hub(make_world())) as running:
        yield running


class Command:
    """A running `rck serve`."""

    def __init__(self, file: Path, *options: str) -> None:
        words = [sys.executable, "-c", "from rck.cli.main import main; main()", "serve", str(file), "--port", "0"]
        self._process = subprocess.Popen([*words, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.number = self._process.pid
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.port = int(line.partition(" (")[0].rpartition(":")[2])

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.communicate()

    def end(self) -> tuple[int, str]:
        """Terminate the server; return its exit status and standard error."""
        self._process.send_signal(signal.SIGTERM)
        errors = self._process.communicate(timeout=60)[1]
        return self._process.returncode, errors


@pytest.fixture
def serve_command() -> type[Command]:
    """Run `rck serve` in a subprocess for the duration of a `with` block."""
    return Command
