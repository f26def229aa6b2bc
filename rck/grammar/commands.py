"""Declarations of commands: their arguments and options, and the words that a line gives for them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias, TypeVar

from rck.grammar.tokens import LanguageError, Word
from rck.support.finding import RckError
from rck.support.units import format_number, format_quantity

T = TypeVar("T")
Default = TypeVar("Default")

Suggest: TypeAlias = Callable[[Any], Iterable[str]]
"""Receives the document and returns words for completion."""


class ValueKind(Enum):
    """Meaning of a word. Help shows the text; completion offers the values that exist in the document."""

    PART = "a part of the catalogue, a local part, or a .rck file"
    INSTANCE = "an instance"
    BODY = "an item, an instance or a group"
    LEVEL = "an instance, or a type such as joint or tool followed by a name"
    END = "instance.port, instance.item#subitem.face, or an instance"
    PORT = "a port of the part"
    JOINT = "a joint"
    POSE = "a named pose"
    NAME = "a name"
    FILE = "a file"
    FORMAT = "the name of an importer or exporter"
    ANGLE = "an angle, such as 90deg"
    LENGTH = "a length, such as 20mm"
    COUNT = "a whole number"
    VECTOR = "three numbers separated by commas, such as 0,0,100"
    POINTS = "three points separated by semicolons, such as '0,0,0; 1,0,0; 0,1,0'"
    NUMBER = "a number"
    AXIS = "x, y, z, -x, -y, -z, or three numbers separated by commas"
    RANGE = "a range, such as -90..90"
    SETTING = "name=value"
    QUERY = "a word, or a comparison such as payload>=3kg"
    COMMAND = "a command"
    TEXT = "text"
    CHOICE = "one of the listed words"


@dataclass(frozen=True, slots=True)
class Argument:
    """A positional argument of a command."""

    name: str
    kind: ValueKind
    optional: bool = False
    many: bool = False
    """True if it takes all remaining words."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    """Smallest number; of a length in metres, of an angle in radians."""
    maximum: float | None = None
    suggest: Suggest | None = None
    """Returns words that completion offers for the document, in addition to those of the kind."""

    @property
    def meaning(self) -> str:
        """The choices, or a description of the kind and its range."""
        return " or ".join(self.choices) or self.kind.value + range_text(self.kind, self.minimum, self.maximum)


@dataclass(frozen=True, slots=True)
class CommandOption:
    """An option, written `--name VALUE`; one without a kind is a flag and takes no value."""

    name: str
    summary: str
    kind: ValueKind | None = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    """Smallest number; of a length in metres, of an angle in radians."""
    maximum: float | None = None
    default: str = ""
    """The value of a line without the option, as a user would type it."""
    suggest: Suggest | None = None
    """Returns words that completion offers for the document, in addition to those of the kind."""
    required: bool = False
    """True if a line without the option is refused."""

    @property
    def usage(self) -> str:
        """The option as usage shows it, in brackets unless it is required."""
        shown = f"--{self.name} {self.name.upper()}" if self.kind else f"--{self.name}"
        return shown if self.required else f"[{shown}]"

    @property
    def meaning(self) -> str:
        """The choices, or a description of the kind, with range and default; empty for a flag."""
        if self.kind is None:
            return ""
        meaning = "|".join(self.choices) or self.kind.value + range_text(self.kind, self.minimum, self.maximum)
        return f"{meaning}; default: {self.default}" if self.default else meaning


_UNITS = {ValueKind.LENGTH: ("length", "mm"), ValueKind.ANGLE: ("angle", "deg")}
"""The dimension of a kind, and the unit in which messages show its limits."""


def range_text(kind: ValueKind, minimum: float | None, maximum: float | None) -> str:
    """Return the range of a value as text to append to a description; empty without limits."""

    def shown(value: float) -> str:
        return format_quantity(value, *_UNITS[kind]) if kind in _UNITS else format_number(value)

    if minimum is not None and maximum is not None:
        return f", {shown(minimum)} to {shown(maximum)}"
    if minimum is not None:
        return f", at least {shown(minimum)}"
    return "" if maximum is None else f", at most {shown(maximum)}"


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """The declaration of a command; parsing, help and completion need nothing else."""

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[CommandOption, ...] = ()
    details: str = ""
    """Further sentences for `help`."""
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    """Other names; an alias may have two words, such as `create mate`."""
    slow: bool = False
    """True if it may take long; the editor then runs it in the background and shows its progress."""

    @property
    def usage(self) -> str:
        """The command with its arguments, optional ones in brackets."""
        words = [self.name]
        for argument in self.arguments:
            shown = "|".join(argument.choices) if argument.choices else argument.name.upper()
            shown += "..." if argument.many else ""
            words.append(f"[{shown}]" if argument.optional else shown)
        return " ".join([*words, *(option.usage for option in self.options)])

    @property
    def takes_settings(self) -> bool:
        """True if an argument consists of `name=value` words."""
        return any(argument.kind is ValueKind.SETTING for argument in self.arguments)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments and options of one line, as words that know their position in it."""

    line: str
    words: Mapping[str, tuple[Word, ...]]
    """The words of each argument, by its name."""
    options: Mapping[str, Word]
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The values of arguments and options, checked against their declarations; of built-in commands, only those with a
    range and whole numbers."""

    def value(self, name: str) -> Any:
        """Return the value of an argument or option of a plugin's command; None if it was omitted."""
        values = self.values.get(name, ())
        return values[0] if values else None

    def number(self, name: str) -> float:
        """Return a number, a length in metres or an angle in radians."""
        return float(self._required(name))

    def count(self, name: str) -> int:
        """Return a whole number."""
        return int(self._required(name))

    def vector(self, name: str) -> tuple[float, float, float]:
        """Return a point in metres, or the direction of an axis."""
        x, y, z = self._required(name)
        return float(x), float(y), float(z)

    def _required(self, name: str) -> Any:
        value = self.value(name)
        if value is None:
            raise LanguageError(f"a value for {name} is missing", self.line, self._word(name))
        return value

    def text(self, name: str) -> str:
        """Return the word of an argument, or an empty string if it was omitted."""
        words = self.words.get(name, ())
        return words[0].text if words else ""

    def texts(self, name: str) -> list[str]:
        """Return all words of an argument."""
        return [word.text for word in self.words.get(name, ())]

    def option(self, name: str) -> str | None:
        """Return the value of an option, or None if it was omitted."""
        word = self.options.get(name)
        return None if word is None else word.text

    def has(self, name: str) -> bool:
        """Return True if the line contains the option."""
        return name in self.options

    def read(self, name: str, parse: Callable[[str], T]) -> T:
        """Parse an argument or option; an error of the parser points at its word."""
        word = self._word(name)
        with self.pointing(name):
            return parse("" if word is None else word.text)

    def read_option(self, name: str, parse: Callable[[str], T], default: Default) -> T | Default:
        """Parse an option, or return the default if it was omitted."""
        return self.read(name, parse) if name in self.options else default

    def settings(self, name: str) -> dict[str, Word]:
        """Return the values of the `name=value` words of an argument, by name."""
        values: dict[str, Word] = {}
        for word in self.words.get(name, ()):
            key, _, value = word.text.partition("=")
            key = key.strip()
            if not key or key in values:
                raise LanguageError(f"{key} is set twice" if key else "a name is missing before =", self.line, word)
            values[key] = Word(value.strip(), word.start, word.end)
        return values

    @contextmanager
    def pointing(self, at: str | Word) -> Iterator[None]:
        """Make errors raised in the block point at an argument, an option or a word."""
        try:
            yield
        except LanguageError:
            raise
        except (RckError, ValueError) as error:
            word = self._word(at) if isinstance(at, str) else at
            raise LanguageError(str(error), self.line, word) from None

    def refuse(self, message: str, name: str = "") -> LanguageError:
        """Return an error that points at the argument or option of that name."""
        return LanguageError(message, self.line, self._word(name))

    def _word(self, name: str) -> Word | None:
        words = self.words.get(name, ())
        return words[0] if words else self.options.get(name)
