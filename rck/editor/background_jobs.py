"""Runners for work in threads, with different rules for waiting work: newest only, after a pause, or all."""

import asyncio
from collections.abc import Callable
from typing import Any

from textual.app import App

Work = Callable[[], Any]
Done = Callable[[Any], None]


class LatestJob:
    """A runner with one job at a time; of the waiting jobs only the newest runs."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._next: tuple[Work, Done] | None = None
        self._busy = False

    def __call__(self, work: Work, done: Done) -> None:
        """Run the work after the current job, unless newer work arrives before that."""
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


class IdleJob(LatestJob):
    """A :class:`LatestJob` that waits until no new work has arrived for some time."""

    def __init__(self, app: App[None], seconds: float) -> None:
        super().__init__(app)
        self._seconds = seconds

    async def _run(self) -> None:
        newest = None
        while newest is not self._next:
            newest = self._next
            await asyncio.sleep(self._seconds)
        await super()._run()


class ThreadJobs:
    """A runner that starts every job at once."""

    def __init__(self, app: App[None]) -> None:
        self._app = app

    def __call__(self, work: Work, done: Done) -> None:
        """Run the work in a thread."""

        async def run() -> None:
            done(await asyncio.to_thread(work))

        self._app.run_worker(run(), group="commands")
