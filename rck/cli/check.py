"""`rck check`: list the problems of a robot."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from rck.assembly.document import Assembly
from rck.assembly.suppressions import split_findings, suppression_of
from rck.cli.inputs import finding_data, print_findings, read_any
from rck.cli.options import FILE, IMPORTER_SET, JSON
from rck.cli.progress import shown_job
from rck.exporting.export import robot_exporters, try_export
from rck.hooks import Plugins, discover
from rck.language.assembly_checks import check_assembly
from rck.language.finding_fixes import FixReport, fix_findings
from rck.language.robot_checks import check_robot
from rck.language.session import Session, open_session
from rck.model import Finding, Robot, Severity
from rck.support.units import counted


@click.command()
@FILE
@IMPORTER_SET
@click.option(
    "--for",
    "formats",
    multiple=True,
    metavar="FORMAT",
    help="List what would be lost in this format, or in `all` formats.",
)
@click.option("--fix", is_flag=True, help="Run the commands that fix findings, and save the assembly.")
@JSON
def check(file: Path, settings: tuple[str, ...], formats: tuple[str, ...], fix: bool, as_json: bool) -> None:
    """List the problems of a robot. The exit status is 1 if there are warnings or errors.

    With --json, suppressed findings are listed too, with the reason as `suppressed`.
    """
    plugins = discover(file=file)
    fixes = FixReport((), ())
    if file.suffix == ".rck":
        session = open_session(plugins, file)
        fixes = _fix(session) if fix else fixes
        built = session.compile()
        robot, assembly = None if built.value is None else built.value.robot, session.assembly
        findings = [*session.take_findings(), *built.findings]
        if built.value is not None:
            findings += check_assembly(session.assembly, built.value)
    elif fix:
        raise click.UsageError("--fix edits an assembly; `rck import` makes one of this file")
    else:
        imported = read_any(file, plugins, settings)
        robot, assembly, findings = imported.robot, Assembly(name=file.stem), list(imported.findings)
    if robot is not None:
        with shown_job(file.name) as job:
            findings += check_robot(robot, plugins, job)
        findings += export_findings(robot, file.stem, formats, plugins)
    split = split_findings(findings, assembly)
    # Findings about plugins are printed too, but do not change the exit status.
    told = [*split.shown, *plugins.findings]
    if as_json:
        listed = [(finding, suppression_of(finding, assembly)) for finding in (*told, *split.suppressed)]
        data = [{**finding_data(one), "suppressed": rule and rule.reason} for one, rule in listed]
        click.echo(json.dumps(data, indent=2))
    else:
        print_findings(told)
        for command in fixes.done:
            click.echo(f"fixed: {command}")
        for command, why in fixes.refused:
            click.echo(f"not fixed: {command}: {why}")
        counts = [counted(sum(f.severity is s for f in split.shown), s.name.lower()) for s in reversed(Severity)]
        counts += [f"{len(split.suppressed)} suppressed"] if split.suppressed else []
        click.echo(f"{file.name}: " + ", ".join(counts))
    sys.exit(int(any(finding.severity > Severity.NOTE for finding in split.shown)))


def _fix(session: Session) -> FixReport:
    """Fix the findings of an assembly, and save it if that changed anything."""
    fixes = fix_findings(session)
    if session.unsaved:
        session.save()
    return fixes


def export_findings(robot: Robot, stem: str, formats: Sequence[str], plugins: Plugins) -> list[Finding]:
    """Return the losses of each export format, given by name or file extension, or the reason for a failure."""
    if not formats:
        return []
    known = robot_exporters(plugins)
    by_ending = {ending: one for one in reversed(known) for ending in one.endings}
    chosen = []
    for name in formats:
        ending = f".{name.lower().lstrip('.')}"
        if name == "all":
            chosen += [(one, one.endings[0]) for one in known]
        elif ending in by_ending and name not in {one.name for one in known}:
            chosen.append((by_ending[ending], ending))
        else:
            exporter = plugins.choose(name, known, "exporter of robots")
            chosen.append((exporter, exporter.endings[0]))
    return [
        finding
        for exporter, ending in chosen
        for finding in try_export(robot, exporter, f"{stem}{ending}").exported.findings
    ]
