"""The broad phase against a test of every pair."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.collision.pairs import Pairs
from rck.geometry.arrays import frozen
from rck.kernels.broad_phase import near_pairs
from rck.kernels.hull_tables import ITEM_SPHERE

few = settings(max_examples=60, deadline=None)

ANYTHING = np.zeros(0, dtype=bool)


def poses_at(points):
    poses = np.tile(np.eye(4), (len(points), 1, 1))
    poses[:, :3, 3] = points
    return poses


def spheres_of(radii):
    spheres = np.zeros(len(radii), ITEM_SPHERE)
    spheres["radius"] = radii
    return spheres


def found(points, radii, groups=None, scopes=None, exempt=(), moving=ANYTHING, margin=0.0):
    count = len(radii)
    groups = np.arange(count) if groups is None else groups
    scopes = np.zeros(count, dtype=np.int64) if scopes is None else scopes
    untested = Pairs(frozen(groups), frozen(scopes), frozenset(exempt)).untested
    rows = np.empty((count * count, 2), dtype=np.int64)
    number = near_pairs(poses_at(points), spheres_of(radii), untested, moving, margin, rows)
    rows = rows[:number].tolist()
    assert len({tuple(row) for row in rows}) == len(rows), "a pair came twice"
    return {tuple(row) for row in rows}


def expected(points, radii, margin=0.0):
    count = len(radii)
    return {
        (a, b)
        for a in range(count)
        for b in range(a + 1, count)
        if radii[a] >= 0 and radii[b] >= 0
        if np.linalg.norm(points[a] - points[b]) <= radii[a] + radii[b] + margin
    }


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-9, 0.3]))
@few
def test_overlapping_spheres_of_all_sizes_are_found_exactly_once(seed, margin):
    rng = np.random.default_rng(seed)
    count = rng.integers(2, 80)
    radii = 10.0 ** rng.uniform(-rng.integers(0, 9), 0, count)
    radii[rng.random(count) < 0.1] = -1.0
    points = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-1, 1) + rng.choice([0.0, 1e4])
    assert found(points, radii, margin=margin) == expected(points, radii, margin)


def test_groups_scopes_and_exempt_pairs_are_skipped():
    rng = np.random.default_rng(3)
    count = 60
    points, radii = rng.normal(size=(count, 3)), rng.uniform(0.2, 0.8, count)
    groups, scopes = rng.integers(0, 20, count), rng.integers(0, 2, count)
    everything = expected(points, radii)
    exempt = [pair for pair in everything if rng.random() < 0.3]
    moving = rng.random(count) < 0.5
    left = {
        (a, b)
        for a, b in everything.difference(exempt)
        if groups[a] != groups[b] and scopes[a] == scopes[b] and moving[a] != moving[b]
    }
    assert len(left) > 10
    assert found(points, radii, groups, scopes, exempt, moving) == left


def test_wide_floor_is_paired_with_small_items_all_over_it():
    rng = np.random.default_rng(1)
    points = np.vstack([[(0.0, 0.0, -1000.0)], np.column_stack([rng.uniform(-99, 99, (50, 2)), np.zeros(50)])])
    radii = np.array([1010.0, *[0.02] * 50])
    assert {pair for pair in found(points, radii) if pair[0] == 0} == {(0, item) for item in range(1, 51)}


def test_all_pairs_are_counted_if_only_some_fit():
    rows = np.empty((2, 2), dtype=np.int64)
    untested = Pairs(frozen(np.arange(4)), frozen(np.zeros(4, dtype=np.int64)), frozenset()).untested
    assert near_pairs(poses_at(np.zeros((4, 3))), spheres_of([1.0] * 4), untested, ANYTHING, 0.0, rows) == 6
