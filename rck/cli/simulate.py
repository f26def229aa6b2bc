"""`rck simulate`: simulation without a screen."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import click
import msgspec

from rck.assembly.cameras import saved_cameras
from rck.assembly.native_file import read_assembly
from rck.cli.inputs import finding_data, parse_settings, print_findings, read_robot
from rck.cli.options import FILE, IMPORTER_SET, JSON
from rck.cli.progress import shown_job
from rck.hooks import Plugins, Program, discover
from rck.model import Finding, Robot
from rck.rendering.chart import INKS, chart_lines, chart_picture
from rck.rendering.image_file import gif_bytes, png_bytes
from rck.simulation import state_file
from rck.simulation.actions import action_type
from rck.simulation.active_motion import ActiveMotion
from rck.simulation.animation import FRAMES_A_SECOND, camera_switches, film
from rck.simulation.clock import FASTEST, SLOWEST
from rck.simulation.event_table import read_events
from rck.simulation.events import Event
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.motor_loads import Loads, load_table, overheating, physics_maker, too_weak, verdict
from rck.simulation.notices import EventOutcome
from rck.simulation.plots import panels_of
from rck.simulation.program_runner import ProgramMemory, ProgramRunner, language_of, read_program
from rck.simulation.rays import Caster, refuse_without_open3d
from rck.simulation.recording import Recorder, Recording, save_recording
from rck.simulation.simulation import Simulation
from rck.support.files import refuse_unwritable, write_atomically
from rck.support.units import counted

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@FILE
@click.argument("events", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--step", default=0.01, show_default=True, metavar="SECONDS", help="Time step.")
@click.option(
    "--until",
    type=float,
    metavar="SECONDS",
    help="Stop at this simulated time; a program finishes its instruction first.",
)
@click.option("--realtime", is_flag=True, help="Run in real time (default: as fast as possible).")
@click.option("--speed", default=1.0, show_default=True, help="Real-time factor for --realtime, 0.1 to 100.")
@click.option("--profile", default="trapezoidal", show_default=True, help="Velocity profile for program moves.")
@click.option("--no-collisions", is_flag=True, help="Disable collision checking.")
@click.option("--physics", metavar="NAME", help="Simulate dynamics with this physics engine.")
@click.option("--with", "forces", multiple=True, metavar="NAME=VALUE", help="Set a physics option.")
@click.option(
    "--rays",
    type=click.Choice(["auto", "kernels", "open3d"]),
    default="auto",
    show_default=True,
    help="Ray-casting engine for sensors.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the sensor noise.")
@click.option("--from-state", type=_FILE, metavar="STATE", help="Resume from a saved state.")
@click.option("--save-state", type=_FILE, metavar="STATE", help="Save the final state.")
@click.option("--out", type=_FILE, help="Write a recording to OUT.csv or OUT.npz.")
@click.option("--plot", type=_FILE, help="Plot the recording to PLOT.png.")
@click.option("--film", type=_FILE, help="Render the recording to FILM.gif.")
@click.option("--chart", is_flag=True, help="Plot the recording in the terminal.")
@IMPORTER_SET
@JSON
def simulate(**given: Any) -> None:
    """Run an event file or a program on the robots and objects of a file.

    The exit status is 1 if an event or instruction fails. Without EVENTS, the simulation runs for the time of --until,
    for example to let objects fall. A saved state contains its events: with --from-state, omit EVENTS, or name the
    program that was running.

    With --physics, motors follow the motions, forces move the objects, and sensors read the state of the physics
    engine. By default, motors exceed their effort limits if necessary, with a warning; --with limited=yes enforces
    the limits.
    """
    options = _Options(**given)
    _check_options(options)
    plugins = discover(file=options.file)
    prepared = _prepare(options, plugins)
    simulation = prepared.simulation
    if options.save_state is not None:
        # A state that cannot be saved is an error now, not at the end of the run.
        state_file.encode_state(simulation)
    recorder = Recorder(simulation) if options.out or options.plot or options.film or options.chart else None
    report = _StepReport(simulation, recorder, not options.as_json, options.speed if options.realtime else None)
    report()
    run = _run(options, prepared, plugins, report)
    report.tell()
    wrote = [] if recorder is None else _write_recording(options, simulation, recorder.recording())
    wrote += _write_state(options, simulation, run)
    sys.exit(_report(options.as_json, simulation, run, wrote, (*prepared.findings, *plugins.findings)))


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command."""

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
    rays: Caster
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
        """Latest end of the run, in seconds."""
        return inf if self.until is None else self.until


@dataclass(frozen=True, eq=False, slots=True)
class _Prepared:
    """A simulation that is ready to run, with its events or a program."""

    simulation: Simulation
    program: Program | None
    memory: ProgramMemory | None
    """Progress of the program; None to start at its first line."""
    findings: tuple[Finding, ...]
    """Findings of the robot file."""


