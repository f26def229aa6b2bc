"""Subcommand: `rck my-plugin FILE` lists the items of an assembly, the heaviest first."""

from pathlib import Path

import click

from rck.hooks import CliCommand, discover, hookimpl
from rck.model import Robot


@hookimpl
def rck_cli_commands() -> list[CliCommand]:
    """Return the subcommand."""
    return [CliCommand("my-plugin", "the items, the heaviest first", heaviest)]


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--most", type=click.IntRange(1), default=10, show_default=True, help="Number of items to list.")
def heaviest(file: Path, most: int) -> None:
    """List the items of an assembly, the heaviest first."""
    # Imported here because the hook is called in many runs that do not use this command.
    from rck.language.session import open_session

    robot = open_session(discover(file=file), file).compile().unwrap().robot
    for line in table(robot, most):
        click.echo(line)


def table(robot: Robot, most: int) -> list[str]:
    """Return up to `most` lines, each with a mass in kilograms and an item."""
    items = sorted(robot.items, key=lambda item: item.mass_properties.mass, reverse=True)
    return [f"{item.mass_properties.mass:9.3f}  {item.name}" for item in items[:most]]
