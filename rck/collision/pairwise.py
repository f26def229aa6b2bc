"""Scenes for backends that test two convex polyhedra at a time.

Bounding spheres, kinematics and pairs are shared; a backend adds the test of two polyhedra.
"""

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.geometry.arrays import Floats, Ints, lengths
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply
from rck.model.forward_kinematics import forward
from rck.model.robot import Robot
from rck.model.robot_arrays import robot_arrays
from rck.support.finding import RckError

Overlap: TypeAlias = Callable[[Polyhedron, Floats, Polyhedron, Floats], bool]
"""Test of two polyhedra for contact; each comes with world from polyhedron, shape (4, 4)."""


class PairwiseScene:
    """A scene that tests the pairs of subitems whose spheres overlap one by one."""

    def __init__(self, robot: Robot, allowed: Collection[tuple[str, str]], overlap: Overlap) -> None:
        self.robot = robot
        self._arrays = robot_arrays(robot)
        self._pairs = pairs_to_test(robot, allowed)
        self._overlap = overlap

    def touching(self, vector: Floats) -> list[tuple[str, str]]:
        """Return the pairs of items in contact, with the free joints at the positions in `vector`."""
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
        """Yield the pairs of items whose spheres overlap."""
        spheres = self._arrays.solids.item_spheres
        centres = _placed(poses, spheres[:, :3])
        a, b = self._pairs.listed.T
        full = (spheres[a, 3] >= 0) & (spheres[b, 3] >= 0)
        near = full & (lengths(centres[a] - centres[b]) <= spheres[a, 3] + spheres[b, 3])
        yield from self._pairs.listed[near].tolist()

    def _near_subitems(self, poses: Floats, a: int, b: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs of subitems whose spheres overlap each other and the sphere of the other item."""
        one, other = self._within(poses, a, b), self._within(poses, b, a)
        for i, centre, radius in zip(*one, strict=True):
            reach = lengths(other[1] - centre) <= other[2] + radius
            for j in other[0][reach].tolist():
                yield int(i), j

    def _within(self, poses: Floats, item: int, other: int) -> tuple[Ints, Floats, Floats]:
        """Return the subitems of an item that reach the sphere of another, their centres in the world and radii."""
        solids = self._arrays.solids
        start, end = solids.subitem_offsets[item : item + 2]
        centres = apply(poses[item], solids.spheres[start:end, :3])
        radii = solids.spheres[start:end, 3]
        middle = apply(poses[other], solids.item_spheres[other, :3])
        near = lengths(centres - middle) <= radii + solids.item_spheres[other, 3]
        return np.flatnonzero(near), centres[near], radii[near]


def _placed(poses: Floats, points: Floats) -> Floats:
    """Transform one point per pose to the world. Shape (N, 3)."""
    turned: Floats = np.einsum("nij,nj->ni", poses[:, :3, :3], points)
    return turned + poses[:, :3, 3]
