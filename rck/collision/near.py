"""Which items are near each other; with room to spare, so that one list serves for many steps."""

import numpy as np

from rck.collision.pairs import Pairs
from rck.geometry.arrays import Bools, Floats, Ints
from rck.kernels.bodies import Table
from rck.kernels.broad_phase import have_strayed, near_pairs
from rck.kernels.gjk import TOUCHING
from rck.model.finding import RckError

ANY_ITEM = np.zeros(0, dtype=bool)
"""In place of which items move, where that does not matter."""

FEW_ITEMS = 64
"""Up to so many items, looking at every pair of spheres is faster than sorting them into grids."""

NOT_FINITE = "the robot cannot be placed: a joint position or a pose is not finite"
"""What is said where a kernel finds that it cannot tell."""

# Of the middle one of the spheres' radii: how far two of them may come nearer before pairs are looked for anew.
_TO_SPARE = 0.25


def near_items(pairs: Pairs, balls: Table, poses: Floats, margin: float, moving: Bools = ANY_ITEM) -> Ints:
    """The pairs of items to test whose spheres are no farther apart than `margin`, in metres. Shape (pairs, 2)."""
    offsets, exempt = pairs.exempt_rows
    room = 8 * len(balls)
    while True:
        near = np.empty((room, 2), dtype=np.int64)
        count = near_pairs(
            poses, balls, pairs.group_of_item, pairs.scope_of_item, offsets, exempt, moving, margin, near
        )
        if count < 0:
            raise RckError(NOT_FINITE)
        if count <= room:
            return near[:count]
        room = count


class Neighbours:
    """The pairs of items that may touch, looked for anew only when an item has gone too far since the last time."""

    def __init__(self, pairs: Pairs, balls: Table) -> None:
        """Take the pairs to test, and the spheres of the items."""
        self._pairs = pairs
        self._balls = balls
        solid = balls["radius"] > 0.0
        self._to_spare = _TO_SPARE * float(np.median(balls["radius"][solid])) if solid.any() else 0.0
        self._moving = ANY_ITEM
        # Nothing is near enough to this.
        self._centres = np.full((len(balls), 3), np.nan)
        self.listed = np.empty((0, 2), dtype=np.int64)
        """The pairs that were found last. Shape (pairs, 2)."""

    def find(self, poses: Floats, moving: Bools) -> bool:
        """See to it that the list has all pairs that touch at these poses; whether it is another list now."""
        if np.array_equal(moving, self._moving) and not have_strayed(
            poses, self._balls, self._centres, 0.5 * self._to_spare
        ):
            return False
        self.listed = near_items(self._pairs, self._balls, poses, self._to_spare + 2.0 * TOUCHING, moving)
        self._moving = moving
        self._centres = np.einsum("nij,nj->ni", poses[:, :3, :3], self._balls["centre"]) + poses[:, :3, 3]
        return True
