"""Polygon files of the SEFFAS robot simulator (Koning 1991), `.seffas` or `.geo`."""

import re
from pathlib import Path

from rck.hooks import Exported, Exporter, Imported, Importer, Job, Option, Values, hookimpl
from rck.hooks.options import length_unit
from rck.model import Feature, Robot

ENDINGS = (".seffas", ".geo")

_START = re.compile(rb"\s*POLYGON\s*\{?\s*\d+\s*\}?\s")


def looks_like_polygons(path: Path, head: bytes) -> bool:
    """Return True if the file starts with POLYGON and a vertex count, with or without braces."""
    return _START.match(head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.seffas.reader import read

    return read(path, values, job)


def _write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    from rck_importers.seffas.writer import write

    return write(robot, name, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer of polygon files."""
    options = (
        length_unit("mm"),
        Option("density", "density of every solid in kg/m3 (the file has no masses)", "number", 1000.0),
        Option("hull", "replace non-convex solids by their convex hull instead of decomposing them", "flag", False),
    )
    return [Importer("seffas", "SEFFAS polygon file", ENDINGS, looks_like_polygons, _read, options)]


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of polygon files."""
    summary, keeps = "SEFFAS polygon file", frozenset({Feature.SHAPES, Feature.COLLISION_SHAPES})
    return [Exporter("seffas", summary, ENDINGS, _write, "robot", (length_unit("mm"),), keeps, "SEFFAS")]
