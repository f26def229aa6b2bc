"""Panels of plugins stand on the Build screen, follow the robot, and cost the editor nothing when they fail."""

import pytest
from textual.widgets import Static

from rck.editor.widgets.plugin_panels import PluginPanels

PANEL = """
from textual.widgets import Static
from rck.hooks import EditorPanel, hookimpl

class Masses(Static):
    can_focus = True

    def show_robot(self, robot):
        self.update("nothing" if robot is None else f"{len(robot.items)} items")

    def on_key(self, event):
        if event.key == "x":
            raise ValueError("slipped")

class Acting(Static):
    can_focus = True
    BINDINGS = [("x", "boom", "Boom")]

    def action_boom(self):
        raise KeyError("slipped")

class Leaving(Acting):
    def action_boom(self):
        raise SystemExit(4)

class Gone(Static):
    can_focus = True

    def on_key(self, event):
        raise SystemExit(4)

class Working(Acting):
    def action_boom(self):
        self.run_worker(self.work())

    async def work(self):
        raise KeyError("slipped")

class Hanging(Acting):
    def action_boom(self):
        import time
        time.sleep(1000)

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


def test_a_panel_follows_the_robot(editor, arm, with_panel):
    with_panel("Masses")

    async def story(player):
        panels = player.app.screen.query_one(PluginPanels)
        assert player.app.screen.has_class("has-extras")
        assert str(panels.query_one(Static).content) == "9 items"
        await player.command("remove hand --with-dependents")
        assert str(panels.query_one(Static).content) == "6 items"

    editor.play(story, commands=arm, size=(160, 48))


@pytest.mark.parametrize(("make", "why"), [("Faulty", "ValueError: stumbled"), ("other", "not a Textual widget")])
def test_a_panel_that_fails_at_once_is_left_out_and_named(editor, arm, with_panel, make, why):
    with_panel(make)

    async def story(player):
        assert any(why in one.text for one in player.bench.said)
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts
        assert player.app.screen.query_one(PluginPanels).empty

    editor.play(story, commands=arm)


def test_a_panel_that_fails_at_a_key_is_taken_out_and_the_editor_goes_on(editor, arm, with_panel):
    with_panel("Masses")

    async def story(player):
        player.app.screen.query_one(PluginPanels).query_one(Static).focus()
        await player.press("x")
        assert "plugin panel-masses failed: ValueError: slipped" in [one.text for one in player.bench.said]
        assert player.app.screen.query_one(PluginPanels).empty
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts

    editor.play(story, commands=arm, size=(160, 48))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        ("Acting", "KeyError: 'slipped'"),
        ("Leaving", "SystemExit: 4"),
        ("Gone", "RuntimeError: it asked the whole program to end"),
        ("Working", "KeyError: 'slipped'"),
        ("Hanging", "Hangs: it did not come back within 0.5 s"),
    ],
)
def test_a_panel_whose_key_fails_in_any_way_is_taken_out_and_named(editor, arm, with_panel, monkeypatch, make, why):
    monkeypatch.setattr("rck.editor.watchdog.PATIENCE", 0.5)
    with_panel(make)

    async def story(player):
        await player.press("escape", "5", "x")
        assert f"plugin panel-{make.lower()} failed: {why}" in [one.text for one in player.bench.said]
        assert player.app.screen.query_one(PluginPanels).empty
        await player.command("create kit/foot second")
        assert "second" in player.bench.assembly.parts

    editor.play(story, commands=arm, size=(160, 48))


def test_without_panels_the_key_says_so(editor, arm):
    async def story(player):
        await player.press("escape", "5")
        assert "no plugin adds a panel" in player.said

    editor.play(story, commands=arm)
