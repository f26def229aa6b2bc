"""The file chooser: a line for a path, and the files of its folder that can be imported."""

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from rck.editor.importable_files import matching_entries, size_words
from rck.editor.widgets.row_list import Row, RowList
from rck.model import RckError
from rck.support.files import in_words


class FileChooser(Vertical):
    """Files to import; typing filters them, Enter opens one."""

    BORDER_TITLE = "Files"
    HELP = """
# Files

The files in the folder of the assembly that can be imported. Type a part of a name, or a path; **up** and **down** move
through the files, **Enter** opens one. `recipe` marks a file with an import recipe.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=True),
        Binding("down", "step(1)", "Down", show=False),
        Binding("up", "step(-1)", "Up", show=False),
        Binding("tab", "complete", "Complete", show=False),
    ]

    class Opened(Message):
        """A file is to be opened."""

        def __init__(self, typed: str) -> None:
            super().__init__()
            self.typed = typed

    def __init__(self, folder: Path, endings: Collection[str], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._folder = folder
        self._endings = endings

    def compose(self) -> ComposeResult:
        """Add the path and the files."""
        yield Input(placeholder="name or path", id="import-file", compact=True)
        yield RowList(id="import-files")

    def on_mount(self) -> None:
        """List the folder."""
        self.rebuild()

    @property
    def _input(self) -> Input:
        return self.query_one("#import-file", Input)

    @property
    def _list(self) -> RowList:
        return self.query_one("#import-files", RowList)

    def focus_path(self) -> None:
        """Focus the path, and list the folder again."""
        self.rebuild()
        self._input.focus()

    @on(Input.Changed, "#import-file")
    def rebuild(self) -> None:
        """List the files that match the typed path."""
        try:
            entries = matching_entries(self._folder, self._input.value, self._endings)
            problem = "" if entries else "no file to import here"
        except (OSError, RckError) as error:
            entries, problem = [], in_words(error)
        self._list.show(
            [
                Row(
                    entry.typed,
                    (
                        entry.typed,
                        "folder" if entry.is_folder else size_words(entry.size),
                        entry.changed,
                        "recipe" if entry.has_recipe else "",
                    ),
                    "dim" if entry.is_folder else "",
                )
                for entry in entries
            ]
        )
        self.border_subtitle = problem

    def action_step(self, step: int) -> None:
        """Move the cursor of the list while typing."""
        self._list.action_step(step)

    def action_complete(self) -> None:
        """Complete the path with the entry under the cursor."""
        if self._list.key:
            self._input.value = self._list.key
            self._input.cursor_position = len(self._list.key)

    @on(Input.Submitted, "#import-file")
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_open()

    @on(RowList.Chosen, "#import-files")
    def action_open(self) -> None:
        """Open the entry under the cursor; without a matching one, the typed path."""
        typed = self._list.key or self._input.value.strip()
        if typed.endswith("/"):
            self._input.value = typed
            self._input.cursor_position = len(typed)
            self._input.focus()
        elif typed:
            self.post_message(self.Opened(typed))
