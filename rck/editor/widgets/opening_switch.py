"""The switch that opens what is simulated to other programs; it says where, and how many have come."""

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Static

from rck.editor.theatre import Theatre
from rck.model import RckError

if TYPE_CHECKING:
    from rck.editor.opening import Opening

_LOOK_EVERY = 1 / 15
"""Seconds between two looks at what other programs did."""


class OpeningSwitch(Static):
    """Off at first; a click or its key turns it."""

    class Changed(Message):
        """Other programs changed something that the screen shows."""

    class Said(Message):
        """Something to tell the user."""

        def __init__(self, text: str, refused: bool = False) -> None:
            super().__init__()
            self.text = text
            self.refused = refused

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.opening: Opening | None = None
        self._theatre: Theatre | None = None
        self._wanted = False
        self._port: int | None = None
        self._seen: object = None

    def on_mount(self) -> None:
        """Look now and then at what others do."""
        self.set_interval(_LOOK_EVERY, self._look)
        self._show()

    def on_unmount(self) -> None:
        """Nothing stays open behind the editor's back."""
        self.close()

    def on_click(self, event: events.Click) -> None:
        """Turn it."""
        event.stop()
        self.turn()

    def turn(self) -> None:
        """On where it is off, off where it is on."""
        if self._wanted:
            self.close()
            self.post_message(self.Said("closed: other programs are shut out"))
            return
        self._wanted = True
        self._open(self._port)

    def follow(self, theatre: Theatre | None) -> None:
        """Another robot is simulated: where the old one was open, so is this, at the same port."""
        self._end()
        self._theatre = theatre
        if self._wanted:
            self._open(self._port)

    def close(self) -> None:
        """Turn it off."""
        self._wanted = False
        self._end()
        self._show()

    def _end(self) -> None:
        if self.opening is not None:
            self._port = self.opening.port
            self.opening.close()
            self.opening = None

    def _open(self, port: int | None) -> None:
        if self._theatre is not None:
            self.run_worker(self._open_theatre(self._theatre, port), group="opening", exclusive=True)

    async def _open_theatre(self, theatre: Theatre, port: int | None) -> None:
        from rck.control.server import PORT
        from rck.editor.opening import Opening

        try:
            opening = await asyncio.to_thread(Opening, theatre, port or PORT)
        except (RckError, OSError) as error:
            self._wanted = False
            self.post_message(self.Said(str(error), refused=True))
            return
        if theatre is not self._theatre or not self._wanted:
            opening.close()
            return
        self.opening = opening
        self._show()
        self.post_message(self.Said(f"other programs may connect to {opening.url}"))

    def _look(self) -> None:
        if self.opening is None or self._theatre is None:
            return
        simulation = self._theatre.simulation
        seen = (simulation, simulation.time, simulation.camera, self._theatre.playing)
        if seen != self._seen:
            self._seen = seen
            self.post_message(self.Changed())
        self._show()

    def _show(self) -> None:
        opening = self.opening
        if opening is None:
            text = Text("○ closed to other programs; o opens", "dim", no_wrap=True)
        else:
            many = "1 client" if opening.clients == 1 else f"{opening.clients} clients"
            text = Text("● ", "green", no_wrap=True).append(f"{opening.url}   {many}", "")
        if text != self.content:
            self.update(text)
