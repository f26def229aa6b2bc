"""`rck import`: read a file of any known format into an assembly."""

from pathlib import Path

import click

from rck.cli.documents import parse_settings, print_findings
from rck.cli.progress import shown_job
from rck.hooks import discover
from rck.hooks.exchange import read_file, require_robot
from rck.language.commands.files import with_imported
from rck.language.session import new_session
from rck.model.finding import errors_of


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="The assembly to write; SOURCE.rck unless said."
)
@click.option("--format", "format_name", metavar="NAME", help="The importer, if the file does not tell.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
def import_file(source: Path, out: Path | None, format_name: str | None, settings: tuple[str, ...]) -> None:
    """Read SOURCE, of any known format, into an assembly of its own."""
    plugins = discover()
    with shown_job(f"reading {source.name}") as job:
        imported = read_file(source, plugins, parse_settings(settings), format_name, job)
    print_findings(imported.findings)
    if imported.events is not None:
        click.echo(f"{source.name}: {len(imported.events.events)} events; `rck export` writes them in another format")
        return
    if errors_of(imported.findings):
        raise SystemExit(1)
    robot = require_robot(imported, source)
    target = out or source.with_suffix(".rck")
    session = new_session(plugins, target.parent, target.stem)
    session.history = session.history.then(f"import {source}", with_imported(session.assembly, robot, source))
    session.compile().unwrap()
    session.save(target)
    pieces = sum(len(item.subitems) for item in robot.items)
    click.echo(f"wrote {target}: {len(robot.items)} items, {pieces} convex pieces, {len(robot.joints)} joints")
