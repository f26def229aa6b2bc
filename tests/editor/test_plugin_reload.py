"""A plugin in development is loaded again in the running editor when its files change."""

import os

import pytest
from textual.widgets import DataTable, Static

from rck.editor.widgets.plugin_panels import PanelView
from rck.editor.widgets.title_bar import TitleBar
from rck.hooks import discover
from rck.hooks.plugin_settings import develop
from rck.support.user_folders import config_folder

COMMAND = """
from rck.hooks import Command, hookimpl

@hookimpl
def rck_commands():
    return [Command("greet", "say a word", run=run, edits=False)]

def run(document, arguments):
    return document, "WORD"
"""


def change(path, text):
    path.write_text(text)
    os.utime(path, ns=(path.stat().st_mtime_ns + 10**7,) * 2)


@pytest.fixture
def developed(editor, tmp_path):
    """Return the file of a plugin in development, which the editor uses."""
    file = tmp_path / "greeter.py"
    file.write_text(COMMAND.replace("WORD", "hello"))
    develop(config_folder(), file, on=True)
    editor.plugins = discover()
    return file


def test_changed_command_is_used_at_once(editor, developed):
    async def story(player):
        await player.command("greet")
        assert player.bench.messages[-1].text == "hello"
        change(developed, COMMAND.replace("WORD", "good morning"))
        await player.app._reload_plugins()
        assert player.bench.messages[-1].text == "loaded greeter again"
        await player.command("greet")
        assert player.bench.messages[-1].text == "good morning"

    editor.play(story)


def test_error_is_shown_with_its_traceback_until_it_is_repaired(editor, developed):
    async def story(player):
        change(developed, "1 / 0")
        await player.app._reload_plugins()
        assert "ZeroDivisionError" in player.bench.messages[-1].text
        assert "greeter.py, line 1" in player.bench.messages[-1].text
        await player.press("f6")
        table = player.app.screen.query_one(DataTable)
        table.move_cursor(row=table.get_row_index("greeter"))
        await player.press("down", "up")
        assert "Traceback (most recent call last)" in str(player.app.screen.query_one("#plugin-card", Static).content)
        change(developed, COMMAND.replace("WORD", "back"))
        await player.app._reload_plugins()
        await player.command("greet")
        assert player.bench.messages[-1].text == "back"

    editor.play(story)


FEATURES = """
import numpy as np

from rck.hooks import EditorAction, EditorPanel, EditorScreen, Overlay, OverlayShapes, OverlayText, Theme, hookimpl

@hookimpl
def rck_editor_panels():
    return [EditorPanel("greeter", "says a word", lambda context: ["WORD in the panel"])]

@hookimpl
def rck_editor_screens():
    return [EditorScreen("greetings", "says a word", lambda context: ["WORD on the screen"], key="f7")]

@hookimpl
def rck_editor_actions():
    return [EditorAction("greet", "say a word", lambda context: context.notify("WORD by key"), key="KEY")]

@hookimpl
def rck_overlays():
    return [Overlay("greeting", "a word", lambda context: OverlayShapes(texts=(OverlayText("WORD", (0, 0, 0)),)))]

@hookimpl
def rck_themes():
    return [Theme("greeter", "a colour", {"primary": "COLOUR"})]
"""
BEFORE = FEATURES.replace("WORD", "hello").replace("KEY", "ctrl+g").replace("COLOUR", "#112233")
AFTER = FEATURES.replace("WORD", "good morning").replace("KEY", "ctrl+t").replace("COLOUR", "#445566")


@pytest.fixture
def featured(editor, developed):
    developed.write_text(BEFORE)
    editor.plugins = discover()
    return developed


def panel_texts(player):
    return [view.plain for view in player.app.screen.query(PanelView) if view.id != "plugin-screen"]


def test_changed_panel_overlay_key_and_theme_are_used_at_once(editor, featured):
    async def story(player):
        app, bench = player.app, player.bench
        app.plugin_features.switch_overlay("greeting")
        app.theme = "greeter"
        await player.press("escape", "ctrl+g")
        assert panel_texts(player) == ["hello in the panel"]
        assert bench.messages[-1].text == "hello by key"
        assert [text.text for text in bench.layers["greeting"].shapes.texts] == ["hello"]
        assert app.current_theme.primary == "#112233"
        change(featured, AFTER)
        await app._reload_plugins()
        await player.press("ctrl+t")
        assert panel_texts(player) == ["good morning in the panel"]
        assert bench.messages[-1].text == "good morning by key"
        assert [text.text for text in bench.layers["greeting"].shapes.texts] == ["good morning"]
        assert app.current_theme.primary == "#445566"
        told = len(bench.messages)
        await player.press("ctrl+g")
        assert len(bench.messages) == told, "the old key does nothing"
        assert not bench.session.plugins.findings

    editor.play(story)


def test_changed_screen_is_shown_at_once_and_a_removed_one_gives_way(editor, featured):
    async def story(player):
        app = player.app
        await player.press("f7")
        assert app.screen.query_one("#plugin-screen", PanelView).plain == "hello on the screen"
        change(featured, AFTER)
        await app._reload_plugins()
        await player.press("f1", "f1")
        assert app.current_mode == "greetings"
        assert app.screen.query_one("#plugin-screen", PanelView).plain == "good morning on the screen"
        change(featured, AFTER.replace("greetings", "salutes"))
        await app._reload_plugins()
        await player.press("f1", "f1")
        assert app.current_mode == "build"
        assert "Salutes" in str(app.screen.query_one(TitleBar).render())
        await player.press("f7")
        assert app.current_mode == "salutes"
        change(featured, "1 / 0")
        await app._reload_plugins()
        assert app.current_mode == "build"
        await player.press("f7")
        assert app.current_mode == "build"

    editor.play(story)
