"""ROBOSIM files (NASA Marshall and Vanderbilt University): link files `name.loc`, `name.1`, ... and programs."""

from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Option, Values, hookimpl
from rck.hooks.options import length_unit
from rck.importing.tokens import are_numbers
from rck.model import Feature, Robot

BASE_ENDING = ".loc"
LINK_ENDINGS = tuple(f".{number}" for number in range(1, 18))  # ROBOSIM's robots have up to 18 links
PROGRAM_ENDING = ".robosim"
_ROWS = 10  # enough to include the first matrices
_BODIES = frozenset({Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.JOINTS})
_MASSES = frozenset({Feature.MASSES, Feature.INERTIAS})


def looks_like_link(path: Path, head: bytes) -> bool:
    """Return True if the file has rows of four numbers, with two flags and two joint types in the second row."""
    rows = [line.split() for line in head.splitlines()[:_ROWS]]
    if len(rows) < _ROWS or any(len(row) != 4 or not are_numbers(row) for row in rows):
        return False
    flags, types = rows[1][:2], rows[1][2:]
    return all(float(flag) in (0, 1) for flag in flags) and all(float(kind) in (0, 1, 2, 3) for kind in types)


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.robosim.reader import read

    return read(path, values, job)


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_importers.robosim.writer import write

    return write(robot, name, values, job)


def _write_program(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_importers.robosim.program import write

    return write(robot, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer of link files."""
    options = (
        length_unit("mm"),
        Option("density", "density in kg/m3 for links whose file has no inertia", "number", 1000.0),
    )
    endings = (BASE_ENDING, *LINK_ENDINGS)
    return [Importer("robosim", "ROBOSIM link files of one robot", endings, looks_like_link, _read, options)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporters of link files, and of programs that build the links."""
    options = (length_unit("mm"),)
    links, program = "ROBOSIM link files, one per link", "program that builds the links in the ROBOSIM language"
    return [
        Exporter("robosim", links, (BASE_ENDING,), _write, "robot", options, _BODIES | _MASSES, "ROBOSIM"),
        Exporter("robosim-program", program, (PROGRAM_ENDING,), _write_program, "robot", options, _BODIES, "ROBOSIM"),
    ]
