"""A program in a terminal of its own: keys go in, what it writes comes out, and the clock runs in between."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
from collections.abc import Mapping, Sequence
from time import perf_counter


class TerminalError(Exception):
    """The program ended, or did not write what was waited for."""


class Terminal:
    """Running program; a context manager that always ends it."""

    def __init__(
        self, command: Sequence[str], columns: int = 120, lines: int = 36, environment: Mapping[str, str] | None = None
    ) -> None:
        self.started = perf_counter()
        self.written = b""
        """All that the program has written since the last key."""
        self.pid, self._handle = pty.fork()
        if self.pid == 0:
            given = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
            os.execvpe(command[0], list(command), {**os.environ, **given})
        fcntl.ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End it by SIGKILL, which no program can prepare for."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self._handle)
            self.pid = 0

    def send(self, keys: str) -> None:
        """Type keys, as a terminal would send them."""
        self.read(0.0)
        self.written = b""
        os.write(self._handle, keys.encode())

    def read(self, seconds: float) -> bool:
        """Take in what the program writes, waiting at most so long for it to begin; whether there was something."""
        ready, _, _ = select.select([self._handle], [], [], seconds)
        if not ready:
            return False
        try:
            piece = os.read(self._handle, 1 << 16)
        except OSError as error:
            raise TerminalError(f"the program ended: {self.written[-400:]!r}") from error
        self.written += piece
        return True

    def wait_for(self, text: str, timeout: float = 60.0) -> float:
        """Wait until the program has written a text; when that was, by the clock of :func:`perf_counter`."""
        end = perf_counter() + timeout
        while text.encode() not in self.written:
            if not self.read(0.05) and perf_counter() > end:
                raise TerminalError(f"no {text!r} within {timeout:g} s: {self.written[-400:]!r}")
        return perf_counter()

    def settle(self, seconds: float = 0.5, timeout: float = 60.0) -> None:
        """Wait until the program writes nothing for a while."""
        end = perf_counter() + timeout
        while self.read(seconds) and perf_counter() < end:
            pass

    def time_of(self, keys: str, text: str) -> float:
        """Seconds from a key until a text is on its way to the screen."""
        self.send(keys)
        start = perf_counter()
        return self.wait_for(text) - start
