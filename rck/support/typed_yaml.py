"""YAML files decoded into typed values; errors name the file, the line and the path of keys."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import inspect

from rck.support.finding import RckError
from rck.support.names import did_you_mean
from rck.support.plain_yaml import Keys, YamlError, line_of, load_yaml

T = TypeVar("T")

LARGEST = 64 * 1024 * 1024
"""Maximum size in bytes; larger files are refused before they are read."""

_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]*)`")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_TYPES = re.compile(r"`([^`]*)`")
_PLAIN_WORDS = {"float": "a number", "int": "a whole number", "str": "text", "bool": "true or false"} | {
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """Frozen record that refuses unknown keys."""


class FileError(RckError):
    """Error about a file: `file:line: path: problem`."""

    def __init__(self, where: str, line: int | None, keys: Keys, message: str) -> None:
        self.line = line
        self.keys = keys
        self.message = message
        place = where if line is None else f"{where}:{line}"
        path = ".".join(str(key) for key in keys)
        super().__init__(f"{place}: {path}: {message}" if path else f"{place}: {message}")


def read_text(path: Path) -> str:
    """Return the text of a file, up to the maximum size."""
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            raise FileError(str(path), None, (), "this is not a file")
        if status.st_size > LARGEST:
            mib = f"{status.st_size >> 20} MiB is more than the {LARGEST >> 20} MiB allowed"
            raise FileError(str(path), None, (), mib)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FileError(str(path), None, (), "this is not a text file (UTF-8)") from None
    except (OSError, ValueError) as error:
        # A path with a null character is a ValueError.
        raise FileError(str(path), None, (), getattr(error, "strerror", None) or str(error)) from None


def parse(text: str, where: str) -> dict[str, Any]:
    """Parse a YAML text that is a mapping."""
    try:
        data = load_yaml(text)
    except YamlError as error:
        raise FileError(where, error.line, (), error.message) from None
    if data is None:
        raise FileError(where, None, (), "the file is empty")
    if not isinstance(data, dict):
        raise FileError(where, 1, (), "expected a mapping of keys to values")
    return data


Decode: TypeAlias = Callable[[type, Any], Any] | None
"""A function that decodes values of types that msgspec does not know."""


def convert(data: dict[str, Any], kind: type[T], text: str, where: str, decode: Decode = None) -> T:
    """Convert data to a typed value; `text` is its source, for the line of an error."""
    try:
        return msgspec.convert(data, kind, dec_hook=decode)
    except msgspec.ValidationError as error:
        message, keys = _explain(error, data, kind, decode)
        line = line_of(text, keys)
        # The last line of a truncated text has no end.
        if not text.endswith("\n") and line == text.count("\n") + 1 > 1:
            message = f"{message}; is the file truncated here?"
        raise FileError(where, line, keys, message) from None


def _explain(error: msgspec.ValidationError, data: dict[str, Any], kind: type, decode: Decode) -> tuple[str, Keys]:
    said, _, path = str(error).partition(" - at `")
    said = said[:1].lower() + said[1:]
    keys = _resolve(path.rstrip("`"), data, kind, str(error), decode)
    unknown = _UNKNOWN_FIELD.search(said)
    if unknown:
        known = _known_keys(kind, keys)
        hint = did_you_mean(unknown[1], known) or f"; known: {', '.join(known)}"
        return "there is no such key" + hint, (*keys, unknown[1])
    if "missing required field" in said:
        return "missing: " + said.split("`")[1], keys
    if said.startswith("invalid enum value"):
        word = said.split("'")[1]
        known = _known_words(kind, keys)
        return f"{word!r} is not known{did_you_mean(word, known)}; choose from: {', '.join(known)}", keys
    return _TYPES.sub(lambda types: _in_words(types[1]), said), keys


def _in_words(types: str) -> str:
    """Describe a type such as `float | str` as `a number or text`."""
    return " or ".join(_PLAIN_WORDS.get(one, one) for one in types.split(" | "))


def _resolve(path: str, data: Any, kind: type, message: str, decode: Decode) -> Keys:
    """Return the keys of a path in which msgspec writes ``[...]`` for the keys of a mapping."""
    keys: list[str | int] = []
    here = data
    for name, index in _STEP.findall(path):
        known: str | int = int(index) if index.isdigit() else name
        key = _guilty_key(tuple(keys), data, kind, message, decode) if index == "..." else known
        keys.append(key)
        try:
            here = here[key]
        except (KeyError, IndexError, TypeError):
            break
    return tuple(keys)


def _guilty_key(keys: Keys, data: Any, kind: type, message: str, decode: Decode) -> str:
    """Return the key of the mapping at `keys` whose value causes the same error when converted alone."""
    mapping = data
    for key in keys:
        mapping = mapping[key]
    for candidate in mapping:
        try:
            msgspec.convert(_with(data, keys, {candidate: mapping[candidate]}), kind, dec_hook=decode)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return str(candidate)
    return str(next(iter(mapping)))


def _with(data: Any, keys: Sequence[str | int], value: Any) -> Any:
    if not keys:
        return value
    if isinstance(data, list):
        return [_with(one, keys[1:], value) if i == keys[0] else one for i, one in enumerate(data)]
    return {key: _with(one, keys[1:], value) if key == keys[0] else one for key, one in data.items()}


def _known_keys(kind: type, keys: Keys) -> list[str]:
    """Return the valid keys of a record at this path."""
    here = _types_at(kind, keys)
    return [field.encode_name for one in here if isinstance(one, inspect.StructType) for field in one.fields]


def _known_words(kind: type, keys: Keys) -> list[str]:
    """Return the valid words of the value at this path."""
    return [
        str(word)
        for one in _types_at(kind, keys)
        for word in (
            one.values
            if isinstance(one, inspect.LiteralType)
            else [member.value for member in one.cls]
            if isinstance(one, inspect.EnumType)
            else ()
        )
    ]


def _types_at(kind: type, keys: Keys) -> list[inspect.Type]:
    """Return the types that the value at this path may have."""
    here = list(_alternatives(inspect.type_info(kind)))
    for key in keys:
        here = [inner for one in here for inner in _inside(one, key)]
    return here


def _inside(info: inspect.Type, key: str | int) -> Iterator[inspect.Type]:
    """Return the type of the value at a key."""
    if isinstance(info, inspect.StructType):
        for field in info.fields:
            if field.encode_name == key:
                yield from _alternatives(field.type)
    elif isinstance(info, inspect.DictType):
        yield from _alternatives(info.value_type)
    elif isinstance(info, inspect.ListType | inspect.VarTupleType):
        yield from _alternatives(info.item_type)
    elif isinstance(info, inspect.TupleType) and isinstance(key, int) and key < len(info.item_types):
        yield from _alternatives(info.item_types[key])


def _alternatives(info: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(info, inspect.UnionType):
        yield from info.types
    else:
        yield info
