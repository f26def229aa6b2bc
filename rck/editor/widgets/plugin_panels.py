"""The panels that plugins add; one that fails is removed and reported."""

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget

from rck.editor.workbench import Workbench
from rck.hooks import EditorPanel
from rck.model import RckError


class PluginPanels(VerticalScroll):
    """The container of the plugins' panels."""

    HELP = """
# Plugin panels

Plugins add these panels. F6 lists the plugins and can disable them.
"""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._panels: dict[Widget, EditorPanel] = {}

    @property
    def empty(self) -> bool:
        """True if no plugin adds a panel."""
        return not self._panels

    def compose(self) -> ComposeResult:
        """Add the widget of each panel."""
        plugins = self._workbench.session.plugins
        for panel in plugins.all(EditorPanel):
            try:
                with plugins.guard(panel):
                    widget = panel.make()
                    if not isinstance(widget, Widget):
                        raise TypeError(f"panel {panel.name} made {type(widget).__name__}, not a Textual widget")
            except (RckError, OSError) as error:
                self._workbench.log(str(error), "error")
                continue
            widget.border_title = panel.name
            widget.add_class("plugin-panel")
            self._panels[widget] = panel
            yield widget

    def focus_first(self) -> None:
        """Focus the first focusable panel, or else this container."""
        inside = (child for widget in self._panels for child in widget.walk_children(Widget, with_self=True))
        self.screen.set_focus(next((child for child in inside if child.focusable), self))

    def rebuild(self) -> None:
        """Pass the robot to every panel with a method `show_robot`."""
        compiled = self._workbench.built.value
        robot = None if compiled is None else compiled.robot
        plugins = self._workbench.session.plugins
        for widget, panel in list(self._panels.items()):
            show: Any = getattr(widget, "show_robot", None)
            if show is None:
                continue
            try:
                with plugins.guard(panel):
                    show(robot)
            except (RckError, OSError) as error:
                self._remove(widget, str(error))

    def _remove(self, widget: Widget, reason: str) -> None:
        del self._panels[widget]
        self._workbench.log(reason, "error")
        self._workbench.notify("checked")
        # A hidden widget would keep the focus.
        self.screen.set_focus(self.screen.query_one("#view"))
        widget.display = False
        self.call_later(widget.remove)
