"""Solids that need not be convex: convex pieces for collision, and the true surface."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import Moments, moments
from rck.geometry.mesh import Mesh, joined_meshes, transformed
from rck.geometry.polyhedron import Polyhedron, move_polyhedra


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid, as the convex pieces that fill it and as its surface."""

    pieces: tuple[Polyhedron, ...]
    """Adjacent, without overlaps."""
    surface: Mesh
    """Closed, every face flat and convex, without the walls between the pieces."""

    @cached_property
    def moments(self) -> Moments:
        """Area of the surface; volume, first and second moments of the enclosed region.

        Pieces that approximate a round solid have its moments.
        """
        enclosed = moments(self.surface)
        if all(piece.given_moments is None for piece in self.pieces):
            return enclosed
        first, *others = (piece.moments for piece in self.pieces)
        return replace(sum(others, first), area=enclosed.area)

    @property
    def volume(self) -> float:
        """In m3."""
        return self.moments.volume

    @property
    def area(self) -> float:
        """In m2."""
        return self.moments.area

    @property
    def centroid(self) -> Floats:
        """Shape (3,), in metres."""
        return self.moments.centroid


def solid_of(shape: Polyhedron) -> Solid:
    """Return the convex polyhedron as a solid of one convex piece."""
    return Solid((shape,), Mesh(shape.vertices, shape.face_offsets, shape.face_vertices))


def move_solid(solid: Solid, matrix: Floats) -> Solid:
    """Return the solid under an affine map of nonzero volume; a reflection keeps the faces outward."""
    return Solid(move_polyhedra(solid.pieces, matrix), transformed(solid.surface, matrix))


def share_moments(pieces: Sequence[Polyhedron], true: Moments) -> tuple[Polyhedron, ...]:
    """Return the pieces of a rigid solid with moments that add up to the true ones, which they miss by little.

    What is missing is shared among the pieces by their volume.
    """
    first, *others = (piece.moments for piece in pieces)
    filled = sum(others, first)
    missing = true + filled * -1.0
    return tuple(
        replace(piece, given_moments=piece.moments + missing * (piece.volume / filled.volume)) for piece in pieces
    )


def join_solids(solids: Iterable[Solid]) -> Solid:
    """Join solids, which must not overlap, into one; where they touch, both surfaces stay."""
    listed = list(solids)
    return Solid(
        tuple(piece for solid in listed for piece in solid.pieces),
        joined_meshes([solid.surface for solid in listed]),
    )
