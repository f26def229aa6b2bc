"""What lists and searches need to know of a part, kept in a cache so that a large catalogue opens at once."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rck import __version__
from rck.hooks.folders import cache_folder
from rck.model.files import Stamp, stamp_of, write_atomically
from rck.model.finding import Finding, RckError, Severity

# Building parts needs most of the geometry; a list of known parts does without.
if TYPE_CHECKING:
    from rck.catalogue.part import Part

_FORMAT = f"{__version__}, 4"
"""The number counts up when :class:`Entry` changes, so that old caches are not misread."""


class Entry(msgspec.Struct, frozen=True):
    """One part, as lists show it."""

    id: str
    path: str
    name: str
    vendor: str
    category: str
    summary: str
    tags: tuple[str, ...]
    figures: Mapping[str, float]
    """In SI units, `mass` included."""
    size: tuple[float, float, float]
    """Of the box round it, in metres, at the default parameters."""
    ports: Mapping[str, str]
    """The kind of each port."""
    parameters: tuple[str, ...]
    approximate: bool = False
    brakes: bool | None = None
    """None where the source does not say."""


class _Cached(msgspec.Struct):
    stamp: Stamp
    """Of the file when it was read."""
    entry: Entry | None
    trouble: str = ""


class _Cache(msgspec.Struct):
    format: str = _FORMAT
    files: dict[str, _Cached] = {}


def read_entries(folder: Path) -> tuple[list[Entry], list[Finding]]:
    """The entries of all manifests under a folder, and those that could not be read."""
    from rck.catalogue.library import manifest_paths

    store = cache_folder() / f"parts-{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}.bin"
    known = _read_cache(store)
    current: dict[str, _Cached] = {}
    for path in manifest_paths(folder):
        stamp = stamp_of(path)
        kept = known.get(str(path))
        current[str(path)] = kept if kept is not None and kept.stamp == stamp else _read_one(path, stamp)
    if current != known:
        _write_cache(store, current)
    entries = [one.entry for one in current.values() if one.entry is not None]
    trouble = [Finding(705, Severity.ERROR, "catalogue", one.trouble) for one in current.values() if one.trouble]
    return entries, trouble + _repeated(entries)


def _repeated(entries: Iterable[Entry]) -> list[Finding]:
    seen: dict[str, str] = {}
    findings = []
    for entry in entries:
        if entry.id in seen:
            message = f"{entry.path} has the id of {seen[entry.id]}"
            findings.append(Finding(705, Severity.ERROR, entry.id, message, "change one of the two"))
        seen[entry.id] = entry.path
    return findings


def _read_one(path: Path, stamp: Stamp) -> _Cached:
    from rck.catalogue.part import build_part, read_part_file

    try:
        return _Cached(stamp, entry_of(build_part(read_part_file(path)).unwrap(), path))
    except RckError as error:
        text = str(error)
        return _Cached(stamp, None, text if str(path) in text else f"{path}: {text}")


def entry_of(part: "Part", path: Path) -> Entry:
    """The entry of a built part."""
    import numpy as np

    from rck.catalogue.quantities import figure_value
    from rck.geometry.transforms import apply

    manifest = part.manifest
    figures = {name: figure_value(name, value) for name, value in manifest.figures.items()}
    figures["mass"] = part.robot.mass_properties.mass
    figures.setdefault("dof", float(len(part.robot.free_joints)))
    corners = [apply(item.pose, subitem.shape.vertices) for item in part.robot.items for subitem in item.subitems]
    extent = np.ptp(np.concatenate(corners), axis=0).tolist() if corners else [0.0, 0.0, 0.0]
    return Entry(
        manifest.part,
        str(path),
        manifest.name,
        manifest.vendor,
        manifest.category,
        manifest.summary,
        tuple(manifest.tags),
        figures,
        (extent[0], extent[1], extent[2]),
        {name: port.kind for name, port in part.ports.items()},
        tuple(manifest.parameters),
        manifest.approximate,
        manifest.brakes,
    )


def _read_cache(store: Path) -> dict[str, _Cached]:
    try:
        cache = msgspec.msgpack.decode(store.read_bytes(), type=_Cache)
    except (OSError, msgspec.DecodeError):
        return {}
    return cache.files if cache.format == _FORMAT else {}


def _write_cache(store: Path, files: dict[str, _Cached]) -> None:
    """A cache that cannot be written only costs time."""
    try:
        write_atomically(store, msgspec.msgpack.encode(_Cache(files=files)))
    except OSError:
        if os.environ.get("RCK_DEBUG"):
            raise
