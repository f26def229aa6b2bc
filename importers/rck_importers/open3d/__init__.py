"""Importer of point clouds, and on request meshes, that uses Open3D."""

import re
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.mesh_kind import is_cloud_ply
from rck.importing.tokens import are_numbers, opening

_ROWS = {".xyz": 3, ".xyzn": 6, ".xyzrgb": 6, ".pts": 3}
"""Minimum number of values per row."""
ENDINGS = (".pcd", ".ply", *_ROWS)
_PCD = re.compile(rb"\s*(#[^\n]*\n\s*)*VERSION\s+\.?\d", re.IGNORECASE)


def looks_like_cloud(path: Path, head: bytes) -> bool:
    """Return True if the file is PCD, PLY without faces, or rows of numbers with a point-cloud extension."""
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
    from rck_importers.open3d.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer of point clouds."""
    from rck.importing import import_options
    from rck.importing.solids import UNIT, UP

    options = (
        Option(
            "solid",
            "solid made from the points: boxes on a grid, the convex hull, or a reconstructed surface",
            "choice",
            "boxes",
            ("boxes", "hull", "surface"),
        ),
        Option("grid", "grid cell size (default: 1/50 of the extent)", "length"),
        Option("groups", "make one item per cluster of points", "flag", False),
        Option("most-points", "maximum number of points in a file", "number", 20_000_000.0),
        Option("most-boxes", "maximum number of boxes", "number", 20_000.0),
        UNIT,
        UP,
        import_options.convex_option("cut"),
        import_options.TOLERANCE,
        import_options.MOST_CORNERS,
        import_options.DENSITY,
        import_options.MOST_MEGABYTES,
        import_options.MOST_TRIANGLES,
        import_options.MOST_SECONDS,
        import_options.MOST_MEMORY,
    )
    summary = "point clouds: PCD, PLY, XYZ, PTS (meshes with --format open3d)"
    return [Importer("open3d", summary, ENDINGS, looks_like_cloud, _read, options)]
