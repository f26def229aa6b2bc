"""Undo and redo: the values that the assembly had, each with the command that made it."""

from dataclasses import dataclass

from rck.assembly.document import Assembly

Step = tuple[str, Assembly]
"""A command, and the assembly after it."""


@dataclass(frozen=True, slots=True)
class History:
    """Where the assembly has been. A value like the assembly itself; moving in it makes another one."""

    first: Assembly
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()

    @property
    def present(self) -> Assembly:
        """The assembly now."""
        return self.past[-1][1] if self.past else self.first

    def then(self, command: str, assembly: Assembly) -> "History":
        """One command further; what had been undone is forgotten."""
        return History(self.first, (*self.past, (command, assembly)))

    def undone(self) -> "History | None":
        """One command back; None at the beginning."""
        if not self.past:
            return None
        return History(self.first, self.past[:-1], (self.past[-1], *self.future))

    def redone(self) -> "History | None":
        """One command forward again; None when nothing was undone."""
        if not self.future:
            return None
        return History(self.first, (*self.past, self.future[0]), self.future[1:])
