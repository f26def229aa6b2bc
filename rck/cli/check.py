"""`rck check`: what is wrong with a robot."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from rck.cli.documents import finding_data, print_findings, read_any
from rck.hooks import Plugins, discover
from rck.hooks.choosing import choose
from rck.language.checks import check_robot
from rck.model import Finding, Robot, Severity
from rck.model.units import counted


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option("--for", "formats", multiple=True, metavar="FORMAT", help="Tell what this format, or `all`, would lose.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def check(file: Path, settings: tuple[str, ...], formats: tuple[str, ...], as_json: bool) -> None:
    """List what is wrong with a robot. Exit status 1 when there are warnings or errors about it."""
    plugins = discover(file=file)
    imported = read_any(file, plugins, settings)
    findings = list(imported.findings)
    if imported.robot is not None:
        findings += check_robot(imported.robot, plugins)
        findings += export_findings(imported.robot, file.stem, formats, plugins)
    # Those of plugins are told, too, but nothing is wrong with the robot because of them.
    told = [*findings, *plugins.findings]
    if as_json:
        click.echo(json.dumps([finding_data(finding) for finding in told], indent=2))
    else:
        print_findings(told)
        counts = [counted(sum(f.severity is s for f in findings), s.name.lower()) for s in reversed(Severity)]
        click.echo(f"{file.name}: " + ", ".join(counts))
    sys.exit(int(any(finding.severity > Severity.NOTE for finding in findings)))


def export_findings(robot: Robot, stem: str, formats: Sequence[str], plugins: Plugins) -> list[Finding]:
    """What each of the formats, given by name or ending, would lose of the robot, or why it cannot hold it."""
    if not formats:
        return []
    from rck.exporting.everything import attempt, robot_exporters

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
            exporter = choose(name, known, "exporter of robots", plugins)
            chosen.append((exporter, exporter.endings[0]))
    return [
        finding
        for exporter, ending in chosen
        for finding in attempt(robot, exporter, f"{stem}{ending}", plugins).exported.findings
    ]
