"""Calls of plugin functions: each runs in a thread of its own and has a deadline, so that none freezes the editor."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from types import FrameType, TracebackType
from typing import Protocol, TypeVar

from rck.hooks import EditorContext, Plugins
from rck.hooks.manager import PluginFailure
from rck.model import RckError

T = TypeVar("T")


class Timed(Protocol):
    """A contribution whose functions have a deadline."""

    @property
    def name(self) -> str:
        """Unique among its kind."""

    @property
    def deadline(self) -> float:
        """Seconds after which the editor gives up."""


class PluginCalls:
    """Calls functions of plugins; remembers the contributions that failed."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._failed: set[tuple[type, str]] = set()

    def has_failed(self, contribution: Timed) -> bool:
        """Return True if the contribution is not called any more."""
        return (type(contribution), contribution.name) in self._failed

    async def call(self, contribution: Timed, work: Callable[[EditorContext], T], context: EditorContext) -> T:
        """Return the result of a function of a contribution; raise :class:`RckError` if it fails or takes too long.

        A function that cannot be stopped goes on in its thread; its result and its commands are dropped.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def finish(settle: Callable[[], None]) -> None:
            # The editor may have ended, or given up.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: None if answer.done() else settle())

        def run() -> None:
            try:
                with self._plugins.guard(contribution):
                    result = work(context)
            except Exception as error:
                reason = error
                finish(lambda: answer.set_exception(reason))
            else:
                finish(lambda: answer.set_result(result))

        # A thread of a pool would keep the editor from ending, and would be missing for drawing.
        thread = Thread(target=run, name=f"plugin {contribution.name}", daemon=True)
        thread.start()
        try:
            return await asyncio.wait_for(answer, contribution.deadline)
        except TimeoutError:
            context.job.cancel()
            raise self._give_up(contribution, thread) from None
        except PluginFailure:
            self._failed.add((type(contribution), contribution.name))
            raise
        except OSError as error:
            raise RckError(str(error)) from error

    def _give_up(self, contribution: Timed, thread: Thread) -> RckError:
        """Return the error for a function that takes too long, with the line at which it is."""
        self._failed.add((type(contribution), contribution.name))
        frame = None if thread.ident is None else sys._current_frames().get(thread.ident)
        error = TimeoutError(f"no result after {contribution.deadline:g} s")
        return self._plugins.report(contribution, error.with_traceback(_traceback(frame)))


def _traceback(frame: FrameType | None) -> TracebackType | None:
    """Return the traceback of a running function."""
    trace = None
    while frame is not None:
        trace = TracebackType(trace, frame, frame.f_lasti, frame.f_lineno)
        frame = frame.f_back
    return trace
