"""The native file, `.rck`: reading it strictly, writing it so that one edit is one small diff."""

import hashlib
from collections.abc import Callable
from errno import EACCES
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rck.assembly.document import VERSION, Assembly, replaced
from rck.model.files import write_atomically
from rck.model.plain_yaml import dump_block, dump_flow, line_of
from rck.model.typed_yaml import FileError, convert, parse, read_text

UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""By version: what brings a file of that version to the next."""

_ORDERED = ("items", "joints", "ports", "devices")
"""Of a piece: kept as they come, since the first item is the one that it stands on."""

_SECTIONS = ("parts", "mates", "joints", "poses", "tools", "ports", "views", "groups", "contacts")
"""Written with a line for each entry."""


def read_assembly(path: Path) -> Assembly:
    """The assembly in a file; an error names file, line and path of keys."""
    return parse_assembly(read_text(path), str(path))


def parse_assembly(text: str, where: str = "assembly") -> Assembly:
    """The assembly in a text of the native format."""
    data = upgraded(parse(text, where), text, where)
    return normalised(convert(data, Assembly, text, where))


def upgraded(data: dict[str, Any], text: str, where: str) -> dict[str, Any]:
    """The data brought to the newest version of the format."""
    version = data.get("rck")
    if not isinstance(version, int) or isinstance(version, bool):
        message = f"this is not an RCK assembly: it must begin with `rck: {VERSION}`"
        raise FileError(where, line_of(text, ("rck",)), ("rck",) if "rck" in data else (), message)
    if version > VERSION:
        message = f"version {version} was written by a newer RCK; this one knows {VERSION}: pip install -U rck"
        raise FileError(where, line_of(text, ("rck",)), ("rck",), message)
    while version < VERSION:
        if version not in UPGRADES:
            raise FileError(where, line_of(text, ("rck",)), ("rck",), f"there is no version {version}")
        data = {**UPGRADES[version](data), "rck": version + 1}
        version += 1
    return data


def normalised(assembly: Assembly) -> Assembly:
    """The same assembly with its mates in the order that files keep: by what is put in place."""
    ordered = sorted(assembly.mates, key=lambda mate: (mate.put, mate.at))
    return assembly if ordered == assembly.mates else replaced(assembly, mates=ordered)


def format_assembly(assembly: Assembly) -> str:
    """The text of the native file: sorted, an entry a line, defaults left out."""
    data: dict[str, Any] = _data(normalised(assembly))
    lines = [f"rck: {VERSION}", f"name: {dump_flow(assembly.name)}"]
    units = data.get("units", {})
    shown = {"length": assembly.units.length, "angle": assembly.units.angle, **units}
    lines.append(f"units: {dump_flow(shown)}")
    if assembly.notes:
        lines.append(f"notes: {_notes(assembly.notes)}")
    for section in _SECTIONS:
        entries = data.get(section)
        if not entries:
            continue
        lines.append(f"{section}:")
        if isinstance(entries, list):
            lines += [f"- {dump_flow(entry)}" for entry in entries]
        else:
            lines += [f"  {dump_flow(name)}: {dump_flow(one)}" for name, one in sorted(entries.items())]
    if "pieces" in data:
        lines.append(dump_block({"pieces": data["pieces"]}))
    return "\n".join(lines) + "\n"


def _notes(text: str) -> str:
    """A line in quotes where it must be; several lines as lines, so that changing one is a small diff."""
    several = "\n" in text and not text.startswith((" ", "\n")) and not text.endswith("\n")
    if several and all(line.isprintable() for line in text.split("\n")):
        return "|-\n" + "\n".join(f"  {line}" if line else "" for line in text.split("\n"))
    return dump_flow(text)


def _data(value: Any, *, ordered: bool = False) -> Any:
    """Structs as mappings of what is not at its default; whole numbers without a point.

    The entries of a mapping are sorted, unless it is `ordered`.
    """
    if isinstance(value, msgspec.Struct):
        return {
            field.encode_name: _data(one, ordered=field.name in _ORDERED)
            for field in _fields(type(value))
            if (one := getattr(value, field.name)) != _default(field)
        }
    if isinstance(value, dict):
        return {key: _data(one) for key, one in (value.items() if ordered else sorted(value.items()))}
    if isinstance(value, list | tuple):
        return [_data(one) for one in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def write_assembly(path: Path, assembly: Assembly) -> None:
    """Save in one step: the old file or the new one, never half of either."""
    if path.exists() and not path.stat().st_mode & 0o222:
        raise PermissionError(EACCES, "the file is write-protected", str(path))
    write_atomically(path, format_assembly(assembly).encode())


def fingerprint_of(assembly: Assembly) -> str:
    """A hash of what the assembly's file would hold."""
    return hashlib.sha256(format_assembly(assembly).encode()).hexdigest()


def fingerprint(path: Path) -> str:
    """A hash of what the file holds; empty when there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
