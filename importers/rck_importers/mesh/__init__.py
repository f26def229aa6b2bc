"""Importer of meshes (STL, OBJ, PLY, OFF, glTF, 3MF and COLLADA) that uses trimesh."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Values, hookimpl
from rck.importing.mesh_kind import ENDINGS, mesh_kind


def looks_like_mesh(path: Path, head: bytes) -> bool:
    """Return True if the first bytes match one of the mesh formats."""
    return mesh_kind(path, head) is not None


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.mesh.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the mesh importer."""
    from rck.importing.solids import UNIT, UP, solid_options

    options = (UNIT, UP, *solid_options("one", "cut"))
    return [Importer("mesh", "meshes: STL, OBJ, PLY, OFF, glTF, 3MF, DAE", ENDINGS, looks_like_mesh, _read, options)]
