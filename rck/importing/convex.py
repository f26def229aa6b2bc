"""Surfaces as convex pieces: cut, wrapped in a hull or a box, or taken as they are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.decompose import DecomposerMissingError, decompose
from rck.geometry.mass import moments
from rck.geometry.mesh import Mesh, is_closed, triangles
from rck.geometry.polyhedron import Polyhedron, convex_hull, move_polyhedron
from rck.geometry.primitives import box
from rck.geometry.rows import extent
from rck.geometry.slabs import cut_into_slabs
from rck.geometry.weld import WeldResult, solids_from_polygons

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

CHOICES = ("cut", "hull", "boxes", "as-is")

SAME_CORNER = 1e-6
"""Corners nearer than this share of the whole size are the same corner."""


@dataclass(frozen=True, slots=True)
class Convexity:
    """How to come from a surface to convex pieces."""

    how: str = "hull"
    """One of :data:`CHOICES`."""
    tolerance: float = 0.05
    """Of :func:`rck.geometry.decompose.decompose`."""
    most_corners: int = 256
    """Of a hull; 0 for as many as it has."""
    weld: float | None = None
    """Corners within it, in metres, are one; None for a millionth of the size."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """What became of a surface."""

    shapes: tuple[Polyhedron, ...]
    exact: bool = False
    """Whether they fill just what the surface encloses."""
    excess: float | None = None
    """Their volume over that of the surface, less one; None where the surface is open and has none."""
    repairs: tuple[str, ...] = ()
    """What was mended, a sentence each."""
    refused: tuple[str, ...] = ()
    """What is missing from the pieces and why, a sentence each."""


def convex_pieces(surface: Mesh, wish: Convexity) -> Pieces:
    """The pieces, or why there are none; nothing is raised for a bad surface."""
    if not np.isfinite(surface.vertices).all():
        return Pieces((), refused=("a coordinate is not a finite number",))
    if wish.how in ("hull", "boxes"):
        return _wrapped(surface, wish)
    return _cut(surface, wish)


def _wrapped(surface: Mesh, wish: Convexity) -> Pieces:
    try:
        shape = small_hull(surface.vertices, wish.most_corners) if wish.how == "hull" else tight_box(surface.vertices)
    except ValueError as error:
        return Pieces((), refused=(str(error),))
    volume = _volume(surface)
    if volume is None:
        return Pieces((shape,))
    excess = shape.volume / volume - 1
    return Pieces((shape,), exact=abs(excess) < 1e-6, excess=excess)


def _volume(surface: Mesh) -> float | None:
    """What the surface encloses, whichever way it faces; None for one that is open or flat."""
    if len(surface.face_offsets) < 5 or not is_closed(surface):
        return None
    volume = abs(moments(surface).volume)
    return volume if volume > 1e-12 * extent(surface.vertices) ** 3 else None


def _cut(surface: Mesh, wish: Convexity) -> Pieces:
    welded = welded_solids(surface, wish.weld)
    refused = [
        f"a surface of {len(body.face_offsets) - 1} faces at ({_place(body)}) is open: {why}"
        for body, why in zip(welded.open_bodies, welded.why_open, strict=True)
    ]
    shapes: list[Polyhedron] = []
    enclosed = 0.0
    for number, body in enumerate(welded.bodies):
        volume = moments(body).volume
        try:
            found = _convex_alone(body, volume, wish)
        except (DecomposerMissingError, ValueError) as error:
            refused.append(f"body {number} at ({_place(body)}): {error}")
            continue
        shapes += found
        enclosed += volume
    if not enclosed:
        return Pieces((), repairs=welded.repairs, refused=tuple(refused) or ("it encloses nothing",))
    excess = sum(shape.volume for shape in shapes) / enclosed - 1
    exact = abs(excess) < 1e-6
    return Pieces(tuple(shapes), exact, excess, welded.repairs, tuple(refused))


def welded_solids(surface: Mesh, weld: float | None) -> WeldResult:
    """The connected solids of a surface, and what encloses nothing; `weld` as in :class:`Convexity`."""
    tolerance = SAME_CORNER * extent(surface.vertices) if weld is None else weld
    return solids_from_polygons(list(surface.vertices[triangles(surface)]), tolerance)


def _convex_alone(body: Mesh, volume: float, wish: Convexity) -> tuple[Polyhedron, ...]:
    """The body itself if it is convex; else, unless it is to stay as it is, cut: exactly where that can be."""
    if _hull_of(body.vertices).volume <= volume * (1 + 1e-6):
        return (small_hull(body.vertices, wish.most_corners),)
    if wish.how == "as-is":
        raise ValueError("is not convex")
    slabs = cut_into_slabs(body)
    return decompose(body, wish.tolerance).pieces if slabs is None else slabs.pieces


def _place(body: Mesh) -> str:
    return ", ".join(f"{x:.4g}" for x in body.vertices[0])


def _hull_of(points: Floats) -> "ConvexHull":
    """Qhull's own hull: quick to find, and not yet a polyhedron."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise ValueError("the points lie in one plane and enclose no volume") from error


def small_hull(points: Floats, most_corners: int) -> Polyhedron:
    """The hull, or one inside it whose corners are its farthest points in evenly spread directions."""
    corners = points[_hull_of(points).vertices]
    if most_corners and len(corners) > most_corners:
        corners = corners[np.unique((corners @ _directions(most_corners).T).argmax(axis=0))]
    return convex_hull(corners)


def _directions(count: int) -> Floats:
    """Evenly spread unit vectors, on a spiral with the golden angle. Shape (count, 3)."""
    number = np.arange(count)
    z = 1 - (2 * number + 1) / count
    angle = np.pi * (3 - np.sqrt(5)) * number
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1)


def tight_box(points: Floats) -> Polyhedron:
    """The smallest box round the points that has a side on their hull, turned as need be."""
    from trimesh.bounds import oriented_bounds

    corners = points[_hull_of(points).vertices]
    box_from_world, sides = oriented_bounds(corners)
    return move_polyhedron(box(*sides.tolist()), np.linalg.inv(box_from_world))
