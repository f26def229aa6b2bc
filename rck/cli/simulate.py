"""`rck simulate`: a run without a screen."""

import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from rck.cli.documents import finding_data, parse_settings, print_findings, read_any, read_robot, refuse_errors
from rck.cli.progress import shown_job
from rck.hooks import Exporter, Plugins, ProgramLanguage, discover
from rck.hooks.exchange import importer_for
from rck.model import RckError, Robot
from rck.model.files import refuse_missing_folder
from rck.model.units import counted

if TYPE_CHECKING:
    from rck.simulation.events import Event
    from rck.simulation.notices import Outcome
    from rck.simulation.programs import ProgramRun
    from rck.simulation.rays import Caster
    from rck.simulation.recording import Recorder, Recording
    from rck.simulation.running import Running
    from rck.simulation.simulation import Simulation

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("events", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--step", default=0.01, show_default=True, metavar="SECONDS", help="How long a step is.")
@click.option("--until", type=float, metavar="SECONDS", help="End there; a program, once its line is done.")
@click.option("--realtime", is_flag=True, help="By the clock on the wall instead of as fast as possible.")
@click.option("--speed", default=1.0, show_default=True, help="With --realtime: how much faster, 0.1 to 100.")
@click.option("--profile", default="trapezoidal", show_default=True, help="How the moves of programs gather speed.")
@click.option("--no-collisions", is_flag=True, help="Let everything pass through everything.")
@click.option("--physics", metavar="NAME", help="Under forces: gravity, contact, motors; needs an engine.")
@click.option("--with", "forces", multiple=True, metavar="NAME=VALUE", help="An option of the physics.")
@click.option(
    "--rays", type=click.Choice(["auto", "kernels", "open3d"]), default="auto", show_default=True, help="Of sensors."
)
@click.option("--seed", default=0, show_default=True, help="For the noise of sensors.")
@click.option("--from-state", type=_FILE, metavar="STATE", help="Go on from a moment that was saved.")
@click.option("--save-state", type=_FILE, metavar="STATE", help="Save the last moment, to go on from there.")
@click.option("--out", type=_FILE, help="Write the run to OUT.csv or OUT.npz.")
@click.option("--plot", type=_FILE, help="Plot the run to PLOT.png.")
@click.option("--film", type=_FILE, help="Draw the run to FILM.gif.")
@click.option("--chart", is_flag=True, help="Plot the run in the terminal.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def simulate(
    file: Path,
    events: Path | None,
    step: float,
    until: float | None,
    realtime: bool,
    speed: float,
    profile: str,
    no_collisions: bool,
    physics: str | None,
    forces: tuple[str, ...],
    rays: "Caster",
    seed: int,
    from_state: Path | None,
    save_state: Path | None,
    out: Path | None,
    plot: Path | None,
    film: Path | None,
    chart: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run an event file or a program on the robots and objects of a file.

    Exit status 1 when something could not be done. A state brings its events along: EVENTS is then left out, or the
    program that was running.

    With --physics, motors follow what events ask for, objects fall and press on each other, and sensors feel it. The
    motors give what is needed; one that is too weak for that is a warning. --with limited=yes lets it fail instead.
    """
    from rck.simulation import state_file
    from rck.simulation.cell import Cell
    from rck.simulation.player import FASTEST, SLOWEST
    from rck.simulation.programs import Memory, ProgramRun, language_of, read_program
    from rck.simulation.rays import refuse_without_open3d
    from rck.simulation.recording import Recorder, save_recording
    from rck.simulation.simulation import Simulation
    from rck.simulation.strength import physics_maker, too_weak

    if not step > 0:
        raise click.UsageError("--step takes a time above zero")
    if not SLOWEST <= speed <= FASTEST:
        raise click.UsageError(f"--speed is from {SLOWEST:g} to {FASTEST:g}")
    if events is None and from_state is None:
        raise click.UsageError("name the file of events or the program that is to be run")
    for written in (save_state, out, plot, film):
        if written is not None:
            refuse_missing_folder(written)
    if film is not None and film.suffix.lower() != ".gif":
        raise click.UsageError("--film writes a GIF file")
    if rays == "open3d":
        refuse_without_open3d()
    plugins = discover()
    forceful = None if physics is None else physics_maker(plugins, physics, parse_settings(forces))
    robot, findings = read_robot(file, plugins, settings)
    program = read_program(events, robot, plugins) if events and language_of(events, plugins) else None
    if program is None and events is not None and from_state is not None:
        raise click.UsageError(f"{from_state.name} brings its own events: leave {events.name} out")
    listed = () if program is not None or events is None else _read_events(events, robot, plugins)
    simulation = Simulation(
        robot,
        listed,
        plugins=plugins,
        collisions=not no_collisions,
        seed=seed,
        rays=rays,
        physics=forceful,
    )
    state = None if from_state is None else state_file.read_state(from_state)
    if state is not None:
        state_file.restore(simulation, state, str(from_state))
        if state.program is not None and program is None:
            raise click.UsageError(f"{from_state} was saved in a program: name its file")
    recorder = Recorder(simulation) if out or plot or film or chart else None
    watch = _Watch(simulation, recorder, not as_json, speed if realtime else None)
    watch()
    run = None
    if program is not None:
        run = ProgramRun(Cell(simulation, plugins, seconds=step, profile=profile, after_step=watch), program)
        if state is not None and state.program is not None:
            run.recall(msgspec.convert(state.program, Memory))
        _run_program(run, float("inf") if until is None else until)
    else:
        simulation.run(float("inf") if until is None else until, step, watch)
    watch.tell()
    if save_state is not None:
        memory = None if run is None else msgspec.to_builtins(run.memory())
        now, _ = state_file.state_of(simulation)
        state_file.save_state(msgspec.structs.replace(now, program=memory), save_state)
    wrote = [] if save_state is None else [f"wrote {save_state}"]
    if recorder is not None:
        recording = recorder.recording()
        if out is not None:
            save_recording(recording, out)
            wrote.append(f"wrote {out}")
        _plot(recording, plot, chart)
        if plot is not None:
            wrote.append(f"wrote {plot}")
        if film is not None:
            wrote.append(f"wrote {film}: {_film(simulation.robot, recording, film)} frames")
    outcomes = [*simulation.outcomes, *(running.outcome(_unfinished(running)) for running in simulation.running)]
    failed = run is not None and any(not executed.reply for executed in run.executed)
    weak = () if simulation.forces is None else too_weak(simulation.forces.meter.loads())
    simulation.findings += weak
    if as_json:
        click.echo(json.dumps(_data(simulation, outcomes, run), indent=2))
    else:
        _print(simulation, outcomes, run)
        for line in wrote:
            click.echo(line)
        print_findings([*findings, *simulation.findings, *plugins.findings])
    sys.exit(int(failed or bool(weak) or (run is None and not all(outcome.done for outcome in outcomes))))


def _plot(recording: "Recording", picture: Path | None, chart: bool) -> None:
    from rck.model.files import write_atomically
    from rck.render.chart import INKS, chart_lines, chart_picture
    from rck.render.image_file import png_bytes
    from rck.simulation.plots import panels_of

    panels = panels_of(recording)
    if picture is not None:
        write_atomically(picture, png_bytes(chart_picture(panels)))
    for panel in panels if chart else ():
        for line in chart_lines(panel):
            signs = (click.style(text, fg=INKS[own % len(INKS)]) if own >= 0 else text for text, own in line)
            click.echo("".join(signs))


def _film(robot: Robot, recording: "Recording", path: Path) -> int:
    """Write the film; how many frames it has."""
    from rck.model.files import write_atomically
    from rck.render.image_file import gif_bytes
    from rck.simulation.film import FRAMES_A_SECOND, film

    with shown_job(f"drawing {path.name}") as job:
        frames = list(film(robot, recording, job=job))
    write_atomically(path, gif_bytes(frames, 1 / FRAMES_A_SECOND))
    return len(frames)


def _read_events(path: Path, robot: Robot, plugins: Plugins) -> "tuple[Event, ...]":
    from rck.simulation.event_table import ENDINGS, read_table
    from rck.simulation.events import from_event_list

    if path.suffix.lower() in ENDINGS:
        return read_table(path, robot)
    listing = {ending for one in plugins.all(Exporter) if one.takes == "events" for ending in one.endings}
    languages = {ending for one in plugins.all(ProgramLanguage) for ending in one.endings}
    known = f"event files are {_one_of({*listing, *ENDINGS})}, programs {_one_of(languages)}"
    refusal = RckError(f"{path.name} is no event file and no program; {known}")
    try:
        importer_for(path, plugins)
    except RckError as error:
        if path.suffix.lower() in listing:
            raise
        raise refusal from error
    imported = read_any(path, plugins)
    refuse_errors(imported)
    if imported.events is None:
        raise refusal
    return from_event_list(imported.events, robot)


def _one_of(endings: Iterable[str]) -> str:
    return " ".join(sorted(ending for ending in endings if not ending[1:].isdigit())) or "none"


def _run_program(run: "ProgramRun", until: float) -> None:
    """Line after line, up to an error or the time."""
    while not run.finished and run.cell.simulation.time < until:
        executed = run.step()
        if executed is not None and not executed.reply:
            return


class _Watch:
    """What happens after each step: it is written down, told, and waited for."""

    def __init__(self, simulation: "Simulation", recorder: "Recorder | None", talks: bool, speed: float | None) -> None:
        self._simulation = simulation
        self._recorder = recorder
        self._talks = talks
        self._speed = speed
        self._told = len(simulation.notices)
        self._begin = time.perf_counter() - (0.0 if speed is None else simulation.time / speed)

    def __call__(self) -> None:
        if self._recorder is not None:
            self._recorder.note()
        self.tell()
        if self._speed is not None:
            ahead = self._simulation.time / self._speed - (time.perf_counter() - self._begin)
            if ahead > 0:
                time.sleep(ahead)

    def tell(self) -> None:
        """Print what is new."""
        if self._talks:
            for notice in self._simulation.notices[self._told :]:
                click.echo(str(notice))
            self._told = len(self._simulation.notices)


def _print(simulation: "Simulation", outcomes: "list[Outcome]", run: "ProgramRun | None") -> None:
    from rck.simulation.events import described
    from rck.simulation.strength import load_table, verdict

    for executed in run.executed if run is not None else ():
        click.echo(f"{executed.finished:9.3f} s  {executed.line.text}: {executed.reply.text}")
    click.echo(f"{_progress(outcomes, run)} in {simulation.time:.2f} s")
    for outcome in outcomes:
        for blocking in outcome.blockings:
            mover, other = blocking.by
            click.echo(f"  {mover} was held up by {other} for {blocking.seconds:.2f} s")
        if outcome.why:
            click.echo(f"  not done: {described(outcome.event)}: {outcome.why}")
    if simulation.forces is not None:
        loads = simulation.forces.meter.loads()
        click.echo(f"{load_table(loads)}\n{verdict(loads)}")


def _progress(outcomes: "list[Outcome]", run: "ProgramRun | None") -> str:
    """How much of what was asked for was done: events, or lines of a program."""
    if run is None:
        return f"{sum(outcome.done for outcome in outcomes)} of {len(outcomes)} events done"
    done = counted(sum(bool(executed.reply) for executed in run.executed), "line")
    failed = [executed.line.number for executed in run.executed if not executed.reply]
    return f"{done} of the program done{f', line {failed[0]} failed,' if failed else ''}"


def _unfinished(running: "Running") -> str:
    """Why a motion under way was not done."""
    if running.blocked is None:
        return "was not done in time"
    mover, other = running.blocked
    return f"{mover} is blocked by {other}"


def _data(simulation: "Simulation", outcomes: "list[Outcome]", run: "ProgramRun | None") -> dict[str, object]:
    names = simulation.stage.arrays.joint_names
    lines = run.executed if run is not None else []
    loads = {} if simulation.forces is None else {"loads": list(map(asdict, simulation.forces.meter.loads().joints))}
    return {
        "time": simulation.time,
        "joints": dict(zip(names, simulation.view.vector.tolist(), strict=True)),
        **loads,
        "objects": {thing.name: simulation.view.poses[thing.items[0]].tolist() for thing in simulation.stage.objects},
        "stuck": simulation.stuck,
        "events": [
            {
                "event": type(outcome.event).__name__,
                "started": outcome.started,
                "finished": outcome.finished,
                "done": outcome.done,
                "why": outcome.why,
                "pushed": list(outcome.pushed),
                "blocked": [{"by": list(one.by), "seconds": one.seconds} for one in outcome.blockings],
            }
            for outcome in outcomes
        ],
        "program": [
            {"line": one.line.number, "text": one.line.text, "done": one.reply.done, "answer": one.reply.text}
            for one in lines
        ],
        "messages": [
            {"time": notice.time, "kind": notice.kind, "text": notice.text, "items": list(notice.items)}
            for notice in simulation.notices
        ],
        "findings": [finding_data(finding) for finding in simulation.findings],
    }
