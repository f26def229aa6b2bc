"""YAML with plain data only: mappings, lists, texts, numbers, true, false and null.

`on` and `12:30` are texts, as in YAML 1.2, and keys are always texts. Repeated keys, aliases, tags, numbers that are
not finite, and nesting beyond a limit are errors with their line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, cast

import yaml

DEEPEST = 40
"""Maximum nesting depth; no file of RCK needs ten levels."""

_SCALARS = {
    "null": ("null|Null|NULL|~|", ["n", "N", "~", ""]),
    "bool": ("true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": ("[-+]?[0-9]+", list("-+0123456789")),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
}
"""Patterns of unquoted words that are not texts, with their possible first letters."""
_FIRST_LETTERS = frozenset(letter for _, letters in _SCALARS.values() for letter in letters)
_WORD = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, (pattern, _) in _SCALARS.items()))

Keys = tuple[str | int, ...]


class YamlError(ValueError):
    """Syntax error of a text, with its line, from 1."""

    def __init__(self, message: str, line: int | None) -> None:
        self.message = message
        self.line = line
        super().__init__(message)


def load_yaml(text: str, lines: dict[Keys, int] | None = None) -> Any:
    """Parse a YAML text; `lines`, if given, receives the first line of the value at each path."""
    odd = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if odd is not None:
        raise YamlError(
            f"the character {odd[0]!r} does not belong in a text file", text.count("\n", 0, odd.start()) + 1
        )
    builder = _Builder(lines)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem).split())
        if mark is not None and not text[mark.index :].strip():
            raise YamlError(f"the file is truncated: {problem}", text.rstrip().count("\n") + 1) from None
        raise YamlError(problem, mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise YamlError(" ".join(str(error).split()), None) from None
    return builder.root


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class _Builder:
    """Builder of data from parser events. Its own stack turns deep nesting into an error instead of a crash."""

    lines: dict[Keys, int] | None
    root: Any = None
    documents: int = 0
    open: list[dict[str, Any] | list[Any]] = field(default_factory=list)
    """The mappings and lists that are still open, outermost first."""
    path: list[str | int | None] = field(default_factory=list)
    """In each of them, the key of the value that is built or comes next; None if a key comes next."""

    def take(self, event: yaml.Event) -> None:
        assert event.start_mark is not None
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event, {} if isinstance(event, yaml.MappingStartEvent) else [], line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
            self.path.pop()
            self._go_on()
        elif isinstance(event, yaml.AliasEvent):
            raise YamlError("YAML aliases (*name) are not supported; write the value instead", line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise YamlError("a second document begins here; a file has only one", line)

    def _begin(self, event: yaml.CollectionStartEvent, data: dict[str, Any] | list[Any], line: int) -> None:
        _refuse_tag(event.tag, line)
        if len(self.open) >= DEEPEST:
            raise YamlError(f"nested more than {DEEPEST} levels deep", line)
        if self.path and self.path[-1] is None:
            raise YamlError("a key must be a word, not a list or a mapping", line)
        self._put(data, line)
        self.open.append(data)
        self.path.append(0 if isinstance(data, list) else None)

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        _refuse_tag(event.tag, line)
        text = event.value
        if not self.path or self.path[-1] is not None:
            self._put(plain_value(text, line) if event.implicit[0] else text, line)
            self._go_on()
            return
        if text in self.open[-1]:
            raise YamlError(f"the key {text!r} is repeated; remove one", line)
        self.path[-1] = text
        self._note(line)

    def _put(self, value: Any, line: int) -> None:
        """Insert a value."""
        if not self.open:
            self.root = value
        elif isinstance(here := self.open[-1], list):
            here.append(value)
        else:
            here[cast(str, self.path[-1])] = value
            return  # The line of its key is noted.
        self._note(line)

    def _note(self, line: int) -> None:
        if self.lines is not None:
            self.lines[cast(Keys, tuple(self.path))] = line

    def _go_on(self) -> None:
        """Continue after a value: with the next element of a list, or with a key."""
        if self.path:
            last = self.path[-1]
            self.path[-1] = last + 1 if isinstance(last, int) else None


def _refuse_tag(tag: str | None, line: int) -> None:
    if tag is not None:
        raise YamlError(f"YAML tags ({tag}) are not supported; remove the tag", line)


def plain_value(text: str, line: int | None = None) -> Any:
    """Return the value of an unquoted word."""
    if text and text[0] not in _FIRST_LETTERS:
        return text
    word = _WORD.fullmatch(text)
    kind = "str" if word is None else word.lastgroup
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "str":
        return text
    number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    if not isfinite(number):
        raise YamlError(f"{text[:40]} is not a finite number", line)
    return int(text) if kind == "int" and abs(number) < 2**53 else number


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writer whose output :func:`load_yaml` reads unchanged; multi-line texts are quoted on one line."""

    yaml_implicit_resolvers: dict[str, list[Any]] = {}

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _tag, (_pattern, _letters) in _SCALARS.items():
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), _letters)


def _text(dumper: Any, text: str) -> yaml.ScalarNode:
    style = '"' if not text.isprintable() else None
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)
    return node


_Dumper.add_representer(str, _text)


def dump_flow(value: Any) -> str:
    """Format a value on one line."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=True, width=1 << 20, sort_keys=False, allow_unicode=True
    )
    return text.removesuffix("...\n").rstrip("\n")


def dump_block(value: Any) -> str:
    """Format a value with indentation, the innermost lists and mappings on one line each."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=None, width=120, sort_keys=False, allow_unicode=True
    )
    return text.rstrip("\n")


def line_of(text: str, keys: Keys) -> int | None:
    """Return the line, from 1, of the value at a path of keys, or of the deepest key that exists."""
    lines: dict[Keys, int] = {}
    try:
        load_yaml(text, lines)
    except YamlError:
        return None
    return next((lines[path] for path in _ever_shorter(keys) if path in lines), None)


def _ever_shorter(keys: Keys) -> Iterator[Keys]:
    for length in range(len(keys), -1, -1):
        yield keys[:length]
