"""Command grammar: descriptions, help, parsing and error positions."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.grammar import CommandOption, CommandSpec, LanguageError, ValueKind, make_grammar, parse_line
from rck.hooks import Plugins
from rck.language.help import command_help, overview, reference
from rck.language.session import Session, full_grammar

GRAMMAR = full_grammar(Plugins([]))
COMMANDS = list(GRAMMAR.commands.values())
PROMISED = (
    "create", "remove", "modify", "copy", "show", "attach", "detach", "mate", "move", "rotate", "scale", "set",
    "rename", "pattern", "mirror", "tool", "save", "load", "import", "export", "undo", "redo", "check", "help", "run",
    "make", "port", "pose", "go", "drive", "replace", "view", "new", "search", "delete", "add",
)  # fmt: skip


def refused(line: str) -> LanguageError:
    with pytest.raises(LanguageError) as caught:
        parse_line(GRAMMAR, line)
    return caught.value


def pointed(line: str) -> str:
    word = refused(line).word
    assert word is not None
    return line[word.start : word.end]


@pytest.mark.parametrize("name", PROMISED)
def test_the_command_exists(name: str):
    assert name in GRAMMAR.by_word


def test_no_two_commands_share_a_word():
    words = [word for one in COMMANDS for word in (one.name, *one.aliases)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_every_command_has_its_own_description(command):
    assert command.summary
    assert command.examples
    said = command_help(command)
    assert command.usage in said
    for option in command.options:
        assert option.summary
        assert f"--{option.name}" in said
    for argument in command.arguments:
        assert argument.name.upper() in said
    assert command.name in overview(GRAMMAR)
    page = reference(GRAMMAR)
    assert f"## {command.name}\n" in page
    assert all(example in page for example in command.examples)


@pytest.mark.parametrize(
    ("command", "example"),
    [(one, example) for one in COMMANDS for example in one.examples],
    ids=lambda one: str(one)[:40],
)
def test_every_help_example_parses(command, example: str):
    read = parse_line(GRAMMAR, example)
    assert read is not None
    assert read[0] is command


def test_help_finds_a_command_by_name_alias_or_prefix(session: Session):
    assert session.do("help mate").message == session.do("help attach").message == session.do("? create mate").message
    assert session.do("help pat").message.startswith("pattern: ")
    assert "remove" in session.do("help").message


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("und", "undo"),
        ("UNDO", None),
        ("rep a b", "replace"),
        ("create mate a b", "mate"),
        ("create tool grip hand.tip", "tool"),
        ("create piece box size=1,2,3", "make"),
        ("create part a/b", "create"),
        ("add a/b", "create"),
        ("delete x", "remove"),
        ("modify x length=3", "set"),
        ("create 'mate'", "create"),
    ],
)
def test_command_is_identified_by_its_first_words(line: str, name: str | None):
    if name is None:
        assert pointed(line) == line
        return
    read = parse_line(GRAMMAR, line)
    assert read is not None
    assert read[0].name == name


@pytest.mark.parametrize("line", ["", "   ", "# nothing", "#nothing", "\t# x"])
def test_empty_line_is_not_a_command(line: str):
    assert parse_line(GRAMMAR, line) is None


@pytest.mark.parametrize(
    ("line", "word", "said"),
    [
        ("crate x", "crate", "did you mean create"),
        ("re x", "re", "could be"),
        ("frobnicate", "frobnicate", "`help` lists all commands"),
        ("mate a b c", "c", "takes no further argument"),
        ("mate a b --trun 3", "--trun", "did you mean turn"),
        ("mate a b --turn", "--turn", "needs an angle"),
        ("mate a b --turn --flip", "--turn", "needs an angle"),
        ("mate a b --flip=yes", "--flip=yes", "takes no value"),
        ("mate a b --turn 1 --turn 2", "--turn", "given twice"),
        ("mate a b --joint hinge", "hinge", "is not one of revolute"),
        ("mate a b --joint=hinge", "hinge", "is not one of revolute"),
        ("make bxo size=1,2,3", "bxo", "did you mean box"),
        ("copy a --mirror w", "w", "is not one of x, y, z"),
        ("create 'x", "'x", "not closed"),
    ],
)
def test_error_points_at_the_wrong_word(line: str, word: str, said: str):
    assert pointed(line) == word
    assert said in refused(line).message


@pytest.mark.parametrize("line", ["mate a", "move", "set x", "create", "pattern leg line", "export", "drive j"])
def test_error_for_a_missing_word_points_to_the_end_of_the_line(line: str):
    error = refused(line)
    assert error.word is not None
    assert error.word.start == len(line) + 1
    assert "usage: " in error.message


def test_options_are_accepted_anywhere_and_with_an_equals_sign():
    for line in ("mate --turn 90 a b --flip", "mate a --flip b --turn=90"):
        read = parse_line(GRAMMAR, line)
        assert read is not None
        arguments = read[1]
        assert (arguments.text("at"), arguments.text("put")) == ("a", "b")
        assert (arguments.option("turn"), arguments.has("flip")) == ("90", True)


def test_quoted_words_are_not_options_or_settings():
    read = parse_line(GRAMMAR, "import 'a=b.robot' '--name' length-unit=mm")
    assert read is not None
    assert (read[1].text("file"), read[1].text("name")) == ("a=b.robot", "--name")
    assert read[1].texts("options") == ["length-unit=mm"]


def test_negative_number_is_not_an_option():
    read = parse_line(GRAMMAR, "mate a b --offset -5,-6,-7")
    assert read is not None
    assert read[1].option("offset") == "-5,-6,-7"


@pytest.mark.parametrize("line", ["set a x=1 x=2", "set a =3", "pose p j=1 j=2"])
def test_setting_must_be_named_and_given_only_once(session: Session, line: str):
    session.do("make box a size=1,2,3")
    with pytest.raises(LanguageError):
        session.do(line)


@pytest.mark.parametrize("line", ["create a\ncreate b", "create a\r\n b", "set a notes='x\ny'"])
def test_command_with_a_line_break_is_refused(line: str):
    assert "one line" in refused(line).message


words = st.sampled_from(
    [
        *GRAMMAR.by_word,
        "--at",
        "--turn",
        "--flip",
        "a",
        "a.top",
        "1,2,3",
        "x=1",
        "'q r'",
        "#",
        "--",
        "=",
        '"',
        "é",
        "--x=y",
    ]
)


@given(st.lists(words, max_size=6).map(" ".join) | st.text(max_size=40))
def test_any_line_is_parsed_or_refused(line: str):
    with suppress(LanguageError):
        read = parse_line(GRAMMAR, line)
        if read is not None:
            command, arguments = read
            for argument in command.arguments:
                assert argument.optional or argument.kind is ValueKind.SETTING or arguments.texts(argument.name)


def test_required_option_is_refused_when_it_is_missing():
    last = CommandOption("to", "last value", ValueKind.LENGTH, minimum=0, required=True)
    grammar = make_grammar([CommandSpec("sweep", "try values", options=(last, CommandOption("fast", "hurry")))])
    assert grammar.commands["sweep"].usage == "sweep --to TO [--fast]"
    with pytest.raises(LanguageError, match="sweep needs --to: a length, such as 20mm, at least 0 mm"):
        parse_line(grammar, "sweep --fast")
    assert parse_line(grammar, "sweep --to 3mm") is not None


@pytest.mark.parametrize(
    ("line", "wrong", "reason"),
    [
        ("pattern foot line 1 --by 9,0,0", "1", "a whole number, 2 to 1000"),
        ("pattern foot line 2.5 --by 9,0,0", "2.5", "not a whole number"),
        ("undo 0", "0", "a whole number, at least 1"),
        ("redo -1", "-1", "a whole number, at least 1"),
        ("matrix --samples 1e99", "1e99", "a whole number, 1 to 10000000"),
    ],
)
def test_numbers_of_built_in_commands_are_checked_against_their_declaration(session, line, wrong, reason):
    session.do("make box foot size=10,10,10")
    with pytest.raises(LanguageError, match=reason) as caught:
        session.do(line)
    assert caught.value.word is not None
    assert line[caught.value.word.start : caught.value.word.end] == wrong
