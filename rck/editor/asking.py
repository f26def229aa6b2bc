"""Asking for a line, or for the file to read or to write, until it can be used: what was typed can be corrected."""

from collections.abc import Callable
from pathlib import Path

from textual.app import App

from rck.editor.dialogs import AskLine
from rck.editor.workbench import Workbench
from rck.model import RckError
from rck.model.files import in_words, path_in, refuse_unwritable

Use = Callable[[Path], None]


def ask_line(app: App[None], question: str, line: str, use: Callable[[str], None]) -> None:
    """Ask for a line and use it; where `use` refuses it, the reason is the next question."""

    def decided(answer: str | None) -> None:
        if answer is None:
            return
        try:
            use(answer)
        except RckError as error:
            ask_line(app, str(error), answer, use)

    app.push_screen(AskLine(question, line), decided)


def ask_to_read(app: App[None], workbench: Workbench, question: str, name: str, use: Use) -> None:
    """Ask for a file, and read it."""

    def read(answer: str) -> None:
        if not answer:
            return
        try:
            use(path_in(workbench.session.folder, answer))
        except (RckError, OSError) as error:
            reason = in_words(error)
            workbench.say(reason, "refused")
            raise RckError(reason) from error

    ask_line(app, question, name, read)


def ask_to_write(app: App[None], workbench: Workbench, question: str, stem: str, ending: str, use: Use) -> None:
    """Ask for a file, and write it to a folder that is there; a name without an ending gets the one proposed."""

    def write(path: Path) -> None:
        refuse_unwritable(path)
        use(path if path.suffix else path.with_name(path.name + ending))

    ask_to_read(app, workbench, question, stem + ending, write)
