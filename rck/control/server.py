"""The server: WebSocket connections, the clock, and the end in order.

It listens on this machine only unless told otherwise; on any other address a client must know the token.
"""

import asyncio
import errno
import gc
import hmac
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from secrets import token_urlsafe
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from rck.control.background import BackgroundLoop, background_loop
from rck.control.hub import Hub
from rck.control.limits import Limits
from rck.control.needs import refuse_without_websockets
from rck.control.session import Session
from rck.hooks import Page
from rck.model.finding import RckError
from rck.model.names import name_findings

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

PORT = 9090
"""Where rosbridge listens."""
LONGEST_LAG = 0.25
"""What a busy machine misses beyond this, in seconds, is not made up for."""

_LAST_WORDS = 1.0
"""How long a client that is dropped may take to read why, in seconds."""
_AT_A_STRETCH = 0.001
"""How long messages of one client are looked at before others have their turn, in seconds."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens, and whom it lets in."""

    host: str = "127.0.0.1"
    port: int = PORT
    token: str = ""
    """What clients must know; none is needed on this machine."""
    origins: tuple[str, ...] = ()
    """Pages of which other sites may connect; `*` for all."""

    def __post_init__(self) -> None:
        if not self.local and not self.token:
            raise RckError(f"{self.host} can be reached from other machines: give a token that clients must know")

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


class CannotListen(RckError):
    """Another program has the port, or there is no such address."""

    def __init__(self, address: Address, error: OSError) -> None:
        place = f"{address.host}:{address.port}"
        if error.errno == errno.EADDRINUSE:
            super().__init__(f"another program has {place} already; take another port, or 0 for any that is free")
        else:
            super().__init__(f"nothing can listen at {place}: {error.strerror or error}")


class ControlServer:
    """Serves a hub. Use it as an async context manager, or :func:`serve` to run until a signal comes."""

    def __init__(
        self,
        hub: Hub,
        address: Address | None = None,
        *,
        rate: float = 100.0,
        page: Page | None = None,
        guard: AbstractContextManager[object] | None = None,
    ) -> None:
        self.hub = hub
        self.address = address or Address()
        self.rate = rate
        """How often the world steps and is published, in hertz."""
        self._page = page
        self._meshes = f"/meshes/{token_urlsafe(12)}/"
        """Where meshes are fetched. Only clients learn it: the token itself would end up in files."""
        self._guard = guard or nullcontext()
        """Held while the world is looked at or changed; needed where other threads do so too."""
        self._server: Server | None = None
        self._clock: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """Where it listens: the port that it was given, or the free one that it found for 0."""
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def __aenter__(self) -> "ControlServer":
        refuse_without_websockets()
        from websockets.asyncio.server import serve as listen

        limits = self.hub.limits
        # What clients send that is not WebSocket at all is nothing to tell the user about.
        silent = logging.getLogger("rck.control.websockets")
        silent.setLevel(logging.CRITICAL)
        try:
            self._server = await listen(
                self._serve_client,
                self.address.host,
                self.address.port,
                process_request=self._admit,
                compression=None,
                max_size=limits.message_bytes,
                max_queue=16,
                ping_interval=limits.ping,
                ping_timeout=limits.ping,
                close_timeout=1.0,
                logger=silent,
            )
        except OSError as error:
            raise CannotListen(self.address, error) from error
        self._clock = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        assert self._clock is not None
        self._clock.cancel()
        with suppress(asyncio.CancelledError):
            await self._clock
        self._server.close(reason="the server ends")
        await self._server.wait_closed()

    async def wait(self) -> None:
        """Wait until the clock fails, which it should not; cancel this to stop waiting."""
        assert self._clock is not None
        await asyncio.shield(self._clock)

    async def _run(self) -> None:
        """Let time pass."""
        period = 1.0 / self.rate
        seen = due = monotonic()
        while True:
            due = max(due + period, monotonic())
            await asyncio.sleep(due - monotonic())
            now = monotonic()
            passed, seen = min(now - seen, LONGEST_LAG), now
            self.tick(passed)

    def tick(self, passed: float) -> None:
        """Let so many seconds on the wall pass."""
        hub = self.hub
        with self._guard:
            if not hub.world.paused and hub.may_step(monotonic()):
                # In lock-step the machine's speed must not matter: all steps are alike.
                seconds = 1.0 / self.rate if hub.dependence.lockstep else passed
                hub.world.step(seconds * hub.world.speed)
                hub.stepped()
            hub.publish_world()

    # Clients

    def _admit(self, connection: "ServerConnection", request: "Request") -> "Response | None":
        """Refuse who may not come in, and answer who only wants a page."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or not self._host_allowed(hosts[0]):
            return connection.respond(403, "this server does not go by that name\n")
        if not all(self._origin_allowed(origin, hosts[0]) for origin in origins):
            return connection.respond(403, "pages of that site may not use this server\n")
        if "websocket" not in [name.lower() for name in request.headers.get_all("Upgrade")]:
            return self._answer(connection, unquote(urlsplit(request.path).path), origins)
        if self.address.token and not hmac.compare_digest(_token(request).encode(), self.address.token.encode()):
            return connection.respond(401, "a token is needed: ws://host:port/?token=...\n")
        if len(self.hub.sessions) >= self.hub.limits.clients:
            return connection.respond(503, f"there are {self.hub.limits.clients} clients already\n")
        return None

    def _answer(self, connection: "ServerConnection", path: str, origins: Sequence[str]) -> "Response":
        """A mesh of the description, or a file of a page."""
        found = None if self._page is None else self._page(path)
        if path.startswith(self._meshes):
            with self._guard:
                content = self.hub.world.description.meshes.get(path.removeprefix(self._meshes))
            found = None if content is None else ("model/stl", content)
        if found is None:
            return connection.respond(404 if self._page else 426, "this is a rosbridge server: connect by WebSocket\n")
        kind, content = found
        response = connection.respond(200, "")
        del response.headers["Content-Type"], response.headers["Content-Length"]
        response.headers["Content-Type"] = kind
        response.headers["Content-Length"] = str(len(content))
        response.headers["Cache-Control"] = "no-store"
        for origin in origins:
            # Those that are not let in have been turned away already.
            response.headers["Access-Control-Allow-Origin"] = origin
        return type(response)(response.status_code, response.reason_phrase, response.headers, content)

    def _host_allowed(self, host: str) -> bool:
        """A page of another site may let its own name lead to this machine: then the name gives it away."""
        if not self.address.local:
            return True
        name = urlsplit(f"//{host}").hostname or ""
        with suppress(ValueError):
            return ip_address(name).is_loopback
        return name == "localhost"

    def _origin_allowed(self, origin: str, host: str) -> bool:
        allowed = self.address.origins
        return "*" in allowed or origin in allowed or origin in (f"http://{host}", f"https://{host}")

    async def _serve_client(self, connection: "ServerConnection") -> None:
        from websockets.exceptions import ConnectionClosed

        request = connection.request
        wanted = "" if request is None else _query(request, "name")
        if name_findings(wanted, "client"):
            wanted = ""
        line = Line(connection, self.hub.limits)
        host = "" if request is None else request.headers["Host"]
        session = Session(self.hub, self.hub.free_name(wanted), line.send, f"http://{host}{self._meshes}")
        pace = Pace(self.hub.limits.messages_a_second)
        try:
            worked = 0.0
            while True:
                text = await connection.recv(decode=False)
                if worked > _AT_A_STRETCH:
                    # Messages that have come already are read without waiting: let others have their turn.
                    worked = 0.0
                    await asyncio.sleep(0)
                pause = pace.pause(monotonic())
                if pause > 0:
                    if pace.pauses == 1:
                        session.tell("warning", f"more than {pace.rate:g} messages a second are read more slowly")
                    await asyncio.sleep(pause)
                begun = monotonic()
                with self._guard:
                    await session.hear(bytes(text))
                worked += monotonic() - begun
        except ConnectionClosed:
            pass
        finally:
            with self._guard:
                session.close()


class Pace:
    """Reads a client no faster than it may send; a second's worth may come at once."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.pauses = 0
        """How often it had to wait."""
        self._credit = rate
        self._at = monotonic()

    def pause(self, now: float) -> float:
        """How long to wait before the message that has come is looked at, in seconds."""
        self._credit = min(self.rate, self._credit + self.rate * (now - self._at)) - 1.0
        self._at = now
        if self._credit >= 0:
            return 0.0
        self.pauses += 1
        return -self._credit / self.rate


