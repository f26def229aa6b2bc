"""Dialogs that ask for a choice, a line of text or a file name, and one that shows a long text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from rck.editor.workbench import Workbench
from rck.model import RckError
from rck.support.files import in_words, path_in, refuse_unwritable


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer; the first letter of its label is its key."""

    id: str
    label: str


class ChoiceDialog(ModalScreen[str]):
    """A question with buttons; returns the id of the choice, or None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, text: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._text = text
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Add the question and a button for each answer."""
        with Vertical(id="ask"):
            yield Static(Text(self._text))
            with Horizontal(id="ask-buttons"):
                for number, choice in enumerate(self._choices):
                    label = Text.assemble((choice.label[0], "underline"), choice.label[1:])
                    yield Button(label, id=choice.id, variant="primary" if number == 0 else "default", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Return the choice of the button."""
        self.dismiss(event.button.id)

    def on_key(self, event: events.Key) -> None:
        """Return the choice whose label starts with the key."""
        for choice in self._choices:
            if event.key == choice.label[0].lower():
                event.stop()
                self.dismiss(choice.id)
                return


@dataclass(frozen=True, slots=True)
class ListChoice:
    """A line of a :class:`ListDialog`."""

    id: str
    label: str
    detail: str = ""


class ListDialog(ModalScreen[str]):
    """A list of choices with details; returns the id of the choice, or None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, title: str, choices: Sequence[ListChoice], current: str | None = None) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._current = current
        """The id of the choice that applies now, which is marked."""

    def compose(self) -> ComposeResult:
        """Add one line for each choice."""
        width = max((len(choice.label) for choice in self._choices), default=0)
        with Vertical(id="list-box") as box:
            box.border_title = self._title
            box.border_subtitle = "Enter: choose · Escape: cancel"
            yield OptionList(*(self._line(choice, width) for choice in self._choices), id="choices", compact=True)

    def _line(self, choice: ListChoice, width: int) -> Option:
        mark = "● " if choice.id == self._current else "  "
        return Option(Text.assemble(mark, (f"{choice.label:{width}}  ", "bold"), (choice.detail, "dim")))

    def on_mount(self) -> None:
        """Highlight the current choice."""
        ids = [choice.id for choice in self._choices]
        self.query_one(OptionList).highlighted = ids.index(self._current) if self._current in ids else 0

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index].id)


class PromptDialog(ModalScreen[str]):
    """A question with an input line; returns the text, or None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, text: str, value: str = "") -> None:
        super().__init__()
        self._text = text
        self._value = value

    def compose(self) -> ComposeResult:
        """Add the question and the input line."""
        with Vertical(id="ask"):
            yield Static(Text(self._text))
            yield Input(self._value, id="ask-line", compact=True)

    @on(Input.Submitted)
    def _answer(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class TextDialog(ModalScreen[None]):
    """A scrollable text, such as the output of `help`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "dismiss", "Close")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Add the text, with scroll bars if it is longer than the screen."""
        with VerticalScroll(id="told"):
            yield Static(Text(self._text))

    def on_mount(self) -> None:
        """Focus the text so that keys scroll it."""
        box = self.query_one("#told")
        box.border_subtitle = "Escape: close"
        box.focus()

    def on_click(self, event: events.Click) -> None:
        """Close on a click outside the text."""
        if not self.query_one("#told").region.contains(event.screen_x, event.screen_y):
            self.dismiss()


def ask_line(app: App[None], question: str, line: str, use: Callable[[str], None]) -> None:
    """Ask for a line of text and use it; if `use` raises, ask again with the reason as the question."""

    def submit(answer: str | None) -> None:
        if answer is None:
            return
        try:
            use(answer)
        except RckError as error:
            ask_line(app, str(error), answer, use)

    app.push_screen(PromptDialog(question, line), submit)


def ask_to_read(app: App[None], workbench: Workbench, question: str, name: str, use: Callable[[Path], None]) -> None:
    """Ask for a file to read; on an error, ask again with the reason."""

    def read(answer: str) -> None:
        if not answer:
            return
        try:
            use(path_in(workbench.session.folder, answer))
        except (RckError, OSError) as error:
            reason = in_words(error)
            workbench.log(reason, "error")
            raise RckError(reason) from error

    ask_line(app, question, name, read)


def ask_to_write(
    app: App[None], workbench: Workbench, question: str, stem: str, ending: str, use: Callable[[Path], None]
) -> None:
    """Ask for a file to write in an existing folder; a name without an ending gets the proposed ending."""

    def write(path: Path) -> None:
        refuse_unwritable(path)
        use(path if path.suffix else path.with_name(path.name + ending))

    ask_to_read(app, workbench, question, stem + ending, write)
