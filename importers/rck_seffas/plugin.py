"""What this package adds to RCK."""

import re
from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Option, Values, hookimpl
from rck.hooks.numbers import length_unit
from rck.model import Robot

ENDINGS = (".seffas", ".geo")

_START = re.compile(rb"\s*POLYGON\s*\{?\s*\d+\s*\}?\s")


def looks_like_polygons(path: Path, head: bytes) -> bool:
    """The word POLYGON and a number of vertices, with or without its braces."""
    return _START.match(head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_seffas.reader import read

    return read(path, values, job)


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_seffas.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of polygon files."""
    options = (
        length_unit("mm"),
        Option("density", "kg/m3 of every solid, since the file has no masses", "number", 1000.0),
        Option("hull", "take the hull of solids that are not convex, instead of cutting them", "flag", False),
    )
    return [Importer("seffas", "polygons of the SEFFAS simulator", ENDINGS, looks_like_polygons, _read, options)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """The writer of polygon files."""
    return [Exporter("seffas", "polygons of the SEFFAS simulator", ENDINGS, _write, options=(length_unit("mm"),))]
