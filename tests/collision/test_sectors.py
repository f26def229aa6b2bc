"""Support sectors: the farthest corner along a direction is among the candidates of its sector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.collision.hulls import build_hulls
from rck.kernels.support_sectors import farthest
from rck.model.robot_arrays import robot_arrays
from rck.testing.hard_pairs import awkward_shapes

SHAPES = awkward_shapes(24, seed=5)
number = st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.25, 1e-12]) | st.floats(1e-9, 10) | st.floats(-10, -1e-9)


@pytest.fixture(scope="module")
def tables(loose):
    return build_hulls(robot_arrays(loose(SHAPES, [np.eye(4)] * len(SHAPES))).solids)


@given(st.integers(0, len(SHAPES) - 1), st.tuples(number, number, number))
def test_no_corner_is_farther_than_the_one_found(tables, shape, direction):
    hull = tables.table[shape]
    own = slice(int(hull["first"]), int(hull["first"] + hull["count"]))
    found = farthest.function(tables.corners, tables.sectors, int(hull["sectors"]), int(hull["grid"]), *direction)
    assert own.start <= found < own.stop
    heights = tables.corners[own] @ np.array(direction)
    assert heights[found - own.start] >= heights.max() - 1e-14 * np.abs(heights).max()


def test_large_hulls_have_short_lists(tables):
    for hull in tables.table[tables.table["count"] > 100]:
        starts = tables.sectors[hull["sectors"] : hull["sectors"] + 2 * hull["grid"] ** 2 + 1]
        assert np.diff(starts).min() > 0
        assert np.diff(starts).mean() < 0.1 * hull["count"]
