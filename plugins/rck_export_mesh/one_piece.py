"""Writing STL, OBJ and PLY: everything in the world frame, z up, as the robot stands.

None of the three formats knows units; the first line of each file tells which it is in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from rck.exporting import legal_name, legal_names, lost, shapes_of
from rck.exporting.losses import lost_by_all
from rck.geometry.arrays import Floats, frozen
from rck.geometry.mesh import Faceted, Mesh, faces_of, triangles
from rck.geometry.mesh_bytes import stl_bytes
from rck.geometry.transforms import apply
from rck.hooks import Exported, Job, Values
from rck.hooks.numbers import row, units_per_metre
from rck.model import Colour, Finding, Robot


@dataclass(frozen=True, eq=False)
class _Piece:
    """A shape where it is in the world, in the unit of the file."""

    item: str
    """The legal name of its item."""
    colour: Colour
    surface: Mesh


def write_stl(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """One binary file of triangles; colours and names are lost."""
    whole = _joined([piece.surface for piece in _pieces(robot, values, job)])
    unit = values.get("length-unit", "m")
    findings = [*_losses(robot, name), lost(name, "STL knows neither colours nor names")]
    return Exported({name: _with_unit(stl_bytes(whole), unit)}, tuple(findings))


def write_obj(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """A text file with an object per item, and its colours in a second file."""
    pieces = _pieces(robot, values, job)
    colours = {colour: number for number, colour in enumerate(dict.fromkeys(piece.colour for piece in pieces), 1)}
    # Readers cut the name of the second file off at a space.
    stem = legal_name(PurePath(name).stem)
    files = {name: _obj_text(pieces, colours, stem, values.get("length-unit", "m")).encode()}
    if colours:
        files[f"{stem}.mtl"] = _mtl_text(colours).encode("ascii")
    return Exported(files, tuple(_losses(robot, name)))


def write_ply(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """One binary file of triangles with a colour at each vertex; names are lost."""
    pieces = _pieces(robot, values, job)
    findings = [*_losses(robot, name), lost(name, "PLY knows no names")]
    return Exported({name: _ply_bytes(pieces, values.get("length-unit", "m"))}, tuple(findings))


def _pieces(robot: Robot, values: Values, job: Job) -> list[_Piece]:
    solid = values.get("shapes") == "solid"
    per_metre = units_per_metre(values, "m")
    names = legal_names([item.name for item in robot.items])
    job.progress(0.3, "shapes")
    return [
        _Piece(names[number], shape.colour, _in_world(shape.surface, item.pose, per_metre))
        for number, (item, shapes) in enumerate(zip(robot.items, shapes_of(robot).of_item, strict=True))
        for shape in shapes
        if (shape.solid if solid else shape.seen)
    ]


def _in_world(surface: Faceted, pose: Floats, per_metre: float) -> Mesh:
    points = frozen(per_metre * apply(pose, surface.vertices))
    return Mesh(points, surface.face_offsets, surface.face_vertices)


def _joined(surfaces: Sequence[Mesh]) -> Mesh:
    """All surfaces as one, each with its own vertices."""
    if not surfaces:
        return Mesh(np.empty((0, 3)), np.zeros(1, np.int64), np.empty(0, np.int64))
    first_vertex = np.cumsum([0, *(len(one.vertices) for one in surfaces[:-1])])
    first_corner = np.cumsum([0, *(len(one.face_vertices) for one in surfaces[:-1])])
    return Mesh(
        np.concatenate([one.vertices for one in surfaces]),
        np.concatenate([[0], *(one.face_offsets[1:] + at for one, at in zip(surfaces, first_corner, strict=True))]),
        np.concatenate([one.face_vertices + at for one, at in zip(surfaces, first_vertex, strict=True)]),
    )


def _with_unit(stl: bytes, unit: str) -> bytes:
    """The header must not begin with `solid`, which marks the text form."""
    return f"binary STL, in {unit}, z up".encode("ascii").ljust(80) + stl[80:]


def _obj_text(pieces: Sequence[_Piece], colours: dict[Colour, int], stem: str, unit: str) -> str:
    lines = [f"# Written by RCK. Lengths in {unit}, z up."]
    if colours:
        lines.append(f"mtllib {stem}.mtl")
    first, item = 1, None
    for piece in pieces:
        if piece.item != item:
            item = piece.item
            lines.append(f"o {item}")
        lines.append(f"usemtl colour_{colours[piece.colour]}")
        lines += [f"v {row(point)}" for point in piece.surface.vertices.tolist()]
        lines += ["f " + " ".join(str(first + corner) for corner in face) for face in faces_of(piece.surface)]
        first += len(piece.surface.vertices)
    return "\n".join(lines) + "\n"


def _mtl_text(colours: dict[Colour, int]) -> str:
    lines = ["# Written by RCK."]
    for (*tint, opacity), number in colours.items():
        lines += [f"newmtl colour_{number}", f"Kd {row(np.round(tint, 5))}", f"d {row([round(opacity, 5)])}"]
    return "\n".join(lines) + "\n"


_PLY_HEADER = """\
ply
format binary_little_endian 1.0
comment Written by RCK. Lengths in {unit}, z up.
element vertex {vertices}
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
property uchar alpha
element face {faces}
property list uchar int vertex_indices
end_header
"""

_PLY_VERTEX = np.dtype([("at", "<f4", 3), ("colour", "u1", 4)])
_PLY_FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])


def _ply_bytes(pieces: Sequence[_Piece], unit: str) -> bytes:
    whole = _joined([piece.surface for piece in pieces])
    table = np.zeros(len(whole.vertices), _PLY_VERTEX)
    table["at"] = whole.vertices
    if pieces:
        colours = np.round(255.0 * np.array([piece.colour for piece in pieces]))
        table["colour"] = colours.repeat([len(piece.surface.vertices) for piece in pieces], axis=0)
    # Some readers, trimesh among them, want all faces of a binary file to have the same number of corners.
    corners = triangles(whole)
    faces = np.zeros(len(corners), _PLY_FACE)
    faces["count"] = 3
    faces["corners"] = corners
    header = _PLY_HEADER.format(unit=unit, vertices=len(table), faces=len(faces))
    return header.encode("ascii") + table.tobytes() + faces.tobytes()


def _losses(robot: Robot, name: str) -> Iterator[Finding]:
    yield from lost_by_all(robot, name)
    if robot.joints or robot.frames or robot.devices:
        what = "joints, frames, sensors and grippers are left out; the robot is written as it stands"
        yield lost(name, what, matters=bool(robot.joints))
    if any(item.mass for item in robot.items):
        yield lost(name, "masses are left out")
