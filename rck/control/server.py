"""WebSocket server of a served world.

By default it listens on the loopback interface only. On any other address, clients need a token.
"""

import asyncio
import errno
import gc
import hmac
import logging
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from math import inf, isinf
from secrets import token_urlsafe
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from rck.control.background_loop import BackgroundLoop
from rck.control.client_session import ClientSession
from rck.control.hub import Hub, ServerLimits
from rck.control.protocol import refuse_without_websockets
from rck.hooks import Page
from rck.support.finding import RckError
from rck.support.names import name_findings

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

PORT = 9090
"""Default port of rosbridge."""
LONGEST_LAG = 0.25
"""Longest time that one step makes up for on a busy machine, in seconds."""

_CLOSE_TIMEOUT = 1.0
"""Time limit for closing the connection of a slow client, in seconds."""
_COLLECTION = (700, 10, 10)
"""Thresholds of garbage collection, those of Python: short pauses, often."""
_RECEIVED = 4
"""Messages of a client that are read ahead."""
_OPEN_TIMEOUT = 5.0
"""Time limit for a new connection to become a WebSocket, in seconds."""
_BURST = 0.1
"""Processor time that a client may use at once, in seconds."""
_LONGEST_PAUSE = 1.0
"""Longest delay between two messages of a client, in seconds: the server notices only then that it has left."""
_SWITCH_INTERVAL = 0.0005
"""Time after which the worker thread lets the event loop go on, in seconds."""
_TURN = 0.001
"""Time for the messages of one client before others have their turn, in seconds."""


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a server, and who may connect."""

    host: str = "127.0.0.1"
    port: int = PORT
    token: str = ""
    """Access token; optional on a loopback address."""
    origins: tuple[str, ...] = ()
    """Web origins that may connect; `*` for all."""

    def __post_init__(self) -> None:
        if not self.is_local and not self.token:
            raise RckError(f"{self.host} can be reached from other machines; set a token for clients")

    @property
    def is_local(self) -> bool:
        """True if only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


class CannotListen(RckError):
    """The port is in use, or the address does not exist."""

    def __init__(self, address: Address, error: OSError) -> None:
        where = f"{address.host}:{address.port}"
        if error.errno == errno.EADDRINUSE:
            super().__init__(f"{where} is already in use; choose another port, or 0 for any free port")
        else:
            super().__init__(f"cannot listen on {where}: {error.strerror or error}")


