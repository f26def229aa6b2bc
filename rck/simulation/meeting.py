"""What meets first when joints move: swept, so that no speed lets items pass through each other.

Items that touch when they should not have met yet are no obstacle to each other: a cube rests on a table and may slide
over it. Such pairs are *resting*. They may not go deeper into each other than they were, and a hair.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from rck.collision.measured import measured
from rck.collision.motion import Movers, first_meeting
from rck.collision.near import ANY_ITEM, near_items
from rck.collision.pairs import Pairs, ordered, pairs_to_test
from rck.collision.scene import Scene
from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels.bodies import BODY, SLIDES, WORLD, Table
from rck.kernels.measure import DISTANCE
from rck.kernels.sweep import longest_way
from rck.model.arrays import Solids
from rck.simulation.stage import Stage

HAIR = 1e-6
"""Items nearer than this, in metres, rest on each other; so much deeper may they go."""

# How far beyond the spheres the list of near pairs looks at least, as a share of the mean radius.
_LOOK_AHEAD = 0.5
# Legs of a motion for pairs that rest on each other: no longer than this share of the thinner one.
_LEG = 0.5
_MOST_LEGS = 64

# A frame whose z axis points down.
_DOWN = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two items that come together, and at what share of the motion, 0 to 1."""

    items: tuple[int, int]
    share: float


