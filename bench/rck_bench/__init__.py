"""Benchmarks of RCK and the installed peer libraries: the same work in one run, with the answers compared."""

import sys
from importlib import import_module

AREAS: dict[str, str] = {
    "agreement": "agreement on contacts with coal, python-fcl and MuJoCo, for difficult polyhedra",
    "collision": "collisions: arms against pinocchio with coal, hulls against MuJoCo, coal, python-fcl and PyBullet",
    "assembly": "recompiling a thousand parts after one change, and searching the catalogue",
    "dxf": "time and memory of importing 100,000 3DFACEs, against ezdxf reading the file only",
    "editor": "start of the editor, and latency from key to screen with a thousand parts",
    "export": "writing a robot of a thousand items in every format",
    "fk": "forward kinematics and Jacobians of a six-axis arm, against pinocchio",
    "ik": "inverse kinematics of catalogue arms, against EAIK, ssik and numerical solvers",
    "loops": "closed chains: a 2F-85 gripper and a delta robot, against steps of MuJoCo",
    "roundtrip": "robots of the corpus through all robot formats, against the original files in MuJoCo",
    "serve": "the control server: acknowledgements with fifty subscribers; latency of edits in a live page",
    "sim": "steps of the simulation with collisions on, with 40, 400 and 4,000 polyhedra",
    "view": "frames of the solid view and arbitrary rays, against MuJoCo and Embree",
}
"""The areas. Each is a module of this package with a function ``run(report)``; the text says what it measures."""


def run(areas: list[str], as_json: bool, seconds: float = 10.0) -> int:
    """Measure the areas and print the report; return 1 if a peer's answers differ from RCK's, else 0.

    An area that cannot run, such as one with a missing library, is skipped with a message; a single one is an error.
    """
    from rck.cli.doctor import install_command
    from rck.model import RckError
    from rck_bench.report import Report, as_table, to_json

    report = Report(seconds=seconds)
    for area in areas:
        if sys.stderr.isatty():
            print(f"measuring {area} ...", file=sys.stderr)
        try:
            import_module(f"rck_bench.{area}").run(report)
        except (ModuleNotFoundError, RckError) as error:
            message = f"{area}: {error}"
            if isinstance(error, ModuleNotFoundError):
                message = f"{area} needs {error.name}: {install_command(error.name or '')}"
            if len(areas) == 1:
                raise RckError(message) from None
            print(f"skipped: {message}", file=sys.stderr)
    print(to_json(report) if as_json else as_table(report))
    return 0 if all(row.agrees for row in report.rows) else 1
