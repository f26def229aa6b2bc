"""`rck fk`: forward kinematics."""

import json
from math import degrees
from pathlib import Path

import click

from rck.cli.inputs import print_findings, read_robot
from rck.cli.options import FILE, IMPORTER_SET, JSON_SI
from rck.cli.pose_options import POSE, posed
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler
from rck.hooks import discover
from rck.model import at_positions
from rck.support.units import rounded


@click.command()
@FILE
@click.option(
    "--pose",
    "poses",
    multiple=True,
    metavar=POSE,
    help="Joint positions in degrees or millimetres, or a named pose of FILE.",
)
@IMPORTER_SET
@JSON_SI
def fk(file: Path, poses: tuple[str, ...], settings: tuple[str, ...], as_json: bool) -> None:
    """Print the poses of the items and frames of a robot.

    Joints without a value in --pose keep their positions: those of an assembly are saved, and those of a robot file
    are zero, which --pose home changes. Each line has a position in millimetres, then roll, pitch and yaw in degrees.
    """
    robot, findings = read_robot(file, discover(file=file), settings)
    vector = posed(robot, poses, file)
    moved = at_positions(robot, vector)
    places = {item.name: item.pose for item in moved.items}
    places |= {frame.name: moved.world_from(frame.name) for frame in moved.frames}
    if as_json:
        joints = {joint.name: float(x) for joint, x in zip(robot.free_joints, vector, strict=True)}
        click.echo(json.dumps({"joints": joints, "poses": {name: pose.tolist() for name, pose in places.items()}}))
        return
    width = max(map(len, places), default=0)
    for name, pose in places.items():
        click.echo(f"{name:{width}}  {pose_text(pose)}")
    print_findings(findings)


def pose_text(pose: Floats) -> str:
    """Format a pose in millimetres and degrees."""
    x, y, z = (rounded(1000 * one, 2) for one in pose[:3, 3].tolist())
    turns = " ".join(f"{rounded(degrees(angle), 2):8.2f}" for angle in to_euler(pose))
    return f"{x:9.2f} {y:9.2f} {z:9.2f} mm  {turns} °"
