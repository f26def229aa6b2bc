"""`rck simulate`: a run without a screen."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from rck.cli.documents import finding_data, parse_settings, print_findings, read_robot
from rck.cli.progress import shown_job
from rck.hooks import Plugins, discover
from rck.model import Finding, Robot
from rck.model.files import refuse_unwritable
from rck.model.units import counted

if TYPE_CHECKING:
    from rck.hooks import Program
    from rck.simulation.events import Event
    from rck.simulation.notices import Outcome
    from rck.simulation.programs import Memory, ProgramRun
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
def simulate(**given: Any) -> None:
    """Run an event file or a program on the robots and objects of a file.

    Exit status 1 when something could not be done. A state brings its events along: EVENTS is then left out, or the
    program that was running.

    With --physics, motors follow what events ask for, objects fall and press on each other, and sensors feel it. The
    motors give what is needed; one that is too weak for that is a warning. --with limited=yes lets it fail instead.
    """
    from rck.simulation.recording import Recorder
    from rck.simulation.state_file import state_of

    asked = _Asked(**given)
    _refuse_nonsense(asked)
    plugins = discover(file=asked.file)
    prepared = _prepared(asked, plugins)
    simulation = prepared.simulation
    if asked.save_state is not None:
        # What cannot be saved is refused now, not when the run is over.
        state_of(simulation)
    recorder = Recorder(simulation) if asked.out or asked.plot or asked.film or asked.chart else None
    watch = _Watch(simulation, recorder, not asked.as_json, asked.speed if asked.realtime else None)
    watch()
    run = _carried_out(asked, prepared, plugins, watch)
    watch.tell()
    wrote = [] if recorder is None else _write_recording(asked, simulation.robot, recorder.recording())
    wrote += _write_state(asked, simulation, run)
    sys.exit(_report(asked.as_json, simulation, run, wrote, (*prepared.findings, *plugins.findings)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the user asked for, by the names of the options."""

    file: Path
    events: Path | None
    step: float
    until: float | None
    realtime: bool
    speed: float
    profile: str
    no_collisions: bool
    physics: str | None
    forces: tuple[str, ...]
    rays: "Caster"
    seed: int
    from_state: Path | None
    save_state: Path | None
    out: Path | None
    plot: Path | None
    film: Path | None
    chart: bool
    settings: tuple[str, ...]
    as_json: bool

    @property
    def end(self) -> float:
        """When the run ends at the latest, in seconds."""
        return inf if self.until is None else self.until


@dataclass(frozen=True, eq=False, slots=True)
class _Prepared:
    """What is to be run: a simulation with its events, or with a program and how far that has come."""

    simulation: "Simulation"
    program: "Program | None"
    memory: "Memory | None"
    """None where the program begins at its beginning."""
    findings: tuple[Finding, ...]
    """Of the file of the robots."""


def _refuse_nonsense(asked: _Asked) -> None:
    """Refuse options that cannot be meant, before anything is read."""
    from rck.simulation.player import FASTEST, SLOWEST
    from rck.simulation.rays import refuse_without_open3d

    if not 0 < asked.step < inf:
        raise click.UsageError(f"--step must be a positive time in seconds, not {asked.step:g}; use for example 0.01")
    if not SLOWEST <= asked.speed <= FASTEST:
        raise click.UsageError(f"--speed must be from {SLOWEST:g} to {FASTEST:g}, not {asked.speed:g}")
    if not asked.end >= 0:
        raise click.UsageError(f"--until must be a time of 0 s or more, not {asked.end:g}")
    if asked.events is None and asked.from_state is None:
        raise click.UsageError("name the file of events or the program that is to be run")
    for written in (asked.save_state, asked.out, asked.plot, asked.film):
        if written is not None:
            refuse_unwritable(written)
    for option, path, endings in (
        ("--out", asked.out, (".csv", ".npz")),
        ("--plot", asked.plot, (".png",)),
        ("--film", asked.film, (".gif",)),
    ):
        if path is not None and path.suffix.lower() not in endings:
            raise click.UsageError(f"{option} writes {' or '.join(endings)} files, not {path.name}")
    if asked.rays == "open3d":
        refuse_without_open3d()


def _prepared(asked: _Asked, plugins: Plugins) -> _Prepared:
    """Read the files, and put the simulation where it is to begin or go on."""
    from rck.simulation import state_file
    from rck.simulation.programs import Memory, language_of, read_program
    from rck.simulation.simulation import Simulation
    from rck.simulation.strength import physics_maker

    physics = None if asked.physics is None else physics_maker(plugins, asked.physics, parse_settings(asked.forces))
    robot, findings = read_robot(asked.file, plugins, asked.settings)
    events = asked.events
    program = read_program(events, robot, plugins) if events and language_of(events, plugins) else None
    if program is None and events is not None and asked.from_state is not None:
        raise click.UsageError(f"{asked.from_state.name} brings its own events: leave {events.name} out")
    simulation = Simulation(
        robot,
        () if program is not None or events is None else _read_events(events, robot, plugins),
        plugins=plugins,
        collisions=not asked.no_collisions,
        seed=asked.seed,
        rays=asked.rays,
        physics=physics,
    )
    if asked.from_state is None:
        return _Prepared(simulation, program, None, findings)
    state = state_file.read_state(asked.from_state)
    state_file.restore(simulation, state, str(asked.from_state))
    if state.program is not None and program is None:
        raise click.UsageError(f"{asked.from_state} was saved in a program: name its file")
    memory = None if state.program is None else msgspec.convert(state.program, Memory)
    return _Prepared(simulation, program, memory, findings)


