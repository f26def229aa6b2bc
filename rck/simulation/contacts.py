"""Contacts of moving joints: motions are swept, so that items never pass through each other at any speed.

Items that are already in contact are not obstacles to each other: a cube rests on a table and may slide over it. Such
pairs are *resting*. They may not penetrate deeper than they do, except by a small tolerance.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np

from rck.collision.hulls import measure_pairs
from rck.collision.neighbours import ANY_ITEM, near_items
from rck.collision.pairs import Pairs, ordered, pairs_to_test
from rck.collision.scene import HullScene
from rck.collision.sweeps import find_first_contact, motion_legs
from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels.body_tables import BODY, SLIDES, WORLD, Table
from rck.kernels.hull_distance import DISTANCE
from rck.kernels.sweep import MovingItems, longest_way
from rck.model.robot_arrays import Solids
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.state import SimulationState

HAIR = 1e-6
"""Items nearer than this rest on each other, and may penetrate deeper by this, in metres."""

# Least margin of the list of near pairs around the bounding spheres, as a share of the mean radius.
_LOOK_AHEAD = 0.5
# Resting pairs are tested in legs of the motion, no longer than this share of the thinner item.
_LEG = 0.5
_MOST_LEGS = 64

# A frame whose z axis points down.
_DOWN = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))


@dataclass(frozen=True, slots=True)
class SweepContact:
    """Two items that come into contact, and the share of the motion at which they do, 0 to 1."""

    items: tuple[int, int]
    share: float


class ContactChecker:
    """Contacts of the items of a kinematic state: tested pairs, resting pairs, and first contacts of motions."""

    def __init__(self, kinematics: KinematicState, state: SimulationState) -> None:
        self.kinematics = kinematics
        self.pairs: Pairs = pairs_to_test(kinematics.robot)
        self._state = state
        self._scene = HullScene(kinematics.robot, self.pairs)
        self._shapes = self._scene.hulls
        self._thickness = thickness_of_items(kinematics.arrays.solids)
        self._together: frozenset[tuple[int, int]] = frozenset()
        # The near pairs, and how far items may still move before others may be near.
        self._near: Ints = np.empty((0, 2), dtype=np.int64) if self._scene.has_many else self.pairs.listed
        self._slack = -1.0 if self._scene.has_many else np.inf
        # A list of near pairs, the pairs to leave out, and the rest.
        self._parted: tuple[Ints, frozenset[tuple[int, int]], Ints] = (self._near, frozenset(), self._near)

    def allow(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Allow contacts of these pairs, such as a gripper and what it holds, and of no others."""
        self._together = frozenset(ordered(*pair) for pair in pairs)
        for pair in self._together:
            self._state.resting.pop(pair, None)

    def forget_near_pairs(self) -> None:
        """Discard the list of near pairs: something was moved."""
        if self._scene.has_many:
            self._slack = -1.0

    def forget_resting_pairs(self) -> None:
        """Forget which pairs rest on each other: everything was moved."""
        self._state.resting = {}
        self.forget_near_pairs()

    def touching(self) -> list[tuple[int, int]]:
        """Return the pairs of items in contact, without those that are allowed."""
        index = self.kinematics.robot.item_index
        found = {(index[a], index[b]) for a, b in self._scene.touching(self.kinematics.poses)}
        self._let_go(self._state.resting)
        return sorted((found | self._state.resting.keys()) - self._together)

    def overlaps(self) -> dict[tuple[int, int], float]:
        """Return the penetration depths of the pairs that overlap, in metres."""
        distances = self._distances(self._tested(0.0), self.kinematics.poses, 0.0)
        return {pair: -distance for pair, distance in distances.items() if distance < -HAIR}

    def distance(self, one: int, other: int, poses: Floats) -> float:
        """Return the distance of two items at poses, shape (items, 4, 4), in metres; negative if they overlap."""
        pair = ordered(one, other)
        return self._distances(np.array([pair]), poses, np.inf).get(pair, np.inf)

    def moving_items(self, change: Floats) -> Bools:
        """Return which items move with a change of the joints, carried objects included. Shape (items,)."""
        moved: Bools = self._moving(change != 0.0).motion_of_item != 0
        return moved

    def carried_items(self, joints: Bools) -> Bools:
        """Return which items move with these free joints, without carried objects. Shape (items,)."""
        moved: Bools = self._scene.moving_items(joints).motion_of_item != 0
        return moved

    def first_contact(self, change: Floats) -> SweepContact | None:
        """Return the first contact while the joints move by `change`, shape (free joints,), at constant velocity."""
        here = self.kinematics.vector
        moving = self._moving(change != 0.0)
        reach = self._reach()
        motions = moving.motion_of_item
        resting = [pair for pair in self._state.resting if motions[pair[0]] != motions[pair[1]]]
        self._let_go(resting)
        legs = list(motion_legs(self.kinematics.arrays.closure, here, change, self.kinematics.coordinates))
        way = sum(longest_way(moving.bodies, moving.body_of_item, reach, leg.start, leg.change) for leg in legs)
        while True:
            pairs = self._tested(2.0 * way)
            met = None
            for leg in legs:
                poses = self.kinematics.poses if leg is legs[0] else self.kinematics.poses_at(here + leg.begin * change)
                met = self._swept(pairs, moving, reach, self.kinematics.places, leg.start, leg.change, poses)
                if met is not None:
                    met = SweepContact(met.items, leg.begin + met.share * (leg.end - leg.begin))
                    break
            if met is None or met.share > 0.0 or not self.touch(met.items):
                break
        deeper = self._deepening_pair(moving, here, change, way)
        return met if deeper is None else SweepContact(deeper, 0.0)

    def fall(self, number: int, distance: float) -> SweepContact | None:
        """Return the first contact of an object that falls by `distance` metres; at once if it rests on something."""
        items = list(self.kinematics.objects[number].items)
        table = np.zeros(1, BODY)
        table[0] = (WORLD, SLIDES, 0, 1.0, 0.0, _DOWN[:3])
        body_of_item = np.full(len(self.kinematics.robot.items), -1, dtype=np.int64)
        body_of_item[items] = 0
        places = np.array(self.kinematics.places)
        for item in items:
            places[item] = (0, (_DOWN @ self.kinematics.poses[item])[:3])
        moving = MovingItems(table, body_of_item, (body_of_item >= 0).astype(np.int64))
        pairs = self.pairs.with_items(items)
        kept = [row for row, pair in enumerate(pairs.tolist()) if tuple(pair) not in self._together]
        return self._swept(
            pairs[kept], moving, self._scene.reach, places, np.zeros(1), np.array([distance]), self.kinematics.poses
        )

    def _swept(
        self,
        pairs: Ints,
        moving: MovingItems,
        reach: Floats,
        places: Table,
        here: Floats,
        change: Floats,
        poses: Floats,
    ) -> SweepContact | None:
        met = find_first_contact(self._shapes, moving, places, reach, here, change, pairs, poses.copy())
        if met is None:
            return None
        share, row, _, _ = met
        a, b = pairs[row].tolist()
        return SweepContact((a, b), share)

    def _moving(self, joints: Bools) -> MovingItems:
        """Return the items that move with these free joints; carried objects move with their carriers."""
        found = self._scene.moving_items(joints)
        riders = self.kinematics.riders
        if not len(riders):
            return found
        carriers = self.kinematics.carrier_of_item[riders]
        body, way = found.body_of_item.copy(), found.motion_of_item.copy()
        body[riders], way[riders] = body[carriers], way[carriers]
        return MovingItems(found.bodies, body, way)

    def _reach(self) -> Floats:
        """Return how far each item reaches from the origin of the body that carries it, in metres. Shape (items,)."""
        riders = self.kinematics.riders
        if not len(riders):
            return self._scene.reach
        reach = self._scene.reach.copy()
        balls = self._shapes.spheres
        frames = self.kinematics.places["body_from_frame"][riders]
        centres = np.einsum("nij,nj->ni", frames[:, :, :3], balls["centre"][riders]) + frames[:, :, 3]
        reach[riders] = np.sqrt((centres**2).sum(axis=1)) + np.maximum(balls["radius"][riders], 0.0)
        return reach

    def _tested(self, way: float) -> Ints:
        """Return the pairs that can come into contact if they approach by no more than `way`. Shape (pairs, 2)."""
        if self._slack < way:
            self._find_near(way)
        self._slack -= way
        apart = self._together | self._state.resting.keys()
        if not apart:
            return self._near
        if self._parted[0] is not self._near or self._parted[1] != apart:
            size = len(self.kinematics.robot.items)
            keys = [a * size + b for a, b in apart]
            kept = self._near[~np.isin(self._near[:, 0] * size + self._near[:, 1], keys)]
            self._parted = (self._near, apart, kept)
        return self._parted[2]

    def _find_near(self, way: float) -> None:
        balls = self._shapes.spheres
        solid = balls["radius"] > 0
        margin = max(way, _LOOK_AHEAD * float(balls["radius"][solid].mean())) if solid.any() else way
        near = near_items(self.pairs, balls, self.kinematics.poses, margin)
        # Sorted, so that of equal times the same pair is found in every run.
        self._near = np.ascontiguousarray(near[np.lexsort((near[:, 1], near[:, 0]))])
        self._slack = margin

    def touch(self, pair: tuple[int, int]) -> bool:
        """Record that two items rest on each other if they are in contact; return True if they are."""
        distance = self._distances(np.array([pair]), self.kinematics.poses, HAIR).get(pair)
        if distance is None:
            return False
        self._state.resting.setdefault(pair, max(-distance, 0.0) + HAIR)
        return True

    def _let_go(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Forget those of the pairs that no longer rest on each other."""
        rows = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        if len(rows):
            still = self._distances(rows, self.kinematics.poses, HAIR)
            for a, b in rows.tolist():
                if (a, b) not in still:
                    del self._state.resting[a, b]

    def _deepening_pair(self, moving: MovingItems, here: Floats, change: Floats, way: float) -> tuple[int, int] | None:
        """Return the resting pair that exceeds its penetration depth most, if any does."""
        motions = moving.motion_of_item
        pairs = [pair for pair in self._state.resting if motions[pair[0]] != motions[pair[1]]]
        if not pairs:
            return None
        rows = np.array(sorted(pairs), dtype=np.int64)
        # Legs are short enough that no item can come out on the far side of the other.
        thin = float(self._thickness[rows].min())
        legs = max(1, min(ceil(2.0 * way / (_LEG * thin)), _MOST_LEGS)) if thin > 0 else 1
        for leg in range(1, legs + 1):
            poses = self.kinematics.poses_at(here + leg / legs * change)
            distances = self._distances(rows, poses, 0.0)
            beyond = {pair: -distance - self._state.resting[pair] for pair, distance in distances.items()}
            worst = max(beyond, key=lambda pair: (beyond[pair], pair), default=None)
            if worst is not None and beyond[worst] > 0.0:
                return worst
        return None

    def _distances(self, pairs: Ints, poses: Floats, limit: float) -> dict[tuple[int, int], float]:
        """Return the distances up to `limit` of the pairs, in metres; negative if they overlap."""
        found, rows = measure_pairs(self._shapes, poses, pairs, ANY_ITEM, limit, every=False)
        items = pairs[found[:, 0]].tolist()
        return {(a, b): distance for (a, b), distance in zip(items, rows[:, DISTANCE].tolist(), strict=True)}


def thickness_of_items(solids: Solids) -> Floats:
    """Return the least width of the thinnest subitem of each item, in metres. Shape (items,)."""
    thickness = np.full(len(solids.subitem_offsets) - 1, np.inf)
    for subitem, item in enumerate(solids.item_of_subitem.tolist()):
        planes = solids.planes[solids.plane_offsets[subitem] : solids.plane_offsets[subitem + 1]]
        vertices = solids.vertices[solids.vertex_offsets[subitem] : solids.vertex_offsets[subitem + 1]]
        widths = planes[:, 3] - (vertices @ planes[:, :3].T).min(axis=0)
        thickness[item] = min(thickness[item], float(widths.min()))
    return thickness
