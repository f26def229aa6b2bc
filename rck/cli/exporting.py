"""`rck export`: write a robot, or a list of events, in another format or in all of them."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import click

from rck.cli.documents import finding_data, parse_settings, print_findings, read_any, refuse_errors
from rck.cli.progress import shown_job
from rck.exporting.short_names import short_named
from rck.hooks import Imported, Plugins, discover
from rck.hooks.exchange import export, require_robot
from rck.model.files import refuse_unwritable
from rck.model.finding import errors_of


@click.command("export")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--format", "format_name", metavar="NAME", help="The exporter, if the ending does not tell.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the exporter.")
@click.option("--short-names", is_flag=True, help="Leave out the names of instances where the rest is still unique.")
@click.option("--all", "everything", is_flag=True, help="Write every format, each to a folder in OUT, and an index.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def export_file(
    file: Path,
    out: Path,
    format_name: str | None,
    settings: tuple[str, ...],
    short_names: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Write FILE, of any format that RCK reads, to OUT; its ending tells the format."""
    if everything and (format_name or settings):
        raise click.UsageError("--all writes every format as it is by itself; leave --format and --set out")
    plugins = discover(file=file)
    imported = read_any(file, plugins)
    refuse_errors(imported)
    if short_names and imported.robot is not None:
        imported = replace(imported, robot=short_named(imported.robot))
    if everything:
        _export_all(file, imported, out, plugins, as_json)
        return
    source = imported.events or require_robot(imported, file)
    with shown_job(f"writing {out.name}") as job:
        written, exported = export(source, out, plugins, parse_settings(settings), format_name, job)
    findings = (*imported.findings, *exported.findings)
    if as_json:
        data = {"files": [str(path) for path in written], "findings": [finding_data(one) for one in findings]}
        click.echo(json.dumps(data, indent=2))
        return
    for path in written:
        click.echo(f"wrote {path}")
    print_findings(findings)


def _export_all(file: Path, imported: Imported, out: Path, plugins: Plugins, as_json: bool) -> None:
    from rck.exporting.everything import INDEX, export_all

    refuse_unwritable(out)
    with shown_job(f"writing {out}") as job:
        attempts = export_all(require_robot(imported, file), out, file.stem, plugins, job)
    if as_json:
        data = [
            {
                "format": one.exporter.name,
                "main": None if one.refused else str(out / one.main),
                "files": [] if one.refused else [str(out / one.exporter.name / path) for path in one.exported.files],
                "findings": [finding_data(finding) for finding in one.exported.findings],
            }
            for one in attempts
        ]
        click.echo(json.dumps(data, indent=2))
    else:
        for one in attempts:
            if not one.refused:
                click.echo(f"wrote {out / one.main}")
        click.echo(f"wrote {out / INDEX}, which tells what each format left out")
        refusals = [finding for one in attempts if one.refused for finding in errors_of(one.exported.findings)]
        print_findings([*imported.findings, *refusals])
    if all(one.refused for one in attempts):
        sys.exit(1)
