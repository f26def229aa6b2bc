"""Motions that earlier simulators showed, reproduced."""

import numpy as np
import pytest

from rck.geometry.transforms import translation
from rck.hooks import Goal, discover
from rck.kinematics.chain import tip_pose
from rck.kinematics.choice import nearest
from rck.kinematics.configuration import configuration_of
from rck.kinematics.solver import solver_for

START = (0, 0, -90, 0, 90, 0)
AFTER_RELATIVE = tuple(np.add(START, (-70, -10, 10, 30, -20, -10)))
ABSOLUTE = (-60, 0, -70, 0, 90, 30)


@pytest.mark.parametrize("degrees", [START, AFTER_RELATIVE, ABSOLUTE])
def test_the_three_positions_of_the_puma_260_are_found_again_from_their_poses(arm, degrees):
    chain = arm("unimation/puma-260")
    vector = np.radians(degrees)
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    answer = solver.solve(Goal(tip_pose(chain, vector)), vector, most=8)
    assert answer.complete
    np.testing.assert_allclose(nearest(chain, answer.solutions, vector), vector, atol=1e-6)
    words = [str(configuration_of(chain, row)) for row in answer.solutions]
    assert len(set(words)) == len(words)


def test_a_scara_arm_refuses_a_goal_out_of_reach_before_moving(arm):
    chain = arm("bosch/sr-800")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    far = translation((5.0, 0.0, 0.0)) @ tip_pose(chain, chain.reference)
    answer = solver.solve(Goal(far))
    assert not answer.solved
    assert "no position of the joints" in answer.reason
    # What comes nearest points at the goal with the arm stretched.
    assert answer.nearest_pose[0, 3] == pytest.approx(0.8, abs=0.02)


def test_a_planar_path_follows_the_solution_with_least_joint_motion(arm):
    chain = arm("generic/planar-2r")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    # A straight line between two places of the tip, sampled.
    ends = [tip_pose(chain, np.array(pair))[:3, 3] for pair in ((0.3, 0.9), (0.9, 0.6))]
    present = np.array((0.3, 0.9))
    for share in np.linspace(0, 1, 60):
        place = (1 - share) * ends[0] + share * ends[1]
        answer = solver.solve(Goal(translation(place), "position"), present, most=4)
        chosen = nearest(chain, answer.solutions, present)
        assert np.abs(chosen - present).max() < 0.05
        np.testing.assert_allclose(tip_pose(chain, chosen)[:3, 3], place, atol=1e-6)
        present = chosen
    np.testing.assert_allclose(present, (0.9, 0.6), atol=1e-6)
