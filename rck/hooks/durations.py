"""Durations of plugin loading and of calls into plugins."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import get_ident
from time import perf_counter


@dataclass(slots=True)
class Duration:
    """Number of calls and their total time."""

    calls: int = 0
    seconds: float = 0.0


class Durations:
    """Durations by plugin and activity, such as `load` or `Exporter urdf`."""

    def __init__(self) -> None:
        self.of: dict[tuple[str, str], Duration] = {}
        self._running: set[tuple[int, str, str]] = set()

    @contextmanager
    def measure(self, plugin: str, activity: str) -> Iterator[None]:
        """Add the time of the block; a block inside one of the same activity counts once."""
        key = (get_ident(), plugin, activity)
        if key in self._running:
            yield
            return
        self._running.add(key)
        start = perf_counter()
        try:
            yield
        finally:
            self._running.discard(key)
            entry = self.of.setdefault((plugin, activity), Duration())
            entry.calls += 1
            entry.seconds += perf_counter() - start

    def seconds(self, plugin: str, activity: str) -> float | None:
        """Return the total time of an activity; None if it did not happen."""
        found = self.of.get((plugin, activity))
        return None if found is None else found.seconds

    def table(self) -> str:
        """Return the durations as text, the longest first."""
        entries = sorted(self.of.items(), key=lambda entry: -entry[1].seconds)
        lines = [f"{'ms':>10}  {'calls':>6}  plugin"]
        lines += [f"{one.seconds * 1e3:10.2f}  {one.calls:6}  {name}: {what}" for (name, what), one in entries]
        return "\n".join(lines)
