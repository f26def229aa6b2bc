"""Collision detection by linear programming: convex polyhedra overlap if some point is inside both."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from rck.collision import pairs_to_test
from rck.geometry import Floats, Sphere
from rck.geometry.transforms import apply
from rck.hooks import CollisionBackend, CollisionScene, ItemPairs, hookimpl
from rck.model import Item, RckError, Robot, at_positions


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the collision backend."""
    return [CollisionBackend("my-plugin", "linear programming, face by face", Scene)]


class Scene(CollisionScene):
    """Robot prepared for collision queries."""

    def __init__(self, robot: Robot, allowed: ItemPairs) -> None:
        self._robot = robot
        self._pairs = pairs_to_test(robot, allowed).listed.tolist()

    def touching(self, vector: Floats) -> Sequence[tuple[str, str]]:
        """Return the pairs of items in contact, in the item order of the robot."""
        if np.shape(vector) != (len(self._robot.free_joints),) or not np.isfinite(vector).all():
            raise RckError(f"{self._robot.name} takes {len(self._robot.free_joints)} finite joint positions")
        items = at_positions(self._robot, vector).items
        return [(items[a].name, items[b].name) for a, b in self._pairs if touch(items[a], items[b])]


def touch(one: Item, other: Item) -> bool:
    """Return True if any polyhedron of one item overlaps any of the other."""
    return any(
        near(a.shape.sphere, one.pose, b.shape.sphere, other.pose)
        and share_a_point(half_spaces(a.shape.planes, one.pose), half_spaces(b.shape.planes, other.pose))
        for a in one.subitems
        for b in other.subitems
    )


def near(one: Sphere, pose: Floats, other: Sphere, another: Floats) -> bool:
    """Return True if two bounding spheres overlap; this rules out most pairs."""
    way = apply(pose, one.centre) - apply(another, other.centre)
    return float(np.linalg.norm(way)) <= one.radius + other.radius


def half_spaces(planes: Floats, pose: Floats) -> Floats:
    """Return the faces of a polyhedron in the world as normal and offset: n.x <= d inside. Shape (faces, 4)."""
    normals = planes[:, :3] @ pose[:3, :3].T
    return np.column_stack([normals, planes[:, 3] + normals @ pose[:3, 3]])


def share_a_point(one: Floats, other: Floats) -> bool:
    """Return True if some point is behind all faces of both."""
    faces = np.vstack([one, other])
    # Maximise the distance of the point from its nearest face.
    sides = np.column_stack([faces[:, :3], np.ones(len(faces))])
    found = linprog([0.0, 0.0, 0.0, -1.0], sides, faces[:, 3], bounds=[(None, None)] * 4)
    return bool(found.status == 0 and -found.fun >= 0.0)
