"""Conversion of surfaces to convex pieces: decomposition, hull, bounding box, or unchanged."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rck.geometry.arrays import Floats, extent
from rck.geometry.decomposition import ALMOST_CONVEX, DecomposerMissingError, decompose
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import Mesh, is_closed, triangles
from rck.geometry.polyhedron import Polyhedron, convex_hull, move_polyhedron
from rck.geometry.primitives import box
from rck.geometry.slabs import cut_into_slabs
from rck.geometry.weld import WeldResult, solids_from_polygons
from rck.support.job import UNOBSERVED, Job
from rck.support.worker import MEMORY_LIMIT, TIME_LIMIT, WorkerError

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

CHOICES = ("cut", "hull", "boxes", "as-is")

SAME_CORNER = 1e-6
"""Vertices closer than this fraction of the overall size are merged."""


@dataclass(frozen=True, slots=True)
class Convexity:
    """Settings for converting a surface to convex pieces."""

    how: str = "hull"
    """One of :data:`CHOICES`."""
    tolerance: float = 0.05
    """Tolerance of :func:`rck.geometry.decomposition.decompose`."""
    most_corners: int = 256
    """Maximum number of hull vertices; 0 keeps all."""
    weld: float | None = None
    """Merge vertices within this distance, in metres; None for a millionth of the size."""
    seconds: float | None = None
    """Time limit of CoACD for one body; None for its default."""
    memory: int | None = None
    """Memory limit of CoACD, in bytes; None for its default."""
    job: Job = field(default=UNOBSERVED, compare=False, repr=False)
    """Cancels CoACD."""


@dataclass(frozen=True, eq=False)
class ConvexPieces:
    """Convex pieces of a surface."""

    shapes: tuple[Polyhedron, ...]
    exact: bool = False
    """True if they fill exactly the volume that the surface encloses."""
    excess: float | None = None
    """Relative excess of their volume over that of the surface; None if the surface is open or flat."""
    repairs: tuple[str, ...] = ()
    """Repairs of the surface, one sentence each."""
    refused: tuple[str, ...] = ()
    """Parts of the surface that were not converted, with the reason, one sentence each."""


def convex_pieces(surface: Mesh, wish: Convexity) -> ConvexPieces:
    """Return the pieces, or the reasons for missing ones; never raise an error for a bad surface."""
    if not np.isfinite(surface.vertices).all():
        return ConvexPieces((), refused=("a coordinate is not a finite number",))
    if wish.how in ("hull", "boxes"):
        return _wrapped(surface, wish)
    return _cut(surface, wish)


def _wrapped(surface: Mesh, wish: Convexity) -> ConvexPieces:
    try:
        shape = small_hull(surface.vertices, wish.most_corners) if wish.how == "hull" else tight_box(surface.vertices)
    except ValueError as error:
        return ConvexPieces((), refused=(str(error),))
    volume = _volume(surface)
    if volume is None:
        return ConvexPieces((shape,))
    excess = shape.volume / volume - 1
    return ConvexPieces((shape,), exact=abs(excess) < 1e-6, excess=excess)


def _volume(surface: Mesh) -> float | None:
    """Return the enclosed volume regardless of orientation; None if the surface is open or flat."""
    if len(surface.face_offsets) < 5 or not is_closed(surface):
        return None
    volume = abs(moments(surface).volume)
    return volume if volume > 1e-12 * extent(surface.vertices) ** 3 else None


def _cut(surface: Mesh, wish: Convexity) -> ConvexPieces:
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
        except (DecomposerMissingError, WorkerError, ValueError) as error:
            refused.append(f"body {number} at ({_place(body)}): {error}")
            continue
        shapes += found
        enclosed += volume
    if not enclosed:
        return ConvexPieces((), repairs=welded.repairs, refused=tuple(refused) or ("it encloses no volume",))
    excess = sum(shape.volume for shape in shapes) / enclosed - 1
    exact = abs(excess) < 1e-6
    return ConvexPieces(tuple(shapes), exact, excess, welded.repairs, tuple(refused))


def welded_solids(surface: Mesh, weld: float | None) -> WeldResult:
    """Return the connected solids of a surface, and its open parts; `weld` as in :class:`Convexity`."""
    tolerance = SAME_CORNER * extent(surface.vertices) if weld is None else weld
    return solids_from_polygons(list(surface.vertices[triangles(surface)]), tolerance)


def _convex_alone(body: Mesh, volume: float, wish: Convexity) -> tuple[Polyhedron, ...]:
    """Return the hull if the body is convex or almost; otherwise decompose it, exactly if possible.

    Refuse it for `as-is` if it is not convex.
    """
    hull = _hull_of(body.vertices).volume
    if hull <= volume * (1 + (1e-6 if wish.how == "as-is" else ALMOST_CONVEX)):
        return (small_hull(body.vertices, wish.most_corners),)
    if wish.how == "as-is":
        raise ValueError("is not convex")
    slabs = cut_into_slabs(body)
    if slabs is not None:
        return slabs.pieces
    limits = wish.seconds or TIME_LIMIT, wish.memory or MEMORY_LIMIT
    return decompose(body, wish.tolerance, job=wish.job, limits=limits).pieces


def _place(body: Mesh) -> str:
    return ", ".join(f"{x:.4g}" for x in body.vertices[0])


def _hull_of(points: Floats) -> "ConvexHull":
    """Return the hull as Qhull computes it, without conversion to a polyhedron."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise ValueError("the points lie in one plane and enclose no volume") from error


def small_hull(points: Floats, most_corners: int) -> Polyhedron:
    """Return the hull; above `most_corners`, keep only its extreme vertices along evenly spread directions."""
    corners = points[_hull_of(points).vertices]
    if most_corners and len(corners) > most_corners:
        corners = corners[np.unique((corners @ _directions(most_corners).T).argmax(axis=0))]
    return convex_hull(corners)


def _directions(count: int) -> Floats:
    """Return evenly spread unit vectors on a golden-angle spiral. Shape (count, 3)."""
    number = np.arange(count)
    z = 1 - (2 * number + 1) / count
    angle = np.pi * (3 - np.sqrt(5)) * number
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1)


def tight_box(points: Floats) -> Polyhedron:
    """Return the smallest oriented bounding box with a side on the hull of the points."""
    from trimesh.bounds import oriented_bounds

    corners = points[_hull_of(points).vertices]
    box_from_world, sides = oriented_bounds(corners)
    return move_polyhedron(box(*sides.tolist()), np.linalg.inv(box_from_world))
