"""A program in a pseudo-terminal, with timed keys and output."""

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
    """The program ended, or did not write the expected text."""


class Terminal:
    """A running program; a context manager that always ends it."""

    def __init__(
        self, command: Sequence[str], columns: int = 120, lines: int = 36, environment: Mapping[str, str] | None = None
    ) -> None:
        self.started = perf_counter()
        self.written = b""
        """The output of the program since the last key."""
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
        """End it by SIGKILL."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self._handle)
            self.pid = 0

    def send(self, keys: str) -> None:
        """Send keys as a terminal does."""
        self.read(0.0)
        self.written = b""
        os.write(self._handle, keys.encode())

    def read(self, seconds: float) -> bool:
        """Read the output of the program, which must begin within the time limit; return True if there was any."""
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
        """Wait until the program has written a text; return that time, by :func:`perf_counter`."""
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
        """Return the seconds from a key until the program writes a text."""
        self.send(keys)
        start = perf_counter()
        return self.wait_for(text) - start
