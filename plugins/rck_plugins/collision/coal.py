"""Collision checking with coal, the library of pinocchio; an optional extra."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from rck.collision.backend import Clearance, Contact, MeasuringScene
from rck.collision.pairs import pairs_to_test
from rck.geometry.arrays import Floats, Point, as_point
from rck.geometry.polyhedron import Polyhedron
from rck.hooks import CollisionBackend, Need, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import RckError, Robot
from rck.model.forward_kinematics import forward
from rck.model.robot_arrays import robot_arrays

# Largest distance of a contact, in metres: the precision of coal with the tolerances below.
_TOUCHING = 1e-9


class CoalScene:
    """A scene that queries coal for every pair of subitems whose boxes overlap."""

    def __init__(self, robot: Robot, allowed: ItemPairs) -> None:
        coal = import_module("coal")
        self.robot = robot
        self._coal = coal
        self._arrays = robot_arrays(robot)
        self._pairs = pairs_to_test(robot, allowed).listed.tolist()
        self._objects = [[coal.CollisionObject(convex(part.shape)) for part in item.subitems] for item in robot.items]
        self._request = coal.DistanceRequest()
        self._request.enable_signed_distance = True
        self._request.gjk_tolerance = self._request.epa_tolerance = 1e-10
        self._request.gjk_max_iterations = self._request.epa_max_iterations = 500

    def touching(self, vector: Floats) -> list[tuple[str, str]]:
        """Return the pairs of items in contact."""
        found = {(a, b) for a, b, _, _, _ in self._measure(vector, _TOUCHING)}
        return [self._names(a, b) for a, b in sorted(found)]

    def contacts(self, vector: Floats) -> list[Contact]:
        """Return every pair of subitems in contact."""
        contacts = []
        for a, b, i, j, result in self._measure(vector, _TOUCHING):
            one, other = _points(result)
            middle = (np.array(one) + np.array(other)) / 2
            depth = max(0.0, -result.min_distance)
            contacts.append(Contact(self._names(a, b), (i, j), as_point(middle), as_point(result.normal), depth))
        return contacts

    def clearances(self, vector: Floats, limit: float) -> list[Clearance]:
        """Return the pairs of items at most `limit` apart, in metres."""
        nearest: dict[tuple[int, int], Clearance] = {}
        for a, b, i, j, result in self._measure(vector, limit):
            if (a, b) not in nearest or result.min_distance < nearest[a, b].distance:
                nearest[a, b] = Clearance(self._names(a, b), (i, j), result.min_distance, _points(result))
        return list(nearest.values())

    def _measure(self, vector: Floats, limit: float) -> Iterator[tuple[int, int, int, int, Any]]:
        """Yield items, indices of subitems in them, and coal's result, for subitems at most `limit` apart."""
        poses = forward(self._arrays, vector)
        if not np.isfinite(poses).all():
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position is not finite")
        for objects, pose in zip(self._objects, poses, strict=True):
            placed = self._coal.Transform3s(pose[:3, :3], pose[:3, 3])
            for shape in objects:
                shape.setTransform(placed)
                shape.computeAABB()
        for a, b in self._pairs:
            for i, one in enumerate(self._objects[a]):
                for j, other in enumerate(self._objects[b]):
                    if one.getAABB().distance(other.getAABB()) > limit:
                        continue
                    result = self._coal.DistanceResult()
                    self._coal.distance(one, other, self._request, result)
                    if result.min_distance <= limit:
                        yield a, b, i, j, result

    def _names(self, a: int, b: int) -> tuple[str, str]:
        return self.robot.items[a].name, self.robot.items[b].name


def convex(shape: Polyhedron) -> Any:
    """Return the polyhedron as a convex shape of coal."""
    coal = import_module("coal")
    points = coal.StdVec_Vec3s()
    for vertex in shape.vertices:
        points.append(vertex)
    return coal.ConvexBase.convexHull(points, False, "Qt")


def _points(result: Any) -> tuple[Point, Point]:
    return as_point(result.getNearestPoint1()), as_point(result.getNearestPoint2())


def _make(robot: Robot, allowed: ItemPairs) -> MeasuringScene:
    try:
        return CoalScene(robot, allowed)
    except ImportError as error:
        raise RckError(f"collision backend coal needs coal: pip install 'rck[coal]' ({error})") from None


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the backend that uses coal."""
    needs = (Need("coal", "pip install 'rck[coal]'"),)
    return [CollisionBackend("coal", "the library coal; needs the extra coal", _make, needs)]
