"""Mesh assets of MJCF: mesh files, including MuJoCo's binary format, and vertices given in the model."""

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.mass_properties import mass_properties, unsigned_mass_properties
from rck.geometry.mesh import joined_meshes, triangles
from rck.geometry.polyhedron import convex_hull
from rck.geometry.transforms import from_quaternion, invert, scaling, translation
from rck.importing.assets import Assets, Unavailable, refuse_more_triangles
from rck.importing.link_shapes import LinkShape
from rck.importing.mesh_file import MeshFile, Surface, read_mesh, surface_mesh
from rck.importing.xml_file import Element
from rck_importers.mjcf.shells import mesh_shell
from rck_importers.mjcf.source import Source


def mesh_asset(name: str, source: Source) -> Callable[[], LinkShape] | None:
    """Return a function that builds the shape of the named mesh; None if there is no such asset."""
    asset = source.assets.get(("mesh", name))
    if asset is None:
        return None
    full = source.full(asset, "")
    return lambda: _shape(name, full, source)


def _shape(name: str, asset: Element, source: Source) -> LinkShape:
    reading = source.reading
    # The reference pose is removed first, then the scale is applied.
    reference = translation(asset.numbers("refpos", 3, (0, 0, 0))) @ from_quaternion(
        asset.numbers("refquat", 4, (1, 0, 0, 0))
    )
    stretch = scaling(asset.numbers("scale", 3, (1, 1, 1))) @ invert(reference)
    if "vertex" in asset.attributes:
        held = _written(asset)
        key: tuple[object, ...] = (asset.file, asset.line)
    elif "builtin" in asset.attributes or "file" not in asset.attributes:
        raise Unavailable(f"mesh {name} has no file to read")
    else:
        path = source.find(asset, source.compiler.mesh_folder)
        held = reading.shelf.file(path)
        key = (str(path),)
    if not held.surfaces:
        raise Unavailable(f"mesh {name} has no triangles")
    rule = asset.get("inertia", "legacy")
    if rule not in ("legacy", "exact", "convex", "shell"):
        raise asset.refusal(f"unknown inertia {rule!r}", code=104, fix="use legacy, exact, convex or shell")
    key = (*key, rule, *stretch.reshape(-1).tolist())
    shape = reading.shelf.made(key, lambda: [one.moved(stretch) for one in held.surfaces])
    if rule == "exact" or shape.primitive is not None or shape.true_solid is not None:
        return shape
    whole = joined_meshes([surface.mesh for surface in shape.surfaces])
    if rule == "shell":
        return reading.shelf.keep(replace(shape, true_solid=mesh_shell(whole)))
    solid = (
        unsigned_mass_properties(whole)
        if rule != "convex"
        else mass_properties(convex_hull(whole.vertices).moments, 1.0)
    )
    return reading.shelf.keep(replace(shape, true_solid=solid))


def _written(asset: Element) -> MeshFile:
    """Return the mesh of vertices given in the model; without faces, their convex hull."""
    vertices = asset.numbers_of(asset.get("vertex"), "vertex")
    if len(vertices) % 3 or len(vertices) < 12:
        raise asset.refusal(f"vertex needs three numbers for each of at least 4 vertices, not {len(vertices)}")
    points = vertices.reshape(-1, 3)
    corners: Ints
    if "face" in asset.attributes:
        corners = asset.numbers_of(asset.get("face"), "face").astype(np.int64).reshape(-1, 3)
    else:
        corners = _hull_corners(points)
    return MeshFile((Surface("vertices", surface_mesh(points, corners)),))


def _hull_corners(points: Floats) -> Ints:
    try:
        hull = convex_hull(points)
    except ValueError as error:
        raise Unavailable(str(error)) from error
    number_of = {tuple(point): number for number, point in enumerate(points.tolist())}
    numbers = np.array([number_of[tuple(point)] for point in hull.vertices.tolist()], dtype=np.int64)
    return np.asarray(numbers[triangles(hull)], dtype=np.int64)


def read_any_mesh(path: Path, assets: Assets) -> MeshFile:
    """Read a mesh file in any format that MuJoCo supports."""
    ending = path.suffix.lower()
    if ending == ".msh":
        return _read_msh(path, assets)
    held = read_mesh(path, assets)
    return replace(held, surfaces=tuple(map(_in_single_precision, held.surfaces))) if ending == ".obj" else held


def _in_single_precision(surface: Surface) -> Surface:
    """Return the surface with the coordinates that MuJoCo reads from text, for the same masses to all digits."""
    mesh = surface.mesh
    return replace(surface, mesh=replace(mesh, vertices=frozen(mesh.vertices.astype(np.float32).astype(float))))


def _read_msh(path: Path, assets: Assets) -> MeshFile:
    """Read MuJoCo's MSH format: four counts, then vertices, normals, texture coordinates and faces."""
    data = assets.read(path)
    if len(data) < 16:
        raise Unavailable(f"{path.name} is truncated at byte {len(data)}")
    vertices, normals, textures, faces = struct.unpack_from("<4i", data)
    sizes = (vertices, normals, textures, faces)
    expected = 16 + 12 * vertices + 12 * normals + 8 * textures + 12 * faces
    if min(sizes) >= 0 and len(data) < expected < 1000 * len(data):
        raise Unavailable(f"{path.name} is truncated at byte {len(data)} of {expected}")
    if min(sizes) < 0 or len(data) != expected:
        raise Unavailable(f"{path.name} is not a MuJoCo mesh: its counts do not match its size")
    refuse_more_triangles(faces, path.name, assets.limits)
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).reshape(-1, 3).astype(float)
    start = 16 + 12 * vertices + 12 * normals + 8 * textures
    if not faces:
        return MeshFile((Surface(path.stem, surface_mesh(points, _hull_corners(points))),))
    corners = np.frombuffer(data, "<i4", 3 * faces, start).reshape(-1, 3).astype(np.int64)
    return MeshFile((Surface(path.stem, surface_mesh(points, corners)),))
