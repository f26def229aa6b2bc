"""`rck loads`: largest static load of each joint, compared with its effort limit."""

import json
import sys
from pathlib import Path

import click

from rck.cli.inputs import print_findings, read_assembled, read_robot
from rck.hooks import discover
from rck.kinematics.loads import carrying_frame, load_lines, worst_loads
from rck.language.robot_checks import effort_figures
from rck.support.units import parse_quantity


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--payload", metavar="MASS", default="0", help="Payload, such as 300g (default: 0; without a unit, in kilograms)."
)
@click.option("--at", metavar="NAME", help="Frame, gripper or item that carries the payload (default: the tip).")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set an importer option.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in SI units.")
def loads(file: Path, payload: str, at: str | None, settings: tuple[str, ...], as_json: bool) -> None:
    """Print the largest static load of each joint against gravity, within the limits of all joints.

    The exit status is 1 if a load exceeds the effort limit of its joint. For the loads of a motion, use
    `rck simulate --physics`.
    """
    plugins = discover(file=file)
    if file.suffix == ".rck":
        session, compiled, findings = read_assembled(file, plugins)
        robot, figures = compiled.robot, effort_figures(session.document, compiled.robot)
    else:
        robot, findings = read_robot(file, plugins, settings)
        figures = {}
    mass = parse_quantity(payload, "mass", "kg")
    frame = carrying_frame(robot, at) if mass or at else None
    found = worst_loads(robot, mass, frame)
    if as_json:
        rows = [
            {
                "joint": one.joint,
                "effort": one.effort,
                "most": one.most,
                "figure": figures.get(one.joint),
                "positions": dict(one.positions),
            }
            for one in found
        ]
        click.echo(json.dumps(rows, indent=2))
    else:
        for line in load_lines(robot, found, figures, mass, frame) or [f"{robot.name} has no free joints"]:
            click.secho(line, fg="red" if line.endswith("too weak") else None)
        print_findings(findings)
    sys.exit(int(any(one.too_much for one in found)))
