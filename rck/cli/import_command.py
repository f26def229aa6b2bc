"""`rck import`: read a file of any known format into an assembly, again and again as the file changes."""

from collections.abc import Sequence
from pathlib import Path

import click

from rck.assembly.document import Assembly
from rck.assembly.exploded_instance import LINK_OF_FILE
from rck.cli.inputs import parse_settings, print_findings
from rck.cli.options import IMPORTER_SET
from rck.cli.progress import shown_job
from rck.exporting import list_names
from rck.hooks import Importer, Plugins, Recipe, discover, read_recipe, write_recipe
from rck.hooks.file_exchange import FileContents, importer_for, read_file, require_robot
from rck.hooks.recipe import with_options
from rck.language.commands.file_commands import with_imported, with_imported_again
from rck.language.session import Session, new_session, open_session
from rck.model import RckError, Robot
from rck.support.finding import errors_of
from rck.support.names import nearest_name


@click.command("import", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SOURCE [--OPTION VALUE]...")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Output assembly (default: SOURCE.rck).",
)
@click.option("--format", "format_name", metavar="NAME", help="Importer (default: detected from the file).")
@IMPORTER_SET
@click.option("--options", "only_options", is_flag=True, help="List the options of the importer for SOURCE.")
@click.option("--no-recipe", is_flag=True, help="Neither read nor write an import recipe next to SOURCE.")
def import_file(
    words: tuple[str, ...],
    out: Path | None,
    format_name: str | None,
    settings: tuple[str, ...],
    only_options: bool,
    no_recipe: bool,
) -> None:
    """Import SOURCE, in any supported format, into a new assembly.

    Set options of the importer by name: `rck import side.dxf --thickness 4mm`. Importers of drawings store them in an
    import recipe next to SOURCE, so that the next `rck import side.dxf` needs none. If the assembly already contains
    local parts of SOURCE, the new parts replace them; mates stay.
    """
    source = _source(words)
    plugins = discover(file=source)
    importer = importer_for(source, plugins, format_name)
    if only_options:
        _list_options(importer)
        return
    given = {**_given(words, source, importer), **parse_settings(settings)}
    recipe = Recipe() if no_recipe else read_recipe(source) if importer.survey is not None else None
    with shown_job(f"reading {source.name}") as job:
        contents = read_file(source, plugins, given, importer.name, job, recipe)
    print_findings(contents.findings)
    if contents.events is not None:
        click.echo(f"{source.name}: {len(contents.events.events)} events; `rck export` writes them in another format")
        return
    if errors_of(contents.findings):
        raise SystemExit(1)
    robot = require_robot(contents, source)
    target = out or source.with_suffix(".rck")
    session = _session(target, source, contents, plugins)
    with shown_job(f"making {target.name}") as session.job:
        session.compile().unwrap()
        session.save(target)
    print_findings(session.take_findings())
    click.echo(f"{source.name}: {contents.summary or _counted(robot)}")
    click.echo(f"wrote {target}")
    if recipe is not None and not no_recipe and given:
        _keep(source, with_options(recipe, given))


def _source(words: Sequence[str]) -> Path:
    """Return the file among the words; the others are options and their values."""
    plain = [word for word in words if not word.startswith("--")]
    if not plain:
        raise click.UsageError("Missing argument 'SOURCE'.")
    source = next((Path(word) for word in plain if Path(word).exists()), Path(plain[0]))
    if not source.exists():
        raise click.UsageError(f"file not found: {source}")
    return source


def _given(words: Sequence[str], source: Path, importer: Importer) -> dict[str, str]:
    """Return the importer options among the words: `--name value`, `--name=value`, and `--name` for a flag."""
    flags = {option.name for option in importer.options if option.type == "flag"}
    given: dict[str, str] = {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("--"):
            if Path(word) != source:
                raise click.UsageError(f"{word!r} is neither SOURCE nor the value of an option")
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        if equals:
            given[name] = value
        elif name in flags:
            given[name] = "yes"
        elif waiting:
            given[name] = waiting.pop(0)
        else:
            raise click.UsageError(f"--{name} needs a value")
    return given


def _list_options(importer: Importer) -> None:
    click.echo(f"{importer.name}: {importer.summary}")
    width = max((len(option.name) for option in importer.options), default=0)
    for option in importer.options:
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        default = "" if option.default is None else f"; default: {_shown(option.default)}"
        click.echo(f"  --{option.name.ljust(width)}  {option.help}{choices}{default}")


def _shown(default: str | float | bool) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    return default if isinstance(default, str) else f"{default:g}"


def _session(target: Path, source: Path, contents: FileContents, plugins: Plugins) -> Session:
    """Return the assembly to write: a new one, or the existing one with the local parts of the source replaced."""
    if not target.exists():
        session = new_session(plugins, target.parent, nearest_name(target.stem, "imported"))
        session.begin(with_imported(session.assembly, contents, source))
        return session
    session = open_session(plugins, target)
    if not any(part.source == source.name for part in session.assembly.local_parts.values()):
        _refuse_exploded(session.assembly, target, source)
        raise RckError(f"{target} exists and does not contain {source.name}: choose another file with -o")
    changed, gone = with_imported_again(session.assembly, contents, source)
    for what in gone:
        click.secho(f"{source.name} no longer has {what}", fg="yellow", err=True)
    session.apply(f"import {source}", changed)
    return session


def _refuse_exploded(assembly: Assembly, target: Path, source: Path) -> None:
    """Refuse to replace a robot that was exploded: its links may have been edited since."""
    links = [
        name for name, part in assembly.local_parts.items() if part.source.startswith(f"{source.name}{LINK_OF_FILE}")
    ]
    if links:
        raise RckError(
            f"the robot of {source.name} was exploded in {target} into {list_names(links)}, which cannot be imported "
            "again; import into another file with -o, and use its parts in place of these"
        )


def _counted(robot: Robot) -> str:
    pieces = sum(len(item.subitems) for item in robot.items)
    return f"{len(robot.items)} items, {pieces} convex pieces, {len(robot.joints)} joints"


def _keep(source: Path, recipe: Recipe) -> None:
    try:
        click.echo(f"import recipe saved to {write_recipe(source, recipe).name}")
    except OSError as error:
        click.secho(f"import recipe could not be saved: {error.strerror}", fg="yellow", err=True)
