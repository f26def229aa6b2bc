"""Panels that plugins add, below each other; one that fails is taken out and named, and the editor goes on."""

from collections.abc import Iterator
from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.worker import WorkerFailed

from rck.editor.watchdog import Watchdog, watchdog
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
        self._watchdog: Watchdog | None = None

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
            _without_exits(widget)
            widget.border_title = panel.name
            widget.add_class("plugin-panel")
            self._panels[widget] = panel
            yield widget

    def on_mount(self) -> None:
        """Watch what has the interface while there are panels."""
        if self._panels:
            self._watchdog = watchdog(lambda: {type(widget).__module__ for widget in self._panels})

    def on_unmount(self) -> None:
        """Nothing is left to be watched."""
        if self._watchdog is not None:
            self._watchdog.end()

    def focus_first(self) -> None:
        """Give the keys to the first panel that takes any, or else to all of them."""
        inside = (child for widget in self._panels for child in widget.walk_children(Widget, with_self=True))
        self.screen.set_focus(next((child for child in inside if child.focusable), self))

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

    def took_the_blame(self, error: BaseException) -> bool:
        """Whether an exception came out of one of the panels, which is then taken out."""
        if isinstance(error, WorkerFailed):
            return self.took_the_blame(error.error)
        modules = set(_modules_of(error))
        for widget, panel in list(self._panels.items()):
            if type(widget).__module__ in modules:
                plugins = self._workbench.session.plugins
                owner = next((name for name, one in plugins.named(EditorPanel) if one is panel), "")
                plugins.fail(owner, error)
                self._take_out(widget, f"plugin {owner} failed: {type(error).__name__}: {error}")
                return True
        return False

    def _take_out(self, widget: Widget, why: str) -> None:
        del self._panels[widget]
        self._workbench.say(why, "refused")
        self._workbench.note_findings()
        # Keys that went on to it would be lost: after an exception a widget takes no messages any more.
        self.screen.set_focus(self.screen.query_one("#view"))
        widget.display = False
        self.call_later(widget.remove)


def _modules_of(error: BaseException | None) -> Iterator[str]:
    """The modules that an exception came through, and those that its cause came through."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            yield trace.tb_frame.f_globals.get("__name__", "")
            trace = trace.tb_next
        error = error.__cause__


def _without_exits(widget: Widget) -> None:
    """Let a widget that asks the whole program to end fail like any other."""
    dispatch = widget._dispatch_message

    async def dispatched(message: Message) -> None:
        try:
            await dispatch(message)
        except SystemExit as error:
            raise RuntimeError("it asked the whole program to end") from error

    widget._dispatch_message = dispatched  # type: ignore[method-assign]
