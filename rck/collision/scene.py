"""A robot made ready for collision queries (SEEDS L5).

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rck.collision.pairs import Pairs, pairs_to_test
from rck.collision.shapes import collision_shapes
from rck.geometry.arrays import Bools, Floats, Ints
from rck.kernels import broad_phase, touch
from rck.kernels.gjk import TOUCHING
from rck.kernels.parallel import run_in_chunks
from rck.model.arrays import robot_arrays
from rck.model.finding import RckError
from rck.model.forward import forward, forward_batch
from rck.model.robot import Robot

# Up to so many items, looking at every pair of spheres is faster than sorting them into grids.
_FEW_ITEMS = 64
# Rows of a batch, and pairs of a large scene, below which a further thread does not pay.
_SMALLEST_BATCH = 64
_SMALLEST_PART = 2000

_NO_MATTER_WHICH = np.zeros(0, dtype=bool)
_NO_END = np.iinfo(np.int64).max
_NOTHING = np.empty((0, 3), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Touch:
    """Two subitems that touch."""

    items: tuple[str, str]
    subitems: tuple[int, int]
    """Where each stands in its item."""


class Scene:
    """Answers what touches what. Hulls nearer than a nanometre touch, and one inside the other touches it too.

    Every question takes where things are: a joint vector, shape (free joints,), whatever the limits say, or world
    from item for all items, shape (items, 4, 4). It may also take which items move, shape (items,): then moving
    items are tested against all others, and never against each other.
    """

    def __init__(self, robot: Robot, pairs: Pairs | None = None) -> None:
        """Take a robot, and the pairs of items to test: if not given, those of :func:`pairs_to_test`."""
        self.robot = robot
        self.pairs = pairs_to_test(robot) if pairs is None else pairs
        self._arrays = robot_arrays(robot)
        self._shapes = collision_shapes(self._arrays.solids)
        self._names = tuple(item.name for item in robot.items)

    def touches(self, placed: ArrayLike, moving: Bools | None = None) -> bool:
        """Whether any two items touch; the search ends at the first."""
        poses, flags, pairs = self._question(placed, moving)
        return self._search(poses, flags, pairs, 1, False, _NOTHING) > 0

    def touching(self, placed: ArrayLike, moving: Bools | None = None) -> list[tuple[str, str]]:
        """The pairs of items that touch."""
        names = self._names
        pairs, found = self._found(placed, moving, every=False)
        return [(names[a], names[b]) for a, b in pairs[found[:, 0]].tolist()]

    def touching_subitems(self, placed: ArrayLike, moving: Bools | None = None) -> list[Touch]:
        """Every pair of subitems that touch."""
        names = self._names
        first = self._shapes.balls["first"].tolist()
        pairs, found = self._found(placed, moving, every=True)
        return [
            Touch((names[a], names[b]), (i - first[a], j - first[b]))
            for (a, b), (_, i, j) in zip(pairs[found[:, 0]].tolist(), found.tolist(), strict=True)
        ]

    def touches_batch(self, vectors: ArrayLike, *, threads: int | None = None) -> Bools:
        """Whether any two items touch, for each of many joint vectors, shape (batch, free joints). Shape (batch,).

        Runs on all cores unless `threads` says on how many.
        """
        return self._batch(vectors, np.zeros((len(np.asarray(vectors)), 0), dtype=bool), threads) > 0

    def touching_batch(self, vectors: ArrayLike, *, threads: int | None = None) -> Bools:
        """Which pairs of ``pairs.listed`` touch, for each of many joint vectors. Shape (batch, pairs)."""
        hits = np.zeros((len(np.asarray(vectors)), len(self.pairs.listed)), dtype=bool)
        self._batch(vectors, hits, threads)
        return hits

    def _batch(self, vectors: ArrayLike, hits: Bools, threads: int | None) -> Ints:
        rows = np.asarray(vectors, np.float64)
        counts = np.empty(len(rows), dtype=np.int64)
        shapes = self._shapes

        def work(part: slice) -> None:
            poses = forward_batch(self._arrays, rows[part], threads=1)
            touch.touching_batch(
                poses,
                shapes.balls,
                shapes.hulls,
                shapes.corners,
                self.pairs.listed,
                _NO_MATTER_WHICH,
                counts[part],
                hits[part],
            )

        run_in_chunks(work, len(rows), smallest=_SMALLEST_BATCH, threads=threads)
        if (counts < 0).any():
            raise RckError(f"row {int((counts < 0).argmax())} of the joint vectors is not finite")
        return counts

    def _question(self, placed: ArrayLike, moving: Bools | None) -> tuple[Floats, Bools, Ints]:
        """The poses, which items move, and the pairs of items that are worth a closer look, shape (pairs, 2)."""
        poses = self._poses(placed)
        flags = _NO_MATTER_WHICH
        if moving is not None:
            flags = np.ascontiguousarray(moving, dtype=bool)
            if flags.shape != (len(self._names),):
                raise RckError(f"`moving` has shape {flags.shape}, not ({len(self._names)},): one flag per item")
        return poses, flags, self._candidates(poses, flags)

    def _found(self, placed: ArrayLike, moving: Bools | None, *, every: bool) -> tuple[Ints, Ints]:
        """Pairs of items, and rows of: which pair, subitem, subitem. Shapes (pairs, 2), (found, 3)."""
        poses, flags, pairs = self._question(placed, moving)
        room = max(16, len(pairs))
        while True:
            found = np.empty((room, 3), dtype=np.int64)
            count = self._search(poses, flags, pairs, _NO_END, every, found)
            if count <= room:
                return pairs, found[:count]
            room = count

    def _search(self, poses: Floats, flags: Bools, pairs: Ints, most: int, every: bool, found: Ints) -> int:
        shapes = self._shapes
        count = touch.touching.unchecked(
            poses, shapes.balls, shapes.hulls, shapes.corners, pairs, flags, most, every, found
        )
        return self._finite(count)

    def _finite(self, count: int) -> int:
        if count < 0:
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position or a pose is not finite")
        return count

    def _candidates(self, poses: Floats, moving: Bools) -> Ints:
        """The pairs of items that are worth a closer look. Shape (pairs, 2)."""
        if len(self._names) <= _FEW_ITEMS:
            return self.pairs.listed
        offsets, exempt = self.pairs.exempt_rows
        room = 8 * len(self._names)
        while True:
            near = np.empty((room, 2), dtype=np.int64)
            count = broad_phase.near_pairs(
                poses,
                self._shapes.balls,
                self.pairs.group_of_item,
                self.pairs.scope_of_item,
                offsets,
                exempt,
                moving,
                TOUCHING,
                near,
            )
            if self._finite(count) <= room:
                return near[:count]
            room = count

    def _poses(self, placed: ArrayLike) -> Floats:
        array = np.asarray(placed, np.float64, order="C")
        if array.ndim != 3:
            return forward(self._arrays, array)
        if array.shape != (len(self._names), 4, 4):
            raise RckError(f"poses have shape ({len(self._names)}, 4, 4), not {array.shape}")
        return array
