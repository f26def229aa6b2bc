"""Panels of plugins are on the Build screen and follow the robot; one that fails does not harm the editor."""

import pytest
from textual.widgets import Static

from rck.editor.widgets.plugin_panels import PluginPanels

PANEL = """
from textual.widgets import Static
from rck.hooks import EditorPanel, hookimpl

class Masses(Static):
    def show_robot(self, robot):
        self.update(f"{len(robot.items)} items" if robot else "nothing")

class Faulty(Static):
    def show_robot(self, robot):
        raise ValueError("stumbled")

def other():
    return "no widget"

@hookimpl
def rck_editor_panels():
    return [EditorPanel("masses", "counts", MAKE)]
"""


@pytest.fixture
def with_panel(editor):
    """Let the editor have one plugin, whose panel is made so."""

    def use(make: str) -> None:
        editor.use_plugin(f"panel_{make.lower()}", PANEL.replace("MAKE", make))

    return use


def test_panel_follows_the_robot(editor, arm, with_panel):
    with_panel("Masses")

    async def story(player):
        panels = player.app.screen.query_one(PluginPanels)
        assert player.app.screen.has_class("has-extras")
        assert str(panels.query_one(Static).content) == "9 items"
        await player.command("remove hand --with-dependents")
        assert str(panels.query_one(Static).content) == "6 items"

    editor.play(story, commands=arm, size=(160, 48))


@pytest.mark.parametrize(("make", "why"), [("Faulty", "ValueError: stumbled"), ("other", "not a Textual widget")])
def test_panel_that_cannot_be_created_is_omitted_and_reported(editor, arm, with_panel, make, why):
    with_panel(make)

    async def story(player):
        assert any(why in one.text for one in player.bench.messages)
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts
        assert player.app.screen.query_one(PluginPanels).empty

    editor.play(story, commands=arm)


def test_panel_key_without_panels_shows_a_message(editor, arm):
    async def story(player):
        await player.press("escape", "5")
        assert "no plugin adds a panel" in player.said

    editor.play(story, commands=arm)
