"""Undo and redo: the previous values of the assembly, each with the command that produced it."""

from collections.abc import Iterator
from dataclasses import dataclass

from rck.assembly.document import Assembly

Step = tuple[str, Assembly]
"""A command, and the assembly after it."""


@dataclass(frozen=True, slots=True)
class History:
    """The past and future values of an assembly. A history is immutable, like the assembly."""

    first: Assembly
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()

    @property
    def present(self) -> Assembly:
        """The present assembly."""
        return self.past[-1][1] if self.past else self.first

    def assemblies(self) -> Iterator[Assembly]:
        """Yield all assemblies that undo and redo can return to."""
        yield self.first
        yield from (assembly for _, assembly in (*self.past, *self.future))

    def then(self, command: str, assembly: Assembly) -> "History":
        """Return the history with another step; steps that were undone are dropped."""
        return History(self.first, (*self.past, (command, assembly)))

    def undone(self) -> "History":
        """Return the history one step back, or this one if there is no step to undo."""
        if not self.past:
            return self
        return History(self.first, self.past[:-1], (self.past[-1], *self.future))

    def redone(self) -> "History":
        """Return the history one step forward, or this one if there is no step to redo."""
        if not self.future:
            return self
        return History(self.first, (*self.past, self.future[0]), self.future[1:])
