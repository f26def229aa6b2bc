"""Progress of long work on stderr, if that is a terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rck.hooks import Job

_PATIENCE = 0.5
"""Seconds before the line appears."""


@contextmanager
def shown_job(what: str) -> Iterator[Job]:
    """Yield a job whose progress is shown in one line, which is cleared at the end."""
    if not sys.stderr.isatty():
        yield Job()
        return
    started = last = time.monotonic()
    drawn = False

    def show(share: float, detail: str) -> None:
        nonlocal last, drawn
        now = time.monotonic()
        if now - started < _PATIENCE or now - last < 0.1:
            return
        last, drawn = now, True
        sys.stderr.write(f"\r\x1b[K{what} {share:4.0%} {detail}"[:100])
        sys.stderr.flush()

    try:
        yield Job(show)
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
