"""Robot description files, `.robot`, of the simulator whose model RCK uses (Lingman 1996)."""

from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Option, Values, hookimpl
from rck.hooks.options import length_unit
from rck.importing.tokens import are_numbers, opening
from rck.model import Feature, Robot

ENDINGS = (".robot",)

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.COLOURS, Feature.JOINTS, Feature.JOINT_LIMITS,
    Feature.JOINT_POSITIONS, Feature.MOBILE_ITEMS,
})  # fmt: skip


def looks_like_robot(path: Path, head: bytes) -> bool:
    """Return True if the file starts with two counts, a mobile flag, a colour and a matrix."""
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
    from rck_importers.robot_file.reader import read

    return read(path, values, job)


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_importers.robot_file.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer of robot description files."""
    options = (
        length_unit("m"),
        Option("density", "density of every solid in kg/m3 (the file has no masses)", "number", 1000.0),
        Option("row-vectors", "matrices have the translation in the last row", "flag", False),
    )
    return [Importer("robot-file", "robot description file", ENDINGS, looks_like_robot, _read, options)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of robot description files."""
    summary, options = "robot description file", (length_unit("m"),)
    return [Exporter("robot-file", summary, ENDINGS, _write, "robot", options, _KEEPS, "robot files")]
