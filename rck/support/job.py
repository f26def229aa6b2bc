"""Progress and cancellation of long work."""

from collections.abc import Callable
from threading import Event

from rck.support.finding import Cancelled


class Job:
    """Handle passed to long work, which calls :meth:`progress` regularly."""

    def __init__(self, show: Callable[[float, str], None] | None = None) -> None:
        """Create a job; `show` receives the completed fraction and the current step."""
        self._show = show
        self._stop = Event()

    @property
    def cancelled(self) -> bool:
        """True if the job has been cancelled."""
        return self._stop.is_set()

    def progress(self, fraction: float, step: str = "") -> None:
        """Report the completed fraction, 0 to 1; raise :class:`Cancelled` if the job has been cancelled."""
        if self.cancelled:
            raise Cancelled("stopped; nothing was changed")
        if self._show is not None:
            self._show(min(max(fraction, 0.0), 1.0), step)

    def cancel(self) -> None:
        """Stop the work at its next call of :meth:`progress`."""
        self._stop.set()

    def part(self, start: float, end: float, step: str = "") -> "Job":
        """Return a job for the fraction from `start` to `end` of this one; cancelling either cancels both."""
        part = Job(lambda fraction, inner: self.progress(start + (end - start) * fraction, step or inner))
        part._stop = self._stop
        return part


UNOBSERVED = Job()
"""Default for work without progress display. Never cancel it."""
