"""A job: how long work tells its progress and learns that it should stop."""

from collections.abc import Callable

from rck.hooks.output import aloud
from rck.model.finding import Cancelled


class Job:
    """Handed to work that may take long. Call :meth:`progress` now and then."""

    def __init__(self, show: Callable[[float, str], None] | None = None) -> None:
        self._show = show
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the user has stopped it."""
        return self._cancelled

    def progress(self, share: float, what: str = "") -> None:
        """Tell how much is done, 0 to 1, and of what; raises :class:`Cancelled` once the user has stopped it."""
        if self._cancelled:
            raise Cancelled("stopped; nothing was changed")
        if self._show is not None:
            # It is called by plugins, whose own output goes elsewhere.
            with aloud():
                self._show(min(max(share, 0.0), 1.0), what)

    def cancel(self) -> None:
        """Ask the work to stop at its next call of :meth:`progress`."""
        self._cancelled = True
