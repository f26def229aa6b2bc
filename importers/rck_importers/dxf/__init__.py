"""AutoCAD drawings, text and binary, Release 12 to 2018, as items, joints and ports."""

import re
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Survey, Values, hookimpl

_TEXT = re.compile(rb"(\xef\xbb\xbf)?(\s*999\r?\n[^\n]*\n)*\s*0\s*\r?\n\s*SECTION\s*\r?\n\s*2\s*\r?\n\s*[A-Z]+\s*\r?\n")


def looks_like_dxf(path: Path, head: bytes) -> bool:
    """Return True for the binary DXF signature, or for the first tags of a text file, after any comments."""
    from rck_importers.dxf.bulk_binary import SIGNATURE

    return head.startswith(SIGNATURE) or _TEXT.match(head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.dxf.reader import read

    return read(path, values, job)


def _survey(path: Path, values: Values, job: Job) -> Survey:
    from rck_importers.dxf.reader import survey

    return survey(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the DXF importer."""
    from rck_importers.dxf.options import OPTIONS

    summary = "AutoCAD drawings: plates, meshes and solids, with joints and ports"
    return [Importer("dxf", summary, (".dxf",), looks_like_dxf, _read, OPTIONS, _survey)]
