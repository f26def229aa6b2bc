"""`rck new` and `rck run`: starting an assembly, applying a script of commands."""

import json
import sys
from pathlib import Path

import click

from rck.hooks import discover
from rck.language.session import new_session, open_session, run_script
from rck.model import RckError


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def new(file: Path) -> None:
    """Start an empty assembly in FILE.rck."""
    if file.exists():
        raise RckError(f"{file} exists already; nothing was changed")
    session = new_session(discover(file=file), file.parent, file.stem)
    click.echo(f"started {session.save(file)}; `rck edit {file}` opens it")


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True))
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--dry", is_flag=True, help="Save nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what each command said as data.")
def run(script: Path, file: Path | None, dry: bool, as_json: bool) -> None:
    """Apply a SCRIPT of commands to FILE.rck, which need not exist yet: all of them or none.

    `-` reads the commands from standard input. Without FILE, the script may save by itself.
    """
    try:
        text = sys.stdin.read() if str(script) == "-" else script.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RckError(f"{script}: this is not a text file (UTF-8); nothing was changed") from None
    plugins = discover(file=file or script)
    if file is not None and file.exists():
        session = open_session(plugins, file)
    else:
        folder = file.parent if file is not None else Path.cwd() if str(script) == "-" else script.parent
        session = new_session(plugins, folder, (file or script).stem if str(script) != "-" or file else "untitled")
    outcomes = run_script(session, text, script.name)
    if file is not None and not dry:
        session.save(file)
    said = [outcome.message for outcome in outcomes if outcome.message]
    if as_json:
        click.echo(json.dumps(said))
        return
    for message in said:
        click.echo(message)
    if file is not None and not dry:
        click.echo(f"saved {file}")
