"""`rck import`: read a file of any known format into an assembly, again and again as the file changes."""

from collections.abc import Sequence
from pathlib import Path

import click

from rck.cli.documents import parse_settings, print_findings
from rck.cli.progress import shown_job
from rck.hooks import Imported, Importer, Plugins, Recipe, discover, read_recipe, write_recipe
from rck.hooks.exchange import importer_for, read_file, require_robot
from rck.hooks.recipe import with_options
from rck.language.commands.files import with_imported, with_imported_again
from rck.language.session import Session, new_session, open_session
from rck.model import RckError, Robot
from rck.model.finding import errors_of
from rck.model.names import nearest_name


@click.command("import", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SOURCE [--OPTION VALUE]...")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The assembly to write; SOURCE.rck unless said.",
)
@click.option("--format", "format_name", metavar="NAME", help="The importer, if the file does not tell.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option("--options", "only_options", is_flag=True, help="List the options that the importer of SOURCE has.")
@click.option("--no-recipe", is_flag=True, help="Neither use nor keep answers beside SOURCE.")
def import_file(
    words: tuple[str, ...],
    out: Path | None,
    format_name: str | None,
    settings: tuple[str, ...],
    only_options: bool,
    no_recipe: bool,
) -> None:
    """Read SOURCE, of any known format, into an assembly of its own.

    Options of the importer can be given by name: `rck import side.dxf --thickness 4mm`. For formats that need
    answers, they are kept in a recipe beside SOURCE, so that the next `rck import side.dxf` needs none. An assembly
    that holds what was imported from SOURCE before gets the new pieces in place of the old; mates stay.
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
        imported = read_file(source, plugins, given, importer.name, job, recipe)
    print_findings(imported.findings)
    if imported.events is not None:
        click.echo(f"{source.name}: {len(imported.events.events)} events; `rck export` writes them in another format")
        return
    if errors_of(imported.findings):
        raise SystemExit(1)
    robot = require_robot(imported, source)
    target = out or source.with_suffix(".rck")
    session = _session(target, source, robot, imported, plugins)
    with shown_job(f"making {target.name}") as session.job:
        session.compile().unwrap()
        session.save(target)
    click.echo(f"{source.name}: {imported.summary or _counted(robot)}")
    click.echo(f"wrote {target}")
    if recipe is not None and not no_recipe and given:
        _keep(source, with_options(recipe, given))


def _source(words: Sequence[str]) -> Path:
    """The file among the words; the others are options and their values."""
    plain = [word for word in words if not word.startswith("--")]
    if not plain:
        raise click.UsageError("Missing argument 'SOURCE'.")
    source = next((Path(word) for word in plain if Path(word).exists()), Path(plain[0]))
    if not source.exists():
        raise click.UsageError(f"there is no file {source}")
    return source


def _given(words: Sequence[str], source: Path, importer: Importer) -> dict[str, str]:
    """The options of the importer among the words: `--name value`, `--name=value`, and `--name` for a flag."""
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
        default = "" if option.default is None else f"; {_shown(option.default)} unless said"
        click.echo(f"  --{option.name.ljust(width)}  {option.help}{choices}{default}")


def _shown(default: str | float | bool) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    return default if isinstance(default, str) else f"{default:g}"


def _session(target: Path, source: Path, robot: Robot, imported: Imported, plugins: Plugins) -> Session:
    """The assembly to write: a new one, or the one that is there with the pieces of the source replaced."""
    if not target.exists():
        session = new_session(plugins, target.parent, nearest_name(target.stem, "imported"))
        changed = with_imported(session.assembly, robot, source, imported=imported)
    else:
        session = open_session(plugins, target)
        if not any(piece.source == source.name for piece in session.assembly.pieces.values()):
            raise RckError(f"{target} exists and holds nothing from {source.name}: choose another file with -o")
        changed, gone = with_imported_again(session.assembly, robot, source, imported)
        for what in gone:
            click.secho(f"{source.name} no longer has {what}", fg="yellow", err=True)
    session.history = session.history.then(f"import {source}", changed)
    return session


def _counted(robot: Robot) -> str:
    pieces = sum(len(item.subitems) for item in robot.items)
    return f"{len(robot.items)} items, {pieces} convex pieces, {len(robot.joints)} joints"


def _keep(source: Path, recipe: Recipe) -> None:
    try:
        click.echo(f"answers kept in {write_recipe(source, recipe).name}")
    except OSError as error:
        click.secho(f"answers could not be kept: {error.strerror}", fg="yellow", err=True)
