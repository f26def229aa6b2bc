"""The native file, `.rck`: a strict reader, and a writer that turns one edit into a small diff."""

import hashlib
from collections.abc import Callable
from errno import EACCES
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from rck.assembly.document import VERSION, Assembly, LocalPart, replaced
from rck.model.joint_spec import JOINT_KEYS, JointRatings
from rck.parts.assets import Asset, decode_assets
from rck.parts.manifest import upgrade_ports
from rck.support.files import finish_write, write_files
from rck.support.plain_yaml import dump_block, dump_flow, line_of
from rck.support.typed_yaml import FileError, convert, parse, read_text


def _upgrade_1(data: dict[str, Any]) -> dict[str, Any]:
    """Rename `pieces` to `local-parts`, and the `kind` of ports to `type`."""
    parts = data.get("pieces")
    upgraded = {"local_parts" if key == "pieces" else key: value for key, value in data.items()}
    for part in parts.values() if isinstance(parts, dict) else ():
        upgrade_ports(part)
    return upgraded


UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _upgrade_1}
"""For each old version, the function that upgrades a file to the next version."""

_ORDERED = frozenset({"items", "joints", "ports", "frames", "devices", "actuators", "tendons", "loops", "poses"})
"""Fields of a part that keep their order: the first item is the root."""

_SECTIONS = (
    "parts", "mates", "joints", "actuators", "tendons", "loops", "devices", "poses", "pose-extensions", "extensions",
    "tools", "ports", "views", "groups", "contacts",
    "suppressions",
)  # fmt: skip
"""Sections with one line for each entry."""

_UNSORTED = frozenset({"actuators", "tendons", "loops", "devices", "poses"})
"""Sections whose entries keep their order, which exports use."""


def read_assembly(path: Path) -> Assembly:
    """Read the assembly in a file; an error names the file, the line and the path of keys."""
    finish_write(path)
    return parse_assembly(read_text(path), str(path), path)


def parse_assembly(text: str, where: str = "assembly", path: Path | None = None) -> Assembly:
    """Parse an assembly in the native format; its assets are next to the file at `path`."""
    data = upgraded(parse(text, where), text, where)
    decode = decode_assets(None if path is None else assets_folder(path))
    return normalised(convert(data, Assembly, text, where, decode))


def upgraded(data: dict[str, Any], text: str, where: str) -> dict[str, Any]:
    """Upgrade the data to the newest version of the format."""
    version = data.get("rck")
    if not isinstance(version, int) or isinstance(version, bool):
        message = f"this is not an RCK assembly: it must begin with `rck: {VERSION}`"
        raise FileError(where, line_of(text, ("rck",)), ("rck",) if "rck" in data else (), message)
    if version > VERSION:
        message = f"version {version} was written by a newer RCK; this one reads up to {VERSION}: pip install -U rck"
        raise FileError(where, line_of(text, ("rck",)), ("rck",), message)
    while version < VERSION:
        if version not in UPGRADES:
            raise FileError(where, line_of(text, ("rck",)), ("rck",), f"there is no version {version}")
        data = {**UPGRADES[version](data), "rck": version + 1}
        version += 1
    return data


def normalised(assembly: Assembly) -> Assembly:
    """Return the assembly with its mates sorted by the attached end, as in files."""
    ordered = sorted(assembly.mates, key=lambda mate: (mate.put, mate.at))
    return assembly if ordered == assembly.mates else replaced(assembly, mates=ordered)


def format_assembly(assembly: Assembly) -> str:
    """Format an assembly as a native file: sorted, one entry on each line, without defaults."""
    data: dict[str, Any] = _data(normalised(assembly))
    lines = [f"rck: {VERSION}", f"name: {dump_flow(assembly.name)}"]
    units = data.get("units", {})
    shown = {"length": assembly.units.length, "angle": assembly.units.angle, **units}
    lines.append(f"units: {dump_flow(shown)}")
    if assembly.notes:
        lines.append(f"notes: {_notes(assembly.notes)}")
    if assembly.order:
        lines.append(f"order: {dump_flow(assembly.order)}")
    for section in _SECTIONS:
        entries = data.get(section)
        if not entries:
            continue
        lines.append(f"{section}:")
        if isinstance(entries, list):
            lines += [f"- {dump_flow(entry)}" for entry in entries]
        else:
            listed = entries.items() if section in _UNSORTED else sorted(entries.items())
            lines += [f"  {dump_flow(name)}: {dump_flow(one)}" for name, one in listed]
    if "local_parts" in data:
        lines.append(dump_block({"local_parts": data["local_parts"]}))
    return "\n".join(lines) + "\n"


def _notes(text: str) -> str:
    """Format a text: quoted if necessary, and several lines as a block, so that a change is a small diff."""
    several = "\n" in text and not text.startswith((" ", "\n")) and not text.endswith("\n")
    if several and all(line.isprintable() for line in text.split("\n")):
        return "|-\n" + "\n".join(f"  {line}" if line else "" for line in text.split("\n"))
    return dump_flow(text)


def _data(value: Any, *, ordered: bool = False) -> Any:
    """Convert structs to mappings without defaults, and whole numbers to integers.

    Mappings are sorted unless `ordered` is True.
    """
    if isinstance(value, Asset):
        return value.name
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
    if isinstance(value, np.generic):
        return _data(value.item())
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the fields of a record in the order of files."""
    fields = msgspec.structs.fields(kind)
    if issubclass(kind, JointRatings):
        return tuple(sorted(fields, key=lambda field: JOINT_KEYS.index(field.name)))
    if kind is LocalPart:
        return tuple(sorted(fields, key=lambda field: field.name not in ("items", "summary", "source")))
    return fields


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


def write_assembly(path: Path, assembly: Assembly, text: str | None = None) -> None:
    """Write the file and its new assets, all or none; `text` is the formatted assembly, if it is known."""
    if path.exists() and not path.stat().st_mode & 0o222:
        raise PermissionError(EACCES, "the file is write-protected", str(path))
    write_files({**_new_assets(path, assembly), path: (text or format_assembly(assembly)).encode()})


def write_assets(path: Path, assembly: Assembly) -> None:
    """Write the assets of an assembly that are not in the folder of its file yet, for its journal."""
    files = _new_assets(path, assembly)
    if files:
        write_files(files)


def assets_folder(path: Path) -> Path:
    """Return the folder of the assets of an assembly file: `NAME.assets` for `NAME.rck`."""
    return path.with_suffix(".assets")


def assets_of(assembly: Assembly) -> dict[str, Asset]:
    """Return the assets of an assembly by name."""
    items = [item for part in assembly.local_parts.values() for item in part.items.values()]
    pieces = [shape.pieces for item in items for shape in (*item.shapes, *item.visuals)]
    looks = [asset for item in items for visual in item.visuals for asset in (visual.surface, visual.texture)]
    return {asset.name: asset for asset in (*pieces, *looks) if asset is not None}


def _new_assets(path: Path, assembly: Assembly) -> dict[Path, bytes]:
    """Return the contents of the assets that are not in the folder yet, by path."""
    folder = assets_folder(path)
    return {
        folder / name: asset.content() for name, asset in assets_of(assembly).items() if not (folder / name).exists()
    }


def fingerprint_of(text: str) -> str:
    """Return the hash that a file with this text would have."""
    return hashlib.sha256(text.encode()).hexdigest()


def fingerprint(path: Path) -> str:
    """Return the hash of a file; empty if it does not exist."""
    finish_write(path)
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
