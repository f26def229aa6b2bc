"""The Plugins screen: installed plugins, their contributions, errors, settings, and a switch to disable them."""

from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Static

from rck.editor.screens.editor_screen import TitledScreen
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.option_editor import OptionEditor
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.title_bar import TitleBar
from rck.hooks import HOOK_OF_KIND, PluginInfo, Settings, discover
from rck.hooks.plugin_settings import read_switches, stored_settings, switch, write_settings
from rck.model import RckError
from rck.support.user_folders import config_folder

_STATES = {"loaded": "green", "ready": "", "off": "dim", "failed": "red"}


class PluginsScreen(TitledScreen):
    """The list of plugins, with details of the highlighted one."""

    NAME = "plugins"
    HELP = """
# Plugins

The installed plugins. **Space** enables or disables the highlighted plugin from the next start. The card on the right
shows its contributions, or why it failed to load. If the plugin has settings, **Tab** moves to them; they are stored in
the settings folder and hold for all projects. **Escape** returns to the Build screen.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "switch", "Enable / disable", show=True),
        Binding("escape", "back", "Back", show=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._infos: list[PluginInfo] = []
        self._settings: Settings | None = None

    def compose(self) -> ComposeResult:
        """Add the table and the card of the highlighted plugin."""
        yield TitleBar(id="title")
        with Horizontal(id="plugins-work"):
            yield DataTable(id="plugins-table", cursor_type="row")
            with Vertical(id="plugin-side"):
                yield Static(id="plugin-card")
                yield OptionEditor(id="plugin-settings")
                yield PluginPanels(self.workbench, self.NAME, id="extras")
        yield KeyBar()

    def action_back(self) -> None:
        """Close the help, or return to the Build screen."""
        if not self.close_help():
            self.app.call_later(self.app.run_action, "go('build')")

    def on_mount(self) -> None:
        """Fill the table."""
        super().on_mount()
        table = self.query_one(DataTable)
        table.add_columns("plugin", "state", "package", "version")
        table.focus()
        self.query_one(OptionEditor).display = False
        try:
            self.rebuild()
        except RckError as error:
            self.query_one("#plugin-card", Static).update(Text(str(error), "red"))

    def _current_infos(self) -> list[PluginInfo]:
        """Return the loaded plugins; one that was disabled since the start is shown as disabled."""
        off = read_switches(config_folder()).disabled
        switched = {info.name: info for info in discover().infos() if info.name in off}
        return [switched.get(info.name, info) for info in self.workbench.session.plugins.infos()]

    def rebuild(self) -> None:
        """Update the table."""
        table = self.query_one(DataTable)
        row = table.cursor_row
        self._infos = self._current_infos()
        table.clear()
        for info in self._infos:
            table.add_row(info.name, Text(info.state, _STATES[info.state]), info.package, info.version, key=info.name)
        table.move_cursor(row=row)

    @on(DataTable.RowHighlighted)
    def _describe(self, event: DataTable.RowHighlighted) -> None:
        name = str(event.row_key.value)
        info = next((info for info in self._infos if info.name == name), None)
        if info is None:
            return
        text = Text.assemble((info.name, "bold"), f"\n{info.module}\n")
        if info.reason:
            text.append(f"\n{info.reason}\n", "red" if info.state == "failed" else "dim")
        for finding in self.workbench.session.plugins.findings:
            if finding.where == f"plugin {name}" and finding.message != info.reason:
                text.append(f"\n{finding.message}\n", "yellow")
        plugins = self.workbench.session.plugins
        if plugins.is_in_development(name) and plugins.traceback(name):
            text.append(f"\n{plugins.traceback(name)}", "dim")
        for kind in HOOK_OF_KIND:
            contributions: tuple[tuple[str, Any], ...] = self.workbench.session.plugins.named(kind)
            for plugin, added in contributions:
                if plugin == name:
                    text.append(f"\n{kind.__name__}  ", "dim").append(added.name, "bold").append(f"\n  {added.summary}")
        self.query_one("#plugin-card", Static).update(text)
        named = self.workbench.session.plugins.named(Settings)
        self._settings = next((settings for plugin, settings in named if plugin == name), None)
        self._show_settings()

    def _show_settings(self) -> None:
        """Show the settings of the highlighted plugin."""
        editor = self.query_one(OptionEditor)
        editor.display = self._settings is not None
        if self._settings is not None:
            stored = stored_settings(self._settings, config_folder())
            editor.use(self._settings.options, stored, self.workbench.assembly.units)

    @on(OptionEditor.Changed)
    def _change_setting(self, event: OptionEditor.Changed) -> None:
        if self._settings is None:
            return
        try:
            write_settings(config_folder(), self._settings, {event.name: event.value})
        except RckError as error:
            self.notify(str(error), severity="error", markup=False)
        self._show_settings()

    def action_switch(self) -> None:
        """Enable or disable the highlighted plugin from the next start."""
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
        self.notify(f"{name} will be {'enabled' if off else 'disabled'} at the next start", markup=False)
