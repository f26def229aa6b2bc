"""`rck ik`: joint positions that bring a tip to a place."""

import json
import sys
from math import degrees, radians
from pathlib import Path

import click
import numpy as np

from rck.cli.documents import read_robot
from rck.cli.fk import number, pose_text, vector_of
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, invert, translation
from rck.hooks import Answer, Goal, discover
from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.choice import in_configuration
from rck.kinematics.configuration import configuration_of, parse_configuration
from rck.kinematics.solver import solver_for
from rck.model import RckError, Robot

_MOST = 64
"""As many solutions as `--all` asks for."""


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--to", "to", required=True, metavar="X,Y,Z[,R,P,Y]", help="In millimetres; turns in degrees about x, y, z."
)
@click.option("--tip", metavar="NAME", help="The item or frame to place; without it, the only frame or the last item.")
@click.option("--base", metavar="NAME", help="The item or frame that the arm stands on; without it, what carries all.")
@click.option("--pose", "poses", multiple=True, metavar="JOINT=VALUE", help="Where a joint stands now.")
@click.option("--axis", "axis_only", is_flag=True, help="Leave the turn about the tip's z axis free.")
@click.option("--all", "all_of_them", is_flag=True, help="Every solution, not only the nearest.")
@click.option("--configuration", default="", metavar="WORDS", help="Such as `right up noflip`, for six-axis arms.")
@click.option("--solver", metavar="NAME", help="A solver by name; without it, the best one for the arm.")
@click.option("--budget", default=200.0, show_default=True, metavar="MS", help="Time to search, in milliseconds.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text, in metres and radians.")
def ik(
    file: Path,
    to: str,
    tip: str | None,
    base: str | None,
    poses: tuple[str, ...],
    axis_only: bool,
    all_of_them: bool,
    configuration: str,
    solver: str | None,
    budget: float,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print joint positions that bring a tip to a place in the world; exit status 1 if there are none.

    Three numbers are a position, any orientation; six are a whole pose.
    """
    plugins = discover()
    robot, _ = read_robot(file, plugins, settings)
    tip = tip or default_tip(robot)
    base = base or _root_of(robot, tip)
    chain = chain_between(robot, base, tip)
    goal = _goal(to, axis_only)
    world_from_base = _world_from(robot, base)
    wanted = Goal(invert(world_from_base) @ goal.pose, goal.wants, goal.tolerance)
    wish = parse_configuration(configuration)
    made = solver_for(plugins, robot, base, tip, solver)
    seed = chain.of_robot(vector_of(robot, poses))
    answer = made.solve(wanted, seed, most=_MOST if all_of_them or configuration else 1, budget=budget / 1000)
    solutions = in_configuration(chain, answer.solutions, wish) if configuration else answer.solutions
    solutions = solutions if all_of_them else solutions[:1]
    if as_json:
        click.echo(json.dumps(_data(chain, answer, solutions)))
    else:
        _print(chain, answer, solutions, configuration, world_from_base)
    sys.exit(0 if len(solutions) else 1)


def default_tip(robot: Robot) -> str:
    """The only frame of a robot; else the last item of its longest chain of joints."""
    if len(robot.frames) == 1:
        return robot.frames[0].name
    depths = [0] * len(robot.items)
    for joint in robot.tree.joint_order:
        for item in robot.tree.moves[joint]:
            depths[item] = depths[robot.item_index[robot.joints[joint].base]] + 1
    deepest = [item.name for item, depth in zip(robot.items, depths, strict=True) if depth == max(depths)]
    if len(deepest) > 1 or not robot.joints:
        names = [*(frame.name for frame in robot.frames), *deepest]
        raise RckError(f"robot {robot.name} has several ends; name one with --tip: {', '.join(names)}")
    return deepest[0]


def _root_of(robot: Robot, tip: str) -> str:
    frames = {frame.name: frame.item for frame in robot.frames}
    here = robot.item_index[robot.item(frames.get(tip, tip)).name]
    while (parent := robot.tree.parent_of_item[here]) is not None:
        here = parent
    return robot.items[here].name


def _world_from(robot: Robot, name: str) -> Floats:
    for frame in robot.frames:
        if frame.name == name:
            return robot.item(frame.item).pose @ frame.pose
    return robot.item(name).pose


def _goal(text: str, axis_only: bool) -> Goal:
    numbers = [number(word, "--to") for word in text.replace(",", " ").split()]
    if len(numbers) not in (3, 6):
        raise click.UsageError(f"--to takes x,y,z or x,y,z,r,p,y, not {len(numbers)} numbers")
    if axis_only and len(numbers) == 3:
        raise click.UsageError("--axis needs six numbers: the turns say where z points")
    turns = [radians(angle) for angle in numbers[3:]] or [0.0, 0.0, 0.0]
    pose = translation(np.array(numbers[:3]) / 1000) @ from_euler(turns)
    if len(numbers) == 3:
        return Goal(pose, "position")
    return Goal(pose, "axis" if axis_only else "pose")


def _print(chain: Chain, answer: Answer, solutions: Floats, configuration: str, world_from_base: Floats) -> None:
    for row in solutions:
        positions = "  ".join(f"{name}={_position(chain, n, row[n])}" for n, name in enumerate(chain.joints))
        words = str(configuration_of(chain, row))
        click.echo(f"{positions}{f'  ({words})' if words else ''}")
    if not answer.solved:
        click.echo(f"not reachable: {answer.reason}", err=True)
        if answer.nearest_pose is not None:
            click.echo(f"nearest: {pose_text(world_from_base @ answer.nearest_pose)}", err=True)
    elif not len(solutions):
        click.echo(f"none of the {len(answer.solutions)} solutions is {configuration}", err=True)


def _position(chain: Chain, joint: int, value: float) -> str:
    return f"{degrees(value):.4f}" if chain.turning[joint] else f"{1000 * value:.4f}"


def _data(chain: Chain, answer: Answer, solutions: Floats) -> dict[str, object]:
    return {
        "joints": list(chain.joints),
        "solutions": solutions.tolist(),
        "configurations": [str(configuration_of(chain, row)) for row in solutions],
        "complete": answer.complete,
        "reason": answer.reason,
        "nearest": None if answer.nearest is None else answer.nearest.tolist(),
        "away": answer.away,
        "turned": answer.turned,
    }
