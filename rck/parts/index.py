"""The index of the catalogue: data for lists and searches, cached so that a large catalogue opens fast."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rck import __version__
from rck.model.origin import Electrical
from rck.support.files import Stamp, stamp_of, write_atomically
from rck.support.finding import Finding, RckError, Severity
from rck.support.user_folders import cache_folder

# Import the geometry only to build parts; an up-to-date index does not need it.
if TYPE_CHECKING:
    from rck.parts.part import Part

_FORMAT = f"{__version__}, 6"
"""Increase the number when :class:`CatalogueEntry` changes, so that old caches are ignored."""


class CatalogueEntry(msgspec.Struct, frozen=True):
    """The data of one part for lists."""

    id: str
    path: str
    name: str
    vendor: str
    category: str
    summary: str
    tags: tuple[str, ...]
    figures: Mapping[str, float]
    """In SI units, including `mass`, `price` and electrical figures."""
    size: tuple[float, float, float]
    """Bounding box at the default parameters, in metres."""
    ports: Mapping[str, str]
    """The type of each port."""
    parameters: tuple[str, ...]
    approximate: bool = False
    brakes: bool | None = None
    """None if unknown."""
    genders: Mapping[str, str] = {}
    """The gender of each port that has one."""
    electrical: Electrical = Electrical()
    currency: str = "USD"
    """That of the figure `price`."""


class _Cached(msgspec.Struct):
    stamp: Stamp
    """State of the file when it was read."""
    entry: CatalogueEntry | None
    trouble: str = ""


class _Cache(msgspec.Struct):
    format: str = _FORMAT
    files: dict[str, _Cached] = {}


def read_entries(folder: Path) -> tuple[list[CatalogueEntry], list[Finding]]:
    """Return the entries of all manifests under a folder, and the files that could not be read."""
    from rck.parts.library import manifest_paths

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


def _repeated(entries: Iterable[CatalogueEntry]) -> list[Finding]:
    seen: dict[str, str] = {}
    findings = []
    for entry in entries:
        if entry.id in seen:
            message = f"{entry.path} has the same id as {seen[entry.id]}"
            findings.append(Finding(705, Severity.ERROR, entry.id, message, "change one of the two"))
        seen[entry.id] = entry.path
    return findings


def _read_one(path: Path, stamp: Stamp) -> _Cached:
    from rck.parts.part import build_part, read_part_file

    try:
        return _Cached(stamp, entry_of(build_part(read_part_file(path)).unwrap(), path))
    except RckError as error:
        text = str(error)
        return _Cached(stamp, None, text if str(path) in text else f"{path}: {text}")


def entry_of(part: "Part", path: Path) -> CatalogueEntry:
    """Return the entry of a built part."""
    import numpy as np

    from rck.geometry.transforms import apply
    from rck.parts.datasheet_figures import figure_value

    manifest = part.manifest
    figures = {name: figure_value(name, value) for name, value in manifest.figures.items()}
    figures["mass"] = part.robot.mass_properties.mass
    figures |= manifest.electrical.figures
    if manifest.price is not None:
        figures["price"] = manifest.price.amount
    figures.setdefault("dof", float(len(part.robot.free_joints)))
    corners = [apply(item.pose, subitem.shape.vertices) for item in part.robot.items for subitem in item.subitems]
    extent = np.ptp(np.concatenate(corners), axis=0).tolist() if corners else [0.0, 0.0, 0.0]
    return CatalogueEntry(
        manifest.part,
        str(path),
        manifest.name,
        manifest.vendor,
        manifest.category,
        manifest.summary,
        tuple(manifest.tags),
        figures,
        (extent[0], extent[1], extent[2]),
        {name: port.type for name, port in part.ports.items()},
        tuple(manifest.parameters),
        manifest.approximate,
        manifest.brakes,
        {name: port.gender for name, port in part.ports.items() if port.gender is not None},
        manifest.electrical,
        manifest.price.currency if manifest.price is not None else "USD",
    )


def _read_cache(store: Path) -> dict[str, _Cached]:
    try:
        cache = msgspec.msgpack.decode(store.read_bytes(), type=_Cache)
    except (OSError, msgspec.DecodeError):
        return {}
    return cache.files if cache.format == _FORMAT else {}


def _write_cache(store: Path, files: dict[str, _Cached]) -> None:
    """Write the cache; ignore errors, which only cost time."""
    try:
        write_atomically(store, msgspec.msgpack.encode(_Cache(files=files)))
    except OSError:
        if os.environ.get("RCK_DEBUG"):
            raise
