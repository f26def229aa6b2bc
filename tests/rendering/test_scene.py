"""Scenes: floors, grids and posed robots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.model import build_robot
from rck.rendering import Floor, floor_for, points_of, pose_robot
from rck.rendering.palette import DARK
from rck.rendering.scene import grid_spacing
from rck.rendering.strokes import grid_strokes
from rck.testing.random_solids import block
from rck.testing.robots import six_axis_arm


@given(st.floats(1e-4, 1e4))
def test_grid_spacing_is_round_and_fits_the_robot(size):
    spacing = grid_spacing(size)
    assert 4 < size / spacing < 13
    digits = f"{spacing:.6e}"
    assert digits[0] in "125"
    assert float(digits.split("e")[0]) == int(digits[0])


@pytest.mark.parametrize(("size", "label"), [(0.7, "grid 100 mm"), (0.05, "grid 10 mm"), (7.0, "grid 1 m")])
def test_grid_label_shows_the_spacing(size, label):
    assert (
        floor_for(pose_robot(build_robot("box", [block("box", (0, 0, size / 2), (size,) * 3)]).unwrap())).label == label
    )


def test_floor_is_at_zero_or_at_the_lowest_point():
    for height, level in ((5.0, 0.0), (0.5, 0.0), (0.2, -0.3)):
        figure = pose_robot(build_robot("box", [block("box", (0, 0, height))]).unwrap())
        assert floor_for(figure).height == pytest.approx(level)


def test_grid_is_larger_than_the_robot_and_at_round_coordinates():
    figure = pose_robot(build_robot("box", [block("box", (3.3, -1.7, 0.5))]).unwrap())
    floor = floor_for(figure)
    lines = grid_strokes(floor, DARK, 1000.0)
    low, high = lines.starts.min(axis=0), lines.ends.max(axis=0)
    assert (low[:2] < figure.bounds[0, :2]).all()
    assert (high[:2] > figure.bounds[1, :2]).all()
    np.testing.assert_allclose(lines.starts / floor.spacing, np.round(lines.starts / floor.spacing), atol=1e-6)


def test_dense_grid_shows_only_strong_lines():
    floor = Floor(spacing=0.1, cells=20)
    wide, crowded = (grid_strokes(floor, DARK, pixels) for pixels in (1000.0, 20.0))
    assert len(crowded.starts) < 0.4 * len(wide.starts)
    assert (crowded.colours[:, :3] == np.array(DARK.grid_main) / 255).all()


def test_points_in_all_rotations_contain_the_robot():
    arm = pose_robot(six_axis_arm())
    points = points_of(arm, all_round=True)
    assert len(points) == 24 * len(points_of(arm))
    middle = arm.bounds.mean(axis=0)
    reach = np.hypot(*(points_of(arm)[:, :2] - middle[:2]).T).max()
    # A wheel of that reach about the middle.
    np.testing.assert_allclose(np.ptp(points[:, :2], axis=0), 2 * reach, rtol=0.01)
    assert points_of(pose_robot(build_robot("nothing", []).unwrap()), all_round=True).shape == (0, 4)


def test_robot_is_posed_as_given_or_at_a_joint_vector():
    arm = six_axis_arm()
    np.testing.assert_array_equal(pose_robot(arm).poses, [item.pose for item in arm.items])
    same = pose_robot(arm)
    moved = pose_robot(same.shapes, np.full(6, 0.3))
    assert moved.shapes is same.shapes
    assert np.abs(moved.poses[-1] - same.poses[-1]).max() > 0.1
    np.testing.assert_allclose(pose_robot(arm, arm.positions).poses, same.poses, atol=1e-12)
