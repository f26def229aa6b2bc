"""What this package adds to RCK."""

import re
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl

_START = re.compile(rb"\s*(/\*.*?\*/\s*)*ISO-10303-21\s*;", re.DOTALL)


def looks_like_step(path: Path, head: bytes) -> bool:
    """The words that every exchange file of ISO 10303-21 begins with."""
    return _START.match(head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_step.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of STEP."""
    from rck.importing.solids import UP, solid_options

    options = (
        Option("deviation", "how far flat faces may be from a curved one", "length", "0.1 mm"),
        Option("turn", "how far neighbouring flat faces may be turned against each other", "angle", "20 deg"),
        UP,
        *solid_options("objects", "cut"),
    )
    return [Importer("step", "CAD models: STEP", (".step", ".stp"), looks_like_step, _read, options)]
