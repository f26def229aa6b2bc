"""Drawn surfaces: what a picture of a robot shows, as the arrays of solids that the kernels read.

The convex polyhedra come first, then the meshes of visuals. For drawing, a mesh is a subitem that is not convex.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.bounding_sphere import Sphere, smallest_sphere
from rck.geometry.mesh import Mesh, face_area_vectors, face_of_corner, joined_meshes
from rck.kernels.rasterisation import smooth_corners
from rck.model.item import Item
from rck.model.robot import Robot
from rck.model.robot_arrays import RobotArrays, Solids, solids_of
from rck.model.visual import Visual

SMOOTH = 0.77
"""Cosine of the angle, about 40 degrees, up to which adjacent faces of a mesh form one round surface."""


class Geometry(str, Enum):
    """The geometry of a robot that is drawn."""

    VISUAL = "visual"
    """The visuals of each item that has some; the subitems of the others."""
    COLLISION = "collision"
    """The subitems."""
    BOTH = "both"
    """Subitems and visuals."""


@dataclass(frozen=True, eq=False)
class DrawnSurfaces:
    """The surfaces of a robot that are drawn."""

    solids: Solids
    convex: Solids
    """The first of `solids`, which are convex."""
    subitem_of: Ints
    """Index of each convex surface among all subitems of the robot. Shape (convex surfaces,)."""
    visuals: tuple[Visual, ...]
    """The visual of each further surface."""
    corner_normals: Floats
    """Normal at each corner of the meshes, in the frame of the item. Shape (corners of meshes, 3)."""

    @property
    def first_mesh(self) -> int:
        """Index of the first surface that is a mesh."""
        return len(self.convex.item_of_subitem)

    @property
    def meshes(self) -> Ints:
        """The indices of the surfaces that are meshes."""
        return np.arange(self.first_mesh, len(self.solids.item_of_subitem))

    @property
    def first_corner(self) -> int:
        """Index of the first corner of a mesh in `solids.face_vertices`."""
        return len(self.convex.face_vertices)


def drawn_surfaces(arrays: RobotArrays, geometry: Geometry) -> DrawnSurfaces:
    """Return the surfaces of a robot that are drawn."""
    robot, solids = arrays.robot, arrays.solids
    every = np.arange(len(solids.item_of_subitem))
    none: Floats = np.empty((0, 3))
    if geometry is Geometry.COLLISION or not any(item.visuals for item in robot.items):
        return DrawnSurfaces(solids, solids, every, (), none)
    convex, kept = solids, every
    if geometry is Geometry.VISUAL:
        hidden = np.array([bool(item.visuals) for item in robot.items])
        kept = every[~hidden[solids.item_of_subitem]]
        shown = [() if item.visuals else item.subitems for item in robot.items]
        convex = solids_of(shown, [None] * len(shown))
    of_item = [(number, visual) for number, item in enumerate(robot.items) for visual in item.visuals]
    visuals = tuple(visual for _, visual in of_item)
    owners = np.array([number for number, _ in of_item], dtype=np.int64)
    combined = _with_meshes(convex, [visual.surface for visual in visuals], owners, visuals, robot)
    normals = [_corner_normals(visual.surface) for visual in visuals]
    return DrawnSurfaces(combined, convex, kept, visuals, frozen(np.concatenate([none, *normals])))


def _with_meshes(
    convex: Solids, surfaces: Sequence[Mesh], owners: Ints, visuals: Sequence[Visual], robot: Robot
) -> Solids:
    """Return the solids with meshes appended; edges, and offsets by item, are those of the convex ones."""
    whole = joined_meshes(surfaces)
    vectors = face_area_vectors(whole)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    normals = vectors / np.maximum(lengths, 1e-300)[:, None]
    first = whole.vertices[whole.face_vertices[whole.face_offsets[:-1]]]
    planes = np.concatenate([normals, np.einsum("ij,ij->i", normals, first)[:, None]], axis=1)
    vertex_counts = np.cumsum([len(surface.vertices) for surface in surfaces])
    face_counts = np.cumsum([len(surface.face_offsets) - 1 for surface in surfaces])
    return replace(
        convex,
        vertices=frozen(np.concatenate([convex.vertices, whole.vertices])),
        vertex_offsets=frozen(np.append(convex.vertex_offsets, convex.vertex_offsets[-1] + vertex_counts)),
        planes=frozen(np.concatenate([convex.planes, planes])),
        plane_offsets=frozen(np.append(convex.plane_offsets, convex.plane_offsets[-1] + face_counts)),
        face_vertices=frozen(np.append(convex.face_vertices, whole.face_vertices + len(convex.vertices))),
        face_offsets=frozen(np.append(convex.face_offsets, convex.face_offsets[-1] + whole.face_offsets[1:])),
        colours=frozen(np.concatenate([convex.colours, [visual.colour for visual in visuals]])),
        item_of_subitem=frozen(np.append(convex.item_of_subitem, owners)),
        item_spheres=frozen(np.array([_sphere(item) for item in robot.items])),
    )


def _sphere(item: Item) -> tuple[float, float, float, float]:
    """Return the bounding sphere of what an item shows; its radius is -1 if it shows nothing."""
    clouds = [visual.surface.vertices for visual in item.visuals] + [one.shape.vertices for one in item.subitems]
    found: Sphere | None = smallest_sphere(np.concatenate(clouds)) if clouds else None
    if found is None:
        return 0.0, 0.0, 0.0, -1.0
    x, y, z = found.centre.tolist()
    return x, y, z, found.radius


def _corner_normals(surface: Mesh) -> Floats:
    """Return the smoothed normal at each corner of a mesh. Shape (corners, 3)."""
    vectors = face_area_vectors(surface)
    # Meshes often have a vertex once for each face; equal points are one.
    _, same = np.unique(surface.vertices, axis=0, return_inverse=True)
    vertex = same.ravel()[surface.face_vertices]
    order = np.argsort(vertex, kind="stable")
    starts = np.flatnonzero(np.diff(vertex[order], prepend=-1, append=np.iinfo(np.int64).max))
    normals = np.empty((len(vertex), 3))
    smooth_corners(order, starts, face_of_corner(surface), vectors, SMOOTH, normals)
    return normals
