"""Commands of plugins in the palette and in the command line: asked for their words, and heard when they are done."""

import pytest

from rck.editor.palette import palette_commands
from rck.editor.widgets.command_line import CommandInput
from rck.hooks import Plugins
from rck.hooks.project import FilePoint
from rck.model import RckError

COMMANDS = """
import msgspec
from rck.hooks import Command, hookimpl
from rck.model import RckError

def named(assembly, words):
    if not words:
        raise RckError("label needs a name")
    return msgspec.structs.replace(assembly, name=words[0]), f"it is called {words[0]} now"

def silent(assembly, words):
    return msgspec.structs.replace(assembly, name="quiet")

def wrong(assembly, words):
    return assembly, "one", "two"

@hookimpl
def rck_commands():
    return [
        Command("label", "name the robot", "label NAME [--loudly VERY]", named),
        Command("hush", "say nothing", "hush [NAME]", silent),
        Command("muddle", "return too much", "muddle", wrong),
    ]
"""


@pytest.fixture
def with_commands(editor, tmp_path):
    file = tmp_path / "words.py"
    file.write_text(COMMANDS)
    editor.plugins = Plugins([*(plugin.point for plugin in editor.plugins._plugins.values()), FilePoint(file)])
    return editor


def test_the_palette_opens_the_command_line_for_a_command_that_takes_words(with_commands):
    async def story(player):
        entries = {entry.title: entry.callback for entry in palette_commands(player.app)}
        entries["label"]()
        await player.rest()
        assert player.app.screen.query_one(CommandInput).value == "label "
        await player.type("arm")
        await player.press("enter")
        assert player.said == "it is called arm now"
        entries["hush"]()
        await player.rest()
        assert player.bench.assembly.name == "quiet", "what may be left out is not asked for"

    with_commands.play(story)


def test_a_command_says_what_it_did_or_that_it_is_done(with_commands):
    session = with_commands.session()
    assert session.do("label arm").message == "it is called arm now"
    assert session.do("hush").message == "done"
    with pytest.raises(RckError, match=r"plugin words failed: TypeError: .*no pair of a document and a text"):
        session.do("muddle")
