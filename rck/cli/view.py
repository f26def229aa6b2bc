"""`rck view`: show a robot live in a browser, also while its file is edited."""

import asyncio
import os
import webbrowser
from pathlib import Path
from secrets import token_urlsafe

import click

from rck.assembly.journal import JournalEntry, Recovery, journal_path, recoverable
from rck.assembly.native_file import fingerprint
from rck.cli.inputs import as_shown, parse_settings, read_robot
from rck.cli.options import FILE, IMPORTER_SET
from rck.control.file_watcher import watch
from rck.control.hub import Hub
from rck.control.protocol import refuse_without_websockets
from rck.control.served_world import ServedWorld
from rck.control.server import Address, ControlServer, serve
from rck.hooks import Plugins, Viewer, discover, read_options
from rck.language.session import Session, open_session
from rck.model import Robot

WEB_ORIGIN = "RCK_WEB_ORIGIN"
"""Environment variable with the origin of `rck edit --web`, whose pages may show the view in a frame."""
BROWSER = "browser"
"""The default viewer."""


@click.command()
@FILE
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (default: any free port).")
@click.option(
    "--with", "viewer", default=BROWSER, show_default=True, metavar="NAME", help="Viewer; plugins can add more."
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set a viewer option.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@IMPORTER_SET
def view(
    file: Path, port: int, viewer: str, options: tuple[str, ...], no_open: bool, settings: tuple[str, ...]
) -> None:
    """Show FILE live in a browser on this machine, until Ctrl+C.

    Changes to the file, and unsaved changes in an open editor, appear at once.
    """
    plugins = discover(file=file)
    source = ViewSource(file, plugins, settings)
    chosen = find_viewer(plugins, viewer)
    values = read_options(chosen.options, parse_settings(options))
    if chosen.page is None:
        robot = source.load()
        chosen.show(robot, values)
        return
    refuse_without_websockets()
    world = ServedWorld.of(source.load(), plugins)
    world.warm_up()
    hub = Hub(world)

    def started(server: ControlServer) -> None:
        address = f"http://127.0.0.1:{server.port}/?token={server.address.token}"
        click.echo(f"{file.name} at {address} (Ctrl+C to stop)")
        if not no_open:
            webbrowser.open(address)

    async def watching() -> None:
        await watch(hub, [file, journal_path(file)], source.load, lambda reason: click.echo(f"rck: {reason}", err=True))

    address = Address(port=port, token=token_urlsafe(12))
    server = ControlServer(hub, address, page=chosen.page, framed_by=os.environ.get(WEB_ORIGIN, ""))
    interrupted = asyncio.run(serve(server, started, lambda: None, watching))
    if interrupted:
        raise KeyboardInterrupt


def find_viewer(plugins: Plugins, name: str) -> Viewer:
    """Return the viewer of a name."""
    return plugins.choose(name, plugins.all(Viewer), "viewer")


class ViewSource:
    """Source of the robot: its file, and the journal of an open editor."""

    def __init__(self, file: Path, plugins: Plugins, settings: tuple[str, ...] = ()) -> None:
        self._file = file
        self._plugins = plugins
        self._settings = settings
        self._session: Session | None = None
        self._base = ""
        self._applied: tuple[JournalEntry, ...] = ()

    def load(self) -> Robot:
        """Load the robot, with the unsaved changes in the journal of an editor."""
        if self._file.suffix != ".rck":
            return as_shown(read_robot(self._file, self._plugins, self._settings)[0], self._file)
        session = self._open_session()
        base, recovery = fingerprint(self._file), recoverable(self._file)
        entries = recovery.entries if recovery is not None and recovery.matches else ()
        if base != self._base or entries[: len(self._applied)] != self._applied:
            session.open(self._file)
            self._base, self._applied = base, ()
        # Apply only new entries, so that the time for a change does not grow with the journal.
        session.recover_from(Recovery(entries[len(self._applied) :], matches=True))
        self._applied = entries
        return session.compile().unwrap().robot

    def _open_session(self) -> Session:
        # The session caches unchanged parts: loading again takes a tenth of the time.
        if self._session is None:
            self._session = open_session(self._plugins, self._file)
            self._base = fingerprint(self._file)
        return self._session
