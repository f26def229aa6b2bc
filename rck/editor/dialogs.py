"""Small questions and long answers, over the screen; by key or by mouse, and Escape leaves."""

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer; its first letter is its key."""

    id: str
    label: str


class Ask(ModalScreen[str]):
    """Asks; answers with the id of a choice, None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Leave"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, text: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._text = text
        self._choices = choices

    def compose(self) -> ComposeResult:
        """The sentence and a button for each answer."""
        with Vertical(id="ask"):
            yield Static(Text(self._text))
            with Horizontal(id="ask-buttons"):
                for number, choice in enumerate(self._choices):
                    label = Text.assemble((choice.label[0], "underline"), choice.label[1:])
                    yield Button(label, id=choice.id, variant="primary" if number == 0 else "default", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        self.dismiss(event.button.id)

    def on_key(self, event: events.Key) -> None:
        """The first letter of an answer gives it."""
        for choice in self._choices:
            if event.key == choice.label[0].lower():
                event.stop()
                self.dismiss(choice.id)
                return


class AskLine(ModalScreen[str]):
    """Asks for a line of text; answers with it, None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]

    def __init__(self, text: str, value: str = "") -> None:
        super().__init__()
        self._text = text
        self._value = value

    def compose(self) -> ComposeResult:
        """The sentence and the line."""
        with Vertical(id="ask"):
            yield Static(Text(self._text))
            yield Input(self._value, id="ask-line", compact=True)

    @on(Input.Submitted)
    def _answer(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class Told(ModalScreen[None]):
    """Shows a long text, such as `help` gives."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "dismiss", "Leave")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """The text, with bars where it is longer than the screen."""
        with VerticalScroll(id="told"):
            yield Static(Text(self._text))

    def on_mount(self) -> None:
        """Say how to leave, and scroll by keys."""
        box = self.query_one("#told")
        box.border_subtitle = "Escape leaves"
        box.focus()

    def on_click(self, event: events.Click) -> None:
        """A click beside the text leaves."""
        if not self.query_one("#told").region.contains(event.screen_x, event.screen_y):
            self.dismiss()
