"""Collision checking by ray casting and signed distances of Open3D, an optional extra.

Polyhedra are in contact if an edge of one passes through a face of the other, or one is inside the other: then all its
vertices are. Open3D computes in single precision, so results are accurate to about 1e-6 of the size.
"""

from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rck.collision.pairwise import PairwiseScene
from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply, invert
from rck.hooks import CollisionBackend, CollisionScene, Need, hookimpl
from rck.hooks.kinds import ItemPairs
from rck.model import RckError, Robot

# A vertex this near to a surface, as a fraction of the size, is on it.
_ON_SURFACE = 1e-7


@dataclass(frozen=True, eq=False)
class Target:
    """A ray-casting scene of one polyhedron, in its frame."""

    scene: Any
    size: float


class RayTest:
    """Test of two polyhedra for contact; keeps the scene of each."""

    def __init__(self) -> None:
        open3d = import_module("open3d")
        # Other messages would be written to the terminal.
        open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
        self._open3d = open3d
        self._known: WeakKeyDictionary[Polyhedron, Target] = WeakKeyDictionary()

    def __call__(self, one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
        """Return True if the two are in contact, or one is inside the other."""
        other_from_one = invert(world_from_other) @ world_from_one
        return self._enters(one, other_from_one, other) or self._enters(other, invert(other_from_one), one)

    def _enters(self, one: Polyhedron, other_from_one: Floats, other: Polyhedron) -> bool:
        """Return True if a vertex of the first is in the second, or an edge passes through it."""
        target = self._target(other)
        vertices = apply(other_from_one, one.vertices)
        distances = target.scene.compute_signed_distance(self._tensor(vertices), nsamples=3).numpy()
        if distances.min() <= _ON_SURFACE * target.size:
            return True
        starts, ends = vertices[one.edges[:, 0]], vertices[one.edges[:, 1]]
        # The direction is as long as the edge, so a hit below 1 is on the edge.
        hits = target.scene.cast_rays(self._tensor(np.hstack([starts, ends - starts])))["t_hit"].numpy()
        return bool(hits.min() <= 1.0)

    def _target(self, shape: Polyhedron) -> Target:
        if shape not in self._known:
            scene = self._open3d.t.geometry.RaycastingScene()
            corners = [(face[0], *pair) for face in shape.faces for pair in pairwise(face[1:])]
            triangles = self._open3d.core.Tensor.from_numpy(np.array(corners, np.uint32))
            scene.add_triangles(self._tensor(shape.vertices), triangles)
            self._known[shape] = Target(scene, float(np.abs(shape.vertices).max()))
        return self._known[shape]

    def _tensor(self, rows: Floats) -> Any:
        return self._open3d.core.Tensor.from_numpy(np.ascontiguousarray(rows, dtype=np.float32))


def _make(robot: Robot, allowed: ItemPairs) -> CollisionScene:
    try:
        return PairwiseScene(robot, allowed, RayTest())
    except (ImportError, OSError) as error:
        # The wheel of Open3D needs some system libraries.
        raise RckError(
            f"collision backend open3d needs Open3D: pip install 'rck[open3d]'; `rck doctor` lists missing"
            f" libraries ({error})"
        ) from None


@hookimpl
def rck_collision_backends() -> list[CollisionBackend]:
    """Return the backend that uses Open3D."""
    needs = (Need("open3d", "pip install 'rck[open3d]'"),)
    return [CollisionBackend("open3d", "rays and signed distances of Open3D; needs the extra open3d", _make, needs)]
