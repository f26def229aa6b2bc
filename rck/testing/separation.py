"""Whether two convex polyhedra touch, by plain means: what collision back ends are compared with."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.rows import lengths
from rck.geometry.transforms import apply

# Directions of two edges that are this parallel span no plane.
_PARALLEL = 1e-9


def separation(one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> float:
    """The widest gap between two polyhedra along any of the directions that can part them, in metres.

    Such directions are the normals of faces, and what is square to an edge of each (Gottschalk 1996). The gap is
    positive exactly where the two are apart, and then no more than their distance; else it is minus their depth, the
    shortest way that parts them.
    """
    a, b = apply(world_from_one, one.vertices), apply(world_from_other, other.vertices)
    directions = [one.planes[:, :3] @ world_from_one[:3, :3].T, other.planes[:, :3] @ world_from_other[:3, :3].T]
    crossed = np.cross(_along(one, a)[:, None], _along(other, b)).reshape(-1, 3)
    sizes = lengths(crossed)
    wide = sizes > _PARALLEL
    directions.append(crossed[wide] / sizes[wide, None])
    widest = -np.inf
    for some in directions:
        # Seen from a corner of the first, so that far from the origin no digits are lost.
        heights_a, heights_b = (a - a[0]) @ some.T, (b - a[0]) @ some.T
        gaps = (heights_b.min(axis=0) - heights_a.max(axis=0), heights_a.min(axis=0) - heights_b.max(axis=0))
        widest = max([widest, *(float(gap.max()) for gap in gaps if gap.size)])
    return widest


def _along(shape: Polyhedron, placed: Floats) -> Floats:
    """Unit vectors along the edges. Shape (edges, 3)."""
    ends = placed[shape.edges]
    vectors: Floats = ends[:, 1] - ends[:, 0]
    return vectors / lengths(vectors)[:, None]
