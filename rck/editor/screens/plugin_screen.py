"""A screen that a plugin adds: its content, with or without the view of the robot."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from rck.editor.screens.editor_screen import AssemblyScreen
from rck.editor.widgets.plugin_panels import PanelView, PluginPanels
from rck.editor.widgets.view_grid import ViewGrid
from rck.hooks import EditorScreen


class PluginScreen(AssemblyScreen):
    """The screen of a plugin."""

    def __init__(self, declared: EditorScreen) -> None:
        super().__init__()
        self.NAME = declared.name
        self._declared = declared

    def panels(self) -> ComposeResult:
        """Add the view if the plugin wants it, the content, and the panels of plugins."""
        if self._declared.with_view:
            yield ViewGrid(self.workbench, id="views")
        with VerticalScroll(id="plugin-content", can_focus=False):
            yield PanelView(self._declared, classes="plugin-panel", id="plugin-screen")
            yield PluginPanels(self.workbench, self._declared.name, id="extras")

    def on_mount(self) -> None:
        """Focus the content."""
        super().on_mount()
        self.set_class(not self._declared.with_view, "without-view")
        self.focus_view()

    def focus_view(self) -> None:
        """Focus the content."""
        self.set_focus(self.query_one("#plugin-screen"))

    def ask_plugins(self) -> None:
        """Ask the plugin for its content."""
        super().ask_plugins()
        self.query_one("#plugin-screen", PanelView).request()
