"""Solids that need not be convex: convex pieces for collision, and the true surface."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rck.geometry.arrays import Floats
from rck.geometry.mass import Moments, moments
from rck.geometry.mesh import Mesh, joined_meshes, transformed
from rck.geometry.polyhedron import Polyhedron, move_polyhedron


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid, as convex pieces that fill it and as the surface round all of them."""

    pieces: tuple[Polyhedron, ...]
    """They touch, but do not overlap."""
    surface: Mesh
    """Closed, every face flat and convex, without the walls between the pieces."""

    @cached_property
    def moments(self) -> Moments:
        """Area of the surface; volume, first and second moments of what it encloses."""
        return moments(self.surface)

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
    """The convex polyhedron as a solid of one piece."""
    return Solid((shape,), Mesh(shape.vertices, shape.face_offsets, shape.face_vertices))


def move_solid(solid: Solid, matrix: Floats) -> Solid:
    """The solid under an affine map that does not flatten it; a mirror image stays right side out."""
    return Solid(tuple(move_polyhedron(piece, matrix) for piece in solid.pieces), transformed(solid.surface, matrix))


def join_solids(solids: Iterable[Solid]) -> Solid:
    """Several solids, which must not overlap, as one; where they touch, both surfaces stay."""
    listed = list(solids)
    return Solid(
        tuple(piece for solid in listed for piece in solid.pieces),
        joined_meshes([solid.surface for solid in listed]),
    )
