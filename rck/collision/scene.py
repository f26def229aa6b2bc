"""A robot prepared for collision queries."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import NoReturn

import numpy as np
from numpy import asarray, float64
from numpy.typing import ArrayLike, NDArray

from rck.collision.backend import Clearance, Contact, FirstContact
from rck.collision.hulls import build_hulls, measure_pairs
from rck.collision.neighbours import ANY_ITEM, FEW_ITEMS, Neighbours, near_items
from rck.collision.pairs import Pairs, pairs_to_test
from rck.collision.sweeps import find_first_contact, item_reaches, motion_legs, moving_items
from rck.geometry.arrays import Bools, Floats, Ints, Point
from rck.kernels import contact, hull_distance
from rck.kernels.array_table import ArrayTable
from rck.kernels.contact_cache import ContactCache, empty_cache, no_cache, with_pairs
from rck.kernels.gjk import TOUCHING
from rck.kernels.parallel import run_in_chunks
from rck.kernels.sweep import MovingItems
from rck.model.forward_kinematics import all_coordinates_at, checked_vectors, coordinates_at, forward
from rck.model.joint import Joint
from rck.model.robot import Robot
from rck.model.robot_arrays import robot_arrays
from rck.support.finding import RckError

# Rows of a batch per thread at least.
_SMALLEST_BATCH = 64
_SMALLEST_EDGES = 4

_NO_CACHE = no_cache()
_NO_HITS = np.empty((1, 0), dtype=bool)


class HullScene:
    """A scene of the default backend. Hulls nearer than a nanometre are in contact, also if one is inside the other.

    Queries take a joint vector, shape (free joints,), within the limits or not, or world from item for all items, shape
    (items, 4, 4). They may also take flags of moving items, shape (items,): moving items are then tested against all
    others, but not against each other. A scene caches results, which makes the next query faster: use it from one
    thread at a time.
    """

    def __init__(self, robot: Robot, pairs: Pairs | None = None) -> None:
        """Take a robot and the pairs of items to test, by default those of :func:`pairs_to_test`."""
        self.robot = robot
        self.pairs = pairs_to_test(robot) if pairs is None else pairs
        self._arrays = robot_arrays(robot)
        self.hulls = build_hulls(self._arrays.solids)
        self._names = tuple(item.name for item in robot.items)
        self._neighbours = Neighbours(self.pairs, self.hulls.spheres)
        # Output of the kernels that count.
        self._count = np.empty(1, dtype=np.int64)
        self._known_moving: dict[bytes, MovingItems] = {}
        self._vector_shape = self._arrays.reference.shape
        self._poses_shape = (len(self._names), 4, 4)
        self._table: ArrayTable | None = None
        """The scene with its cache for single queries; made when it is needed."""
        self._batch_tables: list[ArrayTable] = []
        self._edge_tables: list[ArrayTable] = []
        """The scene for each thread of batches, without and with a cache."""

    def touches(self, placed: ArrayLike, moving: Bools | None = None) -> bool:
        """Return True if any two items are in contact; the search ends at the first."""
        if moving is None and not self.has_many and self._arrays.closure is None:
            # The shortest way: a call of the kernel takes less than a microsecond.
            array = asarray(placed, float64, order="C")
            address = (self._table or self._listed_table()).address
            if array.shape == self._vector_shape:
                count = contact.touches_at.unchecked(address, array)
            elif array.shape == self._poses_shape:
                count = contact.touches.unchecked(address, array)
            else:
                count, _, _ = self._search(placed, moving, every=False)
            if count < 0:
                self._refuse_not_finite()
            return count > 0
        count, _, _ = self._search(placed, moving, every=False)
        return count > 0

    def touching(self, placed: ArrayLike, moving: Bools | None = None) -> list[tuple[str, str]]:
        """Return the pairs of items in contact."""
        count, pairs, hits = self._search(placed, moving, every=True)
        if count == 0:
            return []
        (rows,) = hits[0].nonzero()
        if not self.has_many:
            return [self._listed_names[row] for row in rows.tolist()]
        one, other = self._names_in_array[pairs[rows].T]
        return list(zip(one.tolist(), other.tolist(), strict=True))

    def contacts(self, placed: ArrayLike, moving: Bools | None = None) -> list[Contact]:
        """Return every pair of subitems in contact, with point, normal and depth."""
        return [
            Contact(
                items,
                subitems,
                _midpoint(row),
                _point(row, hull_distance.NORMAL),
                max(0.0, -row[hull_distance.DISTANCE]),
            )
            for items, subitems, row in self._measure(placed, moving, TOUCHING, every=True)
        ]

    def clearances(self, placed: ArrayLike, limit: float = np.inf, moving: Bools | None = None) -> list[Clearance]:
        """Return the pairs of items at most `limit` apart, in metres, with their nearest points."""
        return [
            Clearance(
                items,
                subitems,
                row[hull_distance.DISTANCE],
                (_point(row, hull_distance.POINTS), _point(row, hull_distance.POINTS + 3)),
            )
            for items, subitems, row in self._measure(placed, moving, limit, every=False)
        ]

    def sweep(self, start: ArrayLike, end: ArrayLike) -> FirstContact | None:
        """Return the first contact while all joints move linearly from one joint vector to the other.

        No contact is missed, however short it is. Items that do not move relative to each other are not tested. The
        motion ends less than a tenth of a micrometre before the contact.
        """
        here, there = (self._checked(vector) for vector in (start, end))
        change = there - here
        moving = self.moving_items(change != 0.0)
        pairs = self._pairs_of(moving)
        frames = self._arrays.items
        for leg in motion_legs(self._arrays.closure, here, change):
            poses = forward(self._arrays, here + leg.begin * change)
            found = find_first_contact(self.hulls, moving, frames, self.reach, leg.start, leg.change, pairs, poses)
            if found is not None:
                share, row, one, other = found
                share = leg.begin + share * (leg.end - leg.begin)
                items, subitems = self._named(pairs[row], one, other)
                return FirstContact(items, subitems, share, here + share * change)
        return None

    def sweep_joint(self, vector: ArrayLike, joint: str, position: float) -> FirstContact | None:
        """Return the first contact while one free joint moves to a position, in radians or metres, with its mimics."""
        start = self._checked(vector)
        end = start.copy()
        end[self._column_of(joint)] = position
        return self.sweep(start, end)

    def position_of(self, vector: ArrayLike, joint: str) -> float:
        """Return the position of a free joint in a joint vector, in radians or metres."""
        return float(self._checked(vector)[self._column_of(joint)])

    def touches_batch(self, vectors: ArrayLike, *, threads: int | None = None) -> Bools:
        """Return True for each joint vector, shape (batch, free joints), with a contact. Shape (batch,).

        Runs on all cores by default.
        """
        return self._batch(vectors, np.zeros((len(np.asarray(vectors)), 0), dtype=bool), threads) > 0

    def touching_batch(self, vectors: ArrayLike, *, threads: int | None = None) -> Bools:
        """Return True for each pair of ``pairs.listed`` in contact at each joint vector. Shape (batch, pairs)."""
        hits = np.zeros((len(np.asarray(vectors)), len(self.pairs.listed)), dtype=bool)
        self._batch(vectors, hits, threads)
        return hits

    def touches_poses(self, poses: ArrayLike, *, threads: int | None = None) -> Bools:
        """Return True for each row of world from item, shape (batch, items, 4, 4), with a contact. Shape (batch,).

        Runs on all cores by default.
        """
        rows = np.asarray(poses, np.float64, order="C")
        if rows.shape[1:] != self._poses_shape:
            raise RckError(f"poses must have shape (batch, {len(self._names)}, 4, 4), not {rows.shape}")
        counts, hits = np.empty(len(rows), dtype=np.int64), np.zeros((len(rows), 0), dtype=bool)

        def work(part: slice) -> None:
            with self._lent(self._batch_tables, _NO_CACHE) as address:
                contact.touching(address, rows[part], ANY_ITEM, counts[part], hits[part])

        run_in_chunks(work, len(rows), smallest=_SMALLEST_BATCH, threads=threads)
        if (counts < 0).any():
            raise RckError(f"row {int((counts < 0).argmax())} of the poses is not finite")
        return counts > 0

    def path_is_free(self, edges: ArrayLike, step: float, *, threads: int | None = None) -> Bools:
        """Return True for each edge, shape (edges, 2, free joints), without contact. Shape (edges,).

        An edge is a straight motion between two joint vectors. It is tested at both ends and at evenly spaced joint
        vectors between them, in which no joint differs by more than `step`, in radians or metres; :meth:`sweep` misses
        no contact at all. A path of waypoints has the edges ``np.stack([path[:-1], path[1:]], axis=1)``. Runs on all
        cores by default.
        """
        rows = np.asarray(edges, np.float64, order="C")
        if rows.shape[1:] != (2, *self._vector_shape):
            raise RckError(
                f"edges of robot {self.robot.name} need shape (edges, 2, {self._vector_shape[0]}), not {rows.shape}"
            )
        if not step > 0.0:
            raise RckError(f"the step between joint vectors must be positive, not {step:g}")
        lengths = np.abs(rows[:, 1] - rows[:, 0]).max(axis=1, initial=0.0)
        if not (lengths <= step * contact.MOST_STEPS).all():
            row = int((~(lengths <= step * contact.MOST_STEPS)).argmax())
            raise RckError(f"edge {row} is not finite, or longer than {contact.MOST_STEPS:,} steps")
        if self._arrays.closure is not None:
            return self._closed_path_is_free(rows, lengths, step)
        free = np.empty(len(rows), dtype=bool)

        def work(part: slice) -> None:
            with self._lent(self._edge_tables, None) as address:
                contact.free_edges(address, rows[part], step, free[part])

        run_in_chunks(work, len(rows), smallest=_SMALLEST_EDGES, threads=threads)
        return free

    def _closed_path_is_free(self, edges: Floats, lengths: Floats, step: float) -> Bools:
        """Return :meth:`path_is_free` for a robot with loops, whose edges are bent; they must close everywhere."""
        free = np.empty(len(edges), dtype=bool)
        for number, (start, end) in enumerate(edges):
            shares = np.linspace(0.0, 1.0, int(np.ceil(lengths[number] / step)) + 1)[:, None]
            places = start + shares * (end - start)
            coordinates = all_coordinates_at(self._arrays, places)
            free[number] = (
                bool(np.isfinite(coordinates).all())
                and not self._count_contacts(coordinates, np.zeros((len(places), 0), dtype=bool), None).any()
            )
        return free

    def _batch(self, vectors: ArrayLike, hits: Bools, threads: int | None) -> Ints:
        rows = checked_vectors(self._arrays, vectors)
        coordinates = all_coordinates_at(self._arrays, rows, threads)
        counts = self._count_contacts(coordinates, hits, threads)
        if (counts < 0).any():
            row = int((counts < 0).argmax())
            why = "leaves a loop open" if np.isfinite(rows[row]).all() else "is not finite"
            raise RckError(f"row {row} of the joint vectors {why}")
        return counts

    def _count_contacts(self, coordinates: Floats, hits: Bools, threads: int | None) -> Ints:
        """Return the number of contacts at each row of positions of the bodies; -1 if one is not finite."""
        counts = np.empty(len(coordinates), dtype=np.int64)

        def work(part: slice) -> None:
            with self._lent(self._batch_tables, _NO_CACHE) as address:
                contact.touching_at(address, coordinates[part], ANY_ITEM, counts[part], hits[part])

        run_in_chunks(work, len(coordinates), smallest=_SMALLEST_BATCH, threads=threads)
        return counts

    @contextmanager
    def _lent(self, tables: list[ArrayTable], cache: ContactCache | None) -> Iterator[int]:
        """Lend a thread the address of a scene with working memory of its own; without a cache, with a new one."""
        # Taking from the end of a list and adding to it are atomic.
        try:
            table = tables.pop()
        except IndexError:
            table = self._new_table(
                self.pairs.listed, self._new_cache(len(self.pairs.listed)) if cache is None else cache
            )
        try:
            yield table.address
        finally:
            tables.append(table)

    def _new_table(self, pairs: Ints, cache: ContactCache) -> ArrayTable:
        return contact.scene_table(self.hulls, pairs, self._arrays.bodies, self._arrays.items, cache)

    def _new_cache(self, pairs: int) -> ContactCache:
        return empty_cache(len(self._names), len(self.hulls.table), pairs)

    def _listed_table(self) -> ArrayTable:
        """Return the scene with every pair, for scenes with few items."""
        if self._table is None:
            self._table = self._new_table(self.pairs.listed, self._cache)
        return self._table

    @cached_property
    def _cache(self) -> ContactCache:
        return self._new_cache(0 if self.has_many else len(self.pairs.listed))

    @cached_property
    def has_many(self) -> bool:
        """True for scenes with many items, in which only nearby pairs are tested."""
        return len(self._names) > FEW_ITEMS

    @cached_property
    def _listed_names(self) -> list[tuple[str, str]]:
        return [(self._names[a], self._names[b]) for a, b in self.pairs.listed.tolist()]

    @cached_property
    def _names_in_array(self) -> NDArray[np.object_]:
        return np.array(self._names, dtype=object)

    @cached_property
    def reach(self) -> Floats:
        """Distance from the origin of each item's body to its farthest point, in metres. Shape (items,)."""
        return item_reaches(self._arrays)

    def moving_items(self, moving: Bools) -> MovingItems:
        """Return the items that move with these free joints, shape (free joints,)."""
        key = moving.tobytes()
        if key not in self._known_moving:
            self._known_moving[key] = moving_items(self._arrays, moving)
        return self._known_moving[key]

    def _pairs_of(self, moving: MovingItems) -> Ints:
        """Return at least the pairs of items that move relative to each other. Shape (pairs, 2)."""
        if not self.has_many:
            return self.pairs.listed
        return self.pairs.with_items(np.flatnonzero(moving.motion_of_item))

    def _named(self, pair: Ints, one: int, other: int) -> tuple[tuple[str, str], tuple[int, int]]:
        """Return the names of two items, and the indices of two subitems in them."""
        a, b = pair.tolist()
        first = self.hulls.spheres["first"]
        return (self._names[a], self._names[b]), (one - int(first[a]), other - int(first[b]))

    def _column_of(self, joint: str) -> int:
        if joint not in self._arrays.joint_names:
            raise RckError(f"joint {self.robot.joint(joint).name} of robot {self.robot.name} is not a free joint")
        return self._arrays.joint_names.index(joint)

    def _checked(self, vector: ArrayLike) -> Floats:
        array = np.array(vector, np.float64)
        if array.shape != self._arrays.reference.shape or not np.isfinite(array).all():
            raise RckError(
                f"a joint vector of robot {self.robot.name} needs {len(self._arrays.reference)} finite numbers, one "
                f"per free joint: {', '.join(self._arrays.joint_names) or 'none'}"
            )
        return array

    def _search(self, placed: ArrayLike, moving: Bools | None, *, every: bool) -> tuple[int, Ints, Bools]:
        """Return the number of contacts, the pairs tested, and flags of those in contact, shape (1, pairs).

        Without `every`, the search ends at the first contact, and there are no flags.
        """
        array = np.asarray(placed, np.float64, order="C")
        flags = ANY_ITEM if moving is None else self._flags(moving)
        if array.ndim == 3 or self.has_many:
            poses = self._poses(array)
            table, pairs = self._near(poses, flags)
            hits = np.empty((1, len(pairs)), dtype=bool) if every else _NO_HITS
            contact.touching.unchecked(table.address, poses[None], flags, self._count, hits)
        else:
            table, pairs = self._listed_table(), self.pairs.listed
            hits = np.empty((1, len(pairs)), dtype=bool) if every else _NO_HITS
            vectors = coordinates_at(self._arrays, array)[None]
            contact.touching_at.unchecked(table.address, vectors, flags, self._count, hits)
        count = self._count.item()
        if count < 0:
            self._refuse_not_finite()
        return count, pairs, hits

    def _refuse_not_finite(self) -> NoReturn:
        raise RckError(f"robot {self.robot.name} cannot be placed: a joint position or a pose is not finite")

    def _measure(
        self, placed: ArrayLike, moving: Bools | None, limit: float, *, every: bool
    ) -> list[tuple[tuple[str, str], tuple[int, int], list[float]]]:
        """Return the names of items, indices of subitems, and columns of each measurement."""
        poses = self._poses(np.asarray(placed, np.float64, order="C"))
        flags = ANY_ITEM if moving is None else self._flags(moving)
        if self.has_many and limit < np.inf:
            pairs = near_items(self.pairs, self.hulls.spheres, poses, limit, flags)
        else:
            pairs = self.pairs.listed
        found, rows = measure_pairs(self.hulls, poses, pairs, flags, limit, every=every)
        # Most queries find no contact.
        if not len(found):
            return []
        return [
            (*self._named(pairs[pair], one, other), row)
            for (pair, one, other), row in zip(found.tolist(), rows.tolist(), strict=True)
        ]

    def _near(self, poses: Floats, moving: Bools) -> tuple[ArrayTable, Ints]:
        """Return the scene with the pairs of items that may be in contact, and these pairs. Shape (pairs, 2)."""
        if not self.has_many:
            return self._listed_table(), self.pairs.listed
        if self._neighbours.find(poses, moving) or self._table is None:
            self._cache = with_pairs(self._cache, len(self._neighbours.listed))
            self._table = self._new_table(self._neighbours.listed, self._cache)
        return self._table, self._neighbours.listed

    def _poses(self, placed: Floats) -> Floats:
        if placed.ndim != 3:
            return forward(self._arrays, placed)
        if placed.shape != (len(self._names), 4, 4):
            raise RckError(f"poses must have shape ({len(self._names)}, 4, 4), not {placed.shape}")
        return placed

    def _flags(self, moving: Bools) -> Bools:
        flags = np.ascontiguousarray(moving, dtype=bool)
        if flags.shape != (len(self._names),):
            raise RckError(f"`moving` must have one flag per item, shape ({len(self._names)},), not {flags.shape}")
        return flags


