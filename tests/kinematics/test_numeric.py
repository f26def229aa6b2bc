"""The numeric solver reaches reachable goals and explains failures."""

from dataclasses import replace

import numpy as np
import pytest

from rck.geometry.transforms import translation
from rck.hooks import Goal
from rck.kinematics.chain import chain_between, poses_at, tip_pose
from rck.kinematics.numeric_solver import numeric_solver
from rck.model import build_robot
from rck.model.joint import JointLimits
from rck.model.joint_positions import random_vectors
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]

ARMS = ["unimation/puma-560", "universal-robots/ur5e", "abb/irb-120", "franka/panda", "kuka/iiwa-7"]


@pytest.mark.parametrize("name", [*ARMS, "bosch/sr-800", "stanford/stanford-arm"])
def test_numeric_solver_meets_contract(arm, name, solver_contract):
    chain = arm(name)
    solver_contract("numeric", chain.robot, chain.base, chain.tip)


@pytest.mark.parametrize("name", ARMS)
def test_batch_solves_a_thousand_random_reachable_poses(arm, name):
    chain = arm(name)
    goals = poses_at(chain, random_vectors(chain.robot, 1000, seed=5, joints=chain.joints))[1]
    vectors, solved = numeric_solver(chain).solve_many(goals)
    # Of ten thousand poses at most ten may be missed.
    assert solved.mean() >= 0.999
    reached = poses_at(chain, vectors[solved])[1]
    np.testing.assert_allclose(reached, goals[solved], rtol=0, atol=1e-5)
    assert (vectors >= chain.lower).all()
    assert (vectors <= chain.upper).all()


def test_batch_is_independent_of_threads(arm):
    chain = arm("unimation/puma-560")
    goals = poses_at(chain, random_vectors(chain.robot, 200, seed=6, joints=chain.joints))[1]
    solver = numeric_solver(chain)
    np.testing.assert_array_equal(solver.solve_many(goals, threads=1)[0], solver.solve_many(goals, threads=2)[0])


def test_a_position_alone_leaves_the_orientation_free(arm):
    chain = arm("universal-robots/ur5e")
    turned = tip_pose(chain, np.zeros(6))
    goal = Goal(translation((0.4, 0.2, 0.5)), "position")
    answer = numeric_solver(chain).solve(goal, budget=0.5)
    reached = tip_pose(chain, answer.solutions[0])
    np.testing.assert_allclose(reached[:3, 3], (0.4, 0.2, 0.5), atol=2e-6)
    assert not np.allclose(reached[:3, :3], turned[:3, :3])


def test_axis_goal_leaves_the_rotation_about_it_free(arm):
    chain = arm("kuka/iiwa-7")
    wanted = tip_pose(chain, np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.9, 2.0]))
    answer = numeric_solver(chain).solve(Goal(wanted, "axis"), np.full(7, 0.2), budget=0.5)
    reached = tip_pose(chain, answer.solutions[0])
    np.testing.assert_allclose(reached[:3, 2:], wanted[:3, 2:], atol=3e-6)


def test_goal_out_of_reach_has_reason_and_closest_pose():
    chain = chain_between(planar_arm(2), "base", "tool")
    answer = numeric_solver(chain).solve(Goal(translation((3.0, 0.0, 0.0)), "position"))
    assert not answer.solved
    assert "the target is out of reach of tool" in answer.reason
    np.testing.assert_allclose(answer.nearest_pose[:3, 3], (1.0, 0.0, 0.0), atol=1e-4)
    assert answer.away == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize("far", [50.0, 1e7, 1e96, 1e305])
def test_arm_stretches_towards_distant_goal(far):
    chain = chain_between(planar_arm(2), "base", "tool")
    answer = numeric_solver(chain).solve(Goal(translation((0.0, -far, 0.0)), "position"))
    np.testing.assert_allclose(answer.nearest_pose[:3, 3], (0.0, -1.0, 0.0), atol=1e-2)
    assert answer.away == pytest.approx(far, rel=0.03)
    assert answer.reason.endswith("49000 mm away" if far == 50 else "1000 km away")


def test_goal_beyond_limits_names_joint():
    robot = planar_arm(1)
    short = replace(robot.joints[0], limits=JointLimits(-1.0, 1.0))
    chain = chain_between(build_robot("short", robot.items, [short], robot.frames).unwrap(), "base", "tool")
    answer = numeric_solver(chain).solve(Goal(tip_pose(chain, np.array([2.0]))))
    assert not answer.solved
    assert "joint limits prevent it: it needs joint-1 at 114.6°" in answer.reason
    np.testing.assert_allclose(answer.nearest, [1.0], atol=1e-9)
    assert answer.turned == pytest.approx(1.0)


def test_many_solutions_of_a_puma_are_all_different(arm):
    chain = arm("unimation/puma-560")
    goal = Goal(tip_pose(chain, np.radians([10.0, 40.0, -100.0, 20.0, 30.0, 40.0])))
    answer = numeric_solver(chain).solve(goal, most=8, budget=0.5)
    assert len(answer.solutions) >= 2
    apart = np.abs(answer.solutions[:, None] - answer.solutions[None]).max(axis=2)
    assert apart[~np.eye(len(apart), dtype=bool)].min() > 1e-3
