"""The commands undo and redo."""

from typing import TYPE_CHECKING

from rck.grammar import Argument, Arguments, ValueKind
from rck.language.session_command import CommandOutcome, SessionCommand
from rck.model import RckError

if TYPE_CHECKING:
    from rck.language.session import Session


def _undo(session: "Session", arguments: Arguments) -> CommandOutcome:
    undone = []
    history = session.history
    for _ in range(min(arguments.value("count") or 1, len(history.past))):
        undone.append(history.past[-1][0])
        history = history.undone()
    if not undone:
        raise RckError("there is nothing to undo")
    session.replace_history(history)
    return CommandOutcome("undone: " + "; ".join(undone), changed=True)


def _redo(session: "Session", arguments: Arguments) -> CommandOutcome:
    redone = []
    history = session.history
    for _ in range(min(arguments.value("count") or 1, len(history.future))):
        redone.append(history.future[0][0])
        history = history.redone()
    if not redone:
        raise RckError("there is nothing to redo")
    session.replace_history(history)
    return CommandOutcome("redone: " + "; ".join(redone), changed=True)


_COUNT = (Argument("count", ValueKind.COUNT, optional=True, minimum=1),)

COMMANDS = (
    SessionCommand("undo", "undo the last command, or the last COUNT commands", _COUNT, examples=("undo",), run=_undo),
    SessionCommand("redo", "redo commands that were undone", _COUNT, examples=("redo 3",), run=_redo),
)