class ControlServer:
    """Server of a hub. Use it as an async context manager, or :func:`serve` to run until a signal."""

    def __init__(
        self,
        hub: Hub,
        address: Address | None = None,
        *,
        rate: float = 100.0,
        page: Page | None = None,
        guard: AbstractContextManager[object] | None = None,
        framed_by: str = "",
    ) -> None:
        self.hub = hub
        self.address = address or Address()
        self.rate = rate
        """Rate of steps and publications, in hertz."""
        self._page = page
        self._framed_by = framed_by
        """Origin of the pages that may show the page in a frame; empty for none."""
        self._is_closing = False
        self._meshes = f"/meshes/{token_urlsafe(12)}/"
        """Secret path of meshes, for connected clients: the token itself would end up in URDF files."""
        if guard is not None:
            hub.guard = guard
        self._held_back = 0
        """Number of clients that wait because they have used their share of the processor."""
        self._server: Server | None = None
        self._clock: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        """The port on which it listens, also if it was 0."""
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def __aenter__(self) -> "ControlServer":
        refuse_without_websockets()
        from websockets.asyncio.server import serve as listen

        limits = self.hub.limits
        # Connections that are not WebSocket are no concern of the user.
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
                max_queue=_RECEIVED,
                open_timeout=_OPEN_TIMEOUT,
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
        self._is_closing = True
        self._server.close(reason="the server was stopped")
        await self._server.wait_closed()
        self.hub.close()

    async def wait(self) -> None:
        """Wait for an error of the clock task, or until cancelled."""
        assert self._clock is not None
        await asyncio.shield(self._clock)

    async def _run(self) -> None:
        """Step the world at the rate of the server."""
        period = 1.0 / self.rate
        last = due = monotonic()
        while True:
            due = max(due + period, monotonic())
            await asyncio.sleep(due - monotonic())
            now = monotonic()
            elapsed, last = min(now - last, LONGEST_LAG), now
            self.tick(elapsed)

    def tick(self, elapsed: float) -> None:
        """Step and publish the world after some real time, in seconds."""
        hub = self.hub
        with hub.guard:
            if not hub.world.paused and hub.may_step(monotonic()):
                # In lock-step all steps are equal, so that results do not depend on the speed of the machine.
                seconds = 1.0 / self.rate if hub.lockstep.enabled else elapsed
                try:
                    hub.world.step(seconds * hub.world.speed)
                except Exception as error:
                    # What one client has done must not disconnect the others.
                    hub.world.pause(True)
                    hub.warn_all(
                        f"the simulation is paused: {hub.explain('the simulation', error)}; /reset restarts it"
                    )
                hub.finish_step()
            hub.publish_world()

    # Clients

    def _admit(self, connection: "ServerConnection", request: "Request") -> "Response | None":
        """Refuse connections that are not allowed, and answer requests for pages."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or not self._host_allowed(hosts[0]):
            return connection.respond(403, "host name not allowed\n")
        if not all(self._origin_allowed(origin, hosts[0]) for origin in origins):
            return connection.respond(403, "origin not allowed\n")
        if "websocket" not in [name.lower() for name in request.headers.get_all("Upgrade")]:
            path = unquote(urlsplit(request.path).path)
            # Meshes have a secret path.
            if self._page is not None and not path.startswith(self._meshes) and not self._is_known(request):
                return connection.respond(401, "token required: open the whole address that the server has printed\n")
            return self._answer(connection, path, origins, bool(_query(request, "token")))
        if not self._is_known(request):
            return connection.respond(401, "token required: ws://host:port/?token=...\n")
        if len(self.hub.sessions) >= self.hub.limits.clients:
            return connection.respond(503, f"too many clients; the limit is {self.hub.limits.clients}\n")
        return None

    def _is_known(self, request: "Request") -> bool:
        """Return True if no token is required, or if the request has it, as a parameter, as a header or in a cookie."""
        token = self.address.token
        given = (_token(request), _cookie(request, self._cookie_name))
        return not token or any(hmac.compare_digest(one.encode(), token.encode()) for one in given)

    @property
    def _cookie_name(self) -> str:
        # Cookies do not depend on the port, so the name does.
        return f"rck-{self.port}"

    def _answer(
        self, connection: "ServerConnection", path: str, origins: Sequence[str], with_token: bool
    ) -> "Response":
        """Return a mesh of the description, or a file of the page."""
        found = None if self._page is None else self._page(path)
        if path.startswith(self._meshes):
            with self.hub.guard:
                content = self.hub.world.description.meshes.get(path.removeprefix(self._meshes))
            found = None if content is None else ("model/stl", content)
        if found is None:
            return connection.respond(
                404 if self._page else 426, "this is a rosbridge server; connect with WebSocket\n"
            )
        kind, content = found
        response = connection.respond(200, "")
        del response.headers["Content-Type"], response.headers["Content-Length"]
        response.headers["Content-Type"] = kind
        response.headers["Content-Length"] = str(len(content))
        response.headers["Cache-Control"] = "no-store"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Content-Security-Policy"] = "frame-ancestors " + (self._framed_by or "'none'")
        if with_token and self.address.token:
            cookie = f"{self._cookie_name}={quote(self.address.token)}; Path=/; HttpOnly; SameSite=Strict"
            response.headers["Set-Cookie"] = cookie
        for origin in origins:
            # `_admit` has refused all other origins.
            response.headers["Access-Control-Allow-Origin"] = origin
        return type(response)(response.status_code, response.reason_phrase, response.headers, content)

    def _host_allowed(self, host: str) -> bool:
        """Refuse foreign host names, which protects against DNS rebinding."""
        if not self.address.is_local:
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
        sender = Sender(connection, self.hub.limits)
        host = "" if request is None else request.headers["Host"]
        session = ClientSession(self.hub, self.hub.free_name(wanted), sender.send, f"http://{host}{self._meshes}")
        limiter = RateLimiter(self.hub.limits.messages_a_second)
        share = ProcessorShare()
        caller = session.caller
        try:
            worked = 0.0
            while not self._is_closing and not _is_lost(connection):
                text = await connection.recv(decode=False)
                if worked > _TURN:
                    # `recv` does not yield while messages are buffered: give other clients a turn.
                    worked = 0.0
                    await asyncio.sleep(0)
                pause = limiter.pause(monotonic())
                if pause > 0:
                    if limiter.pauses == 1:
                        session.send_status("warning", f"more than {limiter.rate:g} messages per second; slowed down")
                    await asyncio.sleep(pause)
                before = caller.processor_time
                await session.receive(bytes(text))
                used = caller.processor_time - before
                worked += used
                await self._hold_back(share.pause(used, monotonic(), self._share_of_one()))
        except ConnectionClosed:
            pass
        finally:
            with self.hub.guard:
                session.close()

    def _share_of_one(self) -> float:
        """Return the share of a processor for each of the clients that want more; infinite for a lone client."""
        if len(self.hub.sessions) < 2:
            return inf
        return self.hub.limits.processor_share / (1 + self._held_back)

    async def _hold_back(self, seconds: float) -> None:
        """Delay the next message of a client that has used its share of the processor."""
        if seconds > 0:
            self._held_back += 1
            try:
                await asyncio.sleep(seconds)
            finally:
                self._held_back -= 1


class RateLimiter:
    """Token bucket for the messages of a client, with a capacity of one second."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.pauses = 0
        """Number of delayed messages."""
        self._credit = rate
        self._at = monotonic()

    def pause(self, now: float) -> float:
        """Return the delay for the message that has arrived now, in seconds."""
        self._credit = min(self.rate, self._credit + self.rate * (now - self._at)) - 1.0
        self._at = now
        if self._credit >= 0:
            return 0.0
        self.pauses += 1
        return -self._credit / self.rate


