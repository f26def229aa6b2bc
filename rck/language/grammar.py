"""What a command looks like: its words, its options, and how a line is read by them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from rck.language.words import LanguageError, Word, split_words
from rck.model import RckError
from rck.model.names import did_you_mean

if TYPE_CHECKING:
    from rck.language.session import Session

T = TypeVar("T")
Default = TypeVar("Default")


class Kind(Enum):
    """What a word stands for; completion offers what there is of it."""

    PART = "a part of the catalogue, a piece, or a file.rck"
    INSTANCE = "an instance"
    BODY = "an item, an instance or a group"
    LEVEL = "an instance; or a kind of thing, such as joint or tool, and its name"
    END = "instance.port, instance.item#subitem.face, or an instance"
    PORT = "a port of the part"
    JOINT = "a joint"
    POSE = "a named pose"
    NAME = "a name"
    FILE = "a file"
    FORMAT = "the name of an importer or exporter"
    ANGLE = "an angle, such as 90deg"
    VECTOR = "three numbers with commas, such as 0,0,100"
    POINTS = "three points with semicolons, such as '0,0,0; 1,0,0; 0,1,0'"
    NUMBER = "a number"
    AXIS = "x, y, z, -x, -y, -z, or three numbers with commas"
    RANGE = "a range, such as -90..90"
    SETTING = "name=value"
    QUERY = "a word, or a comparison such as payload>=3kg"
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

    def read(self, name: str, reader: Callable[[str], T]) -> T:
        """What the reader makes of an argument or option that was given; its refusal points at the word."""
        word = self._word(name)
        with self.pointing(name):
            return reader("" if word is None else word.text)

    def read_option(self, name: str, reader: Callable[[str], T], otherwise: Default) -> T | Default:
        """As :meth:`read`, for an option that may be missing."""
        return self.read(name, reader) if name in self.options else otherwise

    def settings(self, name: str) -> dict[str, Word]:
        """The `name=value` words of an argument: by name, the value as a word."""
        found: dict[str, Word] = {}
        for word in self.words.get(name, ()):
            key, _, value = word.text.partition("=")
            key = key.strip()
            if not key or key in found:
                raise LanguageError(f"{key} is set twice" if key else "a name comes before =", self.line, word)
            found[key] = Word(value.strip(), word.start, word.end)
        return found

    @contextmanager
    def pointing(self, at: str | Word) -> Iterator[None]:
        """Whatever is refused inside is about that argument, option or word."""
        try:
            yield
        except LanguageError:
            raise
        except (RckError, ValueError) as error:
            word = self._word(at) if isinstance(at, str) else at
            raise LanguageError(str(error), self.line, word) from None

    def refuse(self, message: str, name: str = "") -> LanguageError:
        """An error that points at the argument or option of that name."""
        return LanguageError(message, self.line, self._word(name))

    def _word(self, name: str) -> Word | None:
        found = self.words.get(name, ())
        return found[0] if found else self.options.get(name)


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
    """Other words for it; two words stand for `create mate` and the like."""
    edits: bool = True
    """Whether it returns a new assembly, which can be undone; else it acts on the session or only tells."""
    repeats: bool = True
    """Whether doing it again from the same assembly gives the same one, whatever happened to files meanwhile."""
    slow: bool = False
    """Whether it may take long: editors do it beside the interface, with its progress, and let the user stop it."""

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
        begun = {known[name].name for name in known if " " not in name and name.startswith(word.text)}
        if len(begun) == 1:
            return self.commands[begun.pop()]
        hint = f" (could be {', '.join(sorted(begun))})" if begun else did_you_mean(word.text, known)
        raise LanguageError(f"there is no command {word.text!r}{hint}; `help` lists them", line, word)

    def find(self, words: Sequence[Word], line: str) -> tuple[CommandSpec, int]:
        """The command that a line begins with, and how many words name it."""
        if len(words) > 1 and not words[1].quoted:
            both = self.by_word.get(f"{words[0].text} {words[1].text}")
            if both is not None:
                return both, 2
        return self.command(words[0], line), 1


def make_grammar(commands: Sequence[CommandSpec]) -> Grammar:
    """The grammar of these commands."""
    by_word = {name: one for one in commands for name in (one.name, *one.aliases)}
    return Grammar({one.name: one for one in commands}, by_word)


def read_line(grammar: Grammar, line: str) -> tuple[CommandSpec, Arguments] | None:
    """The command of a line with its arguments; None for an empty line."""
    if len(line.splitlines()) > 1:
        raise LanguageError("a command is one line")
    words = split_words(line)
    if not words:
        return None
    command, named_by = grammar.find(words, line)
    return command, read_arguments(command, words[named_by:], line)


def read_arguments(command: CommandSpec, words: Sequence[Word], line: str) -> Arguments:
    """The words after the command, told apart into arguments and options."""
    known = {one.name: one for one in command.options}
    options: dict[str, Word] = {}
    plain: list[Word] = []
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if not word.text.startswith("--") or word.quoted:
            plain.append(word)
            continue
        name, equals, value = word.text[2:].partition("=")
        if name not in known:
            settings = any(one.kind is Kind.SETTING for one in command.arguments)
            hint = f" (settings are written {name}=VALUE)" if settings else ""
            raise LanguageError(f"{command.name} has no option --{name}{did_you_mean(name, known) or hint}", line, word)
        if name in options:
            raise LanguageError(f"--{name} is given twice", line, word)
        option = known[name]
        if option.kind is None:
            if equals:
                raise LanguageError(f"--{name} takes no value", line, word)
            options[name] = word
        elif equals:
            options[name] = Word(value, word.start + 3 + len(name), word.end)
        elif waiting and (waiting[-1].quoted or not waiting[-1].text.startswith("--")):
            options[name] = waiting.pop()
        else:
            raise LanguageError(f"--{name} needs {' or '.join(option.choices) or option.kind.value}", line, word)
        _require_choice(option.choices, options[name], line)
    return Arguments(line, _assign(command, plain, line), options)


def _assign(command: CommandSpec, plain: list[Word], line: str) -> dict[str, tuple[Word, ...]]:
    given: dict[str, tuple[Word, ...]] = {}
    takes_settings = any(argument.kind is Kind.SETTING for argument in command.arguments)
    settings = tuple(word for word in plain if "=" in word.text and not word.quoted) if takes_settings else ()
    rest = [word for word in plain if word not in settings]
    for argument in command.arguments:
        if argument.kind is Kind.SETTING:
            given[argument.name] = settings
        elif argument.many:
            given[argument.name] = tuple(rest)
            rest = []
        elif rest:
            given[argument.name] = (rest.pop(0),)
            _require_choice(argument.choices, given[argument.name][0], line)
        if not given.get(argument.name) and not argument.optional:
            shown = " or ".join(argument.choices) if argument.choices else argument.kind.value
            message = f"{command.name} needs {argument.name}: {shown}; usage: {command.usage}"
            raise LanguageError(message, line, _after(line))
    if rest:
        raise LanguageError(f"{command.name} takes no further word; usage: {command.usage}", line, rest[0])
    return given


def _require_choice(choices: tuple[str, ...], word: Word, line: str) -> None:
    if choices and word.text not in choices:
        hint = did_you_mean(word.text, choices)
        raise LanguageError(f"{word.text!r} is not one of {', '.join(choices)}{hint}", line, word)


def _after(line: str) -> Word:
    return Word("", len(line.rstrip()) + 1, len(line.rstrip()) + 1)
