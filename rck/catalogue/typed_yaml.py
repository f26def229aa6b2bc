"""YAML files decoded into typed values; an error names the file, the line and the path of keys."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from rck.model.finding import RckError
from rck.model.names import did_you_mean

T = TypeVar("T")
Keys = tuple[str | int, ...]

LARGEST = 64 * 1024 * 1024
"""Bytes; a larger file is refused before it is read."""

_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]*)`")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


class FileError(RckError):
    """A file that cannot be used: `file:line: path: what is wrong`."""

    def __init__(self, where: str, line: int | None, keys: Keys, message: str) -> None:
        self.line = line
        self.keys = keys
        self.message = message
        place = where if line is None else f"{where}:{line}"
        path = ".".join(str(key) for key in keys)
        super().__init__(f"{place}: {path}: {message}" if path else f"{place}: {message}")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Plain data only; a key that stands twice is an error, not the last one wins."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: dict[Any, yaml.Node] = {}
        for key_node, _ in node.value:
            key = key_node.value
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands twice", key_node.start_mark
                )
            seen[key] = key_node
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


# YAML 1.1 reads `on`, `off`, `yes` and `no` as truth values; as in YAML 1.2, here they are words.
_Loader.yaml_implicit_resolvers = {
    mark: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for mark, resolvers in _Loader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), ["t", "f"])


def read_text(path: Path) -> str:
    """The text of a file of bearable size."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileError(str(path), None, (), f"{size >> 20} MiB is more than the {LARGEST >> 20} MiB allowed")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FileError(str(path), None, (), "this is not a text file (UTF-8)") from None
    except OSError as error:
        raise FileError(str(path), None, (), error.strerror or str(error)) from None


def parse(text: str, where: str) -> dict[str, Any]:
    """The mapping that a YAML text holds."""
    try:
        if "&" in text and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
            raise FileError(where, None, (), "YAML aliases (*name) are not used here; write the value out")
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise FileError(where, line, (), " ".join(str(error.problem).split())) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FileError(where, None, (), " ".join(str(error).split())) from None
    if not isinstance(data, dict):
        raise FileError(where, 1, (), "a mapping of keys to values is expected here")
    return data


def convert(data: dict[str, Any], kind: type[T], text: str, where: str) -> T:
    """The data as a typed value; `text` is what it was read from, for the line of an error."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message, keys = _explain(error, data, kind)
        raise FileError(where, line_of(text, keys), keys, message) from None


def _explain(error: msgspec.ValidationError, data: dict[str, Any], kind: type) -> tuple[str, Keys]:
    said, _, path = str(error).partition(" - at `")
    said = said[:1].lower() + said[1:]
    keys = _resolve(path.rstrip("`"), data, kind, str(error))
    unknown = _UNKNOWN_FIELD.search(said)
    if unknown:
        keys = (*keys, unknown[1])
        said = "there is no such key" + did_you_mean(unknown[1], sorted(set(_field_names(kind))))
    elif "missing required field" in said:
        said = "missing: " + said.split("`")[1]
    return said.replace("`", ""), keys


def _resolve(path: str, data: Any, kind: type, message: str) -> Keys:
    """The keys of a path in which msgspec writes ``[...]`` for the keys of a mapping."""
    keys: list[str | int] = []
    here = data
    for name, index in _STEP.findall(path):
        known: str | int = int(index) if index.isdigit() else name
        key = _guilty_key(tuple(keys), data, kind, message) if index == "..." else known
        keys.append(key)
        try:
            here = here[key]
        except (KeyError, IndexError, TypeError):
            break
    return tuple(keys)


def _guilty_key(keys: Keys, data: Any, kind: type, message: str) -> str:
    """The key of the mapping at `keys` whose value gives the same error when it stands alone."""
    mapping = data
    for key in keys:
        mapping = mapping[key]
    for candidate in mapping:
        try:
            msgspec.convert(_with(data, keys, {candidate: mapping[candidate]}), kind)
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


def _field_names(kind: Any, seen: set[Any] | None = None) -> Iterator[str]:
    """The keys of a record and of all records inside it."""
    seen = set() if seen is None else seen
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind in seen:
            return
        seen.add(kind)
        for field in msgspec.structs.fields(kind):
            yield field.encode_name
            yield from _field_names(field.type, seen)
    for inner in getattr(kind, "__args__", ()):
        yield from _field_names(inner, seen)


def line_of(text: str, keys: Keys) -> int | None:
    """The line, from 1, where the value under the keys begins; as deep as the text goes."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError:
        return None
    if node is None:
        return None
    line = node.start_mark.line
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(key)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line
        else:
            break
    return int(line) + 1
