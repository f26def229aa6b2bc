"""Work beside the interface, in threads."""

import asyncio
from collections.abc import Callable
from typing import Any

from textual.app import App

Work = Callable[[], Any]
Done = Callable[[Any], None]


class NewestFirst:
    """One piece of work at a time, and of those that wait only the newest."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._next: tuple[Work, Done] | None = None
        self._busy = False

    def __call__(self, work: Work, done: Done) -> None:
        """Do the work as soon as the piece before is done, unless something newer comes in between."""
        self._next = (work, done)
        if not self._busy:
            self._busy = True
            self._app.run_worker(self._run(), group="background")

    async def _run(self) -> None:
        try:
            while self._next is not None:
                (work, done), self._next = self._next, None
                done(await asyncio.to_thread(work))
        finally:
            self._busy = False


class WhenQuiet(NewestFirst):
    """As :class:`NewestFirst`, once nothing newer has come for a while."""

    def __init__(self, app: App[None], seconds: float) -> None:
        super().__init__(app)
        self._seconds = seconds

    async def _run(self) -> None:
        waited_for = None
        while waited_for is not self._next:
            waited_for = self._next
            await asyncio.sleep(self._seconds)
        await super()._run()


class EachInTurn:
    """Every piece of work is done."""

    def __init__(self, app: App[None]) -> None:
        self._app = app

    def __call__(self, work: Work, done: Done) -> None:
        """Do the work now."""

        async def run() -> None:
            done(await asyncio.to_thread(work))

        self._app.run_worker(run(), group="beside")
