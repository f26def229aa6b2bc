"""`rck fk`: where items and frames are, with the joints at given positions."""

import json
from collections.abc import Iterable
from math import degrees, radians
from pathlib import Path

import click
import numpy as np

from rck.cli.documents import print_findings, read_robot
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler
from rck.hooks import discover
from rck.model import RckError, Robot, at_positions
from rck.model.names import did_you_mean


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--pose", "poses", multiple=True, metavar="JOINT=VALUE", help="A joint position, in degrees or millimetres."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text, in metres and radians.")
def fk(file: Path, poses: tuple[str, ...], settings: tuple[str, ...], as_json: bool) -> None:
    """Print where the items and frames of a robot are.

    Joints that are not named stay where they are. Positions are in millimetres, then come the turns about the fixed
    axes x, y and z, in degrees.
    """
    robot, findings = read_robot(file, discover(), settings)
    vector = vector_of(robot, poses)
    moved = at_positions(robot, vector)
    places = {item.name: item.pose for item in moved.items}
    places |= {frame.name: moved.item(frame.item).pose @ frame.pose for frame in moved.frames}
    if as_json:
        joints = {joint.name: float(x) for joint, x in zip(robot.free_joints, vector, strict=True)}
        click.echo(json.dumps({"joints": joints, "poses": {name: pose.tolist() for name, pose in places.items()}}))
        return
    width = max(map(len, places), default=0)
    for name, pose in places.items():
        click.echo(f"{name:{width}}  {pose_text(pose)}")
    print_findings(findings)


def vector_of(robot: Robot, settings: Iterable[str]) -> Floats:
    """The joint vector of a robot, from `joint=value` texts in degrees or millimetres."""
    vector = np.array(robot.positions)
    names = [joint.name for joint in robot.free_joints]
    for setting in settings:
        name, equals, text = setting.rpartition("=")
        if not equals:
            raise click.UsageError(f"{setting!r} is no JOINT=VALUE")
        if name not in names:
            raise RckError(f"robot {robot.name} has no free joint {name!r}{did_you_mean(name, names)}")
        value = number(text, name)
        number_of_joint = names.index(name)
        vector[number_of_joint] = radians(value) if robot.free_joints[number_of_joint].kind.turns else value / 1000
    return vector


def number(text: str, what: str) -> float:
    """A finite number that the user typed."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise click.UsageError(f"{what}: {text!r} is no number")
    return value


def pose_text(pose: Floats) -> str:
    """A pose for people: millimetres and degrees."""
    x, y, z = 1000 * pose[:3, 3]
    turns = " ".join(f"{degrees(angle):8.2f}" for angle in to_euler(pose))
    return f"{x:9.2f} {y:9.2f} {z:9.2f} mm  {turns} °"
