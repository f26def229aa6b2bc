"""What a command looks like: its words, its options, and how a line is read by them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from rck.language.words import LanguageError, Word, split_words
from rck.model.names import did_you_mean

if TYPE_CHECKING:
    from rck.language.session import Session


class Kind(Enum):
    """What a word stands for; completion offers what there is of it."""

    PART = "a part of the catalogue, a piece, or a file.rck"
    INSTANCE = "an instance"
    END = "instance.port, instance.item#subitem.face, or an instance"
    PORT = "a port of the part"
    JOINT = "a joint"
    POSE = "a named pose"
    NAME = "a name"
    FILE = "a file"
    LENGTH = "a length, such as 12mm"
    ANGLE = "an angle, such as 90deg"
    VECTOR = "three numbers with commas, such as 0,0,100"
    NUMBER = "a number"
    AXIS = "x, y, z, -x, -y, -z, or three numbers with commas"
    SETTING = "name=value"
    COMMAND = "a command"
    TEXT = "text"
    CHOICE = "one of a few words"


@dataclass(frozen=True, slots=True)
class Argument:
    """A word that a command takes."""

    name: str
    kind: Kind
    optional: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A word with two dashes; one without a kind is a switch."""

    name: str
    summary: str
    kind: Kind | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a line gave to a command."""

    line: str
    words: Mapping[str, tuple[Word, ...]]
    options: Mapping[str, Word]

    def text(self, name: str) -> str:
        """The word of that argument; empty when it was left out."""
        found = self.words.get(name, ())
        return found[0].text if found else ""

    def texts(self, name: str) -> list[str]:
        """All words of that argument."""
        return [word.text for word in self.words.get(name, ())]

    def option(self, name: str) -> str | None:
        """The value of an option; None when it was not given."""
        word = self.options.get(name)
        return None if word is None else word.text

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return name in self.options

    def refuse(self, message: str, name: str = "") -> LanguageError:
        """An error that points at the argument or option of that name."""
        found = self.words.get(name, ())
        return LanguageError(message, self.line, found[0] if found else self.options.get(name))


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command: what it is called, takes and does."""

    name: str
    summary: str
    run: Callable[["Session", Arguments], Any]
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    details: str = ""
    """More for `help`: what it does exactly, in a few sentences."""
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    edits: bool = True
    """Whether it returns a new assembly, which can be undone; else it acts on the session or only tells."""
    repeats: bool = True
    """Whether doing it again from the same assembly gives the same one, whatever happened to files meanwhile."""

    @property
    def usage(self) -> str:
        """The command with its arguments, optional ones in brackets."""
        words = [self.name]
        for argument in self.arguments:
            shown = "|".join(argument.choices) if argument.choices else argument.name.upper()
            shown += "..." if argument.many else ""
            words.append(f"[{shown}]" if argument.optional else shown)
        words += [f"[--{one.name}{f' {one.name.upper()}' if one.kind else ''}]" for one in self.options]
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Grammar:
    """All commands, by name and alias."""

    commands: Mapping[str, CommandSpec]
    by_word: Mapping[str, CommandSpec] = field(default_factory=dict)

    def command(self, word: Word, line: str) -> CommandSpec:
        """The command that a word names; an unambiguous beginning is enough."""
        known = self.by_word
        if word.text in known:
            return known[word.text]
        begun = {known[name].name for name in known if name.startswith(word.text)}
        if len(begun) == 1:
            return self.commands[begun.pop()]
        hint = did_you_mean(word.text, known) or (f" (could be {', '.join(sorted(begun))})" if begun else "")
        raise LanguageError(f"there is no command {word.text!r}{hint}; `help` lists them", line, word)


def make_grammar(commands: Sequence[CommandSpec]) -> Grammar:
    """The grammar of these commands."""
    by_word = {name: one for one in commands for name in (one.name, *one.aliases)}
    return Grammar({one.name: one for one in commands}, by_word)


def read_line(grammar: Grammar, line: str) -> tuple[CommandSpec, Arguments] | None:
    """The command of a line with its arguments; None for an empty line."""
    words = split_words(line)
    if not words:
        return None
    command = grammar.command(words[0], line)
    return command, read_arguments(command, words[1:], line)


def read_arguments(command: CommandSpec, words: Sequence[Word], line: str) -> Arguments:
    """The words after the command, told apart into arguments and options."""
    known = {one.name: one for one in command.options}
    options: dict[str, Word] = {}
    plain: list[Word] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.text.startswith("--") or word.quoted:
            plain.append(word)
            continue
        name, equals, value = word.text[2:].partition("=")
        if name not in known:
            raise LanguageError(f"{command.name} has no option --{name}{did_you_mean(name, known)}", line, word)
        option = known[name]
        if option.kind is None:
            options[name] = word
        elif equals:
            options[name] = Word(value, word.start + 3 + len(name), word.end)
        elif waiting:
            options[name] = waiting.pop(0)
        else:
            raise LanguageError(f"--{name} needs {option.kind.value}", line, word)
        _require_choice(option.choices, options[name], line)
    return Arguments(line, _assign(command, plain, line), options)


def _assign(command: CommandSpec, plain: list[Word], line: str) -> dict[str, tuple[Word, ...]]:
    given: dict[str, tuple[Word, ...]] = {}
    settings = tuple(word for word in plain if "=" in word.text) if _takes_settings(command) else ()
    rest = [word for word in plain if word not in settings]
    for argument in command.arguments:
        if argument.kind is Kind.SETTING:
            given[argument.name] = settings
            if not settings and not argument.optional:
                raise LanguageError(f"{command.name} needs name=value; usage: {command.usage}", line, _after(line))
        elif argument.many:
            given[argument.name] = tuple(rest)
            rest = []
        elif rest:
            given[argument.name] = (rest.pop(0),)
            _require_choice(argument.choices, given[argument.name][0], line)
        if not given.get(argument.name) and not argument.optional and argument.kind is not Kind.SETTING:
            shown = " or ".join(argument.choices) if argument.choices else argument.kind.value
            message = f"{command.name} needs {argument.name}: {shown}; usage: {command.usage}"
            raise LanguageError(message, line, _after(line))
    if rest:
        raise LanguageError(f"{command.name} takes no further word; usage: {command.usage}", line, rest[0])
    return given


def _takes_settings(command: CommandSpec) -> bool:
    return any(argument.kind is Kind.SETTING for argument in command.arguments)


def _require_choice(choices: tuple[str, ...], word: Word, line: str) -> None:
    if choices and word.text not in choices:
        hint = did_you_mean(word.text, choices)
        raise LanguageError(f"{word.text!r} is not one of {', '.join(choices)}{hint}", line, word)


def _after(line: str) -> Word:
    return Word("", len(line.rstrip()) + 1, len(line.rstrip()) + 1)
