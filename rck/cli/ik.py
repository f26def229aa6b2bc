"""`rck ik`: joint positions that bring a tip to a pose."""

import json
import sys
from collections.abc import Callable
from math import degrees
from pathlib import Path

import click

from rck.cli.arm_options import numbers_of, pose_of, print_failures, print_tip, read_arm
from rck.cli.fk import pose_text
from rck.cli.options import FILE, IMPORTER_SET, JSON_SI, SOLVER, SOLVER_SET, TIP
from rck.cli.pose_options import POSE
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert
from rck.hooks import Answer, Goal
from rck.kinematics.chain import Chain
from rck.kinematics.configuration import configuration_of, parse_configuration
from rck.kinematics.dexterity import dexterity, singularity_report
from rck.kinematics.solution_choice import (
    farthest_from_limits,
    frozen_solution,
    in_configuration,
    nearest,
    small_moves_nearest,
)
from rck.support.units import rounded

_MOST = 64
"""The maximum number of solutions for `--all`."""


CHOICES: dict[str, Callable[[Chain, Floats, Floats], Floats]] = {
    "nearest": nearest,
    "safest": lambda chain, solutions, present: farthest_from_limits(chain, solutions),
    "small-nearest": small_moves_nearest,
    "frozen": frozen_solution,
}
"""The choices between several solutions."""


@click.command()
@FILE
@click.option(
    "--to", "to", required=True, metavar="X,Y,Z[,R,P,Y]", help="Target in millimetres; roll, pitch, yaw in degrees."
)
@TIP
@click.option("--base", metavar="NAME", help="Base item or frame of the arm (default: the root item).")
@click.option("--pose", "poses", multiple=True, metavar=POSE, help="Current joint positions, or a named pose of FILE.")
@click.option("--axis", "axis_only", is_flag=True, help="Leave the rotation about the tip's z axis free.")
@click.option("--all", "all_of_them", is_flag=True, help="Print every solution, not only the nearest.")
@click.option(
    "--configuration", default="", metavar="WORDS", help="Configuration of a six-axis arm, such as `right up noflip`."
)
@click.option(
    "--choose",
    type=click.Choice(list(CHOICES)),
    default="nearest",
    show_default=True,
    help="Solution to choose: least motion; farthest from limits; least motion up to 45°, else farthest; same branch.",
)
@SOLVER
@SOLVER_SET
@click.option(
    "--budget", default=200.0, show_default=True, metavar="MS", help="Time limit of the search, in milliseconds."
)
@IMPORTER_SET
@JSON_SI
def ik(
    file: Path,
    to: str,
    tip: str | None,
    base: str | None,
    poses: tuple[str, ...],
    axis_only: bool,
    all_of_them: bool,
    configuration: str,
    choose: str,
    solver: str | None,
    solver_settings: tuple[str, ...],
    budget: float,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print joint positions for a pose of the tip in the world. The exit status is 1 if there are none.

    Give three numbers for a position with any orientation, or six for a pose.
    """
    arm = read_arm(file, tip, base, solver, poses, settings, solver_settings)
    chain = arm.chain
    goal = _goal(to, axis_only)
    wanted = Goal(invert(arm.world_from_base) @ goal.pose, goal.wants, goal.tolerance)
    wish = parse_configuration(configuration)
    most = _MOST if all_of_them or configuration or choose != "nearest" else 1
    answer = arm.solver.solve(wanted, arm.seed, most=most, budget=budget / 1000)
    solutions = in_configuration(chain, answer.solutions, wish) if configuration else answer.solutions
    if len(solutions) and not all_of_them:
        solutions = CHOICES[choose](chain, solutions, arm.seed)[None]
    if as_json:
        click.echo(json.dumps(_data(chain, answer, solutions)))
    else:
        _print(chain, answer, solutions, configuration, arm.world_from_base)
        print_tip(arm)
    print_failures(arm)
    sys.exit(0 if len(solutions) else 1)


def _goal(text: str, axis_only: bool) -> Goal:
    numbers = numbers_of(text, "--to", (3, 6))
    if axis_only and len(numbers) == 3:
        raise click.UsageError("--axis needs six numbers in --to: the orientation gives the direction of z")
    if len(numbers) == 3:
        return Goal(pose_of(numbers), "position")
    return Goal(pose_of(numbers), "axis" if axis_only else "pose")


def _print(chain: Chain, answer: Answer, solutions: Floats, configuration: str, world_from_base: Floats) -> None:
    for row in solutions:
        positions = "  ".join(f"{name}={_position(chain, n, row[n])}" for n, name in enumerate(chain.joints))
        words = str(configuration_of(chain, row))
        click.echo(f"{positions}{f'  ({words})' if words else ''}")
        for line in singularity_report(chain, row):
            click.echo(f"singular: {line}", err=True)
    if not answer.solved:
        click.echo(f"no solution: {answer.reason}", err=True)
        if answer.nearest_pose is not None:
            click.echo(f"nearest: {pose_text(world_from_base @ answer.nearest_pose)}", err=True)
    elif not len(solutions):
        click.echo(f"no solution has configuration {configuration} ({len(answer.solutions)} found)", err=True)


def _position(chain: Chain, joint: int, value: float) -> str:
    return f"{rounded(degrees(value) if chain.turning[joint] else 1000 * value, 4):.4f}"


def _data(chain: Chain, answer: Answer, solutions: Floats) -> dict[str, object]:
    return {
        "tip": chain.tip,
        "joints": list(chain.joints),
        "solutions": solutions.tolist(),
        "configurations": [str(configuration_of(chain, row)) for row in solutions],
        "singular": [dexterity(chain, row).singular for row in solutions],
        "complete": answer.complete,
        "reason": answer.reason,
        "nearest": None if answer.nearest is None else answer.nearest.tolist(),
        "away": answer.away,
        "turned": answer.turned,
    }
