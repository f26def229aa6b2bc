"""Where the output of plugins goes: never among what a command prints, and no flood of it anywhere."""

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TextIO

from rck.hooks.places import Hangs

THREAD = "plugin"
"""The name of each thread that a plugin is called in."""
MOST_OUTPUT = 2_000
"""Characters that a plugin may print before it is told on."""
_STRAGGLERS = 0.2
"""Seconds to wait for the output of programs that a plugin started and left running."""


class Printed(io.TextIOBase):
    """Takes what is printed, keeps the beginning, which it may hand on, and counts the rest."""

    def __init__(self, whose: str = "") -> None:
        self.beginning = ""
        self.count = 0
        self.through: TextIO | None = None
        """Where the beginning is handed on to."""
        self._whose = whose

    def writable(self) -> bool:
        """It is; streams are not unless they say so."""
        return True

    def write(self, text: str) -> int:
        """Keep the text, as far as there is room."""
        room = text[: max(MOST_OUTPUT - self.count, 0)]
        ends = self.count <= MOST_OUTPUT < self.count + len(text)
        self.beginning += room
        self.count += len(text)
        if self.through is not None and (room or ends):
            self.through.write(room + (f"\n{self._whose} prints too much; the rest is left out\n" if ends else ""))
        return len(text)

    def fileno(self) -> int:
        """For libraries that ask for it."""
        return super().fileno() if self.through is None else self.through.fileno()

    @property
    def buffer(self) -> "_Bytes":
        """For what writes bytes."""
        return _Bytes(self)


class _Bytes(io.RawIOBase):
    def __init__(self, printed: Printed) -> None:
        self._printed = printed

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._printed.write(bytes(content).decode(errors="replace"))
        return len(content)


_SINK: ContextVar[Printed | None] = ContextVar("sink", default=None)
"""Takes what is printed here; threads of plugins get it from whoever starts them."""


class _Routed:
    """Stands for a stream of Python: what plugins print goes to their sink, all else where it went before."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._before: Any = None
        self._users = 0

    def begin(self) -> None:
        self._users += 1
        now = getattr(sys, self._name)
        if now is not self:
            self._before = now
            setattr(sys, self._name, self)

    def end(self) -> None:
        self._users -= 1
        if not self._users and getattr(sys, self._name) is self:
            setattr(sys, self._name, self._before)

    @property
    def plain(self) -> Any:
        """Where what is no plugin's goes. What was here before may have been closed by whoever put it there."""
        now = getattr(sys, self._name)
        before = self._before if now is self else now
        return getattr(sys, f"__{self._name}__") if before is None or getattr(before, "closed", False) else before

    def write(self, text: str) -> int:
        written: int = (_SINK.get() or self.plain).write(text)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(_SINK.get() or self.plain, name)


_STREAMS = (_Routed("stdout"), _Routed("stderr"))
_changing = threading.Lock()


@contextmanager
def routed(sink: Printed) -> Iterator[None]:
    """Let what is printed in here go to the sink. Other threads print as before, so it serves the editor too."""
    token = _SINK.set(sink)
    with _changing:
        for stream in _STREAMS:
            stream.begin()
    gone = False
    try:
        yield
    except Hangs:
        # It may print yet, in the thread that was left behind.
        gone = True
        raise
    finally:
        _SINK.reset(token)
        if not gone:
            with _changing:
                for stream in _STREAMS:
                    stream.end()


@contextmanager
def aloud() -> Iterator[None]:
    """Print as RCK does, in the midst of a plugin."""
    token = _SINK.set(None)
    try:
        yield
    finally:
        _SINK.reset(token)


def plain_stderr() -> TextIO:
    """The stream for messages, as it is without plugins."""
    stream: TextIO = _STREAMS[1].plain
    return stream


def _alone() -> bool:
    """Whether only plugins run beside the main thread, which waits for them.

    Descriptors belong to the whole process: with an editor that draws, or a server, they stay as they are.
    """
    main = threading.main_thread()
    others = (one for one in threading.enumerate() if one is not main and one.name != THREAD)
    return threading.current_thread() is main and next(others, None) is None


@contextmanager
def descriptors_into(sink: Printed) -> Iterator[None]:
    """Let also what goes past Python, as of programs that are started, go to the sink, where that harms nobody."""
    kept = _kept(1, 2)
    if not kept:
        yield
        return
    reading, writing = os.pipe()
    for number in kept:
        os.dup2(writing, number)
    os.close(writing)
    reader = threading.Thread(target=_drain, args=(reading, sink), daemon=True, name=THREAD)
    reader.start()
    try:
        yield
    finally:
        _give_back(kept)
        reader.join(_STRAGGLERS)


@contextmanager
def stdout_as_stderr() -> Iterator[None]:
    """Keep what goes past Python from the data that a command prints, where that harms nobody."""
    kept = _kept(1)
    if not kept:
        yield
        return
    with suppress(OSError):
        os.dup2(2, 1)
    try:
        yield
    finally:
        _give_back(kept)


def _kept(*descriptors: int) -> dict[int, int]:
    """Copies of descriptors, to give them back later; none where they must be left alone."""
    if not _alone():
        return {}
    # What RCK has printed so far must not go elsewhere.
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()  # type: ignore[union-attr]
    try:
        return {number: os.dup(number) for number in descriptors}
    except OSError:
        return {}


def _give_back(kept: dict[int, int]) -> None:
    for number, copy in kept.items():
        os.dup2(copy, number)
        os.close(copy)


def _drain(descriptor: int, sink: Printed) -> None:
    with suppress(OSError), os.fdopen(descriptor, "rb", buffering=0) as stream:
        while content := stream.read(65536):
            sink.write(content.decode(errors="replace"))
