"""Convex polyhedra of the shapes in a manifest."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from glob import escape
from itertools import chain
from math import cos, pi, sin
from pathlib import Path

import numpy as np

from rck.geometry import primitives
from rck.geometry.arrays import Floats, frozen
from rck.geometry.contour import arc, circle, make_contour
from rck.geometry.decomposition import decompose
from rck.geometry.geometry_file import pieces_bytes, read_pieces, read_surface
from rck.geometry.mesh import Mesh, joined_meshes, make_mesh, transformed
from rck.geometry.polyhedron import Polyhedron, convex_hull, move_polyhedra, prepare_moments
from rck.geometry.region_integrals import Integrals, disc_integrals, extruded_moments, polygon_integrals
from rck.geometry.solid import Solid, share_moments
from rck.geometry.sweep import extrude, revolve
from rck.geometry.transforms import translation
from rck.model import Colour, RckError
from rck.model.frame import IDENTITY
from rck.model.primitive import Primitive, PrimitiveKind
from rck.model.quantities import Quantities
from rck.parts.manifest import SHAPES, Hole, Prism, Shape, VisualShape
from rck.support.files import write_atomically
from rck.support.job import UNOBSERVED, Job

_HEX = re.compile(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})?")
_CHANNEL = re.compile(r"[01]|0?\.[0-9]{1,20}|[0-9]\.?[0-9]*e-[0-9]{1,2}")
PIECES = ".geometry"
"""Extension of stored convex pieces of a mesh."""
MOST_HOLES = 10_000
MOST_REPEATS = 1_000
MOST_SEGMENTS = 500
_FINE_STEPS = 90
"""Steps of a round corner for its mass."""


def colour_of(text: str) -> Colour:
    """Parse a colour: `#rrggbb`, `#rrggbbaa`, or red, green, blue and opacity from 0 to 1."""
    match = _HEX.fullmatch(text)
    if match is None:
        numbers = [float(word) for word in text.split() if _CHANNEL.fullmatch(word)]
        if len(numbers) == len(text.split()) == 4:
            return numbers[0], numbers[1], numbers[2], numbers[3]
        raise RckError(f"{text!r} is not a colour such as #2b2b2b")
    red, green, blue = (int(channel, 16) / 255 for channel in match.group(1, 2, 3))
    return red, green, blue, int(match[4], 16) / 255 if match[4] else 1.0


def colour_text(colour: Colour) -> str:
    """Return the text of a colour: `#rrggbb` if that is exact, otherwise its four numbers."""
    channels = [round(255 * channel) for channel in colour]
    if any(number / 255 != channel for number, channel in zip(channels, colour, strict=True)):
        return " ".join(f"{channel:g}" for channel in colour)
    return "#" + "".join(f"{number:02x}" for number in channels[: 3 if channels[3] == 255 else 4])


def shape_pieces(
    shape: Shape, read: Quantities, folder: Path, job: Job = UNOBSERVED, item_from_part: Floats = IDENTITY
) -> tuple[Polyhedron, ...]:
    """Return the convex pieces of a shape in the frame of the item (default: of the part)."""
    given = [key for key in SHAPES if getattr(shape, key) is not None]
    if len(given) != 1:
        what = "none" if not given else " and ".join(given)
        raise ValueError(f"give exactly one of {', '.join(SHAPES)}, not {what}")
    whole(shape.segments, "segments", MOST_SEGMENTS)
    if given[0] == "mesh":
        made = _mesh(shape, read, folder)
    elif shape.pieces is not None:
        made = read_pieces(shape.pieces.content())
    elif given[0] == "prism":
        made = _prism(shape, read, job)
    else:
        made = _MAKERS[given[0]](shape, read)
    place = item_from_part @ read.frame(shape)
    pieces = made.pieces if isinstance(made, Solid) else made if isinstance(made, tuple) else (made,)
    motions = [place @ translation(step) for step in _steps(shape, read)]
    moved = tuple(chain.from_iterable(move_polyhedra(pieces, motion) for motion in motions))
    prepare_moments(moved)
    return moved


def shape_primitives(shape: Shape, read: Quantities, item_from_part: Floats = IDENTITY) -> tuple[Primitive, ...]:
    """Return the primitive of each piece of a shape, in the frame of the item; nothing for other shapes."""
    found = _primitive(shape, read)
    if found is None:
        return ()
    kind, sizes = found
    place = item_from_part @ read.frame(shape)
    return tuple(Primitive(kind, sizes, frozen(place @ translation(step))) for step in _steps(shape, read))


def _primitive(shape: Shape, read: Quantities) -> tuple[PrimitiveKind, tuple[float, ...]] | None:
    if shape.box is not None:
        return PrimitiveKind.BOX, tuple(read.point(shape.box).tolist())
    if shape.sphere is not None:
        return PrimitiveKind.SPHERE, (read.length(shape.sphere) / 2,)
    if shape.cylinder is not None:
        return PrimitiveKind.CYLINDER, (read.length(shape.cylinder.diameter) / 2, read.length(shape.cylinder.length))
    if shape.capsule is not None:
        diameter, length = read.length(shape.capsule.diameter), read.length(shape.capsule.length)
        return PrimitiveKind.CAPSULE, (diameter / 2, length - diameter)
    if shape.ellipsoid is not None:
        return PrimitiveKind.ELLIPSOID, tuple((read.point(shape.ellipsoid) / 2).tolist())
    return None


def shape_surface(
    shape: VisualShape, read: Quantities, folder: Path, item_from_part: Floats
) -> tuple[Mesh, Floats | None]:
    """Return the surface of a visual in the frame of the item, and its texture points."""
    if shape.surface is not None:
        surface, points = read_surface(shape.surface.content())
        return transformed(surface, item_from_part @ read.frame(shape)), points
    pieces = shape_pieces(shape, read, folder, item_from_part=item_from_part)
    return joined_meshes([Mesh(one.vertices, one.face_offsets, one.face_vertices) for one in pieces]), None


def _steps(shape: Shape, read: Quantities) -> Iterator[Floats]:
    count = whole(shape.repeat, "repeat", MOST_REPEATS)
    by = read.point(shape.by)
    for number in range(count):
        yield (number - (count - 1) / 2) * by


def whole(value: float, what: str, most: int) -> int:
    """Return a count that may be the result of an expression."""
    if not abs(value - round(value)) < 1e-6 or not 1 <= round(value) <= most:
        raise ValueError(f"{what} = {value:g} is not a whole number from 1 to {most}")
    return round(value)


Made = Polyhedron | Solid | tuple[Polyhedron, ...]


def _box(shape: Shape, read: Quantities) -> Made:
    assert shape.box is not None
    return primitives.box(*read.point(shape.box).tolist())


def _cylinder(shape: Shape, read: Quantities) -> Made:
    assert shape.cylinder is not None
    bar = shape.cylinder
    return primitives.cylinder(read.length(bar.diameter) / 2, read.length(bar.length), shape.segments)


def _cone(shape: Shape, read: Quantities) -> Made:
    assert shape.cone is not None
    bottom, top, length = (read.length(one) for one in (shape.cone.diameter, shape.cone.top, shape.cone.length))
    if top == 0:
        return primitives.cone(bottom / 2, length, shape.segments)
    return primitives.truncated_cone(bottom / 2, top / 2, length, shape.segments)


def _sphere(shape: Shape, read: Quantities) -> Made:
    assert shape.sphere is not None
    return primitives.sphere(read.length(shape.sphere) / 2, shape.segments)


def _ellipsoid(shape: Shape, read: Quantities) -> Made:
    assert shape.ellipsoid is not None
    x, y, z = (read.point(shape.ellipsoid) / 2).tolist()
    return primitives.ellipsoid(x, y, z, shape.segments)


def _capsule(shape: Shape, read: Quantities) -> Made:
    assert shape.capsule is not None
    diameter, length = read.length(shape.capsule.diameter), read.length(shape.capsule.length)
    return primitives.capsule(diameter / 2, length - diameter, shape.segments)


def _torus(shape: Shape, read: Quantities) -> Made:
    assert shape.torus is not None
    return primitives.torus(read.length(shape.torus.diameter) / 2, read.length(shape.torus.section) / 2, shape.segments)


def _tube(shape: Shape, read: Quantities) -> Made:
    assert shape.tube is not None
    outer, inner = read.length(shape.tube.diameter) / 2, read.length(shape.tube.inner) / 2
    if not 0 < inner < outer:
        raise ValueError(f"the inner diameter of a tube must be between 0 and its diameter, not {2000 * inner:g} mm")
    half = read.length(shape.tube.length) / 2
    return revolve(
        make_contour([(inner, -half), (outer, -half), (outer, half), (inner, half)]), segments=shape.segments
    )


def _wedge(shape: Shape, read: Quantities) -> Made:
    assert shape.wedge is not None
    return primitives.wedge(*read.point(shape.wedge).tolist())


def _prism(shape: Shape, read: Quantities, job: Job) -> Made:
    assert shape.prism is not None
    spec = shape.prism
    height = read.length(spec.height)
    outline, region = _outline(spec, read, shape.segments)
    holes = []
    for hole in spec.holes:
        for ring, missing in _holes(hole, read, shape.segments):
            holes.append(ring)
            region = region - missing
    solid = extrude(make_contour(outline, holes), height, job)
    lowered = translation((0.0, 0.0, -height / 2))
    pieces = share_moments(solid.pieces, extruded_moments(region, 0.0, height))
    return move_polyhedra(pieces, lowered)


def _outline(spec: Prism, read: Quantities, segments: int) -> tuple[Floats, Integrals]:
    """Return the outer ring of a prism, and the exact integrals over its area, without facets."""
    given = [spec.contour is not None, spec.diameter is not None, spec.rectangle is not None]
    if sum(given) != 1:
        raise ValueError("give exactly one of contour, diameter and rectangle")
    if spec.sides is not None and spec.diameter is None:
        raise ValueError("a prism with sides needs a diameter")
    if spec.diameter is not None and spec.sides is None:
        radius = read.length(spec.diameter) / 2
        return circle(radius, segments), disc_integrals(radius)
    if spec.rectangle is not None:
        steps = max(1, segments // 4)
        return _rectangle(spec, read, steps), polygon_integrals(_rectangle(spec, read, _FINE_STEPS))
    if spec.contour is not None:
        ring = np.array([read.point(point) for point in spec.contour])
    else:
        assert spec.sides is not None
        assert spec.diameter is not None
        ring = circle(read.length(spec.diameter) / 2, whole(spec.sides, "sides", 1000))
    return ring, polygon_integrals(ring)


def _rectangle(spec: Prism, read: Quantities, steps: int) -> Floats:
    """Return the ring of a rectangle with `steps` segments in each round corner."""
    assert spec.rectangle is not None
    x, y = (read.point(spec.rectangle) / 2).tolist()
    corner = read.length(spec.corner)
    if not 0 <= corner <= min(x, y):
        raise ValueError(f"a corner radius of {1000 * corner:g} mm does not fit the rectangle")
    if corner == 0:
        return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
    right, top = x - corner, y - corner
    centres = [(right, top), (-right, top), (-right, -top), (right, -top)]
    return np.concatenate(
        [arc(corner, turn * pi / 2, (turn + 1) * pi / 2, steps, centre) for turn, centre in enumerate(centres)]
    )


def _holes(hole: Hole, read: Quantities, segments: int) -> Iterator[tuple[Floats, Integrals]]:
    """Return the ring of each hole, and the integrals over its area."""
    if (hole.diameter is None) == (hole.contour is None):
        raise ValueError("a hole needs either a diameter or a contour")
    sides = segments if hole.segments is None else whole(hole.segments, "segments", MOST_SEGMENTS)
    for x, y in _hole_centres(hole, read):
        if hole.diameter is not None:
            radius = read.length(hole.diameter) / 2
            yield circle(radius, sides, (x, y), equal_area=True), disc_integrals(radius, (x, y))
        else:
            assert hole.contour is not None
            ring = np.array([read.point(point) for point in hole.contour]) + np.array([x, y])
            yield ring, polygon_integrals(ring)


def _hole_centres(hole: Hole, read: Quantities) -> Iterator[Floats]:
    at = read.point(hole.at)
    if hole.grid is not None:
        columns, rows = (whole(one, "grid", MOST_HOLES) for one in hole.grid)
        if columns * rows > MOST_HOLES or hole.pitch is None:
            raise ValueError(f"a grid of holes needs a pitch, and has at most {MOST_HOLES} holes")
        pitch = read.point(hole.pitch)
        for column in range(columns):
            for row in range(rows):
                yield at + pitch * (column - (columns - 1) / 2, row - (rows - 1) / 2)
    elif hole.ring is not None:
        if hole.circle is None:
            raise ValueError("a ring of holes needs the diameter of its circle")
        count = whole(hole.ring, "ring", MOST_HOLES)
        radius, start = read.length(hole.circle) / 2, read.angle(hole.start)
        for number in range(count):
            angle = start + 2 * pi * number / count
            yield at + radius * np.array([cos(angle), sin(angle)])
    else:
        yield at


def _revolve(shape: Shape, read: Quantities) -> Made:
    assert shape.revolve is not None
    contour = make_contour([read.point(point) for point in shape.revolve.contour])
    return revolve(contour, read.angle(shape.revolve.angle), segments=shape.segments)


def _hull(shape: Shape, read: Quantities) -> Made:
    assert shape.hull is not None
    return convex_hull([read.point(point) for point in shape.hull])


def _mesh(shape: Shape, read: Quantities, folder: Path) -> Made:
    """Return the convex pieces of a mesh file, relative to the manifest."""
    assert shape.mesh is not None
    path = (folder / shape.mesh).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"the mesh {shape.mesh} is outside the folder of the manifest")
    scale = read.length(shape.scale)
    stored = stored_pieces(path, scale)
    if stored.is_file():
        return read_pieces(stored.read_bytes())
    import trimesh

    try:
        bodies = trimesh.load_mesh(path, process=True).split(only_watertight=True)
    except Exception as error:
        # Readers of mesh formats raise many types of exceptions for damaged files.
        raise ValueError(f"the mesh {shape.mesh} cannot be read: {error}") from None
    if len(bodies) == 0:
        raise ValueError(f"the mesh {shape.mesh} is not closed")
    meshes = [make_mesh(np.asarray(body.vertices) * scale, np.asarray(body.faces).tolist()) for body in bodies]
    try:
        return tuple(piece for mesh in meshes for piece in decompose(mesh).pieces)
    except ImportError as error:
        message = f"{error}; or `rck parts decompose`, run by the author, stores the pieces next to the mesh"
        raise ValueError(message) from None


def stored_pieces(mesh: Path, scale: float) -> Path:
    """Return the file that stores the convex pieces of a mesh file; its name changes with the mesh and its scale."""
    try:
        content = mesh.read_bytes()
    except OSError as error:
        raise ValueError(f"the mesh {mesh.name} cannot be read: {error.strerror}") from None
    digest = hashlib.sha256(content + repr(scale).encode()).hexdigest()[:16]
    return mesh.with_name(f"{mesh.name}.{digest}{PIECES}")


def store_pieces(shape: Shape, read: Quantities, folder: Path) -> tuple[Path, Path] | None:
    """Store the convex pieces of a mesh shape next to its file; return the mesh file and the new file.

    Return None for other shapes.
    """
    if shape.mesh is None:
        return None
    pieces = _mesh(shape, read, folder)
    assert isinstance(pieces, tuple)
    mesh = (folder / shape.mesh).resolve()
    stored = stored_pieces(mesh, read.length(shape.scale))
    if not stored.is_file():
        write_atomically(stored, pieces_bytes(pieces))
    return mesh, stored


def outdated_pieces(stored: Iterable[tuple[Path, Path]]) -> list[Path]:
    """Return the files with pieces of these meshes that are not in use any more."""
    listed = list(stored)
    used = {file for _, file in listed}
    found = {file for mesh, _ in listed for file in mesh.parent.glob(f"{escape(mesh.name)}.*{PIECES}")}
    return sorted(found - used)


_MAKERS: dict[str, Callable[[Shape, Quantities], Made]] = {
    "box": _box,
    "cylinder": _cylinder,
    "cone": _cone,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "capsule": _capsule,
    "torus": _torus,
    "tube": _tube,
    "wedge": _wedge,
    "revolve": _revolve,
    "hull": _hull,
}
