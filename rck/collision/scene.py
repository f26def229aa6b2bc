"""A robot made ready for collision queries.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rck.collision.backend import Clearance, Contact, Meeting
from rck.collision.measured import measured
from rck.collision.motion import Movers, first_meeting, movers, reach_of_items
from rck.collision.near import ANY_ITEM, FEW_ITEMS, Neighbours, near_items
from rck.collision.pairs import Pairs, pairs_to_test
from rck.collision.shapes import collision_shapes
from rck.geometry.arrays import Bools, Floats, Ints, Point
from rck.kernels import measure, touch
from rck.kernels.gjk import TOUCHING
from rck.kernels.memory import Memory, empty_memory, no_memory, with_pairs
from rck.kernels.parallel import run_in_chunks
from rck.model.arrays import robot_arrays
from rck.model.finding import RckError
from rck.model.forward import checked_vector, checked_vectors, forward
from rck.model.robot import Robot

# Rows of a batch below which a further thread does not pay.
_SMALLEST_BATCH = 64

_NO_MEMORY = no_memory()
_NO_HITS = np.empty((1, 0), dtype=bool)


class Scene:
    """Answers what touches what. Hulls nearer than a nanometre touch, and one inside the other touches it too.

    Every question takes where things are: a joint vector, shape (free joints,), whatever the limits say, or world
    from item for all items, shape (items, 4, 4). It may also take which items move, shape (items,): then moving
    items are tested against all others, and never against each other. A scene remembers the last answers, which make
    the next one quicker: one thread at a time may ask it.
    """

    def __init__(self, robot: Robot, pairs: Pairs | None = None) -> None:
        """Take a robot, and the pairs of items to test: if not given, those of :func:`pairs_to_test`."""
        self.robot = robot
        self.pairs = pairs_to_test(robot) if pairs is None else pairs
        self._arrays = robot_arrays(robot)
        self.shapes = collision_shapes(self._arrays.solids)
        self._names = tuple(item.name for item in robot.items)
        self._neighbours = Neighbours(self.pairs, self.shapes.balls)
        # Room for the answer of the kernels that count.
        self._count = np.empty(1, dtype=np.int64)
        self._known_movers: dict[bytes, Movers] = {}

    def touches(self, placed: ArrayLike, moving: Bools | None = None) -> bool:
        """Whether any two items touch; the search ends at the first."""
        count, _, _ = self._search(placed, moving, every=False)
        return count > 0

    def touching(self, placed: ArrayLike, moving: Bools | None = None) -> list[tuple[str, str]]:
        """The pairs of items that touch."""
        count, pairs, hits = self._search(placed, moving, every=True)
        if count == 0:
            return []
        (rows,) = hits[0].nonzero()
        if not self.has_many:
            return [self._listed_names[row] for row in rows.tolist()]
        one, other = self._names_in_array[pairs[rows].T]
        return list(zip(one.tolist(), other.tolist(), strict=True))

    def contacts(self, placed: ArrayLike, moving: Bools | None = None) -> list[Contact]:
        """Every pair of subitems that touch: where, which way, and how deep."""
        return [
            Contact(items, subitems, _half_way(row), _triple(row, measure.NORMAL), max(0.0, -row[measure.DISTANCE]))
            for items, subitems, row in self._measured(placed, moving, TOUCHING, every=True)
        ]

    def clearances(self, placed: ArrayLike, limit: float = np.inf, moving: Bools | None = None) -> list[Clearance]:
        """The pairs of items that are no farther apart than `limit`, in metres, with their nearest points."""
        return [
            Clearance(
                items,
                subitems,
                row[measure.DISTANCE],
                (_triple(row, measure.POINTS), _triple(row, measure.POINTS + 3)),
            )
            for items, subitems, row in self._measured(placed, moving, limit, every=False)
        ]

    def sweep(self, start: ArrayLike, end: ArrayLike) -> Meeting | None:
        """Where the items first meet while all joints move evenly from one joint vector to the other.

        No contact is passed over, however short it is or long the way. Items that do not move against each other
        are not tested. The way ends within a tenth of a micrometre of the contact, before it.
        """
        here, there = (self._checked(vector) for vector in (start, end))
        change = there - here
        moving = self.movers(change != 0.0)
        pairs = self._pairs_of(moving)
        places, poses = self._arrays.items, forward(self._arrays, here)
        met = first_meeting(self.shapes, moving, places, self.reach, here, change, pairs, poses)
        if met is None:
            return None
        share, row, one, other = met
        items, subitems = self._named(pairs[row], one, other)
        return Meeting(items, subitems, share, here + share * change)

    def sweep_joint(self, vector: ArrayLike, joint: str, position: float) -> Meeting | None:
        """As :meth:`sweep`, with one free joint moving to a position, in radians or metres, and its followers."""
        start = self._checked(vector)
        end = start.copy()
        end[self._place_of(joint)] = position
        return self.sweep(start, end)

    def position_of(self, vector: ArrayLike, joint: str) -> float:
        """The position of a free joint in a joint vector, in radians or metres."""
        return float(self._checked(vector)[self._place_of(joint)])

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
        rows = checked_vectors(self._arrays, vectors)
        counts = np.empty(len(rows), dtype=np.int64)
        bodies, items, tables, pairs = self._arrays.bodies, self._arrays.items, self.shapes.tables, self.pairs.listed

        def work(part: slice) -> None:
            touch.touching_at(bodies, items, rows[part], *tables, pairs, ANY_ITEM, _NO_MEMORY, counts[part], hits[part])

        run_in_chunks(work, len(rows), smallest=_SMALLEST_BATCH, threads=threads)
        if (counts < 0).any():
            raise RckError(f"row {int((counts < 0).argmax())} of the joint vectors is not finite")
        return counts

    @cached_property
    def _memory(self) -> Memory:
        return empty_memory(len(self._names), len(self.shapes.hulls), 0 if self.has_many else len(self.pairs.listed))

    @cached_property
    def has_many(self) -> bool:
        """Whether there are so many items that only those are looked at that are near each other."""
        return len(self._names) > FEW_ITEMS

    @cached_property
    def _listed_names(self) -> list[tuple[str, str]]:
        return [(self._names[a], self._names[b]) for a, b in self.pairs.listed.tolist()]

    @cached_property
    def _names_in_array(self) -> NDArray[np.object_]:
        return np.array(self._names, dtype=object)

    @cached_property
    def reach(self) -> Floats:
        """How far each item reaches from the origin of the body that it is on, in metres. Shape (items,)."""
        return reach_of_items(self._arrays)

    def movers(self, moving: Bools) -> Movers:
        """What moves with these free joints, shape (free joints,); remembered."""
        key = moving.tobytes()
        if key not in self._known_movers:
            self._known_movers[key] = movers(self._arrays, moving)
        return self._known_movers[key]

    def _pairs_of(self, moving: Movers) -> Ints:
        """The pairs of items that move against each other, or a few more. Shape (pairs, 2)."""
        if not self.has_many:
            return self.pairs.listed
        return self.pairs.with_items(np.flatnonzero(moving.way_of_item))

    def _named(self, pair: Ints, one: int, other: int) -> tuple[tuple[str, str], tuple[int, int]]:
        """The names of two items, and where two subitems stand in them."""
        a, b = pair.tolist()
        first = self.shapes.balls["first"]
        return (self._names[a], self._names[b]), (one - int(first[a]), other - int(first[b]))

    def _place_of(self, joint: str) -> int:
        if joint not in self._arrays.joint_names:
            raise RckError(f"robot {self.robot.name} has no free joint {self.robot.joint(joint).name}")
        return self._arrays.joint_names.index(joint)

    def _checked(self, vector: ArrayLike) -> Floats:
        array = np.array(vector, np.float64)
        if array.shape != self._arrays.reference.shape or not np.isfinite(array).all():
            raise RckError(
                f"a joint vector of robot {self.robot.name} has {len(self._arrays.reference)} finite numbers, one per "
                f"free joint: {', '.join(self._arrays.joint_names) or 'none'}"
            )
        return array

    def _search(self, placed: ArrayLike, moving: Bools | None, *, every: bool) -> tuple[int, Ints, Bools]:
        """How many pairs touch, or that one does, and unless one is enough, of which pairs which, shape (1, pairs)."""
        array = np.asarray(placed, np.float64, order="C")
        flags = ANY_ITEM if moving is None else self._flags(moving)
        arrays, tables = self._arrays, self.shapes.tables
        if array.ndim == 3 or self.has_many:
            poses = self._poses(array)
            pairs = self._near(poses, flags)
            hits = np.empty((1, len(pairs)), dtype=bool) if every else _NO_HITS
            touch.touching.unchecked(poses[None], *tables, pairs, flags, self._memory, self._count, hits)
        else:
            pairs = self.pairs.listed
            hits = np.empty((1, len(pairs)), dtype=bool) if every else _NO_HITS
            vectors = checked_vector(arrays, array)[None]
            touch.touching_at.unchecked(
                arrays.bodies, arrays.items, vectors, *tables, pairs, flags, self._memory, self._count, hits
            )
        count = self._count.item()
        if count < 0:
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position or a pose is not finite")
        return count, pairs, hits

    def _measured(
        self, placed: ArrayLike, moving: Bools | None, limit: float, *, every: bool
    ) -> list[tuple[tuple[str, str], tuple[int, int], list[float]]]:
        """Names of items, places of subitems, and the columns of a measurement."""
        poses = self._poses(np.asarray(placed, np.float64, order="C"))
        flags = ANY_ITEM if moving is None else self._flags(moving)
        if self.has_many and limit < np.inf:
            pairs = near_items(self.pairs, self.shapes.balls, poses, limit, flags)
        else:
            pairs = self.pairs.listed
        found, rows = measured(self.shapes, poses, pairs, flags, limit, every=every)
        # Contacts are asked for most often where there are none.
        if not len(found):
            return []
        return [
            (*self._named(pairs[pair], one, other), row)
            for (pair, one, other), row in zip(found.tolist(), rows.tolist(), strict=True)
        ]

    def _near(self, poses: Floats, moving: Bools) -> Ints:
        """The pairs of items that may touch, among others; the memory is that of these pairs. Shape (pairs, 2)."""
        if not self.has_many:
            return self.pairs.listed
        if self._neighbours.find(poses, moving):
            self._memory = with_pairs(self._memory, len(self._neighbours.listed))
        return self._neighbours.listed

    def _poses(self, placed: Floats) -> Floats:
        if placed.ndim != 3:
            return forward(self._arrays, placed)
        if placed.shape != (len(self._names), 4, 4):
            raise RckError(f"poses have shape ({len(self._names)}, 4, 4), not {placed.shape}")
        return placed

    def _flags(self, moving: Bools) -> Bools:
        flags = np.ascontiguousarray(moving, dtype=bool)
        if flags.shape != (len(self._names),):
            raise RckError(f"`moving` has shape {flags.shape}, not ({len(self._names)},): one flag per item")
        return flags


def scene_as_built(robot: Robot) -> Scene:
    """A scene that does not test the pairs that touch where the robot stands: it is built so."""
    scene = Scene(robot)
    touching = scene.touching(robot.positions)
    return Scene(robot, pairs_to_test(robot, touching)) if touching else scene


def _triple(row: list[float], start: int) -> Point:
    return row[start], row[start + 1], row[start + 2]


def _half_way(row: list[float]) -> Point:
    (ax, ay, az), (bx, by, bz) = _triple(row, measure.POINTS), _triple(row, measure.POINTS + 3)
    return (ax + bx) / 2, (ay + by) / 2, (az + bz) / 2
