"""The Plugins screen: state, contributions and errors of plugins; enabling and disabling."""

from importlib.metadata import EntryPoint

from textual.widgets import DataTable

from rck.editor.widgets.option_editor import OptionEditor
from rck.hooks import Plugins
from rck.hooks.plugin_settings import read_switches
from rck.support.user_folders import config_folder


def test_plugin_is_described_disabled_and_enabled(editor):
    async def story(player):
        await player.press("f6")
        table = player.app.screen.query_one(DataTable)
        names = [str(table.get_row_at(row)[0]) for row in range(table.row_count)]
        assert {"parts-rck", "importer-dxf", "solver-numeric"} <= set(names)
        table.move_cursor(row=names.index("solver-numeric"))
        await player.rest()
        card = str(player.app.screen.query_one("#plugin-card").render())
        assert "rck_plugins.solvers.numeric" in card
        assert "Solver" in card
        await player.press("space")
        assert "solver-numeric" in read_switches(config_folder()).disabled
        assert str(table.get_row_at(table.cursor_row)[1]) == "off"
        await player.press("space")
        assert "solver-numeric" not in read_switches(config_folder()).disabled
        await player.press("escape")
        assert player.app.current_mode == "build"

    editor.play(story)


def test_failed_plugin_shows_the_reason_and_its_finding_opens_this_screen(editor):
    editor.plugins = Plugins([EntryPoint("lost", "no_such_module", "rck")])
    editor.plugins.load_all()

    async def story(player):
        assert any(one.code // 100 == 6 for one in player.bench.findings)
        await player.press("escape", "4", "home", "enter")
        assert player.app.current_mode == "plugins"
        assert "No module named" in str(player.app.screen.query_one("#plugin-card").render())

    editor.play(story)


HOUSE = """
from rck.hooks import Option, Settings, hookimpl

@hookimpl
def rck_settings():
    options = (Option("reach", "longest reach", "length", 1.0), Option("loud", "", "flag", False))
    return [Settings("house", "rules", options)]
"""


def test_settings_of_a_plugin_are_edited_validated_and_stored(editor):
    editor.use_plugin("house", HOUSE)

    async def story(player):
        await player.press("f6")
        options = player.app.screen.query_one(OptionEditor)
        assert options.display
        await player.press("tab", *"long", "enter")
        assert read_switches(config_folder()).settings == {}
        await player.press("escape", *"2m", "enter")
        assert read_switches(config_folder()).settings == {"house": {"reach": "2m"}}

    editor.play(story)


def test_plugin_without_settings_shows_no_option_editor(editor):
    async def story(player):
        await player.press("f6")
        assert not player.app.screen.query_one(OptionEditor).display

    editor.play(story)
