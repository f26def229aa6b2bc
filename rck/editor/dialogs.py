"""Small questions: a sentence and a few answers, by key or by mouse."""

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer; its first letter is its key."""

    id: str
    label: str


class Ask(ModalScreen[str]):
    """Asks; answers with the id of a choice, None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]

    def __init__(self, text: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._text = text
        self._choices = choices

    def compose(self) -> ComposeResult:
        """The sentence and a button for each answer."""
        with Vertical(id="ask"):
            yield Static(self._text)
            with Horizontal(id="ask-buttons"):
                for number, choice in enumerate(self._choices):
                    yield Button(
                        choice.label, id=choice.id, variant="primary" if number == 0 else "default", compact=True
                    )

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        self.dismiss(event.button.id)

    def on_key(self, event: object) -> None:
        """The first letter of an answer gives it."""
        key = getattr(event, "key", "")
        for choice in self._choices:
            if key == choice.label[0].lower():
                event.stop()  # type: ignore[attr-defined]
                self.dismiss(choice.id)
                return
