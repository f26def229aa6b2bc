"""Viewer: prints the positions of the items of a robot as a table."""

import click

from rck.hooks import Option, Values, Viewer, hookimpl
from rck.model import Robot


@hookimpl
def rck_viewers() -> list[Viewer]:
    """Return the viewer."""
    digits = Option("digits", "decimals of the numbers", "number", 1.0)
    return [Viewer("my-plugin", "table of item positions in the terminal", show, (digits,))]


def show(robot: Robot, values: Values) -> None:
    """Print the table, in millimetres."""
    digits = int(values["digits"])
    for item in robot.items:
        x, y, z = (f"{1000 * value:.{digits}f}" for value in item.pose[:3, 3])
        click.echo(f"{item.name}  {x}  {y}  {z}")
