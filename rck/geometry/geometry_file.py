"""Binary files of geometry: convex pieces of solids, and surfaces with texture points.

A file is the line `rck-geometry 1`, a line of JSON with the type and shape of each array, and the arrays. Equal
geometry gives equal bytes, so that files can be named by the hash of their content.
"""

import json
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.bulk_polyhedra import convex_polyhedra
from rck.geometry.mass_properties import Moments
from rck.geometry.mesh import Mesh, joined_meshes
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.shells import Shells
from rck.support.finding import RckError
from rck.support.frozen_copy import copy_with

_MAGIC = b"rck-geometry 1\n"
_TYPES = ("<f8", "<i4")
_LONGEST_HEADER = 10_000
_FARTHEST = 1e9
"""Largest coordinate, in metres."""


def pieces_bytes(pieces: Sequence[Polyhedron]) -> bytes:
    """Return the file of the convex pieces of a solid."""
    whole = joined_meshes([Mesh(piece.vertices, piece.face_offsets, piece.face_vertices) for piece in pieces])
    counts = np.array([len(piece.face_offsets) - 1 for piece in pieces])
    arrays: dict[str, NDArray[np.generic]] = {**_mesh_arrays(whole), "faces-of-piece": counts}
    given = [piece.given_moments for piece in pieces]
    if any(given):
        arrays["moments"] = np.array([_moments_row(one) for one in given])
    return _packed(arrays)


def read_pieces(content: bytes) -> tuple[Polyhedron, ...]:
    """Return the convex pieces in a file; raise :class:`RckError` if it is damaged or a piece is not convex."""
    arrays = _unpacked(content)
    mesh = _mesh_of(arrays)
    counts = _integers(arrays, "faces-of-piece")
    if counts.ndim != 1 or (counts < 1).any() or counts.sum() != len(mesh.face_offsets) - 1:
        raise RckError("the geometry is damaged: the faces of its pieces do not add up")
    of_face = np.repeat(np.arange(len(counts)), counts)
    shells = Shells(of_face, np.zeros(len(of_face), dtype=bool), np.zeros(len(counts)))
    pieces = convex_polyhedra(mesh, shells, merge=False)
    rows = arrays.get("moments")
    if rows is not None and rows.shape != (len(counts), 14):
        raise RckError("the geometry is damaged: its moments do not fit")
    sound: list[Polyhedron] = []
    for number, piece in enumerate(pieces):
        if piece is None:
            raise RckError(f"the geometry is damaged: piece {number} is not a convex solid")
        given = None if rows is None else _moments_of(rows[number])
        sound.append(piece if given is None else copy_with(piece, given_moments=given))
    return tuple(sound)


def surface_bytes(surface: Mesh, texture_points: Floats | None = None) -> bytes:
    """Return the file of a surface; texture points have shape (corners, 2)."""
    arrays = _mesh_arrays(surface)
    if texture_points is not None:
        arrays["texture-points"] = texture_points
    return _packed(arrays)


def read_surface(content: bytes) -> tuple[Mesh, Floats | None]:
    """Return the surface in a file, and its texture points; raise :class:`RckError` if the file is damaged."""
    arrays = _unpacked(content)
    mesh = _mesh_of(arrays)
    points = arrays.get("texture-points")
    if points is None:
        return mesh, None
    if points.shape != (len(mesh.face_vertices), 2):
        raise RckError("the geometry is damaged: its texture points do not fit")
    return mesh, frozen(points.astype(float))


def _mesh_arrays(mesh: Mesh) -> dict[str, NDArray[np.generic]]:
    return {"vertices": mesh.vertices, "face-offsets": mesh.face_offsets, "face-vertices": mesh.face_vertices}


def _mesh_of(arrays: Mapping[str, NDArray[np.generic]]) -> Mesh:
    vertices = arrays.get("vertices")
    offsets, corners = _integers(arrays, "face-offsets"), _integers(arrays, "face-vertices")
    if vertices is None or vertices.ndim != 2 or vertices.shape[1] != 3 or vertices.dtype.kind != "f":
        raise RckError("the geometry is damaged: it has no vertices")
    points: Floats = frozen(vertices.astype(float))
    if not (abs(points) <= _FARTHEST).all():
        raise RckError("the geometry is damaged: a coordinate is out of range")
    fits = offsets.ndim == corners.ndim == 1 and len(offsets) and offsets[0] == 0 and offsets[-1] == len(corners)
    if not fits or (np.diff(offsets) < 3).any() or (corners < 0).any() or (corners >= len(points)).any():
        raise RckError("the geometry is damaged: a face refers to a vertex that does not exist")
    return Mesh(points, frozen(offsets), frozen(corners))


def _integers(arrays: Mapping[str, NDArray[np.generic]], name: str) -> Ints:
    array = arrays.get(name)
    if array is None or array.dtype.kind != "i":
        raise RckError(f"the geometry is damaged: it has no {name}")
    return array.astype(np.int64)


def _moments_row(given: Moments | None) -> list[float]:
    if given is None:
        return [float("nan")] * 14
    return [given.area, given.volume, *given.first.tolist(), *given.second.ravel().tolist()]


def _moments_of(row: NDArray[np.generic]) -> Moments | None:
    area, volume, *rest = row.astype(float).tolist()
    if not np.isfinite([area, volume, *rest]).all():
        return None
    return Moments(area, volume, frozen(np.array(rest[:3])), frozen(np.array(rest[3:]).reshape(3, 3)))


def _packed(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    small = {name: array.astype("<f8" if array.dtype.kind == "f" else "<i4") for name, array in arrays.items()}
    header = {name: [array.dtype.str, list(array.shape)] for name, array in small.items()}
    lines = _MAGIC + json.dumps(header, sort_keys=True).encode() + b"\n"
    return lines + b"".join(small[name].tobytes() for name in sorted(small))


def _unpacked(content: bytes) -> dict[str, NDArray[np.generic]]:
    end = content.find(b"\n", len(_MAGIC), len(_MAGIC) + _LONGEST_HEADER)
    if not content.startswith(_MAGIC) or end < 0:
        raise RckError("this is not a file of geometry of this version")
    try:
        shapes = msgspec.json.decode(content[len(_MAGIC) : end], type=dict[str, tuple[str, list[int]]])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise RckError("the geometry is damaged: its header cannot be read") from None
    arrays: dict[str, NDArray[np.generic]] = {}
    start = end + 1
    for name in sorted(shapes):
        kind, sizes = shapes[name]
        if kind not in _TYPES or any(not 0 <= size <= len(content) for size in sizes) or len(sizes) > 2:
            raise RckError("the geometry is damaged: its header cannot be read")
        count = 1
        for size in sizes:
            count *= size
        stop = start + count * int(kind[2])
        if stop > len(content):
            raise RckError("the geometry is truncated")
        arrays[name] = np.frombuffer(content[start:stop], kind).reshape(sizes)
        start = stop
    if start != len(content):
        raise RckError("the geometry is damaged: it is longer than its header says")
    return arrays
