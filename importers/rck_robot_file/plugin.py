"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Option, Values, hookimpl
from rck.hooks.numbers import length_unit
from rck.importing.tokens import are_numbers, opening
from rck.model import Robot

ENDINGS = (".robot",)


def looks_like_robot(path: Path, head: bytes) -> bool:
    """Two counts, a mobile flag, a colour and a matrix of numbers."""
    tokens = opening(head)
    if len(tokens) < 2 or not (tokens[0].isdigit() and tokens[1].isdigit()):
        return False
    if len(tokens) == 2:
        return path.suffix.lower() in ENDINGS
    start = tokens[2:24]
    return len(start) == 22 and start[0] in (b"0", b"1") and are_numbers(start) and _is_colour(start[1:4])


def _is_colour(tokens: list[bytes]) -> bool:
    return all(0.0 <= float(token) <= 1.0 for token in tokens)


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_robot_file.reader import read

    return read(path, values, job)


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_robot_file.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of robot description files."""
    options = (
        length_unit("m"),
        Option("density", "kg/m3 of every solid, since the file has no masses", "number", 1000.0),
        Option("row-vectors", "the matrices have the translation in the last row", "flag", False),
    )
    return [Importer("robot-file", "robot description file", ENDINGS, looks_like_robot, _read, options)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of robot description files."""
    return [Exporter("robot-file", "robot description file", ENDINGS, _write, options=(length_unit("m"),))]
