"""Pairs of items that are near each other, with a margin, so that one list serves for many steps."""

import numpy as np

from rck.collision.hulls import NOT_FINITE
from rck.collision.pairs import Pairs
from rck.geometry.arrays import Bools, Floats, Ints
from rck.kernels.body_tables import Table
from rck.kernels.broad_phase import has_moved, near_pairs
from rck.kernels.gjk import TOUCHING
from rck.support.finding import RckError

ANY_ITEM = np.zeros(0, dtype=bool)
"""Flags of moving items if all pairs are tested."""

FEW_ITEMS = 64
"""Up to this many items, testing every pair of spheres is faster than sorting them into grids."""

# How far two spheres may approach before pairs are searched again, as a fraction of the median radius.
_MARGIN = 0.25


def near_items(pairs: Pairs, spheres: Table, poses: Floats, margin: float, moving: Bools = ANY_ITEM) -> Ints:
    """Find the pairs of items to test whose spheres are at most `margin` apart, in metres. Shape (pairs, 2)."""
    size = 8 * len(spheres)
    while True:
        near = np.empty((size, 2), dtype=np.int64)
        count = near_pairs(poses, spheres, pairs.untested, moving, margin, near)
        if count < 0:
            raise RckError(NOT_FINITE)
        if count <= size:
            return near[:count]
        size = count


class Neighbours:
    """The pairs of items that may be in contact, searched again only when an item has moved too far."""

    def __init__(self, pairs: Pairs, spheres: Table) -> None:
        """Take the pairs to test and the spheres of the items."""
        self._pairs = pairs
        self._spheres = spheres
        solid = spheres["radius"] > 0.0
        self._margin = _MARGIN * float(np.median(spheres["radius"][solid])) if solid.any() else 0.0
        self._moving = ANY_ITEM
        # Not a number, so that the first call searches.
        self._centres = np.full((len(spheres), 3), np.nan)
        self.listed = np.empty((0, 2), dtype=np.int64)
        """The pairs found last. Shape (pairs, 2)."""

    def find(self, poses: Floats, moving: Bools) -> bool:
        """Update the list so that it has all pairs in contact at these poses; return True if the list changed."""
        if np.array_equal(moving, self._moving) and not has_moved(
            poses, self._spheres, self._centres, 0.5 * self._margin
        ):
            return False
        self.listed = near_items(self._pairs, self._spheres, poses, self._margin + 2.0 * TOUCHING, moving)
        self._moving = moving
        self._centres = np.einsum("nij,nj->ni", poses[:, :3, :3], self._spheres["centre"]) + poses[:, :3, 3]
        return True
