"""`rck edit`: the terminal editor."""

import sys
from pathlib import Path

import click

from rck.hooks import discover
from rck.model import RckError


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def edit(file: Path | None = None) -> None:
    """Open the editor on FILE.rck, which need not exist yet, or on an empty assembly."""
    if not sys.stdout.isatty():
        raise RckError("the editor needs a terminal; `rck run` and `rck show` do without")
    from rck.editor.app import RckApp
    from rck.language.session import new_session, open_session

    plugins = discover()
    if file is not None and file.exists():
        session = open_session(plugins, file)
    else:
        session = new_session(
            plugins, file.parent if file is not None else Path.cwd(), file.stem if file else "untitled"
        )
        if file is not None:
            session.path = file
    RckApp(session).run()
