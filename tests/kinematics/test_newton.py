"""Newton's methods: supported chains, convergence and refusals."""

import numpy as np
import pytest
from rck_plugins.solvers.newton import _residual, _slope, newton_gauss, rck_solvers

from rck.hooks import Goal
from rck.kinematics.chain import tip_pose
from rck.kinematics.dexterity import dexterity
from rck.model.joint_positions import random_vectors
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]

SOLVERS = {solver.name: solver for solver in rck_solvers()}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["unimation/puma-560", "universal-robots/ur5e", "stanford/stanford-arm"])
def test_newtons_methods_meet_contract(arm, name, solver, solver_contract):
    chain = arm(name)
    solver_contract(solver, chain.robot, chain.base, chain.tip)


def test_newton_raphson_converges_from_near_seed(arm):
    chain = arm("unimation/puma-560")
    made = SOLVERS["newton-raphson"].make(chain.robot, chain.base, chain.tip)
    vectors = random_vectors(chain.robot, 50, seed=4, joints=chain.joints)
    led_back = 0
    for vector in vectors:
        near = np.clip(vector + 0.02, chain.lower, chain.upper)
        answer = made.solve(Goal(tip_pose(chain, vector), tolerance=1e-9), near, budget=1.0)
        led_back += answer.solved and np.abs(answer.solutions[0] - vector).max() < 1e-6
    # The others start across a singularity.
    assert led_back >= 40


@pytest.mark.parametrize("name", ["unimation/puma-560", "stanford/stanford-arm"])
def test_slope_is_derivative_of_seven_equations(arm, name):
    chain = arm(name)
    step = 1e-6
    for vector in random_vectors(chain.robot, 3, seed=1, joints=chain.joints):
        goal = tip_pose(chain, vector + 0.3)
        slope = _slope(chain, vector, tip_pose(chain, vector))
        for column in range(6):
            nudge = step * np.eye(6)[column]
            change = [_residual(tip_pose(chain, vector + side * nudge), goal, chain.reach) for side in (-1, 1)]
            np.testing.assert_allclose(slope[:, column], (change[0] - change[1]) / (2 * step), atol=1e-8)


def test_newton_gauss_starts_at_smallest_condition_number(arm):
    chain = arm("unimation/puma-560")
    conditions = [dexterity(chain, row).condition for row in newton_gauss(chain).starts]
    assert conditions == sorted(conditions)
    others = [dexterity(chain, row).condition for row in random_vectors(chain.robot, 100, seed=3, joints=chain.joints)]
    assert conditions[0] <= min(others) * 1.1


@pytest.mark.parametrize("name", ["unimation/puma-560", "stanford/stanford-arm", "ufactory/xarm-6"])
def test_newton_gauss_reaches_goals_far_from_seed(arm, name):
    chain = arm(name)
    made = newton_gauss(chain)
    vectors = random_vectors(chain.robot, 6, seed=6, joints=chain.joints)
    solved = [made.solve(Goal(tip_pose(chain, row)), chain.reference, budget=2.0).solved for row in vectors]
    assert np.mean(solved) >= 0.6


def test_newtons_methods_support_only_six_joints():
    assert all(solver.make(planar_arm(3), "base", "tool") is None for solver in SOLVERS.values())
