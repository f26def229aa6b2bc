"""Importer of STEP files from CAD systems: assemblies of solids with names, colours, ports and joints."""

import re
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl

_START = re.compile(rb"\s*(/\*.*?\*/\s*)*ISO-10303-21\s*;", re.DOTALL)


def looks_like_step(path: Path, head: bytes) -> bool:
    """Return True if the file starts with the header of an ISO 10303-21 exchange file."""
    return _START.match(head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.step.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the STEP importer."""
    from rck.importing.solids import UP, solid_options

    options = (
        Option("deviation", "maximum distance between triangles and the curved face", "length", "0.1 mm"),
        Option("hole-ports", "add ports at round holes, bolt circles and ends of shafts", "flag", True),
        Option("joints", "joints: none, or coaxial for shafts in holes", "choice", "none", ("none", "coaxial")),
        UP,
        *solid_options("objects", "cut"),
    )
    return [Importer("step", "CAD models: STEP", (".step", ".stp"), looks_like_step, _read, options)]
