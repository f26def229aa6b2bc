"""Solids made from a contour: by extrusion, by revolution, or by a sweep along a curve.

Each step moves each convex polygon of the contour from one section to the next. The convex pieces that the polygons
sweep tile the solid exactly; this is checked for every solid.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise
from math import ceil, isfinite, tau

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints, cross, dot, extent, frozen
from rck.geometry.bulk_polyhedra import convex_polyhedra
from rck.geometry.contour import Contour
from rck.geometry.mass_properties import Moments
from rck.geometry.mesh import Mesh, make_mesh, pack_faces
from rck.geometry.partition import Polygon, around, convex_partition, merge_triangles, triangulate
from rck.geometry.polyhedron import FLAT, Polyhedron, make_polyhedron, prepare_moments
from rck.geometry.region_integrals import Integrals, polygon_integrals, turned_moments
from rck.geometry.shells import Shells
from rck.geometry.solid import Solid
from rck.geometry.stations import sections_along
from rck.support.job import UNOBSERVED, Job

_Face = list[int]
"""Vertex numbers, counter-clockwise as seen from outside."""


def extrude(contour: Contour, height: float, job: Job = UNOBSERVED) -> Solid:
    """Extrude a contour in the xy plane along z from 0 to `height`, which may be negative.

    `job` receives the progress and can cancel the work.
    """
    if not isfinite(height) or height == 0:
        raise ValueError(f"the height of an extrusion must be finite and not zero, not {height:g} m")
    sections = np.zeros((2, len(contour.points), 3))
    sections[:, :, :2] = contour.points
    sections[:, :, 2] = np.sort([0.0, height])[:, None]
    return _flat_sided(contour, sections, _numbers(sections), job)


def revolve(contour: Contour, angle: float = tau, segments: int = 24) -> Solid:
    """Revolve a contour around the z axis by `angle`, counter-clockwise from the xz plane.

    The x of the contour is the distance from the axis and its y the height; no part of it may have x < 0.
    `segments` is the number of steps in a whole turn. Corners lie on the true surface, and the moments of the solid
    and of its pieces are those of the true solid.
    """
    return turned_solid(contour, angle, segments)


def turned_solid(
    contour: Contour, angle: float, segments: int, section: Callable[[Floats], Integrals] = polygon_integrals
) -> Solid:
    """Do the same as :func:`revolve`; `section` has the integrals of the outline that a convex polygon approximates."""
    if not 0 < angle <= tau * (1 + 1e-12):
        raise ValueError(f"the angle of a revolution must be above 0 and at most one turn, not {angle:g} rad")
    if segments < 3:
        raise ValueError(f"a whole turn needs at least 3 segments, not {segments}")
    radii, heights = contour.points.T
    on_axis = np.abs(radii) <= 1e-9 * float(np.abs(contour.points).max())
    if (radii[~on_axis] < 0).any():
        raise ValueError(f"the contour crosses the axis of revolution: its minimum x is {radii.min():.6g} m")
    whole = angle > tau * (1 - 1e-12)
    steps = segments if whole else ceil(segments * angle / tau - 1e-9)
    # From the far end back, so that every section faces its direction of motion.
    angles = np.linspace(angle, 0.0, steps + 1)[:, None]
    sections = np.empty((steps + 1, len(radii), 3))
    sections[:, :, 0] = np.cos(angles) * np.where(on_axis, 0.0, radii)
    sections[:, :, 1] = np.sin(angles) * np.where(on_axis, 0.0, radii)
    sections[:, :, 2] = heights
    numbers = _numbers(sections)
    numbers[:, on_axis] = numbers[0, on_axis]
    if whole:
        numbers[-1] = numbers[0]
    outline = cache(lambda polygon: section(contour.points[list(polygon)]))

    def true(step: int, polygon: Polygon) -> Moments:
        return turned_moments(outline(polygon), float(angles[step + 1, 0]), float(angles[step, 0]))

    return _flat_sided(contour, sections, numbers, true=true)


def sweep_along(
    contour: Contour,
    positions: ArrayLike,
    directions: ArrayLike | None = None,
    *,
    scale: ArrayLike = 1.0,
    twist: ArrayLike = 0.0,
    x_axis: ArrayLike | None = None,
) -> Solid:
    """Sweep a contour along a curve, with the sections of :func:`~rck.geometry.stations.sections_along`.

    Between stations the corners move on straight lines. A side whose four corners are not coplanar becomes two
    triangles. Those of a convex contour bend outward if that makes the step convex: it is then one piece, slightly
    larger than the true twisted solid; the error shrinks with the twist per step. Any other step with such sides is
    cut into tetrahedra.
    """
    sections = sections_along(contour.points, positions, directions, scale=scale, twist=twist, x_axis=x_axis)
    points, numbers = sections.reshape(-1, 3), _numbers(sections).tolist()
    pattern = _pattern(contour)
    pieces: list[Polyhedron | None] = []
    skin = _caps(pattern.polygons, numbers[0], numbers[-1])
    for step, (near, far) in enumerate(pairwise(numbers)):
        cells = _cells(points, pattern, near, far)
        if cells is None:
            raise ValueError(
                f"the sections at stations {step} and {step + 1} intersect or rotate too far in one step; "
                "reduce the bend, or add stations between them"
            )
        pieces += cells[0]
        skin += cells[1]
    return _solid(pieces, skin, points)


def _numbers(sections: Floats) -> Ints:
    """Return a number for each corner of each section. Shape (S, P)."""
    return np.arange(sections.shape[0] * sections.shape[1]).reshape(sections.shape[:2])


def _flat_sided(
    contour: Contour,
    sections: Floats,
    numbers: Ints,
    job: Job = UNOBSERVED,
    true: Callable[[int, Polygon], Moments] | None = None,
) -> Solid:
    """Return the solid between the sections, whose sides are all planar; corners with the same number coincide.

    `true` returns the moments of the round solid that a polygon sweeps in a step.
    """
    polygons = convex_partition(contour, job.part(0.0, 0.4))
    points = sections.reshape(-1, 3)
    prisms: list[list[_Face]] = []
    skin: list[_Face] = []
    for near, far in pairwise(numbers.tolist()):
        prisms += [_prism(polygon, near, far) for polygon in polygons]
        skin += [_side(i, j, near, far) for i, j in enumerate(contour.following.tolist())]
    job.progress(0.5)
    pieces = _pieces(points, prisms)
    if (numbers[0] != numbers[-1]).any():
        skin += _caps(polygons, numbers[0].tolist(), numbers[-1].tolist())
    job.progress(0.8)
    solid = _solid(pieces, skin, points)
    if true is None:
        return solid
    cells = [(step, polygon) for step in range(len(numbers) - 1) for polygon in polygons]
    made = [(piece, cell) for piece, cell in zip(pieces, cells, strict=True) if piece is not None]
    return Solid(tuple(replace(piece, given_moments=true(*cell)) for piece, cell in made), solid.surface)


def _side(i: int, j: int, near: Sequence[int], far: Sequence[int]) -> _Face:
    """Return the face that an edge of the contour sweeps: four corners, or three if it touches the axis."""
    return list(dict.fromkeys((near[i], near[j], far[j], far[i])))


def _caps(polygons: Iterable[Polygon], near: Sequence[int], far: Sequence[int]) -> list[_Face]:
    """Return the faces at both ends of a motion."""
    return [
        *([near[corner] for corner in reversed(polygon)] for polygon in polygons),
        *([far[corner] for corner in polygon] for polygon in polygons),
    ]


def _prism(polygon: Polygon, near: Sequence[int], far: Sequence[int]) -> list[_Face]:
    """Return the faces of the cell that the polygon sweeps."""
    return _caps([polygon], near, far) + [_side(i, j, near, far) for i, j in around(polygon)]


def _pieces(points: Floats, cells: Sequence[Iterable[_Face]]) -> list[Polyhedron | None]:
    """Return :func:`_piece` of each cell, computed in common arrays, with its moments."""
    solids = [[face for face in faces if len(face) > 2] for faces in cells]
    closed = [number for number, solid in enumerate(solids) if len(solid) > 3]
    pieces: list[Polyhedron | None] = [None] * len(cells)
    if not closed:
        return pieces
    offsets, corners = pack_faces(chain.from_iterable(solids[number] for number in closed))
    of_face = np.arange(len(closed)).repeat([len(solids[number]) for number in closed])
    shells = Shells(of_face, np.zeros(len(of_face), dtype=bool), np.zeros(len(closed)))
    made = convex_polyhedra(Mesh(frozen(points), offsets, corners), shells, merge=False)
    prepare_moments([piece for piece in made if piece is not None])
    for number, piece in zip(closed, made, strict=True):
        if piece is not None and piece.volume > FLAT * extent(piece.vertices) ** 3:
            pieces[number] = piece
    return pieces


def _piece(points: Floats, faces: Iterable[_Face]) -> Polyhedron | None:
    """Return the convex polyhedron with these faces; None if it does not exist or is too thin."""
    solid = [face for face in faces if len(face) > 2]
    place = {number: index for index, number in enumerate(dict.fromkeys(chain.from_iterable(solid)))}
    shape, flaws = make_polyhedron(points[list(place)], [[place[number] for number in face] for face in solid])
    return None if flaws else shape


def _solid(pieces: Iterable[Polyhedron | None], skin: Iterable[_Face], points: Floats) -> Solid:
    """Return the pieces and the surface, after checking that their volumes are equal."""
    faces = [face for face in skin if len(face) > 2]
    used = sorted(set(chain.from_iterable(faces)))
    place = {number: index for index, number in enumerate(used)}
    surface = make_mesh(points[used], [[place[number] for number in face] for face in faces])
    solid = Solid(tuple(piece for piece in pieces if piece is not None), surface)
    filled = sum(piece.volume for piece in solid.pieces)
    if not abs(filled - solid.volume) <= 1e-9 * solid.volume:
        raise ValueError(
            f"the sweep cannot be cut into convex pieces: their volume is {filled:.6g} m3 of {solid.volume:.6g} m3"
        )
    return solid


def _edge(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


@dataclass(frozen=True, eq=False)
class _Pattern:
    """The partition of the contour in every step. Far corners are numbered after near ones."""

    outline: list[tuple[int, int]]
    polygons: tuple[Polygon, ...]
    polygon_edges: set[tuple[int, int]]
    triangles: tuple[Polygon, ...]
    tetrahedra: Ints
    """Three for each triangle. Shape (T, 3, 4)."""
    triangle_edges: list[tuple[int, int]]
    sides: Ints
    """The face that each edge of a triangle sweeps: its near and far corners. Shape (E, 4)."""


def _pattern(contour: Contour) -> _Pattern:
    triangles = triangulate(contour)
    polygons = merge_triangles(contour, triangles)
    count = len(contour.points)
    edges = sorted({_edge(i, j) for triangle in triangles for i, j in around(triangle)})
    return _Pattern(
        list(enumerate(contour.following.tolist())),
        polygons,
        {_edge(i, j) for polygon in polygons for i, j in around(polygon)},
        triangles,
        np.array([_tetrahedra(triangle, count) for triangle in triangles]),
        edges,
        np.array([(i, j, i + count, j + count) for i, j in edges]),
    )


def _tetrahedra(triangle: Polygon, count: int) -> list[tuple[int, int, int, int]]:
    """Return one step of the sweep of a triangle, split into three tetrahedra.

    Every side is cut from its lower near corner to its higher far corner, so that neighbours share whole faces.
    """
    i, j, k = sorted(triangle)
    three = [(i, j, k, k + count), (i, j, k + count, j + count), (i, i + count, j + count, k + count)]
    return three if triangle in ((i, j, k), (j, k, i), (k, i, j)) else [(b, a, c, d) for a, b, c, d in three]


def _cells(
    points: Floats, pattern: _Pattern, near: list[int], far: list[int]
) -> tuple[list[Polyhedron | None], list[_Face]] | None:
    """Return the convex pieces between two sections, and their outer sides; None if the contour turns inside out."""
    corners = points[near + far]
    volumes = _six_volumes(corners, pattern.tetrahedra)
    # The diagonals of a non-planar side enclose a volume. Its sign tells which diagonal bends outward.
    between = zip(pattern.triangle_edges, _six_volumes(corners, pattern.sides).tolist(), strict=True)
    bends = {edge: volume for edge, volume in between if abs(volume) > 1e-11 * abs(volumes.sum())}
    if pattern.polygon_edges.isdisjoint(bends):
        cells = [_piece(points, _prism(polygon, near, far)) for polygon in pattern.polygons]
        filled = 6.0 * sum(cell.volume for cell in cells if cell)
        flat_sides = [_side(i, j, near, far) for i, j in pattern.outline]
        return (cells, flat_sides) if abs(filled - volumes.sum()) <= 1e-9 * filled else None
    if len(pattern.polygons) == 1:
        # Without neighbours, every side may bend outward: the result is often convex.
        sides = [side for i, j in pattern.outline for side in _sides(i, j, near, far, bends.get(_edge(i, j)))]
        whole = _piece(points, [*_caps(pattern.polygons, near, far), *sides])
        if whole is not None:
            return [whole], sides
    if not volumes.min() > 0:
        return None
    cells = []
    for triangle, tetrahedra in zip(pattern.triangles, pattern.tetrahedra.tolist(), strict=True):
        flat = not any(_edge(i, j) in bends for i, j in around(triangle))
        shapes = [_prism(triangle, near, far)] if flat else [_four_faces(four, near + far) for four in tetrahedra]
        cells += [_piece(points, shape) for shape in shapes]
    sides = [
        side
        for i, j in pattern.outline
        for side in _sides(i, j, near, far, float(j - i) if _edge(i, j) in bends else None)
    ]
    return cells, sides


def _six_volumes(points: Floats, fours: Ints) -> Floats:
    """Return six times the volume of each tetrahedron, shape (..., 4)."""
    a, b, c, d = (points[corner] for corner in fours.reshape(-1, 4).T)
    return dot(cross(b - a, c - a), d - a)


def _four_faces(tetrahedron: Sequence[int], numbers: Sequence[int]) -> list[_Face]:
    a, b, c, d = (numbers[corner] for corner in tetrahedron)
    return [[a, c, b], [a, b, d], [b, c, d], [a, d, c]]


def _sides(i: int, j: int, near: Sequence[int], far: Sequence[int], bend: float | None) -> list[_Face]:
    """Do the same as :func:`_side`, or return two triangles if the side is not planar.

    Their common edge runs from `i` near to `j` far if the bend is positive, else from `j` near to `i` far.
    """
    if bend is None:
        return [_side(i, j, near, far)]
    if bend > 0:
        return [[near[i], near[j], far[j]], [near[i], far[j], far[i]]]
    return [[near[i], near[j], far[i]], [near[j], far[j], far[i]]]
