"""Code of a plugin that does not come back while it has the interface: it is broken off, and the editor goes on.

A panel is drawn and told of keys in the thread that everything else on the screen needs. So a second thread looks
whether the first one still gets round to things. Where it is stuck in code of a plugin, a signal makes that code raise
:class:`Hangs`, which is then treated like any other exception of the plugin.
"""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Collection
from time import monotonic
from types import FrameType

from rck.hooks.containment import Hangs

PATIENCE = 10.0
"""Seconds that code of a plugin may keep the interface from everything else."""
_LOOKS = 4
"""How often one looks within that time."""


class Watchdog:
    """Watches the thread that it is made in, which must be the main one, while its event loop runs."""

    def __init__(self, modules: Callable[[], Collection[str]]) -> None:
        self._modules = modules
        """The modules whose code may be broken off."""
        self._loop = asyncio.get_running_loop()
        self._watched = threading.get_ident()
        self._ended = threading.Event()
        self._seen = monotonic()
        signal.signal(signal.SIGALRM, _break_off)
        threading.Thread(target=self._watch, daemon=True, name="watchdog").start()

    def end(self) -> None:
        """Watch no longer."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(PATIENCE / _LOOKS):
            if monotonic() - self._seen > PATIENCE and self._in_a_plugin():
                signal.pthread_kill(self._watched, signal.SIGALRM)
            try:
                self._loop.call_soon_threadsafe(self._note)
            except RuntimeError:
                # The loop is closed: the editor has ended.
                return

    def _note(self) -> None:
        self._seen = monotonic()

    def _in_a_plugin(self) -> bool:
        frame = sys._current_frames().get(self._watched)
        modules = self._modules()
        while frame is not None:
            if frame.f_globals.get("__name__") in modules:
                return True
            frame = frame.f_back
        return False


def watchdog(modules: Callable[[], Collection[str]]) -> Watchdog | None:
    """A watchdog for this thread; None where there can be none: on Windows, or in another thread than the main one."""
    if not hasattr(signal, "pthread_kill") or threading.current_thread() is not threading.main_thread():
        return None
    return Watchdog(modules)


def _break_off(number: int, frame: FrameType | None) -> None:
    raise Hangs(f"it did not come back within {PATIENCE:g} s")
