"""Collision checking with MuJoCo, an optional extra."""

from importlib import import_module
from itertools import product
from typing import Any

import numpy as np

from rck.collision.backend import Clearance, Contact, MeasuringScene
from rck.collision.pairs import pairs_to_test
from rck.geometry.arrays import Floats, as_point
from rck.geometry.transforms import to_quaternion
from rck.hooks import CollisionBackend, Need, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import RckError, Robot
from rck.model.forward_kinematics import forward
from rck.model.robot_arrays import robot_arrays

# Larger limits, in metres, count as none.
_FARTHEST = 1e9


class MujocoScene:
    """A scene that queries MuJoCo for the geoms of all pairs of items to test. Each item is a free body.

    MuJoCo stores vertices of meshes in single precision, so results are accurate to about 1e-7 of the size.
    """

    def __init__(self, robot: Robot, allowed: ItemPairs) -> None:
        self.robot = robot
        self._mujoco = import_module("mujoco")
        self._arrays = robot_arrays(robot)
        self._pairs = pairs_to_test(robot, allowed).listed.tolist()
        self._model = build_model(robot, self._pairs)
        self._data = self._mujoco.MjData(self._model)
        self._first_geom = self._arrays.solids.subitem_offsets.tolist()
        self._item_of_geom = self._arrays.solids.item_of_subitem.tolist()

    def touching(self, vector: Floats) -> list[tuple[str, str]]:
        """Return the pairs of items in contact."""
        return list(dict.fromkeys(contact.items for contact in self.contacts(vector)))

    def contacts(self, vector: Floats) -> list[Contact]:
        """Return the deepest contact of every pair of subitems in contact."""
        self._place(vector)
        self._mujoco.mj_collision(self._model, self._data)
        deepest: dict[tuple[int, int], Contact] = {}
        for found in self._data.contact:
            one, other = (int(geom) for geom in found.geom)
            # The normal points from the first geom to the second; flip it if they are swapped.
            sign = 1.0 if one < other else -1.0
            one, other = min(one, other), max(one, other)
            if (one, other) not in deepest or -found.dist > deepest[one, other].depth:
                items, subitems = self._named(one, other)
                normal = as_point(sign * found.frame[:3])
                deepest[one, other] = Contact(
                    items, subitems, as_point(found.pos), normal, max(0.0, -float(found.dist))
                )
        return [deepest[pair] for pair in sorted(deepest)]

    def clearances(self, vector: Floats, limit: float) -> list[Clearance]:
        """Return the pairs of items at most `limit` apart, in metres."""
        self._place(vector)
        farthest = min(limit, _FARTHEST)
        ends = np.empty(6)
        clearances = []
        for a, b in self._pairs:
            nearest: Clearance | None = None
            for one, other in product(self._geoms(a), self._geoms(b)):
                distance = self._mujoco.mj_geomDistance(self._model, self._data, one, other, farthest, ends)
                if distance < farthest and (nearest is None or distance < nearest.distance):
                    nearest = Clearance(
                        *self._named(one, other), float(distance), (as_point(ends[:3]), as_point(ends[3:]))
                    )
            if nearest is not None:
                clearances.append(nearest)
        return clearances

    def _place(self, vector: Floats) -> None:
        poses = forward(self._arrays, vector)
        if not np.isfinite(poses).all():
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position is not finite")
        positions = self._data.qpos.reshape(-1, 7)
        positions[:, :3] = poses[:, :3, 3]
        positions[:, 3:] = [to_quaternion(pose) for pose in poses]
        self._mujoco.mj_kinematics(self._model, self._data)

    def _geoms(self, item: int) -> range:
        return range(self._first_geom[item], self._first_geom[item + 1])

    def _named(self, one: int, other: int) -> tuple[tuple[str, str], tuple[int, int]]:
        a, b = self._item_of_geom[one], self._item_of_geom[other]
        names = self.robot.items[a].name, self.robot.items[b].name
        return names, (one - self._first_geom[a], other - self._first_geom[b])


def build_model(robot: Robot, pairs: list[list[int]]) -> Any:
    """Build a model whose geoms are the subitems in order; only those of the pairs of items collide."""
    mujoco = import_module("mujoco")
    spec = mujoco.MjSpec()
    names: list[list[str]] = []
    for item in robot.items:
        body = spec.worldbody.add_body()
        body.add_freejoint()
        # A free body needs a mass; its value does not matter here.
        body.explicitinertial, body.mass, body.inertia = True, 1.0, (1.0, 1.0, 1.0)
        names.append([])
        for part in item.subitems:
            name = str(sum(map(len, names)))
            mesh = spec.add_mesh(name=name)
            mesh.uservert = part.shape.vertices.ravel()
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, contype=0, conaffinity=0)
            names[-1].append(name)
    for a, b in pairs:
        for one, other in product(names[a], names[b]):
            spec.add_pair(geomname1=one, geomname2=other)
    try:
        return spec.compile()
    except ValueError as error:
        raise RckError(f"MuJoCo cannot load robot {robot.name}: {error}") from None


def _make(robot: Robot, allowed: ItemPairs) -> MeasuringScene:
    try:
        return MujocoScene(robot, allowed)
    except ImportError as error:
        raise RckError(f"collision backend mujoco needs MuJoCo: pip install 'rck[mujoco]' ({error})") from None


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the backend that uses MuJoCo."""
    needs = (Need("mujoco", "pip install 'rck[mujoco]'"),)
    return [CollisionBackend("mujoco", "the contacts of MuJoCo; needs the extra mujoco", _make, needs)]
