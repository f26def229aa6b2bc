"""`rck loads`: loads of the motors, in the worst-case pose or in a program, compared with what they can give."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from rck.cli.inputs import print_findings, read_assembled, read_robot
from rck.cli.options import IMPORTER_SET, JSON_SI
from rck.cli.progress import shown_job
from rck.hooks import Plugins, discover
from rck.kinematics.loads import Load, carrying_frame, load_lines, worst_loads
from rck.language.robot_checks import effort_figures
from rck.model import Robot
from rck.model.motor import Verdict, motor_data
from rck.simulation.load_run import LoadRun, run_loads
from rck.simulation.motor_loads import load_table, overheating, too_weak, verdict
from rck.support.units import parse_quantity

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=_FILE)
@click.option(
    "--payload", metavar="MASS", default="0", help="Payload, such as 300g (default: 0; without a unit, in kilograms)."
)
@click.option("--at", metavar="NAME", help="Frame, gripper or item that carries the payload (default: the tip).")
@click.option(
    "--program", type=_FILE, help="Program or event file whose duty cycle the motors must bear, simulated with physics."
)
@click.option("--physics", metavar="NAME", help="Physics engine for --program (default: the first available one).")
@IMPORTER_SET
@JSON_SI
def loads(
    file: Path,
    payload: str,
    at: str | None,
    program: Path | None,
    physics: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the largest static load of each joint against gravity, within the limits of all joints.

    The verdict is `ok`, `near limit` above the continuous effort of the motor, or `too weak` above its effort limit.

    With --program, print the loads of that run instead: the peaks against the torque-speed line of the motor, and the
    root mean square against its continuous effort.

    The exit status is 1 if a motor is too weak, or if the program fails.
    """
    mass = parse_quantity(payload, "mass", "kg")
    if program is not None and (mass or at):
        raise click.UsageError("--payload is for the worst-case pose; a program carries the objects of its cell")
    if physics is not None and program is None:
        raise click.UsageError("--physics needs --program")
    plugins = discover(file=file)
    if file.suffix == ".rck":
        session, compiled, findings = read_assembled(file, plugins)
        robot, figures = compiled.robot, effort_figures(session.document, compiled.robot)
    else:
        robot, findings = read_robot(file, plugins, settings)
        figures = {}
    run = None if program is None else _run(robot, program, plugins, physics)
    frame = carrying_frame(robot, at) if mass or at else None
    found = worst_loads(robot, mass, frame) if run is None or as_json else ()
    if as_json:
        click.echo(json.dumps(_data(found, figures, run), indent=2))
    elif run is not None:
        click.echo(f"{load_table(run.loads)}\n{verdict(run.loads)}")
        print_findings([*findings, *too_weak(run.loads), *overheating(run.loads)])
    else:
        for line in load_lines(robot, found, figures, mass, frame) or [f"{robot.name} has no free joints"]:
            click.secho(line, fg=_COLOURS.get(line.rpartition("  ")[2]))
        print_findings(findings)
    if run is not None:
        if run.problem:
            click.echo(f"stopped after {run.seconds:.2f} s: {run.problem}", err=True)
        sys.exit(int(bool(run.problem) or any(one.verdict is Verdict.TOO_WEAK for one in run.loads.joints)))
    sys.exit(int(any(one.too_much for one in found)))


_COLOURS = {Verdict.TOO_WEAK.value: "red", Verdict.NEAR_LIMIT.value: "yellow"}


def _run(robot: Robot, program: Path, plugins: Plugins, physics: str | None) -> LoadRun:
    with shown_job(f"running {program.name}") as job:
        return run_loads(robot, program, plugins, physics, job)


def _data(found: tuple[Load, ...], figures: Mapping[str, str], run: LoadRun | None) -> list[dict[str, object]]:
    ran = {} if run is None else {load.joint: {"run": load.data()} for load in run.loads.joints}
    return [
        {
            "joint": one.joint,
            "effort": one.effort,
            "most": one.most,
            "figure": figures.get(one.joint),
            "positions": dict(one.positions),
            "verdict": one.verdict,
            **motor_data(one.motor),
            **ran.get(one.joint, {}),
        }
        for one in found
    ]
