"""Arguments and options that several commands share."""

from pathlib import Path

import click

FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
IMPORTER_SET = click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set an importer option.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
JSON_SI = click.option("--json", "as_json", is_flag=True, help="Print JSON, in metres, radians and other SI units.")
SOLVER = click.option("--solver", metavar="NAME", help="Solver (default: the best one for the arm).")
SOLVER_SET = click.option(
    "--solver-set", "solver_settings", multiple=True, metavar="NAME=VALUE", help="Set an option of the solver."
)
TIP = click.option(
    "--tip",
    metavar="NAME",
    help="Frame or item to solve for (default: the tool, else the flange, else the last item of the arm).",
)
