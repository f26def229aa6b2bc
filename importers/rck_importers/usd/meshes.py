"""Meshes as triangle surfaces, one for each material."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.mesh import flipped, transformed
from rck.importing.import_report import Report
from rck.importing.mesh_file import Surface, textured_surface
from rck.importing.robot_reader import colour_of
from rck.model import Colour
from rck.model.colours import from_linear
from rck_importers.usd.materials import Look, look_of
from rck_importers.usd.stage import Prim, Stage


def mesh_surfaces(prim: Prim, stretch: Floats, stage: Stage, report: Report) -> list[Surface]:
    """Return the surfaces of a mesh under a linear map, shape (4, 4); raise ValueError if its data contradict."""
    points, counts, corners = _faces(prim)
    kept = np.ones(len(counts), dtype=bool)
    holes = np.asarray(prim.values.get("holeIndices", ()), dtype=np.int64)
    kept[holes[(holes >= 0) & (holes < len(counts))]] = False
    triangles, face_of_triangle = _fans(counts, kept)
    surfaces = []
    for material, faces in _subsets(prim, stage, len(counts)):
        chosen = triangles[np.isin(face_of_triangle, faces)]
        if not len(chosen):
            continue
        look = look_of(material, prim, stage, report)
        image_points = _texture_points(prim, look, len(points), counts, corners, report)
        mesh, mapped = textured_surface(points, corners[chosen], None if image_points is None else image_points[chosen])
        if prim.text("orientation") == "leftHanded":
            mesh, mapped = _reversed(mesh, mapped)
        if np.linalg.det(stretch[:3, :3]) < 0 and mapped is not None:
            mapped = mapped[flipped(mesh.face_offsets, np.arange(len(mapped)))]
        surfaces.append(
            Surface(
                prim.name,
                transformed(mesh, stretch),
                look.colour or display_colour(prim, report),
                look.texture if mapped is not None else None,
                mapped,
                look.roughness,
                look.metallic,
                look.name,
            )
        )
    return surfaces


def _faces(prim: Prim) -> tuple[Floats, Ints, Ints]:
    """Return points, corners of each face, and point of each corner."""
    points = np.asarray(prim.values.get("points", ()), dtype=float).reshape(-1, 3)
    counts = np.asarray(prim.values.get("faceVertexCounts", ()), dtype=np.int64).ravel()
    corners = np.asarray(prim.values.get("faceVertexIndices", ()), dtype=np.int64).ravel()
    if not np.isfinite(points).all():
        raise ValueError("a point has a coordinate that is not finite")
    if (len(counts) and counts.min() < 0) or counts.sum() != len(corners):
        raise ValueError(f"its faces have {counts.sum()} corners in all, but {len(corners)} are given")
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        raise ValueError("a face refers to a point that does not exist")
    if not len(counts):
        raise ValueError("it has no faces")
    return points, counts, corners


def _fans(counts: Ints, kept: Any) -> tuple[Ints, Ints]:
    """Return the triangles of all kept faces as fans, by the numbers of their corners, and the face of each."""
    sizes = np.where(kept & (counts > 2), counts - 2, 0)
    face = np.arange(len(counts)).repeat(sizes)
    first = np.concatenate([[0], np.cumsum(counts)])[:-1]
    step = np.arange(len(face)) - np.concatenate([[0], np.cumsum(sizes)])[:-1].repeat(sizes)
    start = first[face]
    return np.stack([start, start + step + 1, start + step + 2], axis=1), face


def _subsets(prim: Prim, stage: Stage, faces: int) -> Iterator[tuple[str, Ints]]:
    """Yield each material with the numbers of its faces; the mesh's own material has the rest."""
    rest = np.ones(faces, dtype=bool)
    for child in stage.children.get(prim.path, ()):
        if child.type != "GeomSubset" or child.text("elementType", "face") != "face" or not child.material:
            continue
        numbers = np.asarray(child.values.get("indices", ()), dtype=np.int64)
        numbers = numbers[(numbers >= 0) & (numbers < faces)]
        numbers = numbers[rest[numbers]]
        rest[numbers] = False
        yield child.material, numbers
    yield prim.material, np.flatnonzero(rest)


def _texture_points(prim: Prim, look: Look, points: int, counts: Ints, corners: Ints, report: Report) -> Floats | None:
    """Return the point of the image at each corner, shape (corners, 2); None without a texture."""
    if look.texture is None:
        return None
    name = f"primvars:{look.coordinates}"
    if name not in prim.values:
        report.warn(504, prim.where, f"a texture needs {name}, which the mesh does not have", kind="no coordinates")
        return None
    given = np.asarray(prim.values[name], dtype=float).reshape(-1, 2)
    indices = prim.values.get(f"{name}:indices")
    numbers = np.arange(len(given)) if indices is None else np.asarray(indices, dtype=np.int64)
    of_corner = {
        "vertex": corners,
        "varying": corners,
        "faceVarying": np.arange(len(corners)),
        "uniform": np.arange(len(counts)).repeat(counts),
        "constant": np.zeros(len(corners), dtype=np.int64),
    }[prim.text(f"{name}:interpolation", "constant")]
    if not len(of_corner) or of_corner.max() >= len(numbers):
        report.warn(502, prim.where, f"{name} has too few values; the texture was ignored", kind="few coordinates")
        return None
    chosen = numbers[of_corner]
    if chosen.min() < 0 or chosen.max() >= len(given):
        report.warn(502, prim.where, f"{name} has too few values; the texture was ignored", kind="few coordinates")
        return None
    return np.asarray(given[chosen])


def _reversed(mesh: Any, mapped: Floats | None) -> tuple[Any, Floats | None]:
    """Return a mesh whose faces run the other way round."""
    order = flipped(mesh.face_offsets, np.arange(len(mesh.face_vertices)))
    turned = type(mesh)(mesh.vertices, mesh.face_offsets, flipped(mesh.face_offsets, mesh.face_vertices))
    return turned, None if mapped is None else mapped[order]


def display_colour(prim: Prim, report: Report) -> Colour | None:
    """Return the display colour and opacity of a shape; None if it has neither."""
    colours = _values(prim, "primvars:displayColor", 3)
    opacities = _values(prim, "primvars:displayOpacity", 1)
    if colours is None and opacities is None:
        return None
    if colours is not None and len(np.unique(colours, axis=0)) > 1:
        report.left_out("colour of single faces or points", prim.where)
    tint = [0.5] * 3 if colours is None else colours.mean(axis=0).tolist()
    opacity = 1.0 if opacities is None else float(opacities.mean())
    return from_linear(colour_of(np.array([*tint, opacity])))


def _values(prim: Prim, name: str, width: int) -> Floats | None:
    given: Sequence[float] | None = prim.values.get(name)
    if given is None or not len(given):
        return None
    numbers = np.asarray(given, dtype=float).reshape(-1, width)
    return numbers if np.isfinite(numbers).all() else None
