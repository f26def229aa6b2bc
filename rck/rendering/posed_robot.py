"""Posed robots, with the geometry that drawing needs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints, frozen
from rck.geometry.mesh import directed_edges, face_edges, face_sizes
from rck.kernels.raycast import place_solids
from rck.model.forward_kinematics import forward
from rck.model.robot import Robot
from rck.model.robot_arrays import RobotArrays, Solids, robot_arrays
from rck.rendering.drawn_surfaces import SMOOTH, DrawnSurfaces, Geometry, drawn_surfaces

ROUND = SMOOTH
"""Cosine of the angle up to which adjacent faces form one round surface."""


@dataclass(frozen=True, eq=False)
class RenderShapes:
    """The surfaces of a robot that are drawn, with derived data that does not depend on the pose."""

    arrays: RobotArrays
    geometry: Geometry = Geometry.COLLISION

    @cached_property
    def surfaces(self) -> DrawnSurfaces:
        """The surfaces that are drawn."""
        return drawn_surfaces(self.arrays, self.geometry)

    @property
    def solids(self) -> Solids:
        """The arrays of the surfaces; meshes count as subitems."""
        return self.surfaces.solids

    @cached_property
    def collision(self) -> "RenderShapes":
        """The same robot, drawn by its collision geometry."""
        return self if self.solids is self.arrays.solids else RenderShapes(self.arrays)

    @cached_property
    def edges(self) -> tuple[Ints, Ints]:
        """The two vertices of each edge of a convex subitem, and its two adjacent faces. Both of shape (edges, 2)."""
        solids = self.surfaces.convex
        start, end = directed_edges(solids)
        edge, _, face = face_edges(solids)
        # A closed surface has every edge twice, once in each direction.
        order = np.argsort(edge, kind="stable")
        ends = np.stack([start[order[::2]], end[order[::2]]], axis=1)
        return frozen(ends), frozen(face[order].reshape(-1, 2))

    @cached_property
    def bends(self) -> Floats:
        """Cosine of the angle between the two faces at each edge. Shape (edges,)."""
        normals = self.surfaces.convex.planes[:, :3]
        _, faces = self.edges
        return frozen(np.einsum("ij,ij->i", normals[faces[:, 0]], normals[faces[:, 1]]))

    @cached_property
    def face_centres(self) -> Floats:
        """Mean of the vertices of each face of a convex subitem, in the item's frame. Shape (faces, 3)."""
        solids = self.surfaces.convex
        if len(solids.planes) == 0:
            return frozen(np.empty((0, 3)))
        sums = np.add.reduceat(solids.vertices[solids.face_vertices], solids.face_offsets[:-1], axis=0)
        return frozen(sums / face_sizes(solids)[:, None])

    @cached_property
    def rounding(self) -> tuple[Ints, Ints, Floats]:
        """The smoothly adjacent faces of each face: offsets, faces, and distances.

        Those of face f are ``faces[offsets[f]:offsets[f + 1]]``; each distance is from the centre of f to the plane of
        the adjacent face, in metres. Faces of meshes have none: their normals are interpolated.
        """
        solids = self.surfaces.solids
        pairs = self.edges[1][self.bends >= ROUND]
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        planes = solids.planes[both[:, 1]]
        reach = planes[:, 3] - np.einsum("ij,ij->i", planes[:, :3], self.face_centres[both[:, 0]])
        # Coplanar faces have the same normal: any positive distance is correct.
        offsets = np.searchsorted(both[:, 0], np.arange(len(solids.planes) + 1))
        return frozen(offsets.astype(np.int64)), frozen(both[:, 1]), frozen(np.maximum(reach, 1e-9))


@dataclass(frozen=True, eq=False)
class PosedRobot:
    """A robot with a pose for every item. Create one with :func:`pose_robot`."""

    shapes: RenderShapes
    poses: Floats
    """World from item. Shape (items, 4, 4)."""

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.shapes.arrays.robot

    @cached_property
    def placed(self) -> tuple[Floats, Floats]:
        """Planes, shape (faces, 4), and vertices, shape (vertices, 3), of all subitems in the world frame."""
        solids = self.shapes.solids
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
        """Bounding spheres of the items with shapes: centre in the world, and radius. Shape (spheres, 4)."""
        spheres = self.shapes.solids.item_spheres
        solid = spheres[:, 3] >= 0
        poses = self.poses[solid]
        centres = np.einsum("nij,nj->ni", poses[:, :3, :3], spheres[solid, :3]) + poses[:, :3, 3]
        return np.concatenate([centres, spheres[solid, 3:]], axis=1)

    @cached_property
    def bounds(self) -> Floats:
        """Lower and upper corner of the axis-aligned bounding box; zero if there is no geometry. Shape (2, 3)."""
        vertices = self.placed[1]
        if len(vertices) == 0:
            return np.zeros((2, 3))
        # By column, because numpy is slow at reducing rows of three.
        return np.array([[column.min(), column.max()] for column in vertices.T.copy()]).T

    @property
    def size(self) -> float:
        """Longest side of the bounding box; 1 m if there is no geometry."""
        return float((self.bounds[1] - self.bounds[0]).max()) or 1.0


def pose_robot(
    robot: Robot | RenderShapes, vector: ArrayLike | None = None, geometry: Geometry = Geometry.COLLISION
) -> PosedRobot:
    """Pose a robot at its current positions, or at the free joint positions in `vector`, in radians and metres.

    Sensors and collision read the collision geometry; pictures show the visuals.
    """
    shapes = robot if isinstance(robot, RenderShapes) else RenderShapes(robot_arrays(robot), geometry)
    if vector is None:
        poses = [item.pose for item in shapes.arrays.robot.items]
        return PosedRobot(shapes, frozen(np.array(poses, dtype=float).reshape(-1, 4, 4)))
    return PosedRobot(shapes, frozen(forward(shapes.arrays, vector)))
