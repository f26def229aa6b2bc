"""Scenes for back ends that look at two convex polyhedra at a time.

The spheres, the kinematics and the pairs are the same for all of them; a back end adds how two polyhedra are compared.
"""

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.geometry.arrays import Floats, Ints
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.rows import lengths
from rck.geometry.transforms import apply
from rck.model.arrays import robot_arrays
from rck.model.finding import RckError
from rck.model.forward import forward
from rck.model.robot import Robot

Overlap: TypeAlias = Callable[[Polyhedron, Floats, Polyhedron, Floats], bool]
"""Whether two polyhedra touch; each comes with world from polyhedron, shape (4, 4)."""


class PairwiseScene:
    """Looks at the pairs of subitems that may touch, one after the other."""

    def __init__(self, robot: Robot, allowed: Collection[tuple[str, str]], overlap: Overlap) -> None:
        self.robot = robot
        self._arrays = robot_arrays(robot)
        self._pairs = pairs_to_test(robot, allowed)
        self._overlap = overlap

    def touching(self, vector: Floats) -> list[tuple[str, str]]:
        """The pairs of items that touch, with the free joints at the positions in `vector`."""
        poses = forward(self._arrays, vector)
        if not np.isfinite(poses).all():
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position is not finite")
        items = self.robot.items
        return [
            (items[a].name, items[b].name)
            for a, b in self._near_items(poses)
            if any(
                self._overlap(items[a].subitems[i].shape, poses[a], items[b].subitems[j].shape, poses[b])
                for i, j in self._near_subitems(poses, a, b)
            )
        ]

    def _near_items(self, poses: Floats) -> Iterator[tuple[int, int]]:
        """The pairs of items whose spheres overlap."""
        spheres = self._arrays.solids.item_spheres
        centres = _placed(poses, spheres[:, :3])
        a, b = self._pairs.listed.T
        full = (spheres[a, 3] >= 0) & (spheres[b, 3] >= 0)
        near = full & (lengths(centres[a] - centres[b]) <= spheres[a, 3] + spheres[b, 3])
        yield from self._pairs.listed[near].tolist()

    def _near_subitems(self, poses: Floats, a: int, b: int) -> Iterator[tuple[int, int]]:
        """The pairs of subitems whose spheres overlap each other, and each the sphere of the other item."""
        one, other = self._within(poses, a, b), self._within(poses, b, a)
        for i, centre, radius in zip(*one, strict=True):
            reach = lengths(other[1] - centre) <= other[2] + radius
            for j in other[0][reach].tolist():
                yield int(i), j

    def _within(self, poses: Floats, item: int, other: int) -> tuple[Ints, Floats, Floats]:
        """Which subitems of an item reach the sphere of another; their centres in the world, and their radii."""
        solids = self._arrays.solids
        start, end = solids.subitem_offsets[item : item + 2]
        centres = apply(poses[item], solids.spheres[start:end, :3])
        radii = solids.spheres[start:end, 3]
        middle = apply(poses[other], solids.item_spheres[other, :3])
        near = lengths(centres - middle) <= radii + solids.item_spheres[other, 3]
        return np.flatnonzero(near), centres[near], radii[near]


def _placed(poses: Floats, points: Floats) -> Floats:
    """One point per pose, in the world. Shape (N, 3)."""
    turned: Floats = np.einsum("nij,nj->ni", poses[:, :3, :3], points)
    return turned + poses[:, :3, 3]
