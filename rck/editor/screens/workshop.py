"""What the Build and Move screens share: the title bar, the view, the command line, and following the workbench."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Footer

from rck.editor.widgets.command_line import CommandInput, CommandLine
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.widgets.tutorial_card import TutorialCard
from rck.editor.widgets.views import Views
from rck.editor.workbench import Topic, Workbench
from rck.model import Severity

WIDE = 100
"""Columns from which on all panels are shown side by side."""


class Workshop(Screen[None]):
    """A screen with a view of the assembly."""

    NAME = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("colon", "command_line", "Command", show=True, id="command"),
        Binding("escape", "escape", "Leave", show=False),
    ]

    @property
    def workbench(self) -> Workbench:
        """What is worked on."""
        workbench: Workbench = self.app.workbench  # type: ignore[attr-defined]
        return workbench

    def compose(self) -> ComposeResult:
        """Title, the panels, command line, keys."""
        yield TitleBar(id="title")
        with Horizontal(id="work"):
            yield from self.panels()
        yield TutorialCard(self.workbench, id="tutorial")
        yield CommandLine(self.workbench, id="command-line")
        yield Footer(show_command_palette=False, compact=True)

    def panels(self) -> ComposeResult:
        """The panels of this screen, the view among them."""
        yield Views(self.workbench, id="views")

    def on_screen_resume(self) -> None:
        """Something may have changed meanwhile."""
        self.changed("assembly")
        self.changed("log")

    def on_resize(self, event: events.Resize) -> None:
        """Stack the panels where there is no room beside each other."""
        self.set_class(event.size.width < WIDE, "narrow")
        self.set_class(event.size.height < 16, "low")

    def changed(self, topic: Topic) -> None:
        """Show what changed."""
        if not self.is_mounted:
            return
        if topic == "log":
            self.query_one(CommandLine).show_last()
            return
        title = self.query_one(TitleBar)
        session = self.workbench.session
        title.screen_name = self.NAME
        title.file = session.path.name if session.path is not None else session.assembly.name
        title.unsaved = session.unsaved
        title.findings = sum(one.severity > Severity.NOTE for one in self.workbench.findings)
        self.set_class(self.app.learning, "tutorial")  # type: ignore[attr-defined]
        self.query_one(TutorialCard).rebuild()
        for view in self.query(SceneView):
            view.look_again()

    def begin(self, line: str) -> None:
        """Begin a command."""
        self.query_one(CommandLine).begin(line)

    def focus_view(self) -> None:
        """Give the keys to the view."""
        self.query_one("#view").focus()

    def action_command_line(self) -> None:
        """Go to the command line."""
        self.begin("")

    def action_escape(self) -> None:
        """Leave what was begun."""
        self.workbench.cancel_placing()
        self.focus_view()

    def on_command_input_left(self, _: CommandInput.Left) -> None:
        """The command line was left."""
        self.focus_view()
