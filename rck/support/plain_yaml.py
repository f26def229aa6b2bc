"""YAML with plain data only: mappings, lists, texts, numbers, true, false and null.

`on` and `12:30` are texts, as in YAML 1.2, and keys are always texts. Repeated keys, aliases, tags, numbers that are
not finite, and nesting beyond a limit are errors with their line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import yaml

DEEPEST = 40
"""Maximum nesting depth; no file of RCK needs ten levels."""

_SCALARS = {
    "tag:yaml.org,2002:null": (re.compile("null|Null|NULL|~|"), ["n", "N", "~", ""]),
    "tag:yaml.org,2002:bool": (re.compile("true|True|TRUE|false|False|FALSE"), list("tTfF")),
    "tag:yaml.org,2002:int": (re.compile("[-+]?[0-9]+"), list("-+0123456789")),
    "tag:yaml.org,2002:float": (
        re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
        list("-+.0123456789"),
    ),
}
"""Patterns of unquoted words that are not texts, with their possible first letters."""
_FIRST_LETTERS = frozenset(letter for _, letters in _SCALARS.values() for letter in letters)

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
    builder = _Builder({} if lines is None else lines)
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
class _Open:
    """Mapping or list that is still open."""

    data: dict[str, Any] | list[Any]
    path: Keys
    key: str | None = None
    """In a mapping, the key of the next value."""


@dataclass(slots=True)
class _Builder:
    """Builder of data from parser events. Its own stack turns deep nesting into an error instead of a crash."""

    lines: dict[Keys, int]
    root: Any = None
    documents: int = 0
    open: list[_Open] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        assert event.start_mark is not None
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.AliasEvent):
            raise YamlError("YAML aliases (*name) are not supported; write the value instead", line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise YamlError("a second document begins here; a file has only one", line)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._begin(event, {} if isinstance(event, yaml.MappingStartEvent) else [], line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self.open.pop()

    def _begin(self, event: yaml.CollectionStartEvent, data: dict[str, Any] | list[Any], line: int) -> None:
        _refuse_tag(event.tag, line)
        if len(self.open) >= DEEPEST:
            raise YamlError(f"nested more than {DEEPEST} levels deep", line)
        if self._key_is_next():
            raise YamlError("a key must be a word, not a list or a mapping", line)
        self.open.append(_Open(data, self._put(data, line)))

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        _refuse_tag(event.tag, line)
        if not self._key_is_next():
            self._put(plain_value(event.value, line) if event.implicit[0] else event.value, line)
            return
        here = self.open[-1]
        if event.value in here.data:
            raise YamlError(f"the key {event.value!r} is repeated; remove one", line)
        here.key = event.value
        self.lines[(*here.path, event.value)] = line

    def _key_is_next(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1].data, dict) and self.open[-1].key is None

    def _put(self, value: Any, line: int) -> Keys:
        """Insert a value; return its path."""
        if not self.open:
            self.root = value
            self.lines[()] = line
            return ()
        here = self.open[-1]
        if isinstance(here.data, list):
            path: Keys = (*here.path, len(here.data))
            here.data.append(value)
            self.lines[path] = line
            return path
        assert here.key is not None
        path = (*here.path, here.key)
        here.data[here.key] = value
        here.key = None
        return path


def _refuse_tag(tag: str | None, line: int) -> None:
    if tag is not None:
        raise YamlError(f"YAML tags ({tag}) are not supported; remove the tag", line)


def plain_value(text: str, line: int | None = None) -> Any:
    """Return the value of an unquoted word."""
    if text and text[0] not in _FIRST_LETTERS:
        return text
    kind = next((tag.rpartition(":")[2] for tag, (pattern, _) in _SCALARS.items() if pattern.fullmatch(text)), "str")
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
    _Dumper.add_implicit_resolver(_tag, re.compile(f"(?:{_pattern.pattern})$"), _letters)


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
