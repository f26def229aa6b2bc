"""Motions of earlier simulators, reproduced."""

import numpy as np
import pytest

from rck.geometry.transforms import from_euler, translation
from rck.hooks import Goal, discover
from rck.kinematics.chain import axes_at, poses_at, tip_pose
from rck.kinematics.configuration import configuration_of
from rck.kinematics.motion import follow, line, motion_limits, peaks
from rck.kinematics.solution_choice import nearest
from rck.kinematics.solver_choice import solver_for

START = (0, 0, -90, 0, 90, 0)
AFTER_RELATIVE = tuple(np.add(START, (-70, -10, 10, 30, -20, -10)))
ABSOLUTE = (-60, 0, -70, 0, 90, 30)


@pytest.mark.parametrize("degrees", [START, AFTER_RELATIVE, ABSOLUTE])
def test_positions_of_puma_260_are_recovered_from_poses(arm, degrees):
    chain = arm("unimation/puma-260")
    vector = np.radians(degrees)
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    answer = solver.solve(Goal(tip_pose(chain, vector)), vector, most=8)
    assert answer.complete
    np.testing.assert_allclose(nearest(chain, answer.solutions, vector), vector, atol=1e-6)
    words = [str(configuration_of(chain, row)) for row in answer.solutions]
    assert len(set(words)) == len(words)


def test_scara_arm_refuses_goal_out_of_reach(arm):
    chain = arm("bosch/sr-800")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    far = translation((5.0, 0.0, 0.0)) @ tip_pose(chain, chain.reference)
    answer = solver.solve(Goal(far))
    assert not answer.solved
    assert "out of reach" in answer.reason
    # What comes nearest points at the goal with the arm stretched.
    assert answer.nearest_pose[0, 3] == pytest.approx(0.8, abs=0.02)


def test_scara_arm_moves_straight_or_refuses_to_start(arm):
    chain = arm("bosch/sr-800")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    limits = motion_limits(chain.robot, chain.joints)
    start = chain.reference + np.where(chain.turning > 0, 0.4, 0.0)
    begin = tip_pose(chain, start)
    near = translation((-0.1, 0.1, 0.0)) @ begin
    path = follow(solver, chain, [line(begin, near)], start, limits, profile="cubic").unwrap()
    np.testing.assert_allclose(tip_pose(chain, path.end), near, atol=2e-6)
    far = follow(solver, chain, [line(begin, translation((5.0, 0.0, 0.0)) @ begin)], start, limits)
    assert far.value is None
    assert [finding.code for finding in far.findings] == [901]


def test_straight_line_of_half_size_puma(arm):
    # `c 1324 0 700 0 90 0 20`: to (1324, 0, 700) mm, turned by (0, 90, 0) degrees, in 20 steps; a Puma, half as large,
    # goes to (662, 0, 350), counted from its shoulder (Koning 1991).
    chain = arm("unimation/puma-560")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    points, _ = axes_at(chain, np.zeros(6))
    shoulder = translation((0.0, 0.0, points[1, 2]))
    end = shoulder @ translation(0.5 * np.array((1.324, 0.0, 0.7))) @ from_euler(np.radians((0.0, 90.0, 0.0)))
    begin = translation((-0.2, 0.2, -0.2)) @ end
    start = solver.solve(Goal(begin), most=8).solutions[0]
    limits = motion_limits(chain.robot, chain.joints)
    path = follow(solver, chain, [line(begin, end)], start, limits, tolerance=1e-4).unwrap()
    steps = poses_at(chain, path.at(np.linspace(0, path.duration, 21)))[1]
    ways = steps[:, :3, 3] - begin[:3, 3]
    along = np.full(3, 3**-0.5) * (1, -1, 1)
    np.testing.assert_allclose(ways, np.outer(ways @ along, along), atol=1e-4)
    np.testing.assert_allclose(steps[-1], end, atol=2e-6)
    assert len({str(configuration_of(chain, row)) for row in path.at(path.times)}) == 1


def test_planar_path_has_least_joint_motion_and_warns_of_slow_joint(arm):
    chain = arm("generic/planar-2r")
    solver = solver_for(discover(), chain.robot, chain.base, chain.tip)
    start, end = np.array((0.3, 0.9)), np.array((0.9, 0.6))
    begin, goal = (tip_pose(chain, pair) for pair in (start, end))
    limits = motion_limits(chain.robot, chain.joints, speeds=1.0)
    slow = follow(solver, chain, [line(begin, goal)], start, limits, duration=10.0, wants="position")
    assert slow.findings == ()
    np.testing.assert_allclose(slow.unwrap().end, end, atol=1e-5)
    steps = np.abs(np.diff(slow.unwrap().at(np.linspace(0, 10, 60)), axis=0))
    assert steps.max() < 0.05
    quick = follow(solver, chain, [line(begin, goal)], start, limits, duration=0.1, wants="position")
    assert [finding.code for finding in quick.findings] == [903]
    assert peaks(quick.unwrap())[0].max() <= 1.001
