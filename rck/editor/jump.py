"""Jump mode: a letter on every panel, one key goes there."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

LETTERS = "asdfghjklqwertyuiop"


def jump_targets(screen: Screen[object]) -> dict[str, Widget]:
    """A letter for every widget that can have the keys, in reading order."""
    shown = [one for one in screen.focus_chain if one.size.width and one.size.height]
    shown.sort(key=lambda one: (one.region.y, one.region.x))
    return dict(zip(LETTERS, shown, strict=False))


class JumpScreen(ModalScreen[Widget]):
    """Shows the letters over the screen; answers with the widget whose letter was pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]

    def __init__(self, targets: dict[str, Widget]) -> None:
        super().__init__()
        self._targets = targets

    def compose(self) -> ComposeResult:
        """A small label at the corner of each target."""
        for letter, target in self._targets.items():
            label = Static(f" {letter} ", classes="jump-label")
            label.absolute_offset = Offset(target.region.x, target.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """Go there."""
        if event.key in self._targets:
            event.stop()
            self.dismiss(self._targets[event.key])
