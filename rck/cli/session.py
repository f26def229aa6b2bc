"""`rck new` and `rck run`: create an assembly, or run a script of commands on it."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path

import click

from rck.cli.inputs import print_findings
from rck.hooks import discover
from rck.language.session import new_session, open_session
from rck.language.session_command import CommandOutcome
from rck.model import RckError
from rck.support.file_lock import locked


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def new(file: Path) -> None:
    """Create an empty assembly in FILE.rck."""
    if file.exists():
        raise RckError(f"{file} already exists; nothing was changed")
    session = new_session(discover(file=file), file.parent, file.stem)
    click.echo(f"created {session.save(file)}; open it with `rck edit {file}`")
    print_findings(session.take_findings())


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True))
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--dry", is_flag=True, help="Do not save.")
@click.option("--json", "as_json", is_flag=True, help="Print the messages of the commands as JSON.")
def run(script: Path, file: Path | None, dry: bool, as_json: bool) -> None:
    """Run a SCRIPT of commands on FILE.rck, creating it if needed. All commands apply, or none.

    `-` reads the commands from standard input. Without FILE, the script can save with `save`.
    """
    try:
        text = sys.stdin.read() if str(script) == "-" else script.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RckError(f"{script}: not a UTF-8 text file; nothing was changed") from None
    # Two runs on one file take turns, so that the second one sees the changes of the first.
    with nullcontext() if file is None or dry else locked(file, "run"):
        outcomes = _run_on(script, text, file, dry)
    said = [outcome.message for outcome in outcomes if outcome.message]
    if as_json:
        click.echo(json.dumps(said))
        return
    for message in said:
        click.echo(message)
    if file is not None and not dry:
        click.echo(f"saved {file}")


def _run_on(script: Path, text: str, file: Path | None, dry: bool) -> list[CommandOutcome]:
    plugins = discover(file=file or script)
    if file is not None and file.exists():
        session = open_session(plugins, file)
    else:
        folder = file.parent if file is not None else Path.cwd() if str(script) == "-" else script.parent
        session = new_session(plugins, folder, (file or script).stem if str(script) != "-" or file else "untitled")
    outcomes = session.run_script(text, script.name)
    if file is not None and not dry:
        session.save(file)
    print_findings(session.take_findings())
    return outcomes