def _read_events(path: Path, robot: Robot, plugins: Plugins) -> "tuple[Event, ...]":
    from rck.simulation.event_files import read_events

    with shown_job(f"reading {path.name}") as job:
        return read_events(path, robot, plugins, job)


def _carried_out(asked: _Asked, prepared: _Prepared, plugins: Plugins, watch: "_Watch") -> "ProgramRun | None":
    """Let it run to its end: the program as far as it came, or nothing where there are events."""
    from rck.simulation.cell import Cell
    from rck.simulation.programs import ProgramRun

    if prepared.program is None:
        prepared.simulation.run(asked.end, asked.step, watch)
        return None
    cell = Cell(prepared.simulation, plugins, seconds=asked.step, profile=asked.profile, after_step=watch)
    run = ProgramRun(cell, prepared.program)
    if prepared.memory is not None:
        run.recall(prepared.memory)
    _run_program(run, asked.end, watch)
    return run


def _write_state(asked: _Asked, simulation: "Simulation", run: "ProgramRun | None") -> list[str]:
    """Save the last moment if that was asked for; what was written."""
    from rck.simulation import state_file

    if asked.save_state is None:
        return []
    memory = None if run is None else msgspec.to_builtins(run.memory())
    now, _ = state_file.state_of(simulation)
    state_file.save_state(msgspec.structs.replace(now, program=memory), asked.save_state)
    return [f"wrote {asked.save_state}"]


def _write_recording(asked: _Asked, robot: Robot, recording: "Recording") -> list[str]:
    """Write, plot and film the run as was asked for; what was written."""
    from rck.simulation.recording import save_recording

    wrote = []
    if asked.out is not None:
        save_recording(recording, asked.out)
        wrote.append(f"wrote {asked.out}")
    _plot(recording, asked.plot, asked.chart)
    if asked.plot is not None:
        wrote.append(f"wrote {asked.plot}")
    if asked.film is not None:
        wrote.append(f"wrote {asked.film}: {_film(robot, recording, asked.film)} frames")
    return wrote


def _report(
    as_json: bool,
    simulation: "Simulation",
    run: "ProgramRun | None",
    wrote: list[str],
    findings: Sequence[Finding],
) -> int:
    """Tell what became of the run; the exit status."""
    from rck.simulation.strength import too_weak

    unfinished = (running.outcome(_unfinished(simulation, running)) for running in simulation.running)
    outcomes = [*simulation.outcomes, *unfinished]
    weak = () if simulation.forces is None else too_weak(simulation.forces.meter.loads())
    simulation.findings += weak
    if as_json:
        click.echo(json.dumps(_data(simulation, outcomes, run), indent=2))
    else:
        _print(simulation, outcomes, run)
        for line in wrote:
            click.echo(line)
        print_findings([*findings, *simulation.findings])
    if run is not None:
        return int(bool(weak) or not all(executed.reply for executed in run.executed))
    return int(bool(weak) or not all(outcome.done for outcome in outcomes))


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


def _run_program(run: "ProgramRun", until: float, watch: "_Watch") -> None:
    """Line after line, up to an error or the time."""
    while not run.finished and run.cell.simulation.time < until:
        executed = run.step()
        if executed is None:
            continue
        watch.tell(f"{executed.finished:9.3f} s  {executed.line.text}: {executed.reply.text}")
        if not executed.reply:
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

    def tell(self, *lines: str) -> None:
        """Print what is new, then these lines."""
        if self._talks:
            for notice in self._simulation.notices[self._told :]:
                click.echo(str(notice))
            self._told = len(self._simulation.notices)
            for line in lines:
                click.echo(line)


def _print(simulation: "Simulation", outcomes: "list[Outcome]", run: "ProgramRun | None") -> None:
    from rck.simulation.events import described
    from rck.simulation.strength import load_table, verdict

    click.echo(f"{_progress(outcomes, run)} in {simulation.time:.2f} s")
    for outcome in outcomes:
        for blocking in outcome.blockings:
            mover, other = blocking.by
            click.echo(f"  {mover} was held up by {other} for {blocking.seconds:.2f} s")
        if outcome.why:
            click.echo(f"  not done: {described(outcome.event)}: {outcome.why}")
    if simulation.forces is not None and simulation.robot.free_joints:
        loads = simulation.forces.meter.loads()
        click.echo(f"{load_table(loads)}\n{verdict(loads)}")


def _progress(outcomes: "list[Outcome]", run: "ProgramRun | None") -> str:
    """How much of what was asked for was done: events, or lines of a program."""
    if run is None:
        return f"{sum(outcome.done for outcome in outcomes)} of {len(outcomes)} events done"
    done = counted(sum(bool(executed.reply) for executed in run.executed), "line")
    failed = [executed.line.number for executed in run.executed if not executed.reply]
    return f"{done} of the program done{f', line {failed[0]} failed,' if failed else ''}"


def _unfinished(simulation: "Simulation", running: "Running") -> str:
    """Why a motion under way was not done."""
    if simulation.emergency:
        return "emergency stop"
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
