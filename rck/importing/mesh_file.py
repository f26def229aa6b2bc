"""Mesh files, read by trimesh: named surfaces with their colours, and the unit of the file."""

import io
import re
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.mesh import Mesh, flipped, transformed
from rck.importing.assets import Assets, Unavailable, refuse_more_triangles
from rck.importing.file_errors import NotOfFormat
from rck.importing.import_options import ImportLimits
from rck.importing.mesh_expansion import (
    refuse_expansion_of_3mf,
    refuse_expansion_of_collada,
    refuse_expansion_of_gltf,
)
from rck.importing.mesh_kind import mesh_kind
from rck.importing.mesh_look import look_of
from rck.importing.truncation import describe_truncation
from rck.importing.xml_file import refuse_document_types
from rck.model.subitem import Colour
from rck.model.visual import Texture

if TYPE_CHECKING:
    from trimesh import Scene

_NEEDS = {"dae": ("collada", "rck[collada]"), "3mf": ("lxml", "rck[3mf]")}
"""Formats for which trimesh needs another package: module and extra to install."""

_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_UNIT_METRES = {
    "micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "meter": 1.0, "inch": 0.0254, "foot": 0.3048,
}  # fmt: skip
"""The units of 3MF (core specification 1.3, section 3.4)."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangle surface with merged vertices, in the unit and frame of its file."""

    name: str
    mesh: Mesh
    colour: Colour | None = None
    texture: Texture | None = None
    """Multiplied by the colour."""
    texture_points: Floats | None = None
    """The point of the image at each corner of `mesh.face_vertices`, also if the texture is in another file.
    Shape (corners, 2)."""
    roughness: float | None = None
    metallic: float | None = None
    material: str = ""

    def moved(self, matrix: Floats) -> "Surface":
        """Return the surface under an affine map."""
        points = self.texture_points
        if points is not None and np.linalg.det(matrix[:3, :3]) < 0:
            # The faces of a mirrored surface run the other way round.
            points = points[flipped(self.mesh.face_offsets, np.arange(len(points)))]
        return replace(self, mesh=transformed(self.mesh, matrix), texture_points=points)


@dataclass(frozen=True, eq=False)
class MeshFile:
    """Contents of a mesh file."""

    surfaces: tuple[Surface, ...]
    metres: float | None = None
    """Length unit of the file in metres; None if neither the file nor its format defines it."""
    up: str = "z"
    """Axis that points up; z if neither the file nor its format defines it."""
    left_out: tuple[str, ...] = ()
    """Contents of the file that are not surfaces."""


def read_mesh(path: Path, assets: Assets) -> MeshFile:
    """Return the surfaces in a file; raise :class:`Unavailable` if it cannot be read."""
    data = assets.read(path)
    kind = mesh_kind(path, data[:4096]) or path.suffix.lower().removeprefix(".")
    return decode_mesh(data, kind, path, assets)


def decode_mesh(data: bytes, kind: str, path: Path, assets: Assets) -> MeshFile:
    """Return the surfaces in data of a format such as `stl`; the path is used for messages and referenced files."""
    from trimesh import load_scene

    _look_before_reading(data, kind, path.name, assets.limits)
    try:
        scene = load_scene(io.BytesIO(data), kind, resolver=_resolver(path, assets), process=False)
    except (MemoryError, RecursionError) as error:
        raise Unavailable(f"{path.name} is too large to read", code=509) from error
    except ImportError as error:
        raise _missing(kind, path.name, str(error)) from error
    except Exception as error:
        # The library raises arbitrary exceptions for damaged files.
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unavailable(f"{path.name} cannot be read as {kind.upper()}: {said[:200]}") from error
    surfaces, left_out = _surfaces(scene, path, assets.limits)
    metres, up = _conventions(data, kind)
    return MeshFile(surfaces, metres, up, left_out)


def _look_before_reading(data: bytes, kind: str, name: str, limits: ImportLimits) -> None:
    """Refuse truncated files, files that would expand without bounds, and formats whose reader is not installed."""
    module, _ = _NEEDS.get(kind, ("", ""))
    if module:
        try:
            __import__(module)
        except ImportError as error:
            raise _missing(kind, name, str(error)) from error
    place = describe_truncation(data, kind)
    if place:
        raise Unavailable(f"{name} is truncated {place}", "download or export it again", code=505)
    try:
        if kind == "dae":
            refuse_expansion_of_collada(data, name, limits)
        if kind in ("glb", "gltf"):
            refuse_expansion_of_gltf(data, kind, name, limits)
        if kind == "3mf":
            _look_into_archive(data, name, limits)
    except NotOfFormat as refusal:
        found = refusal.finding
        raise Unavailable(f"{found.where}: {found.message}", found.fix, code=found.code) from refusal


def _missing(kind: str, name: str, said: str) -> Unavailable:
    _, extra = _NEEDS.get(kind, ("", ""))
    fix = f"pip install '{extra}'" if extra else ""
    return Unavailable(f"{name} cannot be read: {said or kind.upper() + ' needs another package'}", fix, code=510)


def _look_into_archive(data: bytes, name: str, limits: ImportLimits) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            inside = [info for info in archive.infolist() if not info.is_dir()]
            size = sum(info.file_size for info in inside)
            if size > limits.bytes:
                message = f"{name} unpacks to {size / 1e6:.1f} MB, more than the limit of {limits.bytes / 1e6:g} MB"
                raise Unavailable(message, "raise it with the option most-megabytes", code=509)
            models = []
            for info in inside:
                if info.filename.lower().endswith((".model", ".rels", ".xml")):
                    with archive.open(info) as file:
                        content = file.read(limits.bytes)
                    if info.filename.lower().endswith(".model"):
                        models.append(content)
                    else:
                        refuse_document_types(content, f"{name}/{info.filename}")
            refuse_expansion_of_3mf(models, len(data), name, limits)
    except (zipfile.BadZipFile, NotImplementedError, OSError, RuntimeError, ValueError, EOFError, zlib.error) as error:
        raise Unavailable(f"{name} is damaged: {error}") from error


