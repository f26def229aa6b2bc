"""Do two polyhedra touch? Rays along the edges of one, and distances of its vertices, in a scene of the other.

Polyhedra touch where an edge of one goes through a face of the other, or one is inside the other: then all its vertices
are. Open3D reckons in single precision, so its answers are right to some millionths of the size.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import open3d

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply, invert

# As a share of the size: a vertex that is so near to a surface is on it.
_ON_SURFACE = 1e-7


@dataclass(frozen=True, eq=False)
class Target:
    """A polyhedron that rays are cast at, in its own frame."""

    scene: Any
    size: float


class Casting:
    """Whether two polyhedra touch; remembers the scene of each."""

    def __init__(self) -> None:
        # Anything louder writes over the terminal.
        open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
        self._known: WeakKeyDictionary[Polyhedron, Target] = WeakKeyDictionary()

    def __call__(self, one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> bool:
        """Whether the two touch, or one is inside the other."""
        other_from_one = invert(world_from_other) @ world_from_one
        return self._enters(one, other_from_one, other) or self._enters(other, invert(other_from_one), one)

    def _enters(self, one: Polyhedron, other_from_one: Floats, other: Polyhedron) -> bool:
        """Whether a vertex of the first is in the second, or an edge goes through it."""
        target = self._target(other)
        vertices = apply(other_from_one, one.vertices)
        distances = target.scene.compute_signed_distance(_tensor(vertices), nsamples=3).numpy()
        if distances.min() <= _ON_SURFACE * target.size:
            return True
        starts, ends = vertices[one.edges[:, 0]], vertices[one.edges[:, 1]]
        # With a direction as long as the edge, a hit before 1 is on the edge.
        hits = target.scene.cast_rays(_tensor(np.hstack([starts, ends - starts])))["t_hit"].numpy()
        return bool(hits.min() <= 1.0)

    def _target(self, shape: Polyhedron) -> Target:
        if shape not in self._known:
            scene = open3d.t.geometry.RaycastingScene()
            corners = [(face[0], *pair) for face in shape.faces for pair in pairwise(face[1:])]
            scene.add_triangles(_tensor(shape.vertices), open3d.core.Tensor.from_numpy(np.array(corners, np.uint32)))
            self._known[shape] = Target(scene, float(np.abs(shape.vertices).max()))
        return self._known[shape]


def _tensor(rows: Floats) -> Any:
    return open3d.core.Tensor.from_numpy(np.ascontiguousarray(rows, dtype=np.float32))
