"""Panels that plugins add, below each other; one that fails is taken out and named, and the editor goes on."""

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget

from rck.editor.workbench import Workbench
from rck.hooks import EditorPanel
from rck.model import RckError


class PluginPanels(VerticalScroll):
    """Holds the panels."""

    HELP = """
# Panels of plugins

What is shown here comes from plugins; F6 lists them and switches them off.
"""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._panels: dict[Widget, EditorPanel] = {}

    @property
    def empty(self) -> bool:
        """Whether no plugin adds a panel."""
        return not self._panels

    def compose(self) -> ComposeResult:
        """A widget of each plugin that makes one."""
        plugins = self._workbench.session.plugins
        for panel in plugins.all(EditorPanel):
            try:
                with plugins.guard(panel):
                    widget = panel.make()
                    if not isinstance(widget, Widget):
                        raise TypeError(f"panel {panel.name} made {type(widget).__name__}, not a Textual widget")
            except (RckError, OSError) as error:
                self._workbench.say(str(error), "refused")
                continue
            widget.border_title = panel.name
            widget.add_class("plugin-panel")
            self._panels[widget] = panel
            yield widget

    def rebuild(self) -> None:
        """Give every panel that wants it the robot as it is now."""
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
                self._take_out(widget, str(error))

    def took_the_blame(self, error: Exception) -> bool:
        """Whether an exception came out of one of the panels, which is then taken out."""
        for widget, panel in list(self._panels.items()):
            module = type(widget).__module__
            trace = error.__traceback__
            while trace is not None:
                if trace.tb_frame.f_globals.get("__name__") == module:
                    plugins = self._workbench.session.plugins
                    owner = next((name for name, one in plugins.named(EditorPanel) if one is panel), "")
                    plugins.fail(owner, error)
                    self._take_out(widget, f"plugin {owner} failed: {type(error).__name__}: {error}")
                    return True
                trace = trace.tb_next
        return False

    def _take_out(self, widget: Widget, why: str) -> None:
        del self._panels[widget]
        self._workbench.say(why, "refused")
        # Keys that went on to it would be lost: after an exception a widget takes no messages any more.
        self.screen.set_focus(self.screen.query_one("#view"))
        widget.display = False
        self.call_later(widget.remove)
