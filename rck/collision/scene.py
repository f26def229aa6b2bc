"""A robot made ready for collision queries.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rck.collision.backend import Clearance, Contact, Meeting
from rck.collision.motion import Movers, movers, reach_of_items
from rck.collision.near import ANY_ITEM, Neighbours, near_items
from rck.collision.pairs import Pairs, pairs_to_test
from rck.collision.shapes import collision_shapes
from rck.geometry.arrays import Bools, Floats, Ints, Point
from rck.kernels import measure, sweep, touch
from rck.kernels.gjk import TOUCHING
from rck.kernels.memory import Memory, empty_memory, no_memory, with_pairs
from rck.kernels.parallel import run_in_chunks
from rck.model.arrays import robot_arrays
from rck.model.finding import RckError
from rck.model.forward import checked_vector, checked_vectors, forward
from rck.model.robot import Robot

# Up to so many items, looking at every pair of spheres is faster than sorting them into grids.
_FEW_ITEMS = 64
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
        (rows,) = hits.nonzero()
        if not self._has_many:
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
        movers = self._movers(change != 0.0)
        met = np.empty(3, dtype=np.int64)
        pairs = self._pairs_of(movers)
        shapes = self.shapes
        share = sweep.sweep(
            movers.bodies,
            self._arrays.items,
            movers.body_of_item,
            movers.way_of_item,
            self._reach,
            here,
            change,
            shapes.balls,
            shapes.hulls,
            shapes.corners,
            shapes.sectors,
            pairs,
            forward(self._arrays, here),
            met,
        )
        if share == sweep.NEVER:
            return None
        row, one, other = met.tolist()
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
        shapes = self.shapes

        def work(part: slice) -> None:
            touch.touching_at(
                self._arrays.bodies,
                self._arrays.items,
                rows[part],
                shapes.balls,
                shapes.hulls,
                shapes.corners,
                shapes.sectors,
                self.pairs.listed,
                ANY_ITEM,
                _NO_MEMORY,
                counts[part],
                hits[part],
            )

        run_in_chunks(work, len(rows), smallest=_SMALLEST_BATCH, threads=threads)
        if (counts < 0).any():
            raise RckError(f"row {int((counts < 0).argmax())} of the joint vectors is not finite")
        return counts

    @cached_property
    def _memory(self) -> Memory:
        return empty_memory(len(self._names), len(self.shapes.hulls), 0 if self._has_many else len(self.pairs.listed))

    @cached_property
    def _has_many(self) -> bool:
        return len(self._names) > _FEW_ITEMS

    @cached_property
    def _listed_names(self) -> list[tuple[str, str]]:
        return [(self._names[a], self._names[b]) for a, b in self.pairs.listed.tolist()]

    @cached_property
    def _names_in_array(self) -> NDArray[np.object_]:
        return np.array(self._names, dtype=object)

    @cached_property
    def _reach(self) -> Floats:
        return reach_of_items(self._arrays)

    def _movers(self, moving: Bools) -> Movers:
        key = moving.tobytes()
        if key not in self._known_movers:
            self._known_movers[key] = movers(self._arrays, moving)
        return self._known_movers[key]

    def _pairs_of(self, moving: Movers) -> Ints:
        """The pairs of items that move against each other, or a few more. Shape (pairs, 2)."""
        if not self._has_many:
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
        """How many pairs touch, or that one does, and unless one is enough, of which pairs which."""
        array = np.asarray(placed, np.float64, order="C")
        flags = ANY_ITEM if moving is None else self._flags(moving)
        arrays, shapes = self._arrays, self.shapes
        if array.ndim == 3 or self._has_many:
            poses = self._poses(array)
            pairs = self._near(poses, flags)
            hits = np.empty((1, len(pairs)), dtype=bool) if every else _NO_HITS
            touch.touching.unchecked(
                poses[None],
                shapes.balls,
                shapes.hulls,
                shapes.corners,
                shapes.sectors,
                pairs,
                flags,
                self._memory,
                self._count,
                hits,
            )
        else:
            pairs = self.pairs.listed
            hits = np.empty((1, len(pairs)), dtype=bool) if every else _NO_HITS
            touch.touching_at.unchecked(
                arrays.bodies,
                arrays.items,
                checked_vector(arrays, array)[None],
                shapes.balls,
                shapes.hulls,
                shapes.corners,
                shapes.sectors,
                pairs,
                flags,
                self._memory,
                self._count,
                hits,
            )
        return self._finite(self._count.item()), pairs, hits[0]

    def _measured(
        self, placed: ArrayLike, moving: Bools | None, limit: float, *, every: bool
    ) -> list[tuple[tuple[str, str], tuple[int, int], list[float]]]:
        """Names of items, places of subitems, and the columns of a measurement."""
        poses, flags = self._poses(np.asarray(placed, np.float64, order="C")), self._flags(moving)
        shapes = self.shapes
        if self._has_many and limit < np.inf:
            pairs = near_items(self.pairs, shapes.balls, poses, limit, flags)
        else:
            pairs = self.pairs.listed
        room = max(16, len(pairs))
        while True:
            found = np.empty((room, 3), dtype=np.int64)
            measured = np.empty((room, measure.COLUMNS))
            count = measure.measure.unchecked(
                poses,
                shapes.balls,
                shapes.hulls,
                shapes.corners,
                shapes.sectors,
                pairs,
                flags,
                limit,
                every,
                found,
                measured,
            )
            if self._finite(count) <= room:
                break
            room = count
        return [
            (*self._named(pairs[pair], one, other), row)
            for (pair, one, other), row in zip(found[:count].tolist(), measured[:count].tolist(), strict=True)
        ]

    def _finite(self, count: int) -> int:
        if count < 0:
            raise RckError(f"robot {self.robot.name} cannot be placed: a joint position or a pose is not finite")
        return count

    def _near(self, poses: Floats, moving: Bools) -> Ints:
        """The pairs of items that may touch, among others; the memory is that of these pairs. Shape (pairs, 2)."""
        if not self._has_many:
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

    def _flags(self, moving: Bools | None) -> Bools:
        if moving is None:
            return ANY_ITEM
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
