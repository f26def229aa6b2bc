"""The line at the bottom: the keys that matter now, which can be clicked.

One widget that draws a line. A footer of a widget for each key would have to be built anew whenever the keys change,
which they do with every selection.
"""

from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.screen import Screen
from textual.widget import Widget

_HELP = "Help"
"""What the key that is never left out does."""


class KeyBar(Widget, can_focus=False):
    """Shows the keys of what has the focus, of the screen and of the application, as far as there is room."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-bar--key"}

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[str, str, str], ...] = ()
        """Key, how it is written, what it does."""
        self._places: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        """Follow the keys."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[object]) -> None:
        bindings = [
            (one.binding.key, self.app.get_key_display(one.binding), one.binding)
            for one in screen.active_bindings.values()
            if one.binding.show and one.enabled
        ]
        # One key is enough for each action.
        actions = {binding.action: (key, written, binding.description) for key, written, binding in reversed(bindings)}
        shown = tuple(reversed(actions.values()))
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def render(self) -> RenderResult:
        """The keys, in the order of their importance; what does not fit as a whole is left out."""
        style = self.get_component_rich_style("key-bar--key")
        text = Text(" ", no_wrap=True, end="")
        self._places = []
        # Whoever sees nothing else must find help: it comes last, and the others leave room for it.
        kept = sum(2 + cell_len(f"{written} {what}") for _, written, what in self._shown if what == _HELP)
        for key, written, description in sorted(self._shown, key=lambda one: one[2] == _HELP):
            start = text.cell_len
            room = self.size.width - (0 if description == _HELP else kept)
            if start + cell_len(f"{written} {description}") > room:
                continue
            text.append(written, style).append(" ").append(description)
            self._places.append((start, text.cell_len, key))
            text.append("  ")
        return text

    def on_click(self, event: events.Click) -> None:
        """A click on a key presses it."""
        for start, end, key in self._places:
            if start <= event.x < end:
                self.app.simulate_key(key)
