"""The Plugins screen: what is loaded, what it adds, what failed and why; switching on and off."""

from importlib.metadata import EntryPoint

from textual.widgets import DataTable

from rck.hooks import Plugins
from rck.hooks.folders import config_folder
from rck.hooks.switches import read_switches


def test_a_plugin_is_described_and_switched_off_and_on(editor):
    async def story(player):
        await player.press("f6")
        table = player.app.screen.query_one(DataTable)
        names = [str(table.get_row_at(row)[0]) for row in range(table.row_count)]
        assert {"parts", "dxf", "ik-numeric"} <= set(names)
        table.move_cursor(row=names.index("ik-numeric"))
        await player.rest()
        card = str(player.app.screen.query_one("#plugin-card").render())
        assert "rck_ik_numeric" in card
        assert "Solver" in card
        await player.press("space")
        assert "ik-numeric" in read_switches(config_folder()).disabled
        assert str(table.get_row_at(table.cursor_row)[1]) == "off"
        await player.press("space")
        assert "ik-numeric" not in read_switches(config_folder()).disabled
        await player.press("escape")
        assert player.app.current_mode == "build"

    editor.play(story)


def test_a_plugin_that_failed_says_why_and_is_a_finding_that_leads_here(editor):
    editor.plugins = Plugins([EntryPoint("lost", "no_such_module", "rck")])
    editor.plugins.load_all()

    async def story(player):
        assert any(one.code // 100 == 6 for one in player.bench.findings)
        await player.press("escape", "4", "home", "enter")
        assert player.app.current_mode == "plugins"
        assert "No module named" in str(player.app.screen.query_one("#plugin-card").render())

    editor.play(story)
