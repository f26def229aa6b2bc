"""Mesh files in common formats, as bytes. Equal shapes give equal bytes."""

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


def obj_bytes(shape: Faceted) -> bytes:
    """Return a Wavefront OBJ file: each vertex once, in metres, with twelve digits, and the faces as polygons."""
    lines = ["# in metres"]
    lines += [f"v {x + 0.0:.12g} {y + 0.0:.12g} {z + 0.0:.12g}" for x, y, z in shape.vertices.tolist()]
    lines += ["f " + " ".join(str(vertex + 1) for vertex in face) for face in faces_of(shape)]
    return ("\n".join(lines) + "\n").encode("ascii")


def _normals(corners: Floats) -> Floats:
    """Return the unit normal of each triangle, shape (T, 3, 3); zero if it has no area. Shape (T, 3)."""
    crosses = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = lengths(crosses)
    return crosses / np.where(sizes > 0.0, sizes, 1.0)[:, None]
