"""Undo and redo."""

from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.session import Outcome, Session
from rck.model import RckError


def _count(arguments: Arguments) -> int:
    text = arguments.text("count") or "1"
    if not text.isdigit() or not int(text):
        raise arguments.refuse("how many? a whole number", "count")
    return int(text)


def _undo(session: Session, arguments: Arguments) -> Outcome:
    done = []
    for _ in range(_count(arguments)):
        before = session.history.undone()
        if before is None:
            break
        done.append(session.history.past[-1][0])
        session.history = before
    if not done:
        raise RckError("there is nothing to undo")
    return Outcome("undone: " + "; ".join(done), changed=True)


def _redo(session: Session, arguments: Arguments) -> Outcome:
    done = []
    for _ in range(_count(arguments)):
        after = session.history.redone()
        if after is None:
            break
        done.append(session.history.future[0][0])
        session.history = after
    if not done:
        raise RckError("there is nothing to redo")
    return Outcome("done again: " + "; ".join(done), changed=True)


_COUNT = (Argument("count", Kind.NUMBER, optional=True),)

COMMANDS = (
    CommandSpec(
        "undo", "take the last command back, or the last COUNT", _undo, _COUNT, edits=False, examples=("undo",)
    ),
    CommandSpec("redo", "do again what was taken back", _redo, _COUNT, edits=False, examples=("redo 3",)),
)
