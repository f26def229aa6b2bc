"""All parts by id, gathered from the libraries; a later library overrides an earlier one."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rck.catalogue.entry import Entry, read_entries
from rck.catalogue.recent import Recent
from rck.hooks import PartLibrary, Plugins
from rck.hooks.folders import data_folder
from rck.model.finding import Finding, RckError
from rck.model.names import did_you_mean

if TYPE_CHECKING:
    from rck.catalogue.manifest import Quantity, Units
    from rck.catalogue.part import Part, PartFile

Chosen = tuple[str, tuple[tuple[str, float], ...]]
"""A part and the value of each of its parameters, in their own units."""


@dataclass
class Catalogue:
    """The parts that can be placed. It remembers what it has built, so asking twice costs nothing."""

    entries: Mapping[str, Entry]
    findings: tuple[Finding, ...] = ()
    """Files that could not be read."""
    _files: dict[str, "PartFile"] = field(default_factory=dict, repr=False)
    _parts: Recent[Chosen, "Part"] = field(default_factory=Recent, repr=False)

    def file(self, part_id: str) -> "PartFile":
        """The manifest of that id."""
        from rck.catalogue.part import read_part_file

        if part_id not in self._files:
            if part_id not in self.entries:
                hint = did_you_mean(part_id, self.entries)
                raise RckError(f"there is no part {part_id!r} in the catalogue{hint}; `search WORDS` finds others")
            self._files[part_id] = read_part_file(Path(self.entries[part_id].path))
        return self._files[part_id]

    def part(self, part_id: str, given: "Mapping[str, Quantity] | None" = None, units: "Units | None" = None) -> "Part":
        """The part with these parameters; what keeps it from being built is an error.

        A bare number is in `units`, those of the assembly; without any, in the parameter's own unit.
        """
        from rck.catalogue.part import build_part, choose_parameters

        file = self.file(part_id)
        values = choose_parameters(file, given or {}, units)
        return self._parts.get((part_id, tuple(values.items())), lambda: build_part(file, values).unwrap())


def library_folders(plugins: Plugins, project: Path | None = None) -> list[Path]:
    """The folders that hold manifests, those that override later: plugins', the user's, the project's."""
    folders = [library.folder for library in plugins.all(PartLibrary)]
    folders.append(data_folder() / "parts")
    if project is not None:
        folders.append(project / "parts")
    return [folder for folder in folders if folder.is_dir()]


def open_catalogue(plugins: Plugins, project: Path | None = None) -> Catalogue:
    """The catalogue for work in the project's folder."""
    return read_catalogue(library_folders(plugins, project))


def read_catalogue(folders: Iterable[Path]) -> Catalogue:
    """The catalogue of exactly these folders."""
    entries: dict[str, Entry] = {}
    findings: list[Finding] = []
    for folder in folders:
        found, trouble = read_entries(folder)
        entries.update({entry.id: entry for entry in found})
        findings += trouble
    return Catalogue(entries, tuple(findings))


def manifest_paths(folder: Path) -> list[Path]:
    """The manifests under a folder, in order; links to other folders are not followed."""
    paths = []
    for root, folders, files in os.walk(folder, followlinks=False):
        folders.sort()
        paths += [Path(root) / name for name in sorted(files) if name.endswith((".yaml", ".yml"))]
    return paths
