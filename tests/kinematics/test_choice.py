"""Choice between several solutions."""

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

from rck.hooks import Goal
from rck.kinematics.chain import chain_between, tip_pose
from rck.kinematics.configuration import Configuration, configuration_of, parse_configuration
from rck.kinematics.numeric_solver import numeric_solver
from rck.kinematics.solution_choice import (
    farthest_from_limits,
    frozen_solution,
    in_configuration,
    nearest,
    nearest_turn,
    room_to_limits,
    small_moves_nearest,
)
from rck.model import RckError, build_robot
from rck.model.joint import JointLimits
from rck.testing.robots import planar_arm


def two_links(limits=(-pi, pi)):
    robot = planar_arm(2)
    joints = [replace(joint, limits=JointLimits(*limits)) for joint in robot.joints]
    return chain_between(build_robot("two", robot.items, joints, robot.frames).unwrap(), "base", "tool")


def test_nearest_solution_has_smallest_largest_move():
    solutions = np.array([[1.0, 0.0], [0.6, 0.6], [0.0, -0.9]])
    np.testing.assert_array_equal(nearest(two_links(), solutions, np.zeros(2)), [0.6, 0.6])


def test_nearest_counts_whole_turns_within_the_limits():
    wide = two_links((-2 * pi, 2 * pi))
    np.testing.assert_allclose(nearest_turn(wide, np.array([-3.0, 0.0]), np.array([3.0, 0.0])), [2 * pi - 3, 0])
    # Half a turn is as far as these joints go.
    np.testing.assert_allclose(nearest_turn(two_links(), np.array([-3.0, 0.0]), np.array([3.0, 0.0])), [-3, 0])


def test_safest_solution_has_largest_margin_to_limits():
    solutions = np.array([[3.0, 0.0], [1.0, -1.5]])
    chain = two_links()
    np.testing.assert_array_equal(farthest_from_limits(chain, solutions), [1.0, -1.5])
    np.testing.assert_allclose(room_to_limits(chain, np.zeros((1, 2))), [0.5])


def test_small_moves_use_nearest_and_large_moves_safest_solution():
    near_limit, safe = np.array([2.9, 0.0]), np.array([-0.2, 0.0])
    solutions = np.array([near_limit, safe])
    chain = two_links()
    np.testing.assert_array_equal(small_moves_nearest(chain, solutions, np.array([2.5, 0.0])), near_limit)
    # 45 degrees is the limit between the two.
    beyond = np.array([2.9 - radians(46), 0.0])
    np.testing.assert_array_equal(small_moves_nearest(chain, solutions, beyond), safe)


@pytest.mark.parametrize("name", ["unimation/puma-560", "universal-robots/ur5e", "abb/irb-120"])
def test_solutions_of_a_pose_have_different_configurations(arm, name):
    chain = arm(name)
    unlimited = replace(chain, lower=np.full(6, -pi), upper=np.full(6, pi))
    goal = Goal(tip_pose(chain, np.radians([10.0, 40.0, -80.0, 20.0, 30.0, 40.0])))
    answer = numeric_solver(unlimited).solve(goal, most=8, budget=1.0)
    words = {str(configuration_of(chain, row)) for row in answer.solutions}
    assert len(answer.solutions) == len(words) >= 4


def test_puma_with_raised_elbow_is_right_and_up(arm):
    chain = arm("unimation/puma-560")
    # Joint 2 lifts the arm; the forearm, straight at 90 degrees of joint 3, hangs down from a high elbow.
    reaching = np.radians([0.0, 45.0, -180.0, 0.0, 30.0, 0.0])
    assert str(configuration_of(chain, reaching)) == "right up noflip"
    flipped = reaching + np.radians([0.0, 0.0, 0.0, 180.0, -60.0, 180.0])
    np.testing.assert_allclose(tip_pose(chain, flipped), tip_pose(chain, reaching), atol=1e-12)
    assert str(configuration_of(chain, flipped)) == "right up flip"


def test_frozen_configuration_is_kept_or_refused(arm):
    chain = arm("unimation/puma-560")
    present = np.radians([0.0, 45.0, -180.0, 0.0, 30.0, 0.0])
    flipped = present + np.radians([0.0, 0.0, 0.0, 180.0, -60.0, 180.0])
    np.testing.assert_array_equal(frozen_solution(chain, np.array([flipped, present]), present), present)
    with pytest.raises(RckError, match="keeps the configuration right up noflip"):
        frozen_solution(chain, np.array([flipped]), present)


def test_unspecified_words_of_configuration_match_any(arm):
    chain = arm("unimation/puma-560")
    present = np.radians([0.0, 45.0, -180.0, 0.0, 30.0, 0.0])
    flipped = present + np.radians([0.0, 0.0, 0.0, 180.0, -60.0, 180.0])
    both = np.array([present, flipped])
    assert len(in_configuration(chain, both, parse_configuration("up right"))) == 2
    assert len(in_configuration(chain, both, parse_configuration("flip"))) == 1
    assert parse_configuration("up, right") == Configuration("right", "up", "")
    with pytest.raises(RckError, match="unknown configuration 'sideways'"):
        parse_configuration("sideways")
