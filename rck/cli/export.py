"""`rck export`: write a robot, or a list of events, in another format or in all of them."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import click

from rck.cli.inputs import as_shown, finding_data, parse_settings, print_findings, read_any, refuse_errors
from rck.cli.options import FILE, JSON
from rck.cli.progress import shown_job
from rck.exporting.export import INDEX, export, export_all, exporter_for, with_short_names
from rck.hooks import Plugins, discover
from rck.hooks.file_exchange import FileContents, require_robot
from rck.model import Robot
from rck.support.files import refuse_unwritable
from rck.support.finding import errors_of

_PICTURES = frozenset({"html", "rib"})
"""Exporters of what a robot looks like, instead of its model."""


@click.command("export")
@FILE
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--format", "format_name", metavar="NAME", help="Exporter (default: chosen by the file name extension).")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set an exporter option.")
@click.option("--import-set", "import_settings", multiple=True, metavar="NAME=VALUE", help="Set an importer option.")
@click.option("--scene", is_flag=True, help="Add a floor, a light and a camera; the same as --set scene=yes.")
@click.option("--short-names", is_flag=True, help="Omit instance names where the short names are unique.")
@click.option(
    "--all", "everything", is_flag=True, help="Export to every format, each in a folder of OUT, with an index."
)
@JSON
def export_file(
    file: Path,
    out: Path,
    format_name: str | None,
    settings: tuple[str, ...],
    import_settings: tuple[str, ...],
    scene: bool,
    short_names: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Export FILE to OUT; the file name extension selects the format."""
    if scene:
        settings = (*settings, "scene=yes")
    if everything and (format_name or settings):
        raise click.UsageError("--all exports every format with its default options; omit --format, --set and --scene")
    if import_settings and file.suffix == ".rck":
        raise click.UsageError("--import-set is for files that RCK imports; an assembly (.rck) is not imported")
    plugins = discover(file=file)
    imported = read_any(file, plugins, import_settings)
    refuse_errors(imported)
    if short_names and imported.robot is not None:
        imported = replace(imported, robot=with_short_names(imported.robot))
    if everything:
        _export_all(file, imported, out, plugins, as_json)
        return
    source = imported.events or require_robot(imported, file)
    if isinstance(source, Robot) and exporter_for(out, source, plugins, format_name).name in _PICTURES:
        source = as_shown(source, file)
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


def _export_all(file: Path, imported: FileContents, out: Path, plugins: Plugins, as_json: bool) -> None:
    refuse_unwritable(out)
    with shown_job(f"writing {out}") as job:
        results = export_all(require_robot(imported, file), out, file.stem, plugins, job)
    if as_json:
        data = [
            {
                "format": one.exporter.name,
                "main": None if one.is_refused else str(out / one.main),
                "files": [] if one.is_refused else [str(out / one.exporter.name / path) for path in one.exported.files],
                "findings": [finding_data(finding) for finding in one.exported.findings],
            }
            for one in results
        ]
        click.echo(json.dumps(data, indent=2))
    else:
        for one in results:
            if not one.is_refused:
                click.echo(f"wrote {out / one.main}")
        click.echo(f"wrote {out / INDEX}, which lists what each format does not support")
        refusals = [finding for one in results if one.is_refused for finding in errors_of(one.exported.findings)]
        print_findings([*imported.findings, *refusals])
    if all(one.is_refused for one in results):
        sys.exit(1)
