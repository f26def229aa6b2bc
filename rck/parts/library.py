"""The catalogue: all parts of the libraries by id; only the user's and the project's parts replace others."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rck.hooks import PartLibrary, Plugins
from rck.model.origin import Price
from rck.parts.index import CatalogueEntry, read_entries
from rck.parts.price_list import project_prices
from rck.support.finding import Finding, RckError, Severity
from rck.support.lru_cache import LruCache
from rck.support.names import did_you_mean
from rck.support.user_folders import data_folder

if TYPE_CHECKING:
    from rck.model.quantities import Quantity, Units
    from rck.parts.part import Part, PartFile
    from rck.parts.port_types import PortTypes

Chosen = tuple[str, tuple[tuple[str, float], ...]]
"""The id of a part and the value of each parameter, in the unit of the parameter."""


@dataclass
class Catalogue:
    """The parts that can be used in an assembly; built parts are cached."""

    entries: Mapping[str, CatalogueEntry]
    findings: tuple[Finding, ...] = ()
    """Files that could not be read, and parts that are ignored or replaced."""
    folders: tuple[Path, ...] = ()
    """The libraries, in order of increasing priority."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """The price list of the project, by part, local part and screw."""
    _files: dict[str, "PartFile"] = field(default_factory=dict, repr=False)
    _parts: LruCache[Chosen, "Part"] = field(default_factory=LruCache, repr=False)

    @cached_property
    def port_types(self) -> "PortTypes":
        """The port types of the libraries."""
        from rck.parts.port_types import read_port_types

        return read_port_types(self.folders)

    def file(self, part_id: str) -> "PartFile":
        """Return the manifest of a part."""
        from rck.parts.part import read_part_file

        if part_id not in self._files:
            if part_id not in self.entries:
                hint = did_you_mean(part_id, self.entries)
                raise RckError(f"there is no part {part_id!r} in the catalogue{hint}; `search WORDS` finds others")
            self._files[part_id] = read_part_file(Path(self.entries[part_id].path))
        return self._files[part_id]

    def part(self, part_id: str, given: "Mapping[str, Quantity] | None" = None, units: "Units | None" = None) -> "Part":
        """Build a part with these parameters; raise :class:`RckError` if that fails.

        A bare number is in `units`, those of the assembly; without any, in the parameter's own unit.
        """
        from rck.parts.part import choose_parameters

        file = self.file(part_id)
        values = choose_parameters(file, given or {}, units)
        return self._parts.get((part_id, tuple(values.items())), lambda: self._with_port_types(file, values))

    def _with_port_types(self, file: "PartFile", values: "Mapping[str, float]") -> "Part":
        """Build a part; its ports have the geometry of their types."""
        from rck.parts.part import build_part

        part = build_part(file, values).unwrap()
        return replace(part, ports=self.port_types.resolved(part.ports))


def library_folders(plugins: Plugins, project: Path | None = None) -> list[Path]:
    """Return the folders with manifests: those of plugins, RCK's own first, then the user's and the project's."""
    return [*_plugin_folders(plugins), *_override_folders(project)]


def _plugin_folders(plugins: Plugins) -> list[Path]:
    return [library.folder for library in plugins.all(PartLibrary) if library.folder.is_dir()]


def _override_folders(project: Path | None) -> list[Path]:
    """Return the folders whose parts may replace others: the user's, then the project's."""
    folders = [data_folder() / "parts", *([project / "parts"] if project is not None else [])]
    return [folder for folder in folders if folder.is_dir()]


def open_catalogue(plugins: Plugins, project: Path | None = None) -> Catalogue:
    """Open the catalogue for a project folder."""
    catalogue = read_catalogue(_plugin_folders(plugins), _override_folders(project))
    return with_prices(catalogue, *project_prices(project)) if project is not None else catalogue


def with_prices(catalogue: Catalogue, prices: Mapping[str, Price], findings: Iterable[Finding] = ()) -> Catalogue:
    """Return the catalogue with a price list, which overrides the prices of the parts."""
    entries = dict(catalogue.entries)
    for part in prices.keys() & entries.keys():
        figures = {**entries[part].figures, "price": prices[part].amount}
        entries[part] = msgspec.structs.replace(entries[part], figures=figures, currency=prices[part].currency)
    return replace(catalogue, entries=entries, findings=(*catalogue.findings, *findings), prices=prices)


def read_catalogue(folders: Iterable[Path], overrides: Iterable[Path] = ()) -> Catalogue:
    """Return the catalogue of these folders.

    Of several parts with one id in `folders`, the first is used. A part in `overrides` replaces earlier ones. Findings
    report both.
    """
    entries: dict[str, CatalogueEntry] = {}
    findings: list[Finding] = []
    listed, replacing = tuple(folders), tuple(overrides)
    for folder in listed:
        found, trouble = read_entries(folder)
        findings += trouble
        for entry in found:
            used = entries.setdefault(entry.id, entry)
            if Path(used.path).parts[: len(folder.parts)] != folder.parts:
                message = f"{entry.path} is ignored: {used.path} has this id"
                fix = "rename it, or copy it to the folder `parts` of your project, which overrides other parts"
                findings.append(Finding(707, Severity.WARNING, f"part {entry.id}", message, fix))
    for folder in replacing:
        found, trouble = read_entries(folder)
        findings += trouble
        for entry in found:
            if entry.id in entries:
                message = f"{entry.path} replaces {entries[entry.id].path}"
                findings.append(Finding(707, Severity.NOTE, f"part {entry.id}", message))
            entries[entry.id] = entry
    # Of port types of one name, that of the first library is used, too.
    return Catalogue(entries, tuple(findings), (*reversed(listed), *replacing))


def manifest_paths(folder: Path) -> list[Path]:
    """Return the manifests under a folder, sorted; links to folders and files of port types are left out."""
    paths = []
    for root, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name != "port_types")
        paths += [Path(root) / name for name in sorted(files) if name.endswith((".yaml", ".yml"))]
    return paths