class Line:
    """Sends to one client. A client that does not read is passed over, and in the end dropped and told why."""

    def __init__(self, connection: "ServerConnection", limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._behind_since: float | None = None
        self._left_out = 0
        self._dropped: asyncio.Task[None] | None = None

    def send(self, text: bytes, may_be_left_out: bool) -> None:
        """Send a message at once; it never waits."""
        from websockets.asyncio.server import broadcast

        if self._dropped is not None:
            return
        unread = self._connection.transport.get_write_buffer_size()
        now = monotonic()
        if unread <= self._limits.backlog_bytes:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = now
        if self._behind_since is not None:
            if now - self._behind_since > self._limits.patience or unread > self._limits.most_backlog_bytes:
                self._drop(unread)
                return
            if may_be_left_out:
                self._left_out += 1
                return
        broadcast((self._connection,), text, text=True)

    def _drop(self, unread: int) -> None:
        reason = f"too slow: {unread} bytes unread, {self._left_out} messages left out"
        self._dropped = asyncio.create_task(self._end(reason))

    async def _end(self, reason: str) -> None:
        """Tell why, for a client that reads on after all, and end the connection whether it does or not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS):
                await self._connection.close(1008, reason)
        self._connection.transport.abort()


def _query(request: "Request", name: str) -> str:
    return parse_qs(urlsplit(request.path).query).get(name, [""])[0]


def _token(request: "Request") -> str:
    scheme, _, given = "".join(request.headers.get_all("Authorization")[:1]).partition(" ")
    return given if scheme.lower() == "bearer" else _query(request, "token")


@contextmanager
def served_beside(server: ControlServer) -> Iterator[BackgroundLoop]:
    """Serve in a thread while a `with` block lasts."""
    with background_loop("rck-server") as running:
        running.wait_for(server.__aenter__())
        try:
            yield running
        finally:
            running.wait_for(server.__aexit__())


async def serve(
    server: ControlServer,
    started: Callable[[ControlServer], None],
    ended: Callable[[], None],
    beside: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> bool:
    """Serve until SIGTERM or SIGINT; `started` is called when clients can come, `ended` when none can any more.

    Neither is called where it cannot listen. What runs `beside` the server ends with it. Whether it was SIGINT, which
    is ctrl+C, that ended it.
    """
    stop = asyncio.Event()
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        stop.set()

    begun = False
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        async with server:
            begun = True
            # What is there now stays: looking through it for garbage would hold all clients up for a tenth of a second.
            gc.collect()
            gc.freeze()
            started(server)
            work = [asyncio.create_task(stop.wait()), asyncio.create_task(server.wait())]
            if beside is not None:
                work.append(asyncio.create_task(beside()))
            done, rest = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in rest:
                task.cancel()
            for task in done:
                await task
    finally:
        if begun:
            ended()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    return interrupted
