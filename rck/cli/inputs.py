"""Input files of commands, and the output of findings."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rck.cli.progress import shown_job
from rck.hooks import Plugins
from rck.hooks.file_exchange import FileContents, read_file, require_robot
from rck.model import Finding, RckError, Robot, Severity
from rck.model.joint_positions import at_home_pose
from rck.support.finding import errors_of

if TYPE_CHECKING:
    from rck.assembly.compiler import Compiled
    from rck.language.session import Session


def read_any(path: Path, plugins: Plugins, settings: Iterable[str] = (), name: str | None = None) -> FileContents:
    """Read a robot: an assembly is compiled, any other file goes through its importer."""
    if path.suffix == ".rck" and name is None:
        return _compiled(path, plugins)
    with shown_job(f"reading {path.name}") as job:
        return read_file(path, plugins, parse_settings(settings), name, job)


def read_assembled(path: Path, plugins: Plugins) -> "tuple[Session, Compiled, tuple[Finding, ...]]":
    """Return the session and the compiled assembly of a .rck file, with the findings."""
    from rck.language.session import open_session

    if path.suffix != ".rck":
        raise RckError(f"{path.name}: only assemblies (.rck) have ports")
    session = open_session(plugins, path)
    built = session.compile()
    return session, built.unwrap(), built.findings


def read_as_drawn(path: Path, plugins: Plugins) -> Robot:
    """Return the robot of an assembly with its joints at their home positions."""
    from rck.assembly.edits import at_home
    from rck.language.session import open_session

    session = open_session(plugins, path)
    return session.compile(at_home(session.assembly)).unwrap().robot


def _compiled(path: Path, plugins: Plugins) -> FileContents:
    from rck.language.session import open_session

    session = open_session(plugins, path)
    built = session.compile()
    findings = (*session.take_findings(), *built.findings)
    return FileContents(None if built.value is None else built.value.robot, findings=findings)


def read_robot(path: Path, plugins: Plugins, settings: Iterable[str] = ()) -> tuple[Robot, tuple[Finding, ...]]:
    """Return the robot in a file; raise :class:`RckError` if it has no robot."""
    contents = read_any(path, plugins, settings)
    return require_robot(contents, path), contents.findings


def as_shown(robot: Robot, file: Path) -> Robot:
    """Return the robot as it is shown by default: that of an imported file is at its pose `home`, if it has one."""
    return robot if file.suffix == ".rck" else at_home_pose(robot)


def refuse_errors(contents: FileContents) -> None:
    """Raise the first error among findings."""
    broken = errors_of(contents.findings)
    if broken:
        raise RckError(str(broken[0]))


def parse_settings(settings: Iterable[str]) -> Mapping[str, str]:
    """Parse `name=value` texts; a name alone sets a flag."""
    pairs = (setting.partition("=") for setting in settings)
    return {name.strip(): value.strip() if equals else "yes" for name, equals, value in pairs}


def print_findings(findings: Iterable[Finding]) -> None:
    """Print each finding to stderr, most severe first, in colour."""
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
    for finding in sorted(findings, key=lambda one: -one.severity):
        click.secho(str(finding), fg=colours[finding.severity], err=True)


def finding_data(finding: Finding) -> dict[str, object]:
    """Return a finding for `--json`."""
    return {
        "code": finding.code,
        "severity": finding.severity.name.lower(),
        "where": finding.where,
        "message": finding.message,
        "fix": finding.fix,
        "commands": list(finding.commands),
        "plugin": finding.plugin,
    }
