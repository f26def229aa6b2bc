"""Mesh files in common formats, as bytes. Equal shapes give equal bytes."""

from itertools import pairwise

import numpy as np

from rck.geometry.arrays import Floats, cross, lengths
from rck.geometry.mesh import Faceted, faces_of, triangles

_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

# Most readers treat a file that begins with `solid` as text.
_STL_HEADER = b"binary STL, in metres".ljust(80)


def stl_bytes(shape: Faceted) -> bytes:
    """Return a binary STL file: triangles in metres, with the seven digits of the format."""
    corners = shape.vertices[triangles(shape)]
    table = np.zeros(len(corners), _STL_TRIANGLE)
    table["corners"] = corners
    table["normal"] = _normals(corners)
    return _STL_HEADER + len(corners).to_bytes(4, "little") + table.tobytes()


def obj_bytes(shape: Faceted, image_points: Floats | None = None, material: tuple[str, str] | None = None) -> bytes:
    """Return a Wavefront OBJ file: each vertex once, in metres, with twelve digits, and the faces as polygons.

    `image_points`, shape (corners, 2), are the points of the corners in an image; `material` is a material library and
    the name of a material in it.
    """
    lines = ["# in metres"]
    if material is not None:
        lines += [f"mtllib {material[0]}", f"usemtl {material[1]}"]
    lines += [f"v {x + 0.0:.12g} {y + 0.0:.12g} {z + 0.0:.12g}" for x, y, z in shape.vertices.tolist()]
    if image_points is None:
        lines += ["f " + " ".join(str(vertex + 1) for vertex in face) for face in faces_of(shape)]
    else:
        points, number = np.unique(image_points, axis=0, return_inverse=True)
        lines += [f"vt {u + 0.0:.9g} {v + 0.0:.9g}" for u, v in points.tolist()]
        corners = [f"{a + 1}/{b + 1}" for a, b in zip(shape.face_vertices.tolist(), number.reshape(-1), strict=True)]
        offsets = shape.face_offsets.tolist()
        lines += ["f " + " ".join(corners[start:end]) for start, end in pairwise(offsets)]
    return ("\n".join(lines) + "\n").encode("ascii")


def _normals(corners: Floats) -> Floats:
    """Return the unit normal of each triangle, shape (T, 3, 3); zero if it has no area. Shape (T, 3)."""
    crosses = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = lengths(crosses)
    return crosses / np.where(sizes > 0.0, sizes, 1.0)[:, None]
