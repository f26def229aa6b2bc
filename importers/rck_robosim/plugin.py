"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Option, Values, hookimpl
from rck.hooks.numbers import length_unit
from rck.importing.tokens import are_numbers
from rck.model import Robot

BASE_ENDING = ".loc"
LINK_ENDINGS = tuple(f".{number}" for number in range(1, 18))  # ROBOSIM's robots have up to 18 links
PROGRAM_ENDING = ".robosim"
_ROWS = 10  # enough to see the first matrices


def looks_like_link(path: Path, head: bytes) -> bool:
    """Rows of four numbers; the second has two flags and two joint types."""
    rows = [line.split() for line in head.splitlines()[:_ROWS]]
    if len(rows) < _ROWS or any(len(row) != 4 or not are_numbers(row) for row in rows):
        return False
    flags, types = rows[1][:2], rows[1][2:]
    return all(float(flag) in (0, 1) for flag in flags) and all(float(kind) in (0, 1, 2, 3) for kind in types)


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_robosim.reader import read

    return read(path, values, job)


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_robosim.writer import write

    return write(robot, name, values, job)


def _write_program(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_robosim.program import write

    return write(robot, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of link files."""
    options = (
        length_unit("mm"),
        Option("density", "kg/m3 of the solids of links whose file has no inertia", "number", 1000.0),
    )
    endings = (BASE_ENDING, *LINK_ENDINGS)
    return [Importer("robosim", "link files of ROBOSIM, all of a robot", endings, looks_like_link, _read, options)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writers of link files, and of programs that build them."""
    options = (length_unit("mm"),)
    links, program = "link files of ROBOSIM, one per link", "program that builds the links in the ROBOSIM language"
    return [
        Exporter("robosim", links, (BASE_ENDING,), _write, options=options),
        Exporter("robosim-program", program, (PROGRAM_ENDING,), _write_program, options=options),
    ]
