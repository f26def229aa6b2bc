"""Shapes and motions: transforms, convex polyhedra, primitives, sweeps, masses, welding, convex decomposition.

The shapes of :mod:`~rck.geometry.primitives`, the functions of :mod:`~rck.geometry.transforms` and
:func:`rck.geometry.decomposition.decompose` are called by their modules.
"""

from rck.geometry import primitives, transforms
from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.geometry.bounding_sphere import Sphere, smallest_sphere
from rck.geometry.contour import Contour, circle, contours_from_rings, make_contour, rectangle
from rck.geometry.decomposition import DecomposerMissingError, Decomposition
from rck.geometry.mass_properties import NO_MASS, MassProperties, Moments, combine, mass_properties, moments, moved
from rck.geometry.mesh import Faceted, Mesh, faces_of, is_closed, make_mesh, surrounds, transformed, triangles
from rck.geometry.partition import convex_partition, convex_polygons, triangulate
from rck.geometry.polyhedron import (
    Flaw,
    FoundFlaw,
    Polyhedron,
    convex_hull,
    make_polyhedron,
    move_polyhedron,
    polyhedron_from_mesh,
    sound_polyhedron,
)
from rck.geometry.solid import Solid, join_solids, move_solid, solid_of
from rck.geometry.sweep import extrude, revolve, sweep_along
from rck.geometry.weld import WeldResult, solids_from_polygons

__all__ = [
    "NO_MASS",
    "Bools",
    "Contour",
    "DecomposerMissingError",
    "Decomposition",
    "Faceted",
    "Flaw",
    "Floats",
    "FoundFlaw",
    "Ints",
    "MassProperties",
    "Mesh",
    "Moments",
    "Polyhedron",
    "Solid",
    "Sphere",
    "WeldResult",
    "circle",
    "combine",
    "contours_from_rings",
    "convex_hull",
    "convex_partition",
    "convex_polygons",
    "extrude",
    "faces_of",
    "frozen",
    "is_closed",
    "join_solids",
    "make_contour",
    "make_mesh",
    "make_polyhedron",
    "mass_properties",
    "moments",
    "move_polyhedron",
    "move_solid",
    "moved",
    "polyhedron_from_mesh",
    "primitives",
    "rectangle",
    "revolve",
    "smallest_sphere",
    "solid_of",
    "solids_from_polygons",
    "sound_polyhedron",
    "surrounds",
    "sweep_along",
    "transformed",
    "transforms",
    "triangles",
    "triangulate",
]
