"""The key bar at the bottom: the active keys, which can be clicked.

One widget draws the whole line. Textual's footer has a widget for each key and rebuilds them whenever the keys change,
which happens with every selection.
"""

from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.screen import Screen
from textual.widget import Widget

_HELP = "Help"
"""Label of the key that is always shown."""


class KeyBar(Widget, can_focus=False):
    """The keys of the focused widget, the screen and the application, as far as they fit."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-bar--key"}

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[str, str, str], ...] = ()
        """Key, display name and label."""
        self._spans: list[tuple[int, int, str]] = []
        """First and last column of each key."""

    def on_mount(self) -> None:
        """Update the keys when the bindings change."""
        self.screen.bindings_updated_signal.subscribe(self, self._update)

    def _update(self, screen: Screen[object]) -> None:
        bindings = [
            active.binding for active in screen.active_bindings.values() if active.binding.show and active.enabled
        ]
        # Show one key for each action.
        actions = {
            binding.action: (binding.key, self.app.get_key_display(binding), binding.description)
            for binding in reversed(bindings)
        }
        shown = tuple(reversed(actions.values()))
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def render(self) -> RenderResult:
        """Draw the keys, most important first; a key that does not fit is omitted."""
        style = self.get_component_rich_style("key-bar--key")
        text = Text(" ", no_wrap=True, end="")
        self._spans = []
        # Help comes last and is always shown: the others leave room for it.
        reserved = sum(2 + cell_len(f"{display} {label}") for _, display, label in self._shown if label == _HELP)
        for key, display, label in sorted(self._shown, key=lambda entry: entry[2] == _HELP):
            start = text.cell_len
            room = self.size.width - (0 if label == _HELP else reserved)
            if start + cell_len(f"{display} {label}") > room:
                continue
            text.append(display, style).append(" ").append(label)
            self._spans.append((start, text.cell_len, key))
            text.append("  ")
        return text

    def on_click(self, event: events.Click) -> None:
        """Press the clicked key."""
        for start, end, key in self._spans:
            if start <= event.x < end:
                self.app.simulate_key(key)
