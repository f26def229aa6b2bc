"""Opening the files that users name: which importer reads it, with which options, and what it found."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import click

from rck.cli.progress import shown_job
from rck.hooks import Exporter, Imported, Importer, Plugins
from rck.hooks.options import read_options
from rck.model import Finding, RckError, Robot, Severity
from rck.model.finding import errors_of
from rck.model.names import did_you_mean

_PROBE_BYTES = 4096

Contribution = TypeVar("Contribution", Importer, Exporter)


def importer_for(path: Path, plugins: Plugins, name: str | None = None) -> Importer:
    """The importer of that name, or the one that knows the file's content, its ending counting first."""
    importers = plugins.all(Importer)
    if name is not None:
        return choose(name, importers, "importer")
    if path.is_dir():
        raise RckError(f"{path} is a folder, not a file")
    with path.open("rb") as file:
        head = file.read(_PROBE_BYTES)
    ending = path.suffix.lower()
    for importer in sorted(importers, key=lambda one: ending not in one.endings):
        if importer.probe(path, head):
            return importer
    named = [importer.name for importer in importers if ending in importer.endings]
    if named:
        raise RckError(f"{path}: the ending says {named[0]}, but the content is not that")
    known = " ".join(sorted({e for importer in importers for e in importer.endings}))
    raise RckError(f"{path}: no importer knows this file; known endings: {known}")


def choose(name: str, contributions: Iterable[Contribution], what: str) -> Contribution:
    """The contribution of that name."""
    by_name = {one.name: one for one in contributions}
    if name not in by_name:
        raise RckError(f"there is no {what} {name!r}{did_you_mean(name, by_name)}; known: {', '.join(sorted(by_name))}")
    return by_name[name]


def read_file(path: Path, plugins: Plugins, name: str | None = None, options: Iterable[str] = ()) -> Imported:
    """Whatever the file holds, with the findings of the reading."""
    importer = importer_for(path, plugins, name)
    values = read_options(importer.options, parse_settings(options))
    with shown_job(f"reading {path.name}") as job:
        return importer.read(path, values, job)


def read_robot(path: Path, plugins: Plugins, options: Iterable[str] = ()) -> tuple[Robot, tuple[Finding, ...]]:
    """The robot in the file; its absence is an error."""
    imported = read_file(path, plugins, options=options)
    if imported.robot is None:
        broken = errors_of(imported.findings)
        raise RckError(str(broken[0]) if broken else f"{path} holds no robot")
    return imported.robot, imported.findings


def parse_settings(settings: Iterable[str]) -> Mapping[str, str]:
    """`name=value` texts; a bare name switches a flag on."""
    pairs = (setting.partition("=") for setting in settings)
    return {name.strip(): value.strip() if equals else "yes" for name, equals, value in pairs}


def print_findings(findings: Iterable[Finding]) -> None:
    """Each finding on a line of stderr, the worst first, in its colour."""
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
    for finding in sorted(findings, key=lambda one: -one.severity):
        click.secho(str(finding), fg=colours[finding.severity], err=True)


def finding_data(finding: Finding) -> dict[str, object]:
    """A finding for `--json`."""
    return {
        "code": finding.code,
        "severity": finding.severity.name.lower(),
        "where": finding.where,
        "message": finding.message,
        "fix": finding.fix,
    }
