"""Base classes of the screens: `TitledScreen`, and `AssemblyScreen` for those with views and a command line."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input

from rck.editor.widgets.command_line import CommandInput, CommandLine
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.widgets.tutorial_card import TutorialCard
from rck.editor.widgets.view_grid import ViewGrid
from rck.editor.workbench import Topic, Workbench
from rck.model import Robot

WIDE = 100
"""Minimum number of columns for panels side by side."""
LOW = 20
"""Screens with fewer lines hide optional panels."""


class TitledScreen(Screen[None]):
    """A screen with a title bar and access to the workbench."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("5", "plugin_panels", "Plugin panels", show=False, id="plugin-panels"),
    ]
    NAME: str = ""
    """The key of the screen in `SCREENS`."""

    @property
    def workbench(self) -> Workbench:
        """The state of the editor."""
        workbench: Workbench = self.app.workbench  # type: ignore[attr-defined]
        return workbench

    @property
    def robot(self) -> Robot | None:
        """The robot as this screen shows it; None while the assembly has errors."""
        shown = self.workbench.shown
        return None if shown is None else shown.robot

    def ask_plugins(self) -> None:
        """Ask the panels and overlays of plugins for their content."""
        for panels in self.query(PluginPanels):
            panels.request()

    def action_plugin_panels(self) -> None:
        """Focus the first panel of a plugin."""
        panels = next((panels for panels in self.query(PluginPanels) if not panels.empty), None)
        if panels is None:
            self.workbench.log("no plugin adds a panel to this screen; F6 lists the plugins")
        else:
            panels.focus_first()

    def on_screen_resume(self) -> None:
        """Update what plugins show."""
        self.ask_plugins()

    def close_help(self) -> bool:
        """Close the help panel; return True if it was open."""
        is_open = bool(self.query("HelpPanel"))
        if is_open:
            self.app.action_hide_help_panel()
        return is_open

    def on_mount(self) -> None:
        """Mark this screen in the title bar."""
        self.query_one(TitleBar).screen_name = self.NAME


class AssemblyScreen(TitledScreen):
    """A screen with views of the assembly and the command line; the base of Build, Move and Simulate."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("colon", "command_line", "Command", show=True, id="command"),
        Binding("escape", "escape", "Cancel", show=True),
    ]

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The active bindings, most important first: the key bar shows them in this order."""
        bindings = super().active_bindings
        if isinstance(self.focused, Input):
            # Textual removes the bindings of printable characters while an input has the focus, except this one.
            bindings.pop("slash", None)
        first = self.urgent_actions()

        def rank(entry: tuple[str, ActiveBinding]) -> int:
            action = entry[1].binding.action.partition("(")[0]
            return first.index(action) if action in first else len(first) + (action == "escape")

        return dict(sorted(bindings.items(), key=rank))

    def urgent_actions(self) -> tuple[str, ...]:
        """Return the actions whose keys come first in the key bar."""
        return ()

    def compose(self) -> ComposeResult:
        """Add the title bar, the panels, the tutorial, the command line and the key bar."""
        yield TitleBar(id="title")
        with Horizontal(id="work"):
            yield from self.panels()
        yield TutorialCard(self.workbench, id="tutorial")
        yield CommandLine(self.workbench, id="command-line")
        yield KeyBar()

    def panels(self) -> ComposeResult:
        """Add the panels of this screen, including the views."""
        yield ViewGrid(self.workbench, id="views")

    def ask_plugins(self) -> None:
        """Ask the panels and overlays of plugins for their content."""
        super().ask_plugins()
        self.app.plugin_features.draw_overlays()  # type: ignore[attr-defined]

    def on_screen_resume(self) -> None:
        """Update everything that may have changed while another screen was shown."""
        for topic in ("assembly", "selection", "preview", "log"):
            self.follow(topic)

    def on_resize(self, event: events.Resize) -> None:
        """Set the CSS classes that adapt the layout to the size of the terminal."""
        self.set_class(event.size.width < WIDE, "narrow")
        self.set_class(event.size.width < WIDE // 2, "tiny")
        self.set_class(event.size.height < LOW, "low")

    def follow(self, topic: Topic) -> None:
        """Update the widgets that show a changed topic."""
        if not self.is_mounted or not self.query(CommandLine):
            return
        in_tutorial: bool = self.app.in_tutorial  # type: ignore[attr-defined]
        self.set_class(in_tutorial, "tutorial")
        if in_tutorial and topic in ("assembly", "log", "opened"):
            self.query_one(TutorialCard).rebuild()
        if topic == "log":
            self.query_one(CommandLine).show_last()
        elif topic == "file":
            self.query_one(TitleBar).refresh()
        else:
            if topic in ("assembly", "opened", "checked"):
                self.query_one(TitleBar).refresh(layout=False)
            if topic in ("assembly", "opened", "selection", "preview", "reported"):
                self.ask_plugins()
            for grid in self.query(ViewGrid):
                grid.redraw()

    def begin(self, line: str) -> None:
        """Put the start of a command into the command line."""
        self.query_one(CommandLine).begin(line)

    def focus_view(self) -> None:
        """Focus the first view."""
        self.set_focus(self.query_one("#view"))

    def action_command_line(self) -> None:
        """Focus the command line."""
        self.begin("")

    def action_escape(self) -> None:
        """Cancel the first that applies: a running command, help, placing a part, the focus, the selection."""
        if self.workbench.busy:
            self.workbench.stop()
            return
        if self.close_help():
            return
        if self.workbench.placing is not None or self.workbench.preview is not None:
            self.workbench.cancel_placing()
        elif isinstance(self.focused, SceneView):
            self.workbench.select()
        self.focus_view()

    async def action_show_findings(self) -> None:
        """Show the findings on the Build screen."""
        self.app.switch_mode("build")
        self.app.call_later(self.app.run_action, "screen.panel('findings')")

    def on_command_input_cancelled(self, _: CommandInput.Cancelled) -> None:
        """Return the focus to the view, and do not quit after saving."""
        self.app.cancel_quit()  # type: ignore[attr-defined]
        self.focus_view()
