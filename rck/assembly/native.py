"""The native file, `.rck`: reading it strictly, writing it so that one edit is one small diff."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from rck.assembly.document import VERSION, Assembly, replaced
from rck.catalogue.plain_yaml import line_of
from rck.catalogue.typed_yaml import FileError, convert, parse, read_text
from rck.model.files import write_atomically

UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""By version: what brings a file of that version to the next."""

_SECTIONS = ("parts", "mates", "joints", "poses", "tools", "ports", "views")
"""Written with a line for each entry."""


def read_assembly(path: Path) -> Assembly:
    """The assembly in a file; an error names file, line and path of keys."""
    return parse_assembly(read_text(path), str(path))


def parse_assembly(text: str, where: str = "assembly") -> Assembly:
    """The assembly in a text of the native format."""
    data = upgraded(parse(text, where), text, where)
    return normalised(convert(data, Assembly, text, where))


def upgraded(
    data: dict[str, Any],
    text: str,
    where: str,
    upgrades: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
    newest: int = VERSION,
) -> dict[str, Any]:
    """The data brought to the newest version of the format."""
    steps = UPGRADES if upgrades is None else upgrades
    version = data.get("rck")
    if not isinstance(version, int) or isinstance(version, bool):
        message = f"this is not an RCK assembly: it must begin with `rck: {VERSION}`"
        raise FileError(where, line_of(text, ("rck",)), ("rck",) if "rck" in data else (), message)
    if version > newest:
        message = f"version {version} was written by a newer RCK; this one knows {newest}: pip install -U rck"
        raise FileError(where, line_of(text, ("rck",)), ("rck",), message)
    while version < newest:
        if version not in steps:
            raise FileError(where, line_of(text, ("rck",)), ("rck",), f"there is no version {version}")
        data = {**steps[version](data), "rck": version + 1}
        version += 1
    return data


def normalised(assembly: Assembly) -> Assembly:
    """The same assembly with its mates in the order that files keep: by what is put in place."""
    return replaced(assembly, mates=sorted(assembly.mates, key=lambda mate: (mate.put, mate.at)))


def format_assembly(assembly: Assembly) -> str:
    """The text of the native file: sorted, an entry a line, defaults left out."""
    data: dict[str, Any] = _data(normalised(assembly))
    lines = [f"rck: {VERSION}", f"name: {_flow(assembly.name)}"]
    units = data.get("units", {})
    shown = {"length": assembly.units.length, "angle": assembly.units.angle, **units}
    lines.append(f"units: {_flow(shown)}")
    if assembly.notes:
        lines.append(_block({"notes": assembly.notes}))
    for section in _SECTIONS:
        entries = data.get(section)
        if not entries:
            continue
        lines.append(f"{section}:")
        if isinstance(entries, list):
            lines += [f"- {_flow(entry)}" for entry in entries]
        else:
            lines += [f"  {_flow(name)}: {_flow(entries[name])}" for name in sorted(entries)]
    if "pieces" in data:
        lines.append(_block({"pieces": data["pieces"]}))
    return "\n".join(lines) + "\n"


def _data(value: Any) -> Any:
    """Structs as mappings of what is not at its default."""
    if isinstance(value, msgspec.Struct):
        return {
            field.encode_name: _data(one)
            for field in msgspec.structs.fields(value)
            if (one := getattr(value, field.name)) != _default(field)
        }
    if isinstance(value, dict):
        return {key: _data(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_data(one) for one in value]
    return value


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def _plain(value: Any) -> Any:
    """Whole numbers without a point, as people write them."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _flow(value: Any) -> str:
    text: str = yaml.dump(
        _plain(value), Dumper=_Dumper, default_flow_style=True, width=1 << 20, sort_keys=False, allow_unicode=True
    )
    return text.removesuffix("...\n").rstrip("\n")


def _block(value: Any) -> str:
    text: str = yaml.dump(
        _plain(value), Dumper=_Dumper, default_flow_style=None, width=120, sort_keys=True, allow_unicode=True
    )
    return text.rstrip("\n")


def write_assembly(path: Path, assembly: Assembly) -> None:
    """Save in one step: the old file or the new one, never half of either."""
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
