"""`rck export`: write a robot, or a list of events, in another format."""

from pathlib import Path, PurePosixPath

import click

from rck.cli.documents import choose, parse_settings, print_findings, read_file
from rck.cli.progress import shown_job
from rck.hooks import Exported, Exporter, Imported, Plugins, discover
from rck.hooks.options import read_options
from rck.model import RckError
from rck.model.files import write_atomically
from rck.model.finding import errors_of


@click.command("export")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--format", "format_name", metavar="NAME", help="The exporter, if the ending does not tell.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the exporter.")
def export_file(file: Path, out: Path, format_name: str | None, settings: tuple[str, ...]) -> None:
    """Write FILE, of any format that RCK reads, to OUT; its ending tells the format."""
    plugins = discover()
    imported = read_file(file, plugins)
    broken = errors_of(imported.findings)
    if broken:
        raise RckError(str(broken[0]))
    exporter = exporter_for(out, imported, plugins, format_name)
    exported = run_exporter(exporter, imported, out, settings)
    for name in write_exported(exported, out.parent):
        click.echo(f"wrote {name}")
    print_findings((*imported.findings, *exported.findings))


def exporter_for(out: Path, imported: Imported, plugins: Plugins, name: str | None) -> Exporter:
    """The exporter of that name, or the one for the file's ending that takes what was read."""
    takes = "events" if imported.events is not None else "robot"
    usable = [one for one in plugins.all(Exporter) if one.takes == takes]
    if name is not None:
        return choose(name, usable, f"exporter of {takes}")
    for exporter in usable:
        if out.suffix.lower() in exporter.endings:
            return exporter
    known = " ".join(sorted({ending for one in usable for ending in one.endings}))
    raise RckError(f"no exporter of {takes} writes {out.suffix or 'a file without ending'}; known: {known}")


def run_exporter(exporter: Exporter, imported: Imported, out: Path, settings: tuple[str, ...]) -> Exported:
    """The files of the export; a refusal is an error."""
    values = read_options(exporter.options, parse_settings(settings))
    source = imported.events if exporter.takes == "events" else imported.robot
    with shown_job(f"writing {out.name}") as job:
        exported = exporter.write(source, out.name, values, job)
    broken = errors_of(exported.findings)
    if broken:
        raise RckError(str(broken[0]))
    return exported


def write_exported(exported: Exported, folder: Path) -> list[Path]:
    """Write the files under the folder, each in one step; a path that leads out of it is refused."""
    for name in exported.files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise RckError(f"the exporter wants to write {name}, outside {folder}; nothing was written")
    written = []
    for name, content in exported.files.items():
        write_atomically(folder / name, content)
        written.append(folder / name)
    return written
