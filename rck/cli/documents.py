"""Opening the files that users name on the command line, and showing what was found."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rck.cli.progress import shown_job
from rck.hooks import Imported, Plugins
from rck.hooks.exchange import read_file, require_robot
from rck.model import Finding, RckError, Robot, Severity
from rck.model.finding import errors_of

if TYPE_CHECKING:
    from rck.assembly.compile import Compiled
    from rck.language.session import Session


def read_any(path: Path, plugins: Plugins, settings: Iterable[str] = (), name: str | None = None) -> Imported:
    """What a file holds: an assembly is compiled, anything else goes through its importer."""
    if path.suffix == ".rck" and name is None:
        return _compiled(path, plugins)
    with shown_job(f"reading {path.name}") as job:
        return read_file(path, plugins, parse_settings(settings), name, job)


def read_assembled(path: Path, plugins: Plugins) -> "tuple[Session, Compiled, tuple[Finding, ...]]":
    """An assembly with what it was made into; of other files there is none."""
    from rck.language.session import open_session

    if path.suffix != ".rck":
        raise RckError(f"{path.name}: only assemblies (.rck) have ports")
    session = open_session(plugins, path)
    built = session.compile()
    return session, built.unwrap(), built.findings


def read_as_drawn(path: Path, plugins: Plugins) -> Robot:
    """The robot of an assembly with its joints where the drawings of its parts have them."""
    from rck.assembly.edit import at_home
    from rck.language.session import open_session

    session = open_session(plugins, path)
    return session.compile(at_home(session.assembly)).unwrap().robot


def _compiled(path: Path, plugins: Plugins) -> Imported:
    from rck.language.session import open_session

    built = open_session(plugins, path).compile()
    return Imported(None if built.value is None else built.value.robot, findings=built.findings)


def read_robot(path: Path, plugins: Plugins, settings: Iterable[str] = ()) -> tuple[Robot, tuple[Finding, ...]]:
    """The robot in the file; its absence is an error."""
    imported = read_any(path, plugins, settings)
    return require_robot(imported, path), imported.findings


def refuse_errors(imported: Imported) -> None:
    """Raise the first error of a reading."""
    broken = errors_of(imported.findings)
    if broken:
        raise RckError(str(broken[0]))


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
