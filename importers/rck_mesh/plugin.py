"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Values, hookimpl
from rck.importing.mesh_kind import ENDINGS, mesh_kind


def looks_like_mesh(path: Path, head: bytes) -> bool:
    """What the first bytes of one of the formats look like."""
    return mesh_kind(path, head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_mesh.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The reader of meshes."""
    from rck.importing.solids import UNIT, UP, solid_options

    options = (UNIT, UP, *solid_options("one", "cut"))
    return [Importer("mesh", "meshes: STL, OBJ, PLY, OFF, glTF, 3MF, DAE", ENDINGS, looks_like_mesh, _read, options)]
