"""Options that select an arm, and parsers of poses."""

from dataclasses import dataclass
from math import radians
from pathlib import Path

import click
import numpy as np

from rck.cli.inputs import parse_settings, print_findings, read_robot
from rck.cli.pose_options import number, posed
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, translation
from rck.hooks import ChainSolver, Plugins, discover
from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.solver_choice import solver_for, solver_named
from rck.kinematics.tip import default_tip, root_of


@dataclass(frozen=True, eq=False)
class ArmSelection:
    """A kinematic chain of a robot, its solver, and its joint positions."""

    file: Path
    plugins: Plugins
    chain: Chain
    solver: ChainSolver
    seed: Floats
    """Shape (joints,), in radians or metres."""
    rest: Floats
    """Joint vector of the whole robot. Shape (free joints,)."""
    world_from_base: Floats


def read_arm(
    file: Path,
    tip: str | None,
    base: str | None,
    solver: str | None,
    poses: tuple[str, ...],
    settings: tuple[str, ...],
    solver_settings: tuple[str, ...] = (),
) -> ArmSelection:
    """Return the arm of a robot that the options select."""
    if solver_settings and solver is None:
        raise click.UsageError("--solver-set sets an option of a named solver; add --solver")
    plugins = discover(file=file)
    if solver is not None:
        solver_named(plugins, solver)
    robot, _ = read_robot(file, plugins, settings)
    tip = tip or default_tip(robot)
    base = base or root_of(robot, tip)
    chain = chain_between(robot, base, tip)
    made = solver_for(plugins, robot, base, tip, solver, parse_settings(solver_settings))
    rest = posed(robot, poses, file)
    return ArmSelection(file, plugins, chain, made, chain.of_robot(rest), rest, robot.world_from(base))


def print_tip(arm: ArmSelection) -> None:
    """Print the name of the tip that a result is for."""
    click.echo(f"tip: {arm.chain.tip} (choose another frame or item with --tip)", err=True)


def print_failures(arm: ArmSelection) -> None:
    """Print which solvers failed, and which were used instead."""
    print_findings(finding for finding in arm.plugins.findings if finding.code == 602)


def numbers_of(text: str, option: str, counts: tuple[int, ...]) -> list[float]:
    """Parse the numbers of an option, separated by commas or spaces."""
    numbers = [number(word, option) for word in text.replace(",", " ").split()]
    if len(numbers) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        raise click.UsageError(f"{option} takes {wanted} numbers, not {len(numbers)}")
    return numbers


def pose_of(numbers: list[float]) -> Floats:
    """Return a pose from millimetres and roll, pitch and yaw in degrees (default: 0). Shape (4, 4)."""
    turns = [radians(angle) for angle in numbers[3:]] or [0.0, 0.0, 0.0]
    return translation(np.array(numbers[:3]) / 1000) @ from_euler(turns)
