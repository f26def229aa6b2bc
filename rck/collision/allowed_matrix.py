"""The allowed-collision matrix: which pairs of items are tested and why, found by random sampling.

As in the setup assistants of motion planners, neighbours are not tested; nor are pairs in contact in every sample, or
in none. A pair without contact in N samples collides in less than a fraction of 3/N of all joint vectors, with 95 %
confidence.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.collision.scene import HullScene
from rck.model.joint_positions import random_vectors
from rck.model.robot import PairRule, Reason, Robot
from rck.support.job import Job

SAMPLES = 10_000
"""Default number of joint vectors."""

DEEP = 1e-3
"""Pairs that overlap by more than this at the current positions, in metres, are reported: it is rarely intended."""

_MOST_NAMED = 5
_BATCH = 1_000
# One sample in this many has about half of its joints at a limit, where arms fold onto themselves.
_AT_LIMITS = 4


@dataclass(frozen=True, slots=True)
class MatrixEntry:
    """A pair of items and its rule."""

    rule: PairRule
    share: float
    """Fraction of the samples in which the two are in contact; zero for neighbours, which are not tested."""


@dataclass(frozen=True)
class AllowedCollisionMatrix:
    """Every pair of items that both have subitems, in the order of the robot's items."""

    robot: str
    samples: int
    entries: tuple[MatrixEntry, ...]
    depths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Depth of each overlap at the current joint positions, in metres, if measured."""

    @property
    def rules(self) -> tuple[PairRule, ...]:
        """The rules that do not follow from the joints, to be stored with the robot."""
        follows = (Reason.ADJACENT, Reason.SOMETIMES)
        return tuple(entry.rule for entry in self.entries if entry.rule.reason not in follows)

    @property
    def summary(self) -> str:
        """The number of pairs by reason, in one line."""
        tested = sum(entry.rule.tested for entry in self.entries)
        counts = Counter(entry.rule.reason.value for entry in self.entries)
        kinds = ", ".join(f"{counts[reason.value]} {reason.value}" for reason in Reason if counts[reason.value])
        text = f"{len(self.entries)} pairs, {tested} of them tested: {kinds or 'none'}"
        allowed = [entry.rule.items for entry in self.entries if entry.rule.reason is Reason.DEFAULT]
        deep = sorted(
            (pair for pair in allowed if self.depths.get(pair, 0.0) > DEEP), key=lambda pair: -self.depths[pair]
        )
        if deep:
            named = ", ".join(f"{a} and {b} ({1000 * self.depths[a, b]:.1f} mm)" for a, b in deep[:_MOST_NAMED])
            more = f" and {len(deep) - _MOST_NAMED} more" if len(deep) > _MOST_NAMED else ""
            text += f"; not tested because they overlap at the current joint positions: {named}{more}"
        return text


def sample_matrix(
    robot: Robot, *, samples: int = SAMPLES, seed: int = 1, decided: Iterable[PairRule] = (), job: Job | None = None
) -> AllowedCollisionMatrix:
    """Sample random joint vectors within the limits and derive a rule for every pair; repeatable with the same seed.

    Rules in `decided`, and rules of the robot that a user made, are kept.
    """
    bare = replace(robot, rules=())
    scene = HullScene(bare)
    pairs = scene.pairs.listed
    touching = np.zeros(len(pairs))
    # More than one turn either way adds nothing.
    vectors = random_vectors(robot, samples, seed, widest=2 * np.pi, at_limits=_AT_LIMITS)
    for start in range(0, samples, _BATCH):
        if job is not None:
            job.progress(start / samples, f"{start:,} of {samples:,} samples")
        touching += scene.touching_batch(vectors[start : start + _BATCH]).sum(axis=0)
    drawn = scene.touching_batch(robot.positions[None])[0]
    shares = dict(zip(map(tuple, pairs.tolist()), (touching / samples).tolist(), strict=True))
    as_drawn = {tuple(pair) for pair in pairs[drawn].tolist()}
    by_hand = [rule for rule in robot.rules if rule.reason is Reason.USER]
    fixed = {frozenset(rule.items): rule for rule in (*by_hand, *decided)}
    entries = []
    for a, b in _pairs_with_shapes(robot):
        names = robot.items[a].name, robot.items[b].name
        share = shares.get((a, b), 0.0)
        rule = fixed.get(frozenset(names))
        if rule is None:
            # Samples do not cover the poses of loose objects.
            loose = robot.items[a].mobile or robot.items[b].mobile
            reason = Reason.SOMETIMES if loose else _reason(share, (a, b) in as_drawn)
            reason = reason if (a, b) in shares else Reason.ADJACENT
            rule = PairRule(names, reason is Reason.SOMETIMES, reason)
        entries.append(MatrixEntry(replace(rule, items=names), share))
    depths: dict[tuple[str, str], float] = {}
    for contact in scene.contacts(robot.positions) if as_drawn else ():
        depths[contact.items] = max(contact.depth, depths.get(contact.items, 0.0))
    return AllowedCollisionMatrix(robot.name, samples, tuple(entries), depths)


def _pairs_with_shapes(robot: Robot) -> Iterator[tuple[int, int]]:
    """Return every pair of items that both have subitems, in order."""
    return combinations((number for number, item in enumerate(robot.items) if item.subitems), 2)


def _reason(share: float, as_drawn: bool) -> Reason:
    if share == 1.0:
        return Reason.ALWAYS
    if as_drawn:
        return Reason.DEFAULT
    return Reason.SOMETIMES if share > 0.0 else Reason.NEVER


def matrix_of(robot: Robot) -> AllowedCollisionMatrix:
    """Return the matrix from the robot's rules, without sampling."""
    pairs = pairs_to_test(robot)
    known = {frozenset(rule.items): rule for rule in robot.rules}
    entries = []
    for a, b in _pairs_with_shapes(robot):
        names = robot.items[a].name, robot.items[b].name
        tested = pairs.tests(a, b)
        rule = known.get(frozenset(names))
        reason = rule.reason if rule is not None else Reason.SOMETIMES if tested else Reason.ADJACENT
        entries.append(MatrixEntry(PairRule(names, tested, reason), 0.0))
    return AllowedCollisionMatrix(robot.name, 0, tuple(entries))