class ProcessorShare:
    """Token bucket for the processor time of a client."""

    def __init__(self) -> None:
        self._credit = _BURST
        self._at = monotonic()

    def pause(self, used: float, now: float, share: float) -> float:
        """Return the delay after a message that has used processor time; times in seconds.

        `share` is the share of a processor that the client gets, infinite for all of it.
        """
        earned = inf if isinf(share) else share * (now - self._at)
        self._credit = min(_BURST, self._credit + earned) - used
        self._at = now
        if self._credit >= 0 or isinf(share):
            return 0.0
        return min(-self._credit / share, _LONGEST_PAUSE)


class Sender:
    """Sends to one client. A client that reads too slowly misses messages, and is disconnected in the end."""

    def __init__(self, connection: "ServerConnection", limits: ServerLimits) -> None:
        self._connection = connection
        self._limits = limits
        self._behind_since: float | None = None
        self._skipped = 0
        self._closing: asyncio.Task[None] | None = None

    def send(self, text: bytes, may_skip: bool) -> None:
        """Send a message without waiting, or skip it if the client is behind and it may be skipped."""
        from websockets.asyncio.server import broadcast

        if self._closing is not None:
            return
        unread = self._connection.transport.get_write_buffer_size()
        now = monotonic()
        if unread <= self._limits.backlog_bytes:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = now
        if self._behind_since is not None:
            if now - self._behind_since > self._limits.patience or unread > self._limits.most_backlog_bytes:
                self._disconnect(unread)
                return
            if may_skip:
                self._skipped += 1
                return
        broadcast((self._connection,), text, text=True)

    def _disconnect(self, unread: int) -> None:
        reason = f"too slow: {unread} bytes unread, {self._skipped} messages skipped"
        self._closing = asyncio.create_task(self._close(reason))

    async def _close(self, reason: str) -> None:
        """Close the connection with a reason; abort it if the client does not respond."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await self._connection.close(1008, reason)
        self._connection.transport.abort()


def _query(request: "Request", name: str) -> str:
    return parse_qs(urlsplit(request.path).query).get(name, [""])[0]


def _cookie(request: "Request", name: str) -> str:
    pairs = [pair.strip().partition("=") for text in request.headers.get_all("Cookie") for pair in text.split(";")]
    return next((unquote(value) for key, _, value in pairs if key == name), "")


def _is_lost(connection: "ServerConnection") -> bool:
    """Return True for a connection that broke, in which case the messages that still wait do not count."""
    from websockets.protocol import State

    return connection.state is State.CLOSED and connection.protocol.close_rcvd is None


def _token(request: "Request") -> str:
    scheme, _, token = "".join(request.headers.get_all("Authorization")[:1]).partition(" ")
    return token if scheme.lower() == "bearer" else _query(request, "token")


@contextmanager
def serve_in_thread(server: ControlServer) -> Iterator[BackgroundLoop]:
    """Serve in a background thread for the duration of a `with` block."""
    with BackgroundLoop("rck-server") as loop:
        loop.wait_for(server.__aenter__())
        try:
            yield loop
        finally:
            loop.wait_for(server.__aexit__())


async def serve(
    server: ControlServer,
    started: Callable[[ControlServer], None],
    ended: Callable[[], None],
    background: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> bool:
    """Serve until SIGTERM or SIGINT; return True if it was SIGINT (Ctrl+C).

    `started` is called when the server listens, `ended` after it has stopped; neither if it cannot listen.
    `background` runs as long as the server.
    """
    stop = asyncio.Event()
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        stop.set()

    has_started = False
    loop = asyncio.get_running_loop()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        async with server:
            has_started = True
            # Exclude the world from garbage collection, which would stop all clients for a tenth of a second.
            gc.collect()
            gc.freeze()
            gc.set_threshold(*_COLLECTION)
            started(server)
            work = [asyncio.create_task(stop.wait()), asyncio.create_task(server.wait())]
            if background is not None:
                work.append(asyncio.create_task(background()))
            done, rest = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for task in rest:
                task.cancel()
            for task in done:
                await task
    finally:
        if has_started:
            ended()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    return interrupted
