"""Figures: robots in a pose, ready to be looked at."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.mesh import directed_edges, face_edges, face_sizes
from rck.model.arrays import RobotArrays, robot_arrays
from rck.model.robot import Robot

ROUND = 0.77
"""The cosine of the angle, about 40 degrees, up to which faces that meet stand for one round surface."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """The solids of a robot and what drawing has to know of them, whatever their pose."""

    arrays: RobotArrays

    @cached_property
    def edges(self) -> tuple[Ints, Ints]:
        """Each edge once, as two rows of the vertices, and the two faces that meet there. Both of shape (edges, 2)."""
        solids = self.arrays.solids
        start, end = directed_edges(solids)
        edge, _, face = face_edges(solids)
        # Closed surfaces run along every edge twice, once each way.
        order = np.argsort(edge, kind="stable")
        ends = np.stack([start[order[::2]], end[order[::2]]], axis=1)
        return frozen(ends), frozen(face[order].reshape(-1, 2))

    @cached_property
    def bends(self) -> Floats:
        """The cosine of the angle between the two faces at each edge. Shape (edges,)."""
        normals = self.arrays.solids.planes[:, :3]
        _, faces = self.edges
        return frozen(np.einsum("ij,ij->i", normals[faces[:, 0]], normals[faces[:, 1]]))

    @cached_property
    def face_centres(self) -> Floats:
        """The mean of the corners of each face, in the item's frame. Shape (faces, 3)."""
        solids = self.arrays.solids
        if len(solids.planes) == 0:
            return frozen(np.empty((0, 3)))
        sums = np.add.reduceat(solids.vertices[solids.face_vertices], solids.face_offsets[:-1], axis=0)
        return frozen(sums / face_sizes(solids)[:, None])

    @cached_property
    def rounding(self) -> tuple[Ints, Ints, Floats]:
        """The neighbours into which each face goes over smoothly: offsets, faces, and distances.

        Those of face f are ``faces[offsets[f]:offsets[f + 1]]``; each distance is from the middle of f to the plane
        of the neighbour, in metres.
        """
        solids = self.arrays.solids
        pairs = self.edges[1][self.bends >= ROUND]
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        planes = solids.planes[both[:, 1]]
        reach = planes[:, 3] - np.einsum("ij,ij->i", planes[:, :3], self.face_centres[both[:, 0]])
        # Level neighbours share their normal: any distance will do.
        offsets = np.searchsorted(both[:, 0], np.arange(len(solids.planes) + 1))
        return frozen(offsets.astype(np.int64)), frozen(both[:, 1]), frozen(np.maximum(reach, 1e-9))


@dataclass(frozen=True, eq=False)
class Figure:
    """A robot with every item at a pose. Make one with :func:`figure_of`."""

    shapes: Shapes
    poses: Floats
    """World from item. Shape (items, 4, 4)."""

    @property
    def robot(self) -> Robot:
        """The robot as it was given."""
        return self.shapes.arrays.robot

    @cached_property
    def placed(self) -> tuple[Floats, Floats]:
        """Planes, shape (faces, 4), and vertices, shape (vertices, 3), of all subitems in the world."""
        from rck.kernels.raycast import place_solids

        solids = self.shapes.arrays.solids
        planes, vertices = np.empty_like(solids.planes), np.empty_like(solids.vertices)
        place_solids(
            solids.planes,
            solids.plane_offsets,
            solids.vertices,
            solids.vertex_offsets,
            solids.item_of_subitem,
            self.poses,
            planes,
            vertices,
        )
        return planes, vertices

    @cached_property
    def spheres(self) -> Floats:
        """The bounding sphere of each item that has one: centre in the world and radius. Shape (spheres, 4)."""
        spheres = self.shapes.arrays.solids.item_spheres
        solid = spheres[:, 3] >= 0
        poses = self.poses[solid]
        centres = np.einsum("nij,nj->ni", poses[:, :3, :3], spheres[solid, :3]) + poses[:, :3, 3]
        return np.concatenate([centres, spheres[solid, 3:]], axis=1)

    @cached_property
    def bounds(self) -> Floats:
        """The lowest and the highest corner of the box, along the axes, that holds it; empty at zero. Shape (2, 3)."""
        vertices = self.placed[1]
        if len(vertices) == 0:
            return np.zeros((2, 3))
        # Column by column: numpy is slow to reduce rows of three.
        return np.array([[column.min(), column.max()] for column in vertices.T.copy()]).T

    @property
    def size(self) -> float:
        """The longest side of that box; 1 m where there is nothing."""
        return float((self.bounds[1] - self.bounds[0]).max()) or 1.0


def figure_of(robot: Robot | Shapes, vector: ArrayLike | None = None) -> Figure:
    """A robot as it stands, or with its free joints at the positions in `vector`, in radians and metres."""
    shapes = robot if isinstance(robot, Shapes) else Shapes(robot_arrays(robot))
    if vector is None:
        given = [item.pose for item in shapes.arrays.robot.items]
        return Figure(shapes, frozen(np.array(given, dtype=float).reshape(-1, 4, 4)))
    from rck.model.forward import forward

    return Figure(shapes, frozen(forward(shapes.arrays, vector)))
