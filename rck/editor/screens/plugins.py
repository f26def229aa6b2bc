"""The Plugins screen: what is loaded, from where, what it adds, what failed and why; switching on and off."""

from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import DataTable, Static

from rck.editor.screens.editor_screen import EditorScreen
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.title_bar import TitleBar
from rck.hooks import HOOK_OF_KIND, PluginInfo, discover
from rck.hooks.folders import config_folder
from rck.hooks.switches import read_switches, switch
from rck.model import RckError

_STATES = {"loaded": "green", "ready": "", "off": "dim", "failed": "red"}


class PluginsScreen(EditorScreen):
    """Shows plugins and switches them."""

    NAME = "plugins"
    HELP = """
# Plugins

What extends RCK, and where it is from. **Space** switches the plugin under the cursor on or off; that counts from the
next start. A plugin that failed says why. **Escape** goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "On / off", show=True),
        Binding("escape", "leave", "Back", show=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._infos: list[PluginInfo] = []

    def compose(self) -> ComposeResult:
        """A table, and what the plugin under the cursor adds."""
        yield TitleBar(id="title")
        with Horizontal(id="plugins-work"):
            yield DataTable(id="plugins-table", cursor_type="row")
            yield Static(id="plugin-card")
        yield KeyBar()

    def action_leave(self) -> None:
        """Go back to building, after the help."""
        if not self.help_was_closed():
            self.app.call_later(self.app.run_action, "go('build')")

    def on_mount(self) -> None:
        """List what is installed."""
        super().on_mount()
        table = self.query_one(DataTable)
        table.add_columns("plugin", "state", "package", "version")
        table.focus()
        try:
            self.rebuild()
        except RckError as error:
            self.query_one("#plugin-card", Static).update(Text(str(error), "red"))

    def _as_switched(self) -> list[PluginInfo]:
        """As they are loaded now; one that was switched since says so."""
        off = read_switches(config_folder()).disabled
        switched = {info.name: info for info in discover().infos() if info.name in off}
        return [switched.get(info.name, info) for info in self.workbench.session.plugins.infos()]

    def rebuild(self) -> None:
        """List the plugins as they are now."""
        table = self.query_one(DataTable)
        place = table.cursor_row
        self._infos = self._as_switched()
        table.clear()
        for info in self._infos:
            table.add_row(info.name, Text(info.state, _STATES[info.state]), info.package, info.version, key=info.name)
        table.move_cursor(row=place)

    @on(DataTable.RowHighlighted)
    def _describe(self, event: DataTable.RowHighlighted) -> None:
        name = str(event.row_key.value)
        info = next((one for one in self._infos if one.name == name), None)
        if info is None:
            return
        text = Text.assemble((info.name, "bold"), f"\n{info.module}\n")
        if info.reason:
            text.append(f"\n{info.reason}\n", "red" if info.state == "failed" else "dim")
        for finding in self.workbench.session.plugins.findings:
            if finding.where == f"plugin {name}" and finding.message != info.reason:
                text.append(f"\n{finding.message}\n", "yellow")
        for kind in HOOK_OF_KIND:
            given: tuple[tuple[str, Any], ...] = self.workbench.session.plugins.named(kind)
            for plugin, one in given:
                if plugin == name:
                    text.append(f"\n{kind.__name__}  ", "dim").append(one.name, "bold").append(f"\n  {one.summary}")
        self.query_one("#plugin-card", Static).update(text)

    def action_switch(self) -> None:
        """Switch the plugin under the cursor on or off, from the next start on."""
        table = self.query_one(DataTable)
        if not table.row_count:
            return
        name = str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value)
        try:
            off = name in read_switches(config_folder()).disabled
            switch(config_folder(), name, on=off)
            self.rebuild()
        except RckError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.notify(f"{name} is {'on' if off else 'off'} from the next start", markup=False)
