"""Servers on this machine, in threads of their own, with real sockets."""

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
from rck.control.server import Address, ControlServer, served_beside
from rck.control.world import ServedWorld
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
    """The robot of an example, by its name."""
    return robot_of


@pytest.fixture
def world_of() -> Callable[..., ServedWorld]:
    """A fresh world of an example, by its name."""
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
        """Run something where the server runs, and wait for it."""

        async def run() -> object:
            return work()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(30)


@contextmanager
def run_server(
    hub: Hub, address: Address | None = None, rate: float = 100.0, page: Page | None = None
) -> Iterator[Served]:
    server = ControlServer(hub, address or Address(port=0), rate=rate, page=page)
    with served_beside(server) as beside:
        yield Served(hub, server, beside.loop)


@pytest.fixture
def serving() -> Callable[..., AbstractContextManager[Served]]:
    """Serves a hub while a `with` block lasts."""
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
        self.port = int(line.split(";")[0].rpartition(":")[2])

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.communicate()

    def end(self) -> tuple[int, str]:
        """Its exit status and what it said last."""
        self._process.send_signal(signal.SIGTERM)
        said = self._process.communicate(timeout=60)[1]
        return self._process.returncode, said


@pytest.fixture
def serve_command() -> type[Command]:
    """Runs `rck serve` in a process of its own, while a `with` block lasts."""
    return Command
