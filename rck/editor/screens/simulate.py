"""The Simulate screen: its place is kept; the simulator fills it."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.title_bar import TitleBar


class SimulateScreen(Screen[None]):
    """Says that there is no simulator yet."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.go('build')", "Back", show=True),
        Binding("f3", "app.go('move')", "Move", show=True),
    ]

    def compose(self) -> ComposeResult:
        """Title, a sentence, keys."""
        yield TitleBar(id="title")
        yield Static("The simulator is not part of this version. F3 moves the joints by hand.", id="empty")
        yield KeyBar()

    def on_mount(self) -> None:
        """Say where one is."""
        self.query_one(TitleBar).screen_name = "simulate"