def _resolver(path: Path, assets: Assets) -> Any:
    """Return a resolver that gives trimesh only the materials, images and buffers that a mesh file refers to."""
    from trimesh.resolvers import Resolver

    class Neighbours(Resolver):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def get(self, name: str) -> bytes:
            try:
                return assets.read(assets.find(name, path.parent))
            except Unavailable as unavailable:
                raise FileNotFoundError(str(unavailable)) from unavailable

        def keys(self) -> list[str]:
            return []

        def write(self, name: str, data: bytes) -> None:
            raise PermissionError(name)

        def namespaced(self, namespace: str) -> "Neighbours":
            return self

    return Neighbours()


def _surfaces(scene: "Scene", path: Path, limits: ImportLimits) -> tuple[tuple[Surface, ...], tuple[str, ...]]:
    from trimesh import Trimesh

    surfaces: list[Surface] = []
    left_out: list[str] = []
    count = 0
    for node in scene.graph.nodes_geometry:
        world_from_geometry, geometry_name = scene.graph[node]
        geometry = scene.geometry[geometry_name]
        if not isinstance(geometry, Trimesh):
            left_out.append(type(geometry).__name__)
            continue
        if not len(geometry.faces):
            left_out.append("mesh without faces")
            continue
        count += len(geometry.faces)
        if len(surfaces) > limits.objects:
            fix = "raise the limit with the option most-objects"
            raise Unavailable(f"{path.name} has more than {limits.objects} objects", fix, code=509)
        refuse_more_triangles(count, path.name, limits)
        vertices = np.asarray(geometry.vertices, dtype=float)
        if vertices.shape[1:] != (3,):
            raise Unavailable(f"{path.name} has vertices without three coordinates")
        if not np.isfinite(vertices).all():
            raise Unavailable(f"{path.name} has a coordinate that is not a finite number")
        corners = np.asarray(geometry.faces, dtype=np.int64)
        look = look_of(geometry, path.stem)
        mesh, points = textured_surface(vertices, corners, None if look.points is None else look.points[corners])
        turned = _moved(mesh, np.asarray(world_from_geometry, dtype=float))
        textured = look.texture is not None
        surfaces.append(Surface(str(node), turned, look.colour, look.texture, points, look.roughness, look.metallic,
                                look.name if textured else ""))  # fmt: skip
    return tuple(surfaces), tuple(left_out)


def surface_mesh(vertices: Floats, corners: Ints) -> Mesh:
    """Return triangles, shape (T, 3), as a mesh with merged vertices and without degenerate triangles."""
    return textured_surface(vertices, corners, None)[0]


def textured_surface(vertices: Floats, corners: Ints, image_points: Floats | None) -> tuple[Mesh, Floats | None]:
    """Return triangles as :func:`surface_mesh` does, with the points of their corners in an image.

    The given image points have the shape (T, 3, 2), the returned ones (corners, 2).
    """
    inside = ((corners >= 0) & (corners < len(vertices))).all(axis=1)
    # Adding zero avoids -0.0.
    places, number = _distinct(vertices + 0.0)
    welded = number[corners[inside]].astype(np.int64)
    a, b, c = welded.T
    sound = (a != b) & (b != c) & (c != a)
    welded = welded[sound]
    used, indices = np.unique(welded, return_inverse=True)
    offsets = np.arange(0, 3 * len(welded) + 1, 3, dtype=np.int64)
    mesh = Mesh(frozen(places[used]), frozen(offsets), frozen(indices.reshape(-1).astype(np.int64)))
    return mesh, None if image_points is None else frozen(image_points[inside][sound].reshape(-1, 2))


def _distinct(points: Floats) -> tuple[Floats, Ints]:
    """Return the different points in ascending order, and the number of each given point among them.

    Sorting one checksum of each point takes a fraction of the time of sorting rows.
    """
    bits = np.ascontiguousarray(points).view(np.uint64)
    checksums = (bits * _FACTORS).sum(axis=1, dtype=np.uint64)
    _, first, number = np.unique(checksums, return_index=True, return_inverse=True)
    found = points[first]
    if not np.array_equal(found[number], points):  # two points have one checksum
        found, number = np.unique(points, axis=0, return_inverse=True)
        return found, number.reshape(-1)
    order = np.lexsort(found.T[::-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return found[order], rank[number]


def _moved(mesh: Mesh, matrix: Floats) -> Mesh:
    return mesh if np.array_equal(matrix, np.eye(4)) else transformed(mesh, matrix)


def _conventions(data: bytes, kind: str) -> tuple[float | None, str]:
    """Return the length unit in metres and the up axis that the file or its format defines."""
    if kind in ("glb", "gltf"):
        return 1.0, "y"
    if kind == "dae":
        unit = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([-+.\deE]+)[\"']", data)
        up = re.search(rb"<up_axis>\s*([XYZ])_UP", data)
        metres = float(unit[1]) if unit else 1.0
        return (metres if metres > 0 else 1.0), up[1].decode().lower() if up else "y"
    if kind == "3mf":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            model = next(name for name in archive.namelist() if name.lower().endswith(".model"))
            with archive.open(model) as file:
                said = re.search(rb"<model\b[^>]*\bunit\s*=\s*[\"'](\w+)[\"']", file.read(4096))
        return _UNIT_METRES.get(said[1].decode() if said else "millimeter", 1e-3), "z"
    return None, "z"