class Contacts:
    """Which pairs of a stage are tested, which rest on each other, and what meets first."""

    def __init__(self, stage: Stage, pairs: Pairs | None = None) -> None:
        self.stage = stage
        self.pairs = pairs_to_test(stage.robot) if pairs is None else pairs
        self._scene = Scene(stage.robot, self.pairs)
        self._shapes = self._scene.shapes
        self._thickness = thickness_of_items(stage.arrays.solids)
        self._together: frozenset[tuple[int, int]] = frozenset()
        self._resting: dict[tuple[int, int], float] = {}
        # Pairs that are near, and how far items may still move before others may have come near.
        self._near: Ints = np.empty((0, 2), dtype=np.int64) if self._scene.has_many else self.pairs.listed
        self._slack = -1.0 if self._scene.has_many else np.inf
        # The near pairs without some: from which, without which, what is left.
        self._parted: tuple[Ints, frozenset[tuple[int, int]], Ints] = (self._near, frozenset(), self._near)

    def allow(self, pairs: Iterable[tuple[int, int]]) -> None:
        """From now on these pairs may touch, as do a hand and what it holds; all others are tested."""
        self._together = frozenset(ordered(*pair) for pair in pairs)
        for pair in self._together:
            self._resting.pop(pair, None)

    def look_again(self) -> None:
        """Something was put elsewhere: what was near need not be, and others may be."""
        if self._scene.has_many:
            self._slack = -1.0

    @property
    def resting(self) -> Mapping[tuple[int, int], float]:
        """How deep the pairs that rest on each other may go into each other, in metres."""
        return dict(self._resting)

    def begin_again(self, resting: Mapping[tuple[int, int], float] | None = None) -> None:
        """Everything was put elsewhere; `resting` are the pairs of which it is known that they rest on each other."""
        self._resting = dict(resting or {})
        self.look_again()

    def touching(self) -> list[tuple[int, int]]:
        """The pairs of items that touch now or rest on each other, those that are allowed to left out."""
        index = self.stage.robot.item_index
        found = {(index[a], index[b]) for a, b in self._scene.touching(self.stage.poses)}
        self._let_go(self._resting)
        return sorted((found | self._resting.keys()) - self._together)

    def overlaps(self) -> dict[tuple[int, int], float]:
        """How deep the items are in each other that overlap now by more than a hair, in metres."""
        distances = self._distances(self._tested(0.0), self.stage.poses, 0.0)
        return {pair: -distance for pair, distance in distances.items() if distance < -HAIR}

    def distance(self, one: int, other: int, poses: Floats) -> float:
        """How far apart two items are at poses, shape (items, 4, 4), in metres; minus the depth where they overlap."""
        pair = ordered(one, other)
        return self._distances(np.array([pair]), poses, np.inf).get(pair, np.inf)

    def moving_items(self, change: Floats) -> Bools:
        """Which items move with a change of the joints, what rides on others included. Shape (items,)."""
        moved: Bools = self._moving(change != 0.0).way_of_item != 0
        return moved

    def first_meeting(self, change: Floats) -> Meeting | None:
        """What meets first while the joints move evenly from where they are by `change`, shape (free joints,)."""
        here = self.stage.vector
        moving = self._moving(change != 0.0)
        reach = self._reach()
        resting = [pair for pair in self._resting if moving.way_of_item[pair[0]] != moving.way_of_item[pair[1]]]
        self._let_go(resting)
        way = longest_way(moving.bodies, moving.body_of_item, reach, here, change)
        while True:
            pairs = self._tested(2.0 * way)
            met = self._swept(pairs, moving, reach, self.stage.places, here, change)
            if met is None or met.share > 0.0 or not self.touch(met.items):
                break
        deeper = self._going_deeper(moving, here, change, way)
        return met if deeper is None else Meeting(deeper, 0.0)

    def fall(self, number: int, distance: float) -> Meeting | None:
        """What an object meets first on the way straight down, in metres; things that it rests on it meets at once."""
        items = list(self.stage.objects[number].items)
        table = np.zeros(1, BODY)
        table[0] = (WORLD, SLIDES, 0, 1.0, 0.0, _DOWN[:3])
        body_of_item = np.full(len(self.stage.robot.items), -1, dtype=np.int64)
        body_of_item[items] = 0
        places = np.array(self.stage.places)
        for item in items:
            places[item] = (0, (_DOWN @ self.stage.poses[item])[:3])
        moving = Movers(table, body_of_item, (body_of_item >= 0).astype(np.int64))
        pairs = self.pairs.with_items(items)
        kept = [row for row, pair in enumerate(pairs.tolist()) if tuple(pair) not in self._together]
        return self._swept(pairs[kept], moving, self._scene.reach, places, np.zeros(1), np.array([distance]))

    def _swept(
        self, pairs: Ints, moving: Movers, reach: Floats, places: Table, here: Floats, change: Floats
    ) -> Meeting | None:
        met = first_meeting(self._shapes, moving, places, reach, here, change, pairs, self.stage.poses.copy())
        if met is None:
            return None
        share, row, _, _ = met
        a, b = pairs[row].tolist()
        return Meeting((a, b), share)

    def _moving(self, joints: Bools) -> Movers:
        """What moves with these free joints; what rides on an item moves as that does."""
        found = self._scene.movers(joints)
        riders = self.stage.riders
        if not len(riders):
            return found
        carriers = self.stage.carrier_of_item[riders]
        body, way = found.body_of_item.copy(), found.way_of_item.copy()
        body[riders], way[riders] = body[carriers], way[carriers]
        return Movers(found.bodies, body, way)

    def _reach(self) -> Floats:
        """How far each item reaches from the origin of the body that it is on or rides on, in metres."""
        riders = self.stage.riders
        if not len(riders):
            return self._scene.reach
        reach = self._scene.reach.copy()
        balls = self._shapes.balls
        frames = self.stage.places["body_from_place"][riders]
        centres = np.einsum("nij,nj->ni", frames[:, :, :3], balls["centre"][riders]) + frames[:, :, 3]
        reach[riders] = np.sqrt((centres**2).sum(axis=1)) + np.maximum(balls["radius"][riders], 0.0)
        return reach

    def _tested(self, way: float) -> Ints:
        """The pairs that may meet while none of them comes nearer by more than `way`. Shape (pairs, 2)."""
        if self._slack < way:
            self._find_near(way)
        self._slack -= way
        apart = self._together | self._resting.keys()
        if not apart:
            return self._near
        if self._parted[0] is not self._near or self._parted[1] != apart:
            size = len(self.stage.robot.items)
            keys = [a * size + b for a, b in apart]
            kept = self._near[~np.isin(self._near[:, 0] * size + self._near[:, 1], keys)]
            self._parted = (self._near, apart, kept)
        return self._parted[2]

    def _find_near(self, way: float) -> None:
        balls = self._shapes.balls
        solid = balls["radius"] > 0
        margin = max(way, _LOOK_AHEAD * float(balls["radius"][solid].mean())) if solid.any() else way
        near = near_items(self.pairs, balls, self.stage.poses, margin)
        # In order, so that equal times go to the same pair however the grids were filled.
        self._near = np.ascontiguousarray(near[np.lexsort((near[:, 1], near[:, 0]))])
        self._slack = margin

    def touch(self, pair: tuple[int, int]) -> bool:
        """Note, where two items touch now, that they rest on each other; whether they do."""
        distance = self._distances(np.array([pair]), self.stage.poses, HAIR).get(pair)
        if distance is None:
            return False
        self._resting.setdefault(pair, max(-distance, 0.0) + HAIR)
        return True

    def _let_go(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Forget of those pairs which no longer rest on each other."""
        rows = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        if len(rows):
            still = self._distances(rows, self.stage.poses, HAIR)
            for a, b in rows.tolist():
                if (a, b) not in still:
                    del self._resting[a, b]

    def _going_deeper(self, moving: Movers, here: Floats, change: Floats, way: float) -> tuple[int, int] | None:
        """Of the resting pairs that move against each other, the one that goes farthest beyond what it may."""
        ways = moving.way_of_item
        pairs = [pair for pair in self._resting if ways[pair[0]] != ways[pair[1]]]
        if not pairs:
            return None
        rows = np.array(sorted(pairs), dtype=np.int64)
        # Short legs: none so long that one item could come out on the far side of the other.
        thin = float(self._thickness[rows].min())
        legs = max(1, min(ceil(2.0 * way / (_LEG * thin)), _MOST_LEGS)) if thin > 0 else 1
        for leg in range(1, legs + 1):
            poses = self.stage.poses_at(here + leg / legs * change)
            distances = self._distances(rows, poses, 0.0)
            beyond = {pair: -distance - self._resting[pair] for pair, distance in distances.items()}
            worst = max(beyond, key=lambda pair: (beyond[pair], pair), default=None)
            if worst is not None and beyond[worst] > 0.0:
                return worst
        return None

    def _distances(self, pairs: Ints, poses: Floats, limit: float) -> dict[tuple[int, int], float]:
        """How far apart the pairs are that are no farther apart than `limit`, in metres; minus the depth of others."""
        found, rows = measured(self._shapes, poses, pairs, ANY_ITEM, limit, every=False)
        items = pairs[found[:, 0]].tolist()
        return {(a, b): distance for (a, b), distance in zip(items, rows[:, DISTANCE].tolist(), strict=True)}


def thickness_of_items(solids: Solids) -> Floats:
    """The least width of the thinnest subitem of each item, across one of its faces, in metres. Shape (items,)."""
    thickness = np.full(len(solids.subitem_offsets) - 1, np.inf)
    for subitem, item in enumerate(solids.item_of_subitem.tolist()):
        planes = solids.planes[solids.plane_offsets[subitem] : solids.plane_offsets[subitem + 1]]
        vertices = solids.vertices[solids.vertex_offsets[subitem] : solids.vertex_offsets[subitem + 1]]
        widths = planes[:, 3] - (vertices @ planes[:, :3].T).min(axis=0)
        thickness[item] = min(thickness[item], float(widths.min()))
    return thickness
