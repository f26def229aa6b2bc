"""`rck edit`: the terminal editor."""

import os
import sys
from pathlib import Path

import click

from rck.model import RckError

_PORT = 8765


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--web", "in_browser", is_flag=True, help="In a browser on this machine instead of the terminal.")
@click.option("--port", type=click.IntRange(1, 65535), default=_PORT, show_default=True, help="Where --web listens.")
def edit(file: Path | None = None, in_browser: bool = False, port: int = _PORT) -> None:
    """Open the editor on FILE.rck, which need not exist yet, or on an empty assembly."""
    if file is not None:
        _require_assembly(file)
    if in_browser:
        from rck.editor.web import serve

        serve(file, port)
        return
    # A driver other than that of terminals, such as the one for browsers, needs none.
    if not sys.stdout.isatty() and "TEXTUAL_DRIVER" not in os.environ:
        raise RckError("the editor needs a terminal; `rck run` and `rck show` do without")
    if os.environ.get("TERM") == "dumb" and "TEXTUAL_DRIVER" not in os.environ:
        raise RckError("this terminal can only print lines, says TERM=dumb; `rck run` and `rck show` need no more")
    from rck.editor.app import RckApp
    from rck.hooks import discover
    from rck.language.session import new_session, open_session

    plugins = discover(file=file)
    if file is not None and file.exists():
        session = open_session(plugins, file)
    else:
        session = new_session(
            plugins, file.parent if file is not None else Path.cwd(), file.stem if file else "untitled"
        )
        session.path = file
    app = RckApp(session)
    app.run()
    if app.broke_down:
        again = "rck edit" if file is None else f"rck edit {file}"
        raise RckError(
            f"the editor broke down, for which we are sorry; `{again}` recovers your work. What happened is"
            f" in {app.broke_down}"
        )


def _require_assembly(file: Path) -> None:
    """Refuse what cannot be an assembly before anything is opened."""
    if file.is_dir():
        raise RckError(f"{file} is a folder; name a file in it, such as {file / 'robot.rck'}")
    if file.suffix != ".rck":
        raise RckError(
            f"{file}: the editor opens .rck files; `rck import {file} -o {file.stem}.rck` makes one of others"
        )
    if not file.parent.is_dir():
        raise RckError(f"{file}: there is no folder {file.parent}")
