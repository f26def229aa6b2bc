"""Calling a plugin so that neither a hang nor a flood of output harms the program."""

import io
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from contextvars import copy_context
from typing import TypeVar

from rck.hooks.job import Job

T = TypeVar("T")

THREAD = "plugin"
"""The name of each thread that a plugin is called in."""
TO_LOAD = 20.0
"""Seconds that a plugin may take to be imported or to answer a hook; both should take next to nothing."""
MOST_OUTPUT = 2_000
"""Characters that a plugin may print meanwhile before it is told on."""
_GLANCE = 0.1
"""Seconds between two looks at whether the user has stopped a job."""


class Hangs(Exception):
    """A plugin did not come back."""


class Printed(io.TextIOBase):
    """Takes what is printed, keeps the beginning and counts the rest."""

    def __init__(self) -> None:
        self.beginning = ""
        self.count = 0

    def writable(self) -> bool:
        """It is; streams are not unless they say so."""
        return True

    def write(self, text: str) -> int:
        """Keep the text, as far as there is room."""
        if len(self.beginning) < MOST_OUTPUT:
            self.beginning += text[: MOST_OUTPUT - len(self.beginning)]
        self.count += len(text)
        return len(text)


def contained(call: Callable[[], T], printed: Printed) -> T:
    """What the call returns or raises, with what it prints kept off the screen; :class:`Hangs` if it takes too long."""
    with redirect_stdout(printed), redirect_stderr(printed):
        return waited_for(call, TO_LOAD)


def waited_for(call: Callable[[], T], seconds: float, job: Job | None = None) -> T:
    """What the call returns or raises; :class:`Hangs` if it takes longer than so many seconds.

    Where there is a job, they are counted from when the user stops it. The call runs in a thread of its own: a thread
    that hangs can be left behind, which the main one cannot.
    """
    results: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True, name=THREAD)
    thread.start()
    if job is not None:
        while thread.is_alive() and not job.cancelled:
            thread.join(_GLANCE)
    thread.join(seconds)
    if thread.is_alive():
        raise Hangs(f"it did not {'come back' if job is None else 'stop'} within {seconds:g} s")
    if raised:
        raise raised[0]
    return results[0]