def scene_as_built(robot: Robot) -> HullScene:
    """Return a scene that skips the pairs in contact at the robot's current joint positions."""
    scene = HullScene(robot)
    touching = scene.touching(robot.positions)
    return HullScene(robot, pairs_to_test(robot, touching)) if touching else scene


@dataclass(frozen=True, slots=True)
class FreeRange:
    """The range of a joint without contacts, while all other joints stay where they are."""

    joint: str
    lower: float
    """In radians or metres."""
    upper: float
    lower_contact: FirstContact | None
    """The contact below the range; None if the joint's limit, or a whole turn, ends it."""
    upper_contact: FirstContact | None


def free_range(scene: HullScene, vector: ArrayLike, joint: Joint) -> FreeRange | None:
    """Return the free range of a joint from its position in `vector`; None if an item that it moves is in contact.

    A joint without limits is followed for a whole turn in both directions, or for a metre.
    """
    here = scene.position_of(vector, joint.name)
    far = 2 * pi if joint.kind.turns else 1.0
    ends = (here - far, here + far) if joint.limits is None else (joint.limits.lower, joint.limits.upper)
    contacts = [scene.sweep_joint(vector, joint.name, end) for end in ends]
    if any(contact is not None and contact.share == 0.0 for contact in contacts):
        return None
    lower, upper = (
        end if contact is None else scene.position_of(contact.vector, joint.name)
        for end, contact in zip(ends, contacts, strict=True)
    )
    return FreeRange(joint.name, lower, upper, *contacts)


def _point(row: list[float], start: int) -> Point:
    return row[start], row[start + 1], row[start + 2]


def _midpoint(row: list[float]) -> Point:
    (ax, ay, az), (bx, by, bz) = _point(row, hull_distance.POINTS), _point(row, hull_distance.POINTS + 3)
    return (ax + bx) / 2, (ay + by) / 2, (az + bz) / 2
