"""`rck serve`: other programs drive the simulation."""

import asyncio
import sys
from math import inf
from pathlib import Path

import click

from rck.cli.documents import read_robot
from rck.cli.view import BROWSER, find_viewer
from rck.hooks import discover
from rck.model import RckError
from rck.model.files import in_words, refuse_unwritable


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for all.")
@click.option("--port", type=click.IntRange(0, 65535), default=9090, show_default=True, help="0 for any that is free.")
@click.option("--token", default="", envvar="RCK_TOKEN", help="What clients must know; needed beyond this machine.")
@click.option("--origin", "origins", multiple=True, help="A site whose pages may connect; * for all.")
@click.option("--rate", type=click.FloatRange(1, 1000), default=100.0, show_default=True, help="Steps a second.")
@click.option("--speed", type=click.FloatRange(0.01, 100), default=1.0, show_default=True, help="Against real time.")
@click.option("--paused", is_flag=True, help="Wait for somebody to step or start the world.")
@click.option("--lockstep", is_flag=True, help="No step before all who depend on the world have seen the last.")
@click.option("--patience", default=1.0, show_default=True, help="How long lock-step waits for a client, in seconds.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Write what clients do to a file.")
@click.option("--replay", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Do a recording first.")
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), help="Where the world is saved at the end.")
@click.option("--resume", is_flag=True, help="Go on from the saved state.")
@click.option("--view", is_flag=True, help="Show the world in a browser that opens the server's address.")
@click.option("--no-collisions", is_flag=True, help="Let items pass through each other.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
def serve(
    file: Path,
    host: str,
    port: int,
    token: str,
    origins: tuple[str, ...],
    rate: float,
    speed: float,
    paused: bool,
    lockstep: bool,
    patience: float,
    record: Path | None,
    replay: Path | None,
    state: Path | None,
    resume: bool,
    view: bool,
    no_collisions: bool,
    settings: tuple[str, ...],
) -> None:
    """Serve the robots of FILE to other programs, by the rosbridge protocol, until ctrl+C or SIGTERM.

    At the end the world is saved beside FILE, or where --state says; --resume goes on from there.
    """
    for option, value in (("rate", rate), ("speed", speed)):
        # The ranges of the options let nan pass.
        if not 0 < value < inf:
            raise click.UsageError(f"--{option} must be a positive number, not {value:g}")
    from rck.control.needs import refuse_without_websockets

    refuse_without_websockets()
    from rck.control import state_file
    from rck.control.dependence import Dependence
    from rck.control.hub import Hub
    from rck.control.recording import Recorder
    from rck.control.recording import replay as do_again
    from rck.control.server import Address, ControlServer
    from rck.control.server import serve as run
    from rck.control.world import ServedWorld

    address = Address(host, port, token, origins)
    plugins = discover(file=file)
    robot, _ = read_robot(file, plugins, settings)
    world = ServedWorld.of(robot, plugins, collisions=not no_collisions)
    world.warm_up()
    saved = state or file.with_suffix(".state.json")
    try:
        refuse_unwritable(saved)
    except RckError as error:
        raise RckError(f"the world could not be saved at the end: {error}; --state FILE says where") from None
    if resume:
        state_file.resume(world, saved)
    else:
        world.set_speed(speed)
        world.pause(paused)
    recorder = None if record is None else Recorder(record, robot.name)
    hub = Hub(world, dependence=Dependence(patience, lockstep), record=None if recorder is None else recorder.note)
    if replay is not None:
        for line in do_again(hub, replay):
            click.echo(f"refused this time: {line}", err=True)

    def started(server: ControlServer) -> None:
        click.echo(f"{robot.name} at ws://{host}:{server.port}; ctrl+C ends it")

    def ended() -> None:
        try:
            state_file.save(world, saved)
        except OSError as error:
            raise RckError(f"the world was not saved: {in_words(error)}") from None
        if recorder is not None:
            recorder.close()
        where = "" if state is None else f" --state {state}"
        click.echo(f"saved {saved}; `rck serve {file}{where} --resume` goes on from there", err=True)

    server = ControlServer(hub, address, rate=rate, page=find_viewer(plugins, BROWSER).page if view else None)
    interrupted = asyncio.run(run(server, started, ended))
    # As every command that ctrl+C ends; what there is to say has been said.
    sys.exit(130 if interrupted else 0)
