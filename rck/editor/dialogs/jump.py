"""Jump mode: every panel is labelled with a letter, and pressing the letter focuses it."""

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
    """Return the focusable widgets by letter, in reading order."""
    visible = [widget for widget in screen.focus_chain if widget.size.width and widget.size.height]
    visible.sort(key=lambda widget: (widget.region.y, widget.region.x))
    return dict(zip(LETTERS, visible, strict=False))


class JumpScreen(ModalScreen[Widget]):
    """The letters over the screen; returns the widget whose letter was pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, targets: dict[str, Widget]) -> None:
        super().__init__()
        self._targets = targets

    def compose(self) -> ComposeResult:
        """Add a label at the corner of each target."""
        for letter, target in self._targets.items():
            label = Static(f" {letter} ", classes="jump-label")
            label.absolute_offset = Offset(target.region.x, target.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """Return the target of the letter."""
        if event.key in self._targets:
            event.stop()
            self.dismiss(self._targets[event.key])
