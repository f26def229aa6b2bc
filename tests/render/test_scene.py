"""Scenes: floors and their grids, and figures in a pose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.model import build_robot
from rck.render import Floor, figure_of, floor_for, points_of
from rck.render.palette import DARK
from rck.render.scene import grid_spacing
from rck.render.strokes import grid_strokes
from rck.testing.heaps import block
from rck.testing.robots import six_axis_arm


@given(st.floats(1e-4, 1e4))
def test_grids_are_of_round_lengths_that_go_a_few_times_into_the_robot(size):
    spacing = grid_spacing(size)
    assert 4 < size / spacing < 13
    digits = f"{spacing:.6e}"
    assert digits[0] in "125"
    assert float(digits.split("e")[0]) == int(digits[0])


@pytest.mark.parametrize(("size", "label"), [(0.7, "grid 100 mm"), (0.05, "grid 10 mm"), (7.0, "grid 1 m")])
def test_a_grid_says_how_wide_its_cells_are(size, label):
    assert (
        floor_for(figure_of(build_robot("box", [block("box", (0, 0, size / 2), (size,) * 3)]).unwrap())).label == label
    )


def test_the_floor_is_at_zero_or_below_what_reaches_lower():
    for height, level in ((5.0, 0.0), (0.5, 0.0), (0.2, -0.3)):
        figure = figure_of(build_robot("box", [block("box", (0, 0, height))]).unwrap())
        assert floor_for(figure).height == pytest.approx(level)


def test_the_grid_reaches_beyond_the_robot_and_its_lines_are_round_numbers():
    figure = figure_of(build_robot("box", [block("box", (3.3, -1.7, 0.5))]).unwrap())
    floor = floor_for(figure)
    lines = grid_strokes(floor, DARK, 1000.0)
    low, high = lines.starts.min(axis=0), lines.ends.max(axis=0)
    assert (low[:2] < figure.bounds[0, :2]).all()
    assert (high[:2] > figure.bounds[1, :2]).all()
    np.testing.assert_allclose(lines.starts / floor.spacing, np.round(lines.starts / floor.spacing), atol=1e-6)


def test_a_crowded_grid_keeps_only_its_strong_lines():
    floor = Floor(spacing=0.1, cells=20)
    wide, crowded = (grid_strokes(floor, DARK, pixels) for pixels in (1000.0, 20.0))
    assert len(crowded.starts) < 0.4 * len(wide.starts)
    assert (crowded.colours[:, :3] == np.array(DARK.grid_main) / 255).all()


def test_the_points_all_round_hold_a_robot_that_turns():
    arm = figure_of(six_axis_arm())
    points = points_of(arm, all_round=True)
    assert len(points) == 24 * len(points_of(arm))
    middle = arm.bounds.mean(axis=0)
    reach = np.hypot(*(points_of(arm)[:, :2] - middle[:2]).T).max()
    # A wheel of that reach about the middle.
    np.testing.assert_allclose(np.ptp(points[:, :2], axis=0), 2 * reach, rtol=0.01)
    assert points_of(figure_of(build_robot("nothing", []).unwrap()), all_round=True).shape == (0, 4)


def test_a_figure_stands_as_given_or_at_a_joint_vector():
    arm = six_axis_arm()
    np.testing.assert_array_equal(figure_of(arm).poses, [item.pose for item in arm.items])
    same = figure_of(arm)
    moved = figure_of(same.shapes, np.full(6, 0.3))
    assert moved.shapes is same.shapes
    assert np.abs(moved.poses[-1] - same.poses[-1]).max() > 0.1
    np.testing.assert_allclose(figure_of(arm, arm.positions).poses, same.poses, atol=1e-12)
