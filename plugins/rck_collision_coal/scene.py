"""A robot as coal's convex shapes."""

from collections.abc import Iterator
from typing import Any

import coal
import numpy as np

from rck.collision.backend import Clearance, Contact
from rck.collision.pairs import pairs_to_test
from rck.geometry.arrays import Floats, Point, as_point
from rck.geometry.polyhedron import Polyhedron
from rck.hooks.kinds import ItemPairs
from rck.model.arrays import robot_arrays
from rck.model.finding import RckError
from rck.model.forward import forward
from rck.model.robot import Robot

# In metres: what is nearer touches. Coal's own answers are as exact as this with the tolerances below.
_TOUCHING = 1e-9


class CoalScene:
    """Asks coal about every pair of subitems whose boxes overlap."""

    def __init__(self, robot: Robot, allowed: ItemPairs) -> None:
        self.robot = robot
        self._arrays = robot_arrays(robot)
        self._pairs = pairs_to_test(robot, allowed).listed.tolist()
        self._objects = [[coal.CollisionObject(convex(part.shape)) for part in item.subitems] for item in robot.items]
        self._request = coal.DistanceRequest()
        self._request.enable_signed_distance = True
        self._request.gjk_tolerance = self._request.epa_tolerance = 1e-10
        self._request.gjk_max_iterations = self._request.epa_max_iterations = 500

    def touching(self, vector: Floats) -> list[tuple[str, str]]:
        """The pairs of items that touch."""
        found = {(a, b) for a, b, _, _, _ in self._measured(vector, _TOUCHING)}
        return [self._names(a, b) for a, b in sorted(found)]

    def contacts(self, vector: Floats) -> list[Contact]:
        """Every pair of subitems that touch."""
        contacts = []
        for a, b, i, j, result in self._measured(vector, _TOUCHING):
            one, other = _points(result)
            middle = (np.array(one) + np.array(other)) / 2
            depth = max(0.0, -result.min_distance)
            contacts.append(Contact(self._names(a, b), (i, j), as_point(middle), as_point(result.normal), depth))
        return contacts

    def clearances(self, vector: Floats, limit: float) -> list[Clearance]:
        """The pairs of items that are no farther apart than `limit`, in metres."""
        nearest: dict[tuple[int, int], Clearance] = {}
        for a, b, i, j, result in self._measured(vector, limit):
            if (a, b) not in nearest or result.min_distance < nearest[a, b].distance:
                nearest[a, b] = Clearance(self._names(a, b), (i, j), result.min_distance, _points(result))
        return list(nearest.values())

    def _measured(self, vector: Floats, limit: float) -> Iterator[tuple[int, int, int, int, Any]]:
        """Items, places of subitems in them, and coal's result, for what is no farther apart than the limit."""
        poses = forward(self._arrays, vector)
        if not np.isfinite(poses).all():
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position is not finite")
        for objects, pose in zip(self._objects, poses, strict=True):
            placed = coal.Transform3s(pose[:3, :3], pose[:3, 3])
            for one in objects:
                one.setTransform(placed)
                one.computeAABB()
        for a, b in self._pairs:
            for i, one in enumerate(self._objects[a]):
                for j, other in enumerate(self._objects[b]):
                    if one.getAABB().distance(other.getAABB()) > limit:
                        continue
                    result = coal.DistanceResult()
                    coal.distance(one, other, self._request, result)
                    if result.min_distance <= limit:
                        yield a, b, i, j, result

    def _names(self, a: int, b: int) -> tuple[str, str]:
        return self.robot.items[a].name, self.robot.items[b].name


def convex(shape: Polyhedron) -> Any:
    """The polyhedron in coal."""
    points = coal.StdVec_Vec3s()
    for vertex in shape.vertices:
        points.append(vertex)
    return coal.ConvexBase.convexHull(points, False, "Qt")


def _points(result: Any) -> tuple[Point, Point]:
    return as_point(result.getNearestPoint1()), as_point(result.getNearestPoint2())
