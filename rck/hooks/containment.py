"""Calling a plugin so that neither a hang nor a flood of output harms the program."""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import copy_context
from typing import TypeVar

from rck.hooks.job import Job
from rck.hooks.output import THREAD, Printed, descriptors_into, routed
from rck.hooks.places import Hangs as Hangs
from rck.hooks.places import steps_of_thread

T = TypeVar("T")

TO_LOAD = 20.0
"""Seconds that a plugin may take to be imported or to answer a hook; both should take next to nothing."""
_GLANCE = 0.1
"""Seconds between two looks at whether the user has stopped a job."""


def contained(call: Callable[[], T], printed: Printed, own: bool = False) -> T:
    """What the call returns or raises, with what it prints kept off the screen; :class:`Hangs` if it takes too long.

    RCK's own plugins are known to print nothing past Python.
    """
    with routed(printed), nullcontext() if own else descriptors_into(printed):
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
        said = f"it did not {'come back' if job is None else 'stop'} within {seconds:g} s"
        raise Hangs(said, steps_of_thread(thread.ident))
    if raised:
        raise raised[0]
    return results[0]
