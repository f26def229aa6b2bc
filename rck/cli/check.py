"""`rck check`: what is wrong with a robot."""

import json
import sys
from pathlib import Path

import click

from rck.cli.documents import finding_data, print_findings, read_any
from rck.hooks import Check, Plugins, discover
from rck.model import Finding, Robot, Severity


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def check(file: Path, settings: tuple[str, ...], as_json: bool) -> None:
    """List what is wrong with a robot. Exit status 1 when there are warnings or errors."""
    plugins = discover()
    imported = read_any(file, plugins, settings)
    findings = list(imported.findings)
    if imported.robot is not None:
        findings += run_checks(imported.robot, plugins)
    findings += plugins.findings
    if as_json:
        click.echo(json.dumps([finding_data(finding) for finding in findings], indent=2))
    else:
        print_findings(findings)
        counts = [f"{sum(f.severity is s for f in findings)} {s.name.lower()}s" for s in reversed(Severity)]
        click.echo(f"{file.name}: " + ", ".join(counts))
    sys.exit(int(any(finding.severity > Severity.NOTE for finding in findings)))


def run_checks(robot: Robot, plugins: Plugins) -> list[Finding]:
    """The findings of every check that plugins add; a check that raises switches its plugin off."""
    findings: list[Finding] = []
    for plugin, one in plugins.named(Check):
        try:
            findings += one.run(robot)
        except Exception as error:
            plugins.fail(plugin, error)
    return findings
