"""`rck edit`: the terminal editor."""

import os
import sys
from pathlib import Path

import click

from rck.model import RckError

_PORT = 8765


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--web", "in_browser", is_flag=True, help="Open the editor in a browser on this machine.")
@click.option("--port", type=click.IntRange(1, 65535), default=_PORT, show_default=True, help="Port for --web.")
def edit(file: Path | None = None, in_browser: bool = False, port: int = _PORT) -> None:
    """Open the editor on FILE.rck, which need not exist yet, or on an empty assembly.

    A FILE of another format, such as URDF or DXF, is imported into an empty assembly.
    """
    if file is not None:
        _require_assembly(file)
    if in_browser:
        from rck.editor.web_server import serve

        serve(file, port)
        return
    # Another driver, such as the one for browsers, needs no terminal.
    if not sys.stdout.isatty() and "TEXTUAL_DRIVER" not in os.environ:
        raise RckError("the editor needs a terminal; `rck run` and `rck show` do not")
    if os.environ.get("TERM") == "dumb" and "TEXTUAL_DRIVER" not in os.environ:
        raise RckError("the editor needs a full-screen terminal, but TERM=dumb; `rck run` and `rck show` do not")
    from rck.editor.app import RckApp
    from rck.grammar import quote
    from rck.hooks import discover
    from rck.language.session import new_session, open_session

    plugins = discover(file=file)
    first_command = ""
    if file is not None and file.suffix != ".rck":
        session = new_session(plugins, file.parent, file.stem)
        first_command = f"import {quote(file.name)}"
    elif file is not None and file.exists():
        session = open_session(plugins, file)
    else:
        folder, name = (Path.cwd(), "untitled") if file is None else (file.parent, file.stem)
        session = new_session(plugins, folder, name, file)
    app = RckApp(session, first_command=first_command)
    app.run()
    report = app.write_crash_report()
    if report is not None:
        again = "rck edit" if file is None else f"rck edit {file}"
        raise RckError(f"the editor crashed; `{again}` recovers your work; the traceback is in {report}")


def _require_assembly(file: Path) -> None:
    """Refuse a path that can be neither an assembly file nor a file to import."""
    if file.is_dir():
        raise RckError(f"{file} is a folder; name a file in it, such as {file / 'robot.rck'}")
    if file.suffix != ".rck":
        if not file.exists():
            raise RckError(f"{file} does not exist; the name of a new assembly ends in .rck")
        from rck.hooks import discover
        from rck.hooks.file_exchange import importer_for

        importer_for(file, discover(file=file))
    if not file.parent.is_dir():
        raise RckError(f"{file}: folder {file.parent} does not exist")
