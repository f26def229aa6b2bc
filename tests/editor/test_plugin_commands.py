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

def ring(document, arguments):
    one, count, radius = arguments.text("what"), arguments.count("count"), arguments.number("radius")
    x, y, z = arguments.vector("about")
    parts = dict(document.assembly.parts)
    for number in range(count):
        document.job.progress(number / count, f"copy {number}")
        parts[f"{one}-{number}"] = parts[one]
    text = f"{count} at {radius:.3f} m, {arguments.number('tilt'):.4f} rad about {x:.3f} {y:.3f} {z:.3f}"
    return document.with_changes(parts=parts), text

def centres(document):
    poses = [document.poses.world_from_part(name) for name in document.assembly.parts]
    return [",".join(f"{1000 * value:g}" for value in pose[:3, 3]) for pose in poses]

def endless(document, arguments):
    import time
    for step in range(10**6):
        document.job.progress(0.25, f"step {step}")
        time.sleep(0.01)

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
        Command(
            "ring",
            "copy an instance onto a circle",
            (Argument("what", ValueKind.INSTANCE), Argument("count", ValueKind.COUNT, minimum=2, maximum=99)),
            (
                CommandOption("radius", "radius", ValueKind.LENGTH, minimum=0.001, default="50mm"),
                CommandOption("tilt", "tilt", ValueKind.ANGLE, default="90", minimum=-3.15, maximum=3.15),
                CommandOption("about", "centre", ValueKind.VECTOR, default="0,0,0", suggest=centres),
                CommandOption("at", "port", ValueKind.END),
                CommandOption("joint", "joint", ValueKind.JOINT),
                CommandOption("part", "part", ValueKind.PART),
                CommandOption("style", "style", ValueKind.CHOICE, ("round", "square")),
            ),
            run=ring,
        ),
        Command("endless", "never end", run=endless, slow=True),
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
        ("ring foo 3", "foo", "foo"),
        ("ring foot 1", "1", "count is 1, but must be a whole number, 2 to 99"),
        ("ring foot 2.5", "2.5", "not a whole number"),
        ("ring foot 3 --radius 0", "0", "radius is 0, but must be a length, such as 20mm, at least 1 mm"),
        ("ring foot 3 --radius 5kg", "5kg", "5kg"),
        ("ring foot 3 --tilt 200", "200", "tilt is 200, but must be"),
        ("ring foot 3 --about 1,2", "1,2", "three numbers"),
        ("ring foot 3 --at foot.no", "foot.no", "no"),
        ("ring foot 3 --joint no", "no", "no movable joint no"),
        ("ring foot 3 --part no/part", "no/part", "there is no part"),
        ("ring foot 3 --style oval", "oval", "is not one of round, square"),
    ],
)
def test_error_points_at_the_word_as_for_built_in_commands(with_commands, line, word, message):
    session = with_commands.session(commands=["create kit/foot"])
    with pytest.raises(LanguageError, match=message) as caught:
        session.do(line)
    assert line[caught.value.word.start : caught.value.word.end] == word


def test_help_and_completion_know_the_arguments_of_a_command(with_commands):
    session = with_commands.session()
    text = session.do("help label").message
    for expected in ("label NAME [--repeat REPEAT] [--on ON]", "aliases: caption", "> label arm --repeat 2"):
        assert expected in text
    session.do("make box foot size=1,2,3")
    assert complete(session, "label arm --re") == (10, ["--repeat"])
    assert complete(session, "label arm --on ") == (15, ["foot"])


def test_typed_values_are_in_si_units_and_follow_the_units_of_the_document(with_commands):
    session = with_commands.session(commands=["create kit/foot"])
    assert session.do("ring foot 3").message == "3 at 0.050 m, 1.5708 rad about 0.000 0.000 0.000"
    session.do("undo")
    message = session.do("ring foot 2 --radius 2cm --tilt 1rad --about 10,20mm,3cm").message
    assert message == "2 at 0.020 m, 1.0000 rad about 0.010 0.020 0.030"
    session.do("undo")
    session.do("set units length=m angle=rad")
    assert session.do("ring foot 2 --radius 2 --tilt 1").message.startswith("2 at 2.000 m, 1.0000 rad")


def test_completion_offers_names_choices_and_the_words_that_the_command_suggests(with_commands):
    session = with_commands.session(commands=["create kit/foot", "create kit/servo shoulder --at foot.top --by back"])
    assert complete(session, "ring ") == (5, ["foot", "shoulder"])
    assert complete(session, "ring foot 3 --ab") == (12, ["--about"])
    start, words = complete(session, "ring foot 3 --about ")
    assert (start, words[0]) == (20, "0,0,0")
    assert len(words) == 2
    assert complete(session, "ring foot 3 --style ")[1] == ["round", "square"]
    assert "foot.top" in complete(session, "ring foot 3 --at foot.")[1]
    assert complete(session, "ring foot 3 --joint ")[1] == [joint.name for joint in session.document.robot.free_joints]
    assert "kit/hand" in complete(session, "ring foot 3 --part kit/h")[1]


def test_help_shows_ranges_units_and_defaults(with_commands):
    text = with_commands.session().do("help ring").message
    assert "COUNT: a whole number, 2 to 99" in text
    assert "--radius: radius (a length, such as 20mm, at least 1 mm; default: 50mm)" in text


def test_slow_command_shows_its_progress_and_stops_on_escape(with_commands):
    async def story(player):
        await player.press("escape", "colon")
        for letter in "endless":
            player.send(letter)
        player.send("enter")
        for _ in range(100):
            await player.pilot.pause(0.02)
            if player.bench.progress[1].startswith("step"):
                break
        assert player.bench.busy == "endless"
        assert player.bench.progress[0] == 0.25
        player.send("escape")
        await player.rest()
        assert player.said == "stopped; nothing was changed"

    with_commands.play(story)


def test_preview_shows_the_ghosts_of_a_plugin_command(with_commands):
    async def story(player):
        await player.press("escape", "colon")
        await player.paste("ring foot 2")
        assert {name.partition("/")[0] for name in player.bench.preview.ghosts} == {"foot-0", "foot-1"}
        await player.press("escape")
        assert player.bench.preview is None

    with_commands.play(story, commands=["create kit/foot"])
