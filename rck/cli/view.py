"""`rck view`: the world live in a browser, also while somebody edits its file."""

import asyncio
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rck.assembly.journal import Entry, Recovery, journal_path, recoverable
from rck.assembly.native import fingerprint
from rck.cli.documents import parse_settings, read_robot
from rck.hooks import Plugins, Viewer, discover, read_options
from rck.hooks.choosing import choose
from rck.model import Robot

if TYPE_CHECKING:
    from rck.language.session import Session

BROWSER = "browser"
"""The viewer that is used unless another is asked for."""


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where to listen; any free port by default.")
@click.option(
    "--with", "viewer", default=BROWSER, show_default=True, metavar="NAME", help="The viewer; plugins add some."
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of that viewer.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
def view(
    file: Path, port: int, viewer: str, options: tuple[str, ...], no_open: bool, settings: tuple[str, ...]
) -> None:
    """Show FILE with a viewer: in a browser on this machine, live, until ctrl+C.

    Changes of the file, and what an editor that has it open has not saved yet, appear at once.
    """
    from rck.control.hub import Hub
    from rck.control.needs import refuse_without_websockets
    from rck.control.server import Address, ControlServer, serve
    from rck.control.watching import watch
    from rck.control.world import ServedWorld

    plugins = discover(file=file)
    source = Source(file, plugins, settings)
    chosen = find_viewer(plugins, viewer)
    values = read_options(chosen.options, parse_settings(options))
    if chosen.page is None:
        robot = source.load()
        with plugins.guard(chosen):
            chosen.show(robot, values)
        return
    refuse_without_websockets()
    world = ServedWorld.of(source.load(), plugins)
    world.warm_up()
    hub = Hub(world)

    def started(server: ControlServer) -> None:
        address = f"http://127.0.0.1:{server.port}/"
        click.echo(f"{file.name} at {address}; ctrl+C ends it")
        if not no_open:
            webbrowser.open(address)

    async def watching() -> None:
        await watch(hub, [file, journal_path(file)], source.load, lambda said: click.echo(f"rck: {said}", err=True))

    server = ControlServer(hub, Address(port=port), page=chosen.page)
    interrupted = asyncio.run(serve(server, started, lambda: None, watching))
    if interrupted:
        raise KeyboardInterrupt


def find_viewer(plugins: Plugins, name: str) -> Viewer:
    """The viewer of that name."""
    return choose(name, plugins.all(Viewer), "viewer", plugins)


class Source:
    """Where the robot comes from, each time that it is wanted."""

    def __init__(self, file: Path, plugins: Plugins, settings: tuple[str, ...] = ()) -> None:
        self._file = file
        self._plugins = plugins
        self._settings = settings
        self._session: Session | None = None
        self._base = ""
        self._done: tuple[Entry, ...] = ()

    def load(self) -> Robot:
        """The robot as it is now, with what an editor has in its journal."""
        if self._file.suffix != ".rck":
            return read_robot(self._file, self._plugins, self._settings)[0]
        session = self._opened()
        base, left = fingerprint(self._file), recoverable(self._file)
        entries = left.entries if left is not None and left.matches else ()
        if base != self._base or entries[: len(self._done)] != self._done:
            session.open(self._file)
            self._base, self._done = base, ()
        # Only what is new is done: however long somebody edits, a change takes as long as the first.
        session.recover_from(Recovery(entries[len(self._done) :], matches=True))
        self._done = entries
        return session.compile().unwrap().robot

    def _opened(self) -> "Session":
        from rck.language.session import open_session

        # The session remembers the parts that have not changed: a second reading takes a tenth of the first.
        if self._session is None:
            self._session = open_session(self._plugins, self._file)
            self._base = fingerprint(self._file)
        return self._session
