"""RCK side by side with the peers that are installed: the same work in one run, with the answers compared."""

import sys
from importlib import import_module

AREAS: dict[str, str] = {
    "agreement": "do coal, python-fcl and MuJoCo see the same pairs touch, on random pairs of awkward polyhedra",
    "collision": "contacts: arms against pinocchio with coal, hulls against MuJoCo, coal, python-fcl and PyBullet",
    "assembly": "compiling a thousand parts again after one change, and searching the catalogue",
    "dxf": "importing a hundred thousand 3DFACEs, time and memory, against ezdxf that only reads them",
    "editor": "start of the editor, and from a key to the screen with a thousand parts",
    "export": "writing a robot of a thousand items in every format",
    "fk": "forward kinematics and Jacobians of a six-axis arm, against pinocchio",
    "ik": "inverse kinematics of the arms of the catalogue, against EAIK, ssik and those that search",
    "serve": "the control server: acknowledgements while fifty clients listen to joint states; edits that a page shows",
    "sim": "steps of the simulation with collisions on, with 40, 400 and 4,000 polyhedra",
    "view": "frames of the solid view and rays from anywhere, against MuJoCo and Embree",
}
"""Each area is a module of this package with a function ``run(report)``, and a line that says what it measures."""


def run(areas: list[str], as_json: bool, seconds: float = 10.0) -> int:
    """Measure the areas and print the report; 1 where a peer's answers differ from ours, else 0.

    An area that needs what is not installed is left out and named; where nothing is left, that is the error.
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
        except ModuleNotFoundError as error:
            message = f"{area} needs {error.name}: {install_command(error.name or '')}"
            if len(areas) == 1:
                raise RckError(message) from None
            print(f"left out: {message}", file=sys.stderr)
    print(to_json(report) if as_json else as_table(report))
    return 0 if all(row.agrees for row in report.rows) else 1
