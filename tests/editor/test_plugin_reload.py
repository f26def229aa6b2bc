"""A plugin in development is loaded again in the running editor when its files change."""

import os

import pytest
from textual.widgets import DataTable, Static

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
