"""`rck export`: write a robot, or a list of events, in another format."""

from pathlib import Path

import click

from rck.cli.documents import parse_settings, print_findings, read_any, refuse_errors
from rck.cli.progress import shown_job
from rck.hooks import discover
from rck.hooks.exchange import export, require_robot


@click.command("export")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--format", "format_name", metavar="NAME", help="The exporter, if the ending does not tell.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the exporter.")
def export_file(file: Path, out: Path, format_name: str | None, settings: tuple[str, ...]) -> None:
    """Write FILE, of any format that RCK reads, to OUT; its ending tells the format."""
    plugins = discover()
    imported = read_any(file, plugins)
    refuse_errors(imported)
    source = imported.events or require_robot(imported, file)
    with shown_job(f"writing {out.name}") as job:
        written, exported = export(source, out, plugins, parse_settings(settings), format_name, job)
    for path in written:
        click.echo(f"wrote {path}")
    print_findings((*imported.findings, *exported.findings))
