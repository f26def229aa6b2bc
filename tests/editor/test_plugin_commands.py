"""Commands of plugins have typed arguments, completion, help and error messages like built-in ones."""

import pytest

from rck.editor.command_palette import palette_commands
from rck.editor.widgets.command_line import CommandInput
from rck.grammar import LanguageError
from rck.hooks import Plugins
from rck.hooks.project_plugins import FilePoint
from rck.language.completion import complete
from rck.model import RckError

COMMANDS = """
from rck.hooks import Argument, Command, CommandOption, ValueKind, hookimpl
from rck.language.argument_values import parse_count, parse_new_name

def label(document, arguments):
    name = arguments.read("name", parse_new_name)
    count = arguments.read_option("repeat", parse_count, 1)
    return document.with_changes(name=name * count), f"renamed to {name * count}"

def hush(document, arguments):
    return document.with_changes(name="quiet"), ""

def weigh(document, arguments):
    return document, f"{document.robot.mass_properties.mass:.1f} kg"

def muddle(document, arguments):
    return document, "one", "two"

@hookimpl
def rck_commands():
    return [
        Command(
            "label",
            "rename the robot",
            (Argument("name", ValueKind.NAME),),
            (
                CommandOption("repeat", "repeat the name this many times", ValueKind.NUMBER),
                CommandOption("on", "instance to label", ValueKind.INSTANCE),
            ),
            examples=("label arm --repeat 2",),
            aliases=("caption",),
            run=label,
        ),
        Command("hush", "return no message", (Argument("name", ValueKind.NAME, optional=True),), run=hush),
        Command("weigh", "report the mass", edits=False, run=weigh),
        Command("muddle", "return too much", run=muddle),
    ]
"""


@pytest.fixture
def with_commands(editor, tmp_path):
    file = tmp_path / "words.py"
    file.write_text(COMMANDS)
    editor.plugins = Plugins([*(plugin.point for plugin in editor.plugins._plugins.values()), FilePoint(file)])
    return editor


def test_palette_opens_the_command_line_for_a_command_with_required_arguments(with_commands):
    async def story(player):
        entries = {entry.title: entry.callback for entry in palette_commands(player.app)}
        entries["label"]()
        await player.rest()
        assert player.app.screen.query_one(CommandInput).value == "label "
        await player.type("arm")
        await player.press("enter")
        assert player.said == "renamed to arm"
        entries["hush"]()
        await player.rest()
        assert player.bench.assembly.name == "quiet", "an optional argument is not asked for"

    with_commands.play(story)


def test_message_of_a_command_is_shown_and_an_empty_one_becomes_done(with_commands):
    session = with_commands.session()
    assert session.do("label arm").message == "renamed to arm"
    assert session.do("caption arm --repeat 2").message == "renamed to armarm"
    assert session.do("undo 2").changed
    assert session.do("hush").message == "done"


def test_wrong_result_of_a_command_is_a_failure_of_its_plugin(with_commands):
    with pytest.raises(RckError, match=r"command muddle failed: TypeError: run returned tuple, not a document"):
        with_commands.session().do("muddle")


def test_command_that_only_reports_changes_nothing_and_is_not_previewed(with_commands):
    session = with_commands.session()
    session.do("make box foot size=100,100,100 density=1000")
    before = session.history
    outcome = session.do("weigh")
    assert (outcome.message, outcome.changed) == ("1.0 kg", False)
    assert session.history is before
    assert session.preview("weigh") is None
    assert session.preview("label arm").name == "arm"


@pytest.mark.parametrize(
    ("line", "word", "message"),
    [
        ("label 'a b'", "'a b'", "not a valid name"),
        ("label arm --repeat 0", "0", "positive whole number"),
        ("label arm --repaet 2", "--repaet", "did you mean repeat"),
        ("label a b", "b", "takes no further argument"),
    ],
)
def test_error_points_at_the_word_as_for_built_in_commands(with_commands, line, word, message):
    with pytest.raises(LanguageError, match=message) as caught:
        with_commands.session().do(line)
    assert line[caught.value.word.start : caught.value.word.end] == word


def test_help_and_completion_know_the_arguments_of_a_command(with_commands):
    session = with_commands.session()
    text = session.do("help label").message
    for expected in ("label NAME [--repeat REPEAT] [--on ON]", "aliases: caption", "> label arm --repeat 2"):
        assert expected in text
    session.do("make box foot size=1,2,3")
    assert complete(session, "label arm --re") == (10, ["--repeat"])
    assert complete(session, "label arm --on ") == (15, ["foot"])
