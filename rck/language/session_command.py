"""Commands that act on the session instead of the document, and the outcome of a command."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rck.grammar import Arguments, CommandSpec

if TYPE_CHECKING:
    from rck.language.session import Session


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """The result of a command."""

    message: str = ""
    changed: bool = False
    """True if it added a step that can be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCommand(CommandSpec):
    """A built-in command that acts on the session: it opens and saves files, runs scripts, undoes and redoes."""

    run: Callable[["Session", Arguments], CommandOutcome]
