"""The pairs of items that collision checks test."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from rck.geometry.arrays import Bools, Ints, frozen
from rck.kernels.broad_phase import PairFilter
from rck.model.robot import Robot

Among = Literal["all", "same robot", "different robots"]
"""Test robots against themselves, against each other and loose objects, or both."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of items to test. Make one with :func:`pairs_to_test`."""

    group_of_item: Ints
    """Items of one group are never tested against each other. Shape (items,)."""
    scope_of_item: Ints
    """Items of different scopes are never tested against each other. Shape (items,)."""
    exempt: frozenset[tuple[int, int]]
    """Further pairs that are never tested, lower item first."""

    def tests(self, a: int, b: int) -> bool:
        """Return True if these two items are tested."""
        if self.group_of_item[a] == self.group_of_item[b] or self.scope_of_item[a] != self.scope_of_item[b]:
            return False
        return ordered(a, b) not in self.exempt

    @cached_property
    def listed(self) -> Ints:
        """Every pair to test, lower item first, in order. Shape (pairs, 2)."""
        low, high = np.triu_indices(len(self.group_of_item), 1)
        tested = (self.group_of_item[low] != self.group_of_item[high]) & (
            self.scope_of_item[low] == self.scope_of_item[high]
        )
        pairs = np.stack([low[tested], high[tested]], axis=1).astype(np.int64)
        if self.exempt:
            size = len(self.group_of_item)
            skipped = [a * size + b for a, b in self.exempt]
            pairs = pairs[~np.isin(pairs[:, 0] * size + pairs[:, 1], skipped)]
        return frozen(pairs)

    def with_items(self, items: Iterable[int]) -> Ints:
        """Return the pairs to test that contain at least one of these items. Shape (pairs, 2)."""
        chosen = [int(item) for item in items]
        rows = []
        for place, item in enumerate(chosen):
            tested = (self.group_of_item != self.group_of_item[item]) & (self.scope_of_item == self.scope_of_item[item])
            # Pairs of two of them are added with the first.
            tested[chosen[: place + 1]] = False
            others = np.flatnonzero(tested)
            rows += [ordered(item, other) for other in others.tolist()]
        return frozen(np.array([row for row in rows if row not in self.exempt], dtype=np.int64).reshape(-1, 2))

    @cached_property
    def untested(self) -> PairFilter:
        """The pairs that are not tested, as the broad phase reads them."""
        rows = np.array(sorted(self.exempt), dtype=np.int64).reshape(-1, 2)
        offsets = np.searchsorted(rows[:, 0], np.arange(len(self.group_of_item) + 1)).astype(np.int64)
        return PairFilter(self.group_of_item, self.scope_of_item, frozen(offsets), frozen(rows[:, 1]))


def pairs_to_test(robot: Robot, allowed: Iterable[tuple[str, str]] = (), among: Among = "all") -> Pairs:
    """Return the pairs to test: none within a rigid group, no neighbours, and no pairs that are allowed to collide.

    Neighbours are the base of a movable joint and each item that the joint moves, and the two items of a loop. Rules of
    the robot take precedence. `allowed` has further pairs of item names.
    """
    exempt: set[tuple[int, int]] = set()
    for joint, moves in zip(robot.joints, robot.tree.moves, strict=True):
        if joint.kind.moves:
            exempt.update(ordered(robot.item_index[joint.base], item) for item in moves)
    exempt.update(ordered(*(robot.item_index[item] for item in loop.items)) for loop in robot.loops)
    for rule in robot.rules:
        # A rule may name items that have been removed from the robot.
        if all(name in robot.item_index for name in rule.items):
            pair = ordered(*(robot.item_index[name] for name in rule.items))
            if rule.tested:
                exempt.discard(pair)
            else:
                exempt.add(pair)
    for one, other in allowed:
        exempt.add(ordered(robot.item_index[robot.item(one).name], robot.item_index[robot.item(other).name]))
    groups = np.array(robot.tree.group_of_item, dtype=np.int64)
    trees = np.array(robot.tree.root_of_item, dtype=np.int64)
    return Pairs(
        group_of_item=frozen(trees if among == "different robots" else groups),
        scope_of_item=frozen(trees if among == "same robot" else np.zeros_like(trees)),
        exempt=frozenset(exempt),
    )


def carried_items(robot: Robot, joint: str) -> Bools:
    """Return True for each item that moves with a free joint or its mimic joints. Shape (items,)."""
    moves = np.zeros(len(robot.items), dtype=bool)
    for other in robot.joints:
        if other.name == robot.joint(joint).name or (other.mimic is not None and other.mimic.joint == joint):
            moves[list(robot.tree.carried_by(robot.joint_index[other.name]))] = True
    return moves


def ordered(a: int, b: int) -> tuple[int, int]:
    """Return two items, the lower first."""
    return (a, b) if a < b else (b, a)