class _StepReport:
    """Function to call after each step: it records, prints notices, and waits for real time."""

    def __init__(self, simulation: Simulation, recorder: Recorder | None, talks: bool, speed: float | None) -> None:
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
        """Print new notices, then these lines."""
        if self._talks:
            for notice in self._simulation.notices[self._told :]:
                click.echo(str(notice))
            self._told = len(self._simulation.notices)
            for line in lines:
                click.echo(line)


def _check_options(options: _Options) -> None:
    """Refuse invalid options before any file is read."""
    if not 0 < options.step < inf:
        raise click.UsageError(f"--step must be a positive time in seconds, not {options.step:g}; use for example 0.01")
    if not SLOWEST <= options.speed <= FASTEST:
        raise click.UsageError(f"--speed must be from {SLOWEST:g} to {FASTEST:g}, not {options.speed:g}")
    if not options.end >= 0:
        raise click.UsageError(f"--until must not be negative, not {options.end:g}")
    if options.events is None and options.from_state is None and options.end == inf:
        raise click.UsageError("name an event file or a program to run, or a time with --until")
    for written in (options.save_state, options.out, options.plot, options.film):
        if written is not None:
            refuse_unwritable(written)
    for option, path, endings in (
        ("--out", options.out, (".csv", ".npz")),
        ("--plot", options.plot, (".png",)),
        ("--film", options.film, (".gif",)),
    ):
        if path is not None and path.suffix.lower() not in endings:
            raise click.UsageError(f"{option} writes {' or '.join(endings)} files, not {path.name}")
    if options.rays == "open3d":
        refuse_without_open3d()


def _prepare(options: _Options, plugins: Plugins) -> _Prepared:
    """Read the files and set up the simulation."""
    physics = None
    if options.physics is not None:
        physics = physics_maker(plugins, options.physics, parse_settings(options.forces))
    robot, findings = read_robot(options.file, plugins, options.settings)
    events = options.events
    program = read_program(events, robot, plugins) if events and language_of(events, plugins) else None
    if program is None and events is not None and options.from_state is not None:
        raise click.UsageError(f"{options.from_state.name} contains its own events: omit {events.name}")
    simulation = Simulation(
        robot,
        () if program is not None or events is None else _read_events(events, robot, plugins),
        plugins=plugins,
        collisions=not options.no_collisions,
        seed=options.seed,
        rays=options.rays,
        physics=physics,
        cameras=saved_cameras(read_assembly(options.file)) if options.file.suffix == ".rck" else None,
    )
    if options.from_state is None:
        return _Prepared(simulation, program, None, findings)
    state = state_file.read_state(options.from_state)
    state_file.restore_state(simulation, state, str(options.from_state))
    if state.program is not None and program is None:
        raise click.UsageError(f"{options.from_state} was saved while a program was running: name the program file")
    memory = None if state.program is None else msgspec.convert(state.program, ProgramMemory)
    return _Prepared(simulation, program, memory, findings)


def _read_events(path: Path, robot: Robot, plugins: Plugins) -> tuple[Event, ...]:
    with shown_job(f"reading {path.name}") as job:
        return read_events(path, robot, plugins, job)


def _run(options: _Options, prepared: _Prepared, plugins: Plugins, report: _StepReport) -> ProgramRunner | None:
    """Run the simulation; return the program, if there is one."""
    if prepared.program is None:
        if options.events is None and options.from_state is None:
            _run_without_events(prepared.simulation, options, report)
        else:
            prepared.simulation.run(options.end, options.step, report)
        prepared.simulation.end()
        return None
    executor = InstructionExecutor(
        prepared.simulation, plugins, seconds=options.step, profile=options.profile, after_step=report
    )
    run = ProgramRunner(executor, prepared.program)
    if prepared.memory is not None:
        run.recall(prepared.memory)
    _run_program(run, options.end, report)
    prepared.simulation.end()
    return run


def _run_without_events(simulation: Simulation, options: _Options, report: _StepReport) -> None:
    """Simulate up to the time of `--until`, or an emergency stop."""
    while (left := options.end - simulation.time) > 1e-9 and not simulation.emergency:
        simulation.step(min(options.step, left))
        report()


def _write_state(options: _Options, simulation: Simulation, run: ProgramRunner | None) -> list[str]:
    """Save the final state if requested; return messages about written files."""
    if options.save_state is None:
        return []
    memory = None if run is None else msgspec.to_builtins(run.memory())
    now, _ = state_file.encode_state(simulation)
    state_file.save_state(msgspec.structs.replace(now, program=memory), options.save_state)
    return [f"wrote {options.save_state}"]


