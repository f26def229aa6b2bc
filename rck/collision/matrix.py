"""The allowed-collision matrix: for every pair of items whether it is tested, and why, found out by random samples.

After the assistants of motion planners: neighbours are not tested; nor are pairs that touch in every sample, which have
no collision to find; nor pairs that touch in none, which have none either, as far as the samples tell. Where a pair
touches in none of N samples, it touches in less than a share of 3/N of all joint vectors, with 95 % certainty.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.collision.scene import Scene
from rck.hooks.job import Job
from rck.model.pair_rule import PairRule, Reason
from rck.model.robot import Robot
from rck.model.sampling import random_vectors

SAMPLES = 10_000
"""Joint vectors that are tried unless said otherwise."""

DEEP = 1e-3
"""Pairs that are farther in one another than this as drawn, in metres, are named: that is seldom meant."""

_MOST_NAMED = 5
_AT_A_TIME = 1_000
# One sample in so many has about half of its joints at a limit: there arms fold onto themselves.
_AT_LIMITS = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair of items."""

    rule: PairRule
    share: float
    """Of the samples in which the two touch; zero for neighbours, which are not looked at."""


@dataclass(frozen=True)
class Matrix:
    """Every pair of items that both have a shape, in the order of the robot's items."""

    robot: str
    samples: int
    entries: tuple[Entry, ...]
    depths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """How deep pairs that touch as drawn are in one another, in metres, where that was looked at."""

    @property
    def rules(self) -> tuple[PairRule, ...]:
        """Those that do not follow from the joints: what is to be kept with the robot."""
        follows = (Reason.ADJACENT, Reason.SOMETIMES)
        return tuple(entry.rule for entry in self.entries if entry.rule.reason not in follows)

    @property
    def summary(self) -> str:
        """How many pairs there are of each kind, in one line."""
        tested = sum(entry.rule.tested for entry in self.entries)
        counts = Counter(entry.rule.reason.value for entry in self.entries)
        kinds = ", ".join(f"{counts[reason.value]} {reason.value}" for reason in Reason if counts[reason.value])
        told = f"{len(self.entries)} pairs, {tested} of them tested: {kinds or 'none'}"
        allowed = [entry.rule.items for entry in self.entries if entry.rule.reason is Reason.DEFAULT]
        deep = sorted((one for one in allowed if self.depths.get(one, 0.0) > DEEP), key=lambda one: -self.depths[one])
        if deep:
            named = ", ".join(f"{a} and {b} ({1000 * self.depths[a, b]:.1f} mm)" for a, b in deep[:_MOST_NAMED])
            more = f" and {len(deep) - _MOST_NAMED} more" if len(deep) > _MOST_NAMED else ""
            told += f"; not tested because they are in one another as drawn: {named}{more}"
        return told


def sample_matrix(
    robot: Robot, *, samples: int = SAMPLES, seed: int = 1, decided: Iterable[PairRule] = (), job: Job | None = None
) -> Matrix:
    """Find out about every pair by random joint vectors within the limits, the same again with the same seed.

    What was `decided` stays as it is; of the robot's own rules, those that a user made.
    """
    bare = replace(robot, rules=())
    scene = Scene(bare)
    pairs = scene.pairs.listed
    touching = np.zeros(len(pairs))
    # Beyond a turn either way nothing is new.
    vectors = random_vectors(robot, samples, seed, widest=2 * np.pi, at_limits=_AT_LIMITS)
    for start in range(0, samples, _AT_A_TIME):
        if job is not None:
            job.progress(start / samples, f"{start:,} of {samples:,} samples")
        touching += scene.touching_batch(vectors[start : start + _AT_A_TIME]).sum(axis=0)
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
            # Where a loose object will be, no sample tells.
            loose = robot.items[a].mobile or robot.items[b].mobile
            reason = Reason.SOMETIMES if loose else _reason(share, (a, b) in as_drawn)
            reason = reason if (a, b) in shares else Reason.ADJACENT
            rule = PairRule(names, reason is Reason.SOMETIMES, reason)
        entries.append(Entry(replace(rule, items=names), share))
    depths: dict[tuple[str, str], float] = {}
    for contact in scene.contacts(robot.positions) if as_drawn else ():
        depths[contact.items] = max(contact.depth, depths.get(contact.items, 0.0))
    return Matrix(robot.name, samples, tuple(entries), depths)


def _pairs_with_shapes(robot: Robot) -> Iterator[tuple[int, int]]:
    """Every pair of items that both have a shape, in order."""
    return combinations((number for number, item in enumerate(robot.items) if item.subitems), 2)


def _reason(share: float, as_drawn: bool) -> Reason:
    if share == 1.0:
        return Reason.ALWAYS
    if as_drawn:
        return Reason.DEFAULT
    return Reason.SOMETIMES if share > 0.0 else Reason.NEVER


def matrix_of(robot: Robot) -> Matrix:
    """The matrix as the robot has it, without any sampling."""
    pairs = pairs_to_test(robot)
    known = {frozenset(rule.items): rule for rule in robot.rules}
    entries = []
    for a, b in _pairs_with_shapes(robot):
        names = robot.items[a].name, robot.items[b].name
        tested = pairs.tests(a, b)
        rule = known.get(frozenset(names))
        reason = rule.reason if rule is not None else Reason.SOMETIMES if tested else Reason.ADJACENT
        entries.append(Entry(PairRule(names, tested, reason), 0.0))
    return Matrix(robot.name, 0, tuple(entries))
