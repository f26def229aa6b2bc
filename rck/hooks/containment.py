"""Calling a plugin so that neither a hang nor a flood of output harms the program."""

import io
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds that a plugin may take to be imported or to answer a hook; both should take next to nothing."""
MOST_OUTPUT = 2_000
"""Characters that a plugin may print meanwhile before it is told on."""


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
    """What the call returns or raises, with what it prints kept off the screen; :class:`Hangs` if it takes too long.

    It runs in a thread of its own: a thread that hangs can be left behind, which the main one cannot.
    """
    results: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True, name="plugin")
    with redirect_stdout(printed), redirect_stderr(printed):
        thread.start()
        thread.join(PATIENCE)
    if thread.is_alive():
        raise Hangs(f"it did not come back within {PATIENCE:g} s")
    if raised:
        raise raised[0]
    return results[0]