def _write_recording(options: _Options, simulation: Simulation, recording: Recording) -> list[str]:
    """Write, plot and animate the recording as requested; return messages about written files."""
    wrote = []
    if options.out is not None:
        save_recording(recording, options.out)
        wrote.append(f"wrote {options.out}")
    _plot(recording, options.plot, options.chart)
    if options.plot is not None:
        wrote.append(f"wrote {options.plot}")
    if options.film is not None:
        wrote.append(f"wrote {options.film}: {_film(simulation, recording, options.film)} frames")
    return wrote


def _report(
    as_json: bool,
    simulation: Simulation,
    run: ProgramRunner | None,
    wrote: list[str],
    findings: Sequence[Finding],
) -> int:
    """Print the results of the run; return the exit status."""
    unfinished = (running.outcome(_unfinished(simulation, running)) for running in simulation.running)
    outcomes = [*simulation.outcomes, *unfinished]
    loads = Loads(()) if simulation.forces is None else simulation.forces.meter.loads()
    weak = too_weak(loads)
    simulation.findings += (*weak, *overheating(loads))
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


def _plot(recording: Recording, picture: Path | None, chart: bool) -> None:
    panels = panels_of(recording)
    if picture is not None:
        write_atomically(picture, png_bytes(chart_picture(panels)))
    for panel in panels if chart else ():
        for line in chart_lines(panel):
            signs = (click.style(text, fg=INKS[own % len(INKS)]) if own >= 0 else text for text, own in line)
            click.echo("".join(signs))


def _film(simulation: Simulation, recording: Recording, path: Path) -> int:
    """Write the animation, which follows the camera events; return its number of frames."""
    with shown_job(f"drawing {path.name}") as job:
        frames = list(film(simulation.robot, recording, switches=camera_switches(simulation), job=job))
    write_atomically(path, gif_bytes(frames, 1 / FRAMES_A_SECOND))
    return len(frames)


def _run_program(run: ProgramRunner, until: float, report: _StepReport) -> None:
    """Carry out lines up to an error or the time."""
    while not run.finished and run.executor.simulation.time < until:
        executed = run.step()
        if executed is None:
            continue
        report.tell(f"{executed.finished:9.3f} s  {executed.line.text}: {executed.reply.text}")
        if not executed.reply:
            return


def _print(simulation: Simulation, outcomes: list[EventOutcome], run: ProgramRunner | None) -> None:
    click.echo(f"{_progress(outcomes, run)} in {simulation.time:.2f} s")
    for outcome in outcomes:
        for blocking in outcome.blockings:
            mover, other = blocking.by
            click.echo(f"  {mover} was blocked by {other} for {blocking.seconds:.2f} s")
        if outcome.why:
            event = outcome.event
            what = f"event at {event.start:g} s, {action_type(event.action).describe(event.action)}"
            click.echo(f"  not done: {what}: {outcome.why}")
    if simulation.forces is not None and simulation.robot.free_joints:
        loads = simulation.forces.meter.loads()
        click.echo(f"{load_table(loads)}\n{verdict(loads)}")


def _progress(outcomes: list[EventOutcome], run: ProgramRunner | None) -> str:
    """Return how many events, or lines of the program, were done."""
    if run is None:
        return f"{sum(outcome.done for outcome in outcomes)} of {len(outcomes)} events done"
    done = counted(sum(bool(executed.reply) for executed in run.executed), "line")
    failed = [executed.line.number for executed in run.executed if not executed.reply]
    return f"{done} of the program done{f', line {failed[0]} failed,' if failed else ''}"


def _unfinished(simulation: Simulation, running: ActiveMotion) -> str:
    """Return why a motion in progress was not completed."""
    if simulation.emergency:
        return "emergency stop"
    return simulation.obstacle(running) or "was not done in time"


def _data(simulation: Simulation, outcomes: list[EventOutcome], run: ProgramRunner | None) -> dict[str, object]:
    names = simulation.kinematics.arrays.joint_names
    lines = run.executed if run is not None else []
    loads = (
        {} if simulation.forces is None else {"loads": [load.data() for load in simulation.forces.meter.loads().joints]}
    )
    return {
        "time": simulation.time,
        "joints": dict(zip(names, simulation.view.vector.tolist(), strict=True)),
        **loads,
        "objects": {
            thing.name: simulation.view.poses[thing.items[0]].tolist() for thing in simulation.kinematics.objects
        },
        "stuck": simulation.stuck,
        "events": [
            {
                "event": type(outcome.event.action).__name__,
                "started": outcome.started,
                "finished": outcome.finished,
                "done": outcome.done,
                "why": outcome.why,
                "pushed": list(outcome.pushed),
                "blocked": [{"by": list(each.by), "seconds": each.seconds} for each in outcome.blockings],
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
