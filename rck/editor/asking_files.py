"""Asking for the file to read or to write, until it can be: what was typed can be corrected."""

from collections.abc import Callable
from pathlib import Path

from textual.app import App

from rck.editor.dialogs import AskLine
from rck.editor.workbench import Workbench
from rck.model import RckError
from rck.model.files import refuse_missing_folder

Use = Callable[[Path], None]


def ask_to_read(app: App[None], workbench: Workbench, question: str, name: str, use: Use) -> None:
    """Ask for a file, and read it."""
    _ask(app, workbench, question, name, use)


def ask_to_write(app: App[None], workbench: Workbench, question: str, stem: str, ending: str, use: Use) -> None:
    """Ask for a file, and write it to a folder that is there; a name without an ending gets the one proposed."""

    def write(path: Path) -> None:
        refuse_missing_folder(path)
        use(path if path.suffix else path.with_name(path.name + ending))

    _ask(app, workbench, question, stem + ending, write)


def _ask(app: App[None], workbench: Workbench, question: str, name: str, use: Use) -> None:
    def decided(answer: str | None) -> None:
        if not answer:
            return
        try:
            use(workbench.session.folder / answer)
            return
        except RckError as error:
            reason = str(error)
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}"
        workbench.say(reason, "refused")
        _ask(app, workbench, reason, answer, use)

    app.push_screen(AskLine(question, name), decided)
