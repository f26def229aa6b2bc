"""Switch for the control server of the Simulate screen, with its address and number of clients."""

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Static

from rck.control.server import PORT
from rck.editor.control_server import EmbeddedServer
from rck.editor.simulation_player import SimulationPlayer
from rck.model import RckError
from rck.support.units import counted

if TYPE_CHECKING:
    from rck.editor.control_server import EmbeddedServer

_POLL_INTERVAL = 1 / 15
"""Time between checks for changes by clients, in seconds."""


class ServerSwitch(Static):
    """Switch for the control server; off at first. A click toggles it."""

    class Changed(Message):
        """A client has changed something that the screen shows."""

    class Report(Message):
        """A message for the user."""

        def __init__(self, text: str, refused: bool = False) -> None:
            super().__init__()
            self.text = text
            self.refused = refused

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.server: EmbeddedServer | None = None
        self._player: SimulationPlayer | None = None
        self._is_on = False
        self._port: int | None = None
        self._seen: object = None

    def on_mount(self) -> None:
        """Check for changes by clients at intervals."""
        self.set_interval(_POLL_INTERVAL, self._check)
        self._show()

    def on_unmount(self) -> None:
        """Stop the server."""
        self.close()

    def on_click(self, event: events.Click) -> None:
        """Toggle the server."""
        event.stop()
        self.toggle()

    def toggle(self) -> None:
        """Start the server if it is off, and stop it if it is on."""
        if self._is_on:
            self.close()
            self.post_message(self.Report("Server off"))
            return
        self._is_on = True
        self._start()

    def follow(self, player: SimulationPlayer | None) -> None:
        """Serve another player; a server that is on restarts on the same port."""
        self._stop()
        self._player = player
        if self._is_on:
            self._start()

    def close(self) -> None:
        """Turn the server off."""
        self._is_on = False
        self._stop()
        self._show()

    def _stop(self) -> None:
        if self.server is not None:
            self._port = self.server.port
            self.server.close()
            self.server = None

    def _start(self) -> None:
        if self._player is not None:
            self.run_worker(self._serve(self._player, self._port), group="server", exclusive=True)

    async def _serve(self, player: SimulationPlayer, port: int | None) -> None:
        try:
            server = await asyncio.to_thread(EmbeddedServer, player, port or PORT)
        except (RckError, OSError) as error:
            self._is_on = False
            self.post_message(self.Report(str(error), refused=True))
            return
        if player is not self._player or not self._is_on:
            server.close()
            return
        self.server = server
        self._show()
        self.post_message(self.Report(f"Server on: clients can connect to {server.url}"))

    def _check(self) -> None:
        if self.server is None or self._player is None:
            return
        simulation = self._player.simulation
        seen = (simulation, simulation.time, simulation.camera, self._player.playing)
        if seen != self._seen:
            self._seen = seen
            self.post_message(self.Changed())
        self._show()

    def _show(self) -> None:
        if self.server is None:
            text = Text("○ Server off (press o to start)", "dim", no_wrap=True)
        else:
            clients = counted(self.server.clients, "client")
            text = Text("● ", "green", no_wrap=True).append(f"{self.server.url}   {clients}", "")
        if text != self.content:
            self.update(text)
