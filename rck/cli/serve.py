"""`rck serve`: serve a simulation to other programs."""

import asyncio
import sys
from math import inf
from pathlib import Path

import click

from rck.cli.inputs import read_robot
from rck.cli.options import FILE, IMPORTER_SET
from rck.cli.view import BROWSER, find_viewer
from rck.control import client_recording, served_state, server
from rck.control.client_recording import ClientRecorder
from rck.control.hub import Hub
from rck.control.lockstep import Lockstep
from rck.control.protocol import refuse_without_websockets
from rck.control.served_world import ServedWorld
from rck.control.server import Address, ControlServer
from rck.hooks import discover
from rck.model import RckError
from rck.support.files import in_words, refuse_unwritable


@click.command()
@FILE
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all interfaces."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9090,
    show_default=True,
    help="Port to listen on; 0 for any free port.",
)
@click.option(
    "--token", default="", envvar="RCK_TOKEN", help="Access token for clients; required on non-loopback addresses."
)
@click.option("--origin", "origins", multiple=True, help="Web origin that may connect; * for all. Repeat for several.")
@click.option(
    "--rate", type=click.FloatRange(1, 1000), default=100.0, show_default=True, help="Simulation steps per second."
)
@click.option("--speed", type=click.FloatRange(0.01, 100), default=1.0, show_default=True, help="Real-time factor.")
@click.option("--paused", is_flag=True, help="Start paused, until a client steps or starts the simulation.")
@click.option("--lockstep", is_flag=True, help="Wait for every registered client to acknowledge each step.")
@click.option("--patience", default=1.0, show_default=True, help="Time that --lockstep waits for a client, in seconds.")
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="Record the commands of clients to a file."
)
@click.option(
    "--replay", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Replay a recording first."
)
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), help="File to save the state to at exit.")
@click.option("--resume", is_flag=True, help="Resume from the saved state.")
@click.option("--view", is_flag=True, help="Serve a live 3D view at the server's address.")
@click.option("--no-collisions", is_flag=True, help="Disable collision checking.")
@IMPORTER_SET
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
    """Serve the robots of FILE to other programs with the rosbridge protocol, until Ctrl+C or SIGTERM.

    The state is saved at exit next to FILE, or to --state; --resume continues from it.
    """
    for option, value in (("rate", rate), ("speed", speed)):
        # click.FloatRange accepts NaN.
        if not 0 < value < inf:
            raise click.UsageError(f"--{option} must be a positive number, not {value:g}")
    refuse_without_websockets()
    address = Address(host, port, token, origins)
    plugins = discover(file=file)
    robot, _ = read_robot(file, plugins, settings)
    world = ServedWorld.of(robot, plugins, collisions=not no_collisions)
    world.warm_up()
    saved = state or file.with_suffix(".state.json")
    try:
        refuse_unwritable(saved)
    except RckError as error:
        raise RckError(f"cannot save the state at exit: {error}; choose another file with --state") from None
    if resume:
        served_state.resume(world, saved)
    else:
        world.set_speed(speed)
        world.pause(paused)
    recorder = None if record is None else ClientRecorder(record, robot.name)
    hub = Hub(world, lockstep=Lockstep(patience, lockstep), record=None if recorder is None else recorder.record)
    if replay is not None:
        for refusal in client_recording.replay(hub, replay):
            click.echo(f"refused on replay: {refusal}", err=True)

    def started(running: ControlServer) -> None:
        click.echo(f"{robot.name} at ws://{host}:{running.port} (Ctrl+C to stop)")

    def ended() -> None:
        for message in world.simulation.report_end():
            click.echo(message, err=True)
        try:
            served_state.save(world, saved)
        except OSError as error:
            raise RckError(f"cannot save the state: {in_words(error)}") from None
        if recorder is not None:
            recorder.close()
        where = "" if state is None else f" --state {state}"
        click.echo(f"saved {saved}; `rck serve {file}{where} --resume` continues from it", err=True)

    page = find_viewer(plugins, BROWSER).page if view else None
    interrupted = asyncio.run(server.serve(ControlServer(hub, address, rate=rate, page=page), started, ended))
    # The exit status of commands that Ctrl+C ends, without the message of main().
    sys.exit(130 if interrupted else 0)
