"""What the Build and Move screens share: the title bar, the view, the command line, and following the workbench."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from rck.editor.screens.editor_screen import EditorScreen
from rck.editor.widgets.command_line import CommandInput, CommandLine
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.widgets.tutorial_card import TutorialCard
from rck.editor.widgets.views import Views
from rck.editor.workbench import Topic

WIDE = 100
"""Columns from which on all panels are shown side by side."""
LOW = 20
"""Lines below which what can be done without is left out."""


class Workshop(EditorScreen):
    """A screen with a view of the assembly."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("colon", "command_line", "Command", show=True, id="command"),
        Binding("escape", "escape", "Leave", show=True),
    ]

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """As always, with the keys that matter most first: the footer shows them in this order."""
        bindings = super().active_bindings
        if isinstance(self.focused, Input):
            # Textual knows that a line of input takes the signs that are typed, except this one.
            bindings.pop("slash", None)
        first = self.urgent_actions()

        def rank(entry: tuple[str, ActiveBinding]) -> int:
            action = entry[1].binding.action.partition("(")[0]
            return first.index(action) if action in first else len(first) + (action == "escape")

        return dict(sorted(bindings.items(), key=rank))

    def urgent_actions(self) -> tuple[str, ...]:
        """The actions whose keys come first now."""
        return ()

    def compose(self) -> ComposeResult:
        """Title, the panels, command line, keys."""
        yield TitleBar(id="title")
        with Horizontal(id="work"):
            yield from self.panels()
        yield TutorialCard(self.workbench, id="tutorial")
        yield CommandLine(self.workbench, id="command-line")
        yield KeyBar()

    def panels(self) -> ComposeResult:
        """The panels of this screen, the view among them."""
        yield Views(self.workbench, id="views")

    def on_screen_resume(self) -> None:
        """Something may have changed meanwhile."""
        for topic in ("assembly", "selection", "preview", "log"):
            self.changed(topic)

    def on_resize(self, event: events.Resize) -> None:
        """Stack the panels where there is no room beside each other."""
        self.set_class(event.size.width < WIDE, "narrow")
        self.set_class(event.size.width < WIDE // 2, "tiny")
        self.set_class(event.size.height < LOW, "low")

    def changed(self, topic: Topic) -> None:
        """Show what changed."""
        if not self.is_mounted or not self.query(CommandLine):
            return
        learning: bool = self.app.learning  # type: ignore[attr-defined]
        self.set_class(learning, "tutorial")
        if learning and topic in ("assembly", "log", "opened"):
            self.query_one(TutorialCard).rebuild()
        if topic == "log":
            self.query_one(CommandLine).show_last()
        elif topic == "file":
            self.query_one(TitleBar).refresh()
        else:
            if topic in ("assembly", "opened", "checked"):
                self.query_one(TitleBar).refresh(layout=False)
            for view in self.query(SceneView):
                view.look_again()

    def begin(self, line: str) -> None:
        """Begin a command."""
        self.query_one(CommandLine).begin(line)

    def focus_view(self) -> None:
        """Give the keys to the view."""
        self.set_focus(self.query_one("#view"))

    def action_command_line(self) -> None:
        """Go to the command line."""
        self.begin("")

    def action_escape(self) -> None:
        """Leave what was begun: a command under way first, help, a placing, then the panel, then the selection."""
        if self.workbench.busy:
            self.workbench.stop()
            return
        if self.help_was_closed():
            return
        if self.workbench.placing is not None or self.workbench.preview is not None:
            self.workbench.cancel_placing()
        elif isinstance(self.focused, SceneView):
            self.workbench.select()
        self.focus_view()

    async def action_show_findings(self) -> None:
        """Show the findings; they are on the Build screen."""
        self.app.switch_mode("build")
        self.app.call_later(self.app.run_action, "screen.panel('findings')")

    def on_command_input_left(self, _: CommandInput.Left) -> None:
        """The command line was left."""
        self.app.stay()  # type: ignore[attr-defined]
        self.focus_view()
