"""What this package adds to RCK."""

import re
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.mesh_kind import is_cloud_ply
from rck.importing.tokens import are_numbers, opening

_ROWS = {".xyz": 3, ".xyzn": 6, ".xyzrgb": 6, ".pts": 3}
"""Numbers to a row, at least."""
ENDINGS = (".pcd", ".ply", *_ROWS)
_PCD = re.compile(rb"\s*(#[^\n]*\n\s*)*VERSION\s+\.?\d", re.IGNORECASE)


def looks_like_cloud(path: Path, head: bytes) -> bool:
    """The head of a PCD file, a PLY file without faces, or rows of numbers under an ending that says so."""
    if is_cloud_ply(head) or (head.startswith(b"# .PCD") or _PCD.match(head) is not None):
        return True
    numbers = _ROWS.get(path.suffix.lower())
    if numbers is None:
        return False
    tokens = opening(head)
    if path.suffix.lower() == ".pts":
        tokens = tokens[1:]
    return len(tokens) >= numbers and are_numbers(tokens[:numbers])


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_open3d.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of point clouds."""
    from rck.importing import settings
    from rck.importing.solids import UNIT, UP

    options = (
        Option(
            "solid",
            "what points become: boxes where there are any, one hull, or the surface that they lie on",
            "choice",
            "boxes",
            ("boxes", "hull", "surface"),
        ),
        Option("grid", "side of the smallest box; a fiftieth of the size unless said", "length"),
        Option("groups", "make an item of each group of points that stand together", "flag", False),
        Option("most-points", "the most points that a file may hold", "number", 20_000_000.0),
        Option("most-boxes", "the most boxes that an import may make", "number", 20_000.0),
        UNIT,
        UP,
        settings.convex_option("cut"),
        settings.TOLERANCE,
        settings.MOST_CORNERS,
        settings.DENSITY,
        settings.MOST_MEGABYTES,
        settings.MOST_TRIANGLES,
    )
    summary = "point clouds: PCD, PLY, XYZ, PTS (meshes with --format open3d)"
    return [Importer("open3d", summary, ENDINGS, looks_like_cloud, _read, options)]
