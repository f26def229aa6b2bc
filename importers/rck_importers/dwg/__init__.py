"""AutoCAD drawings in DWG, R13 to 2018; read with ezdwg and then imported like a DXF drawing."""

import re
from functools import partial
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Survey, Values, hookimpl

_START = re.compile(rb"AC10(12|14|15|18|21|24|27|32)")


def looks_like_dwg(path: Path, head: bytes) -> bool:
    """Return True for the version at the start of a DWG file, R13 to 2018."""
    return _START.match(head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck.importing.import_options import limits_of
    from rck_importers.dwg.document import open_dwg
    from rck_importers.dxf.reader import read

    return read(path, values, job, partial(open_dwg, limits_of(values)))


def _survey(path: Path, values: Values, job: Job) -> Survey:
    from rck.importing.import_options import limits_of
    from rck_importers.dwg.document import open_dwg
    from rck_importers.dxf.reader import survey

    return survey(path, values, job, partial(open_dwg, limits_of(values)))


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the DWG importer."""
    from rck.importing.import_options import MOST_MEMORY, MOST_SECONDS
    from rck_importers.dxf.options import OPTIONS

    options = (*OPTIONS, MOST_SECONDS, MOST_MEMORY)
    summary = "AutoCAD drawings in DWG: plates, meshes and solids, with joints and ports"
    return [Importer("dwg", summary, (".dwg",), looks_like_dwg, _read, options, _survey)]
