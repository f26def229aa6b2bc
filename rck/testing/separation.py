"""Brute-force separation of convex polyhedra, the reference for collision backends."""

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import apply

# Two edges with a sine of their angle below this are parallel.
_PARALLEL = 1e-9


def separation(one: Polyhedron, world_from_one: Floats, other: Polyhedron, world_from_other: Floats) -> float:
    """Return the widest gap between two polyhedra along any separating direction, in metres.

    Candidates are the face normals and the cross products of edges (Gottschalk 1996). A positive gap is a lower bound
    of the distance; a negative one is the penetration depth.
    """
    a, b = apply(world_from_one, one.vertices), apply(world_from_other, other.vertices)
    directions = [one.planes[:, :3] @ world_from_one[:3, :3].T, other.planes[:, :3] @ world_from_other[:3, :3].T]
    crossed = np.cross(_along(one, a)[:, None], _along(other, b)).reshape(-1, 3)
    sizes = lengths(crossed)
    wide = sizes > _PARALLEL
    directions.append(crossed[wide] / sizes[wide, None])
    widest = -np.inf
    for some in directions:
        # Relative to a corner of the first, to keep the precision far from the origin.
        heights_a, heights_b = (a - a[0]) @ some.T, (b - a[0]) @ some.T
        gaps = (heights_b.min(axis=0) - heights_a.max(axis=0), heights_a.min(axis=0) - heights_b.max(axis=0))
        widest = max([widest, *(float(gap.max()) for gap in gaps if gap.size)])
    return widest


def _along(shape: Polyhedron, placed: Floats) -> Floats:
    """Return unit vectors along the edges. Shape (edges, 3)."""
    ends = placed[shape.edges]
    vectors: Floats = ends[:, 1] - ends[:, 0]
    return vectors / lengths(vectors)[:, None]
