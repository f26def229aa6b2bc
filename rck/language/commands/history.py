"""Undo and redo."""

from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.session import Outcome, Session
from rck.model import RckError


def _count(arguments: Arguments) -> int:
    return arguments.read("count", values.count) if arguments.text("count") else 1


def _undo(session: Session, arguments: Arguments) -> Outcome:
    done = []
    for _ in range(min(_count(arguments), len(session.history.past))):
        before = session.history.undone()
        assert before is not None
        done.append(session.history.past[-1][0])
        session.history = before
    if not done:
        raise RckError("there is nothing to undo")
    return Outcome("undone: " + "; ".join(done), changed=True)


def _redo(session: Session, arguments: Arguments) -> Outcome:
    done = []
    for _ in range(min(_count(arguments), len(session.history.future))):
        after = session.history.redone()
        assert after is not None
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
