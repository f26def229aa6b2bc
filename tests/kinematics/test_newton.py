import numpy as np
import pytest
from rck_ik_newton import rck_solvers

from rck.hooks import Goal
from rck.kinematics.chain import tip_pose
from rck.testing.robots import planar_arm
from rck.testing.solvers import check_solver, random_vectors

SOLVER = rck_solvers()[0]


@pytest.mark.parametrize("name", ["unimation/puma-560", "universal-robots/ur5e", "stanford/stanford-arm"])
def test_newton_raphson_keeps_the_contract(arm, name):
    chain = arm(name)
    check_solver(SOLVER, chain.robot, chain.base, chain.tip)


def test_from_a_near_seed_newton_raphson_leads_back_to_the_joints(arm):
    chain = arm("unimation/puma-560")
    made = SOLVER.make(chain.robot, chain.base, chain.tip)
    vectors = random_vectors(chain.robot, chain.joints, 50, seed=4)
    led_back = 0
    for vector in vectors:
        near = np.clip(vector + 0.02, chain.lower, chain.upper)
        answer = made.solve(Goal(tip_pose(chain, vector), tolerance=1e-9), near, budget=1.0)
        led_back += answer.solved and np.abs(answer.solutions[0] - vector).max() < 1e-6
    # The others start across a singularity.
    assert led_back >= 40


def test_newton_raphson_serves_six_joints_only():
    assert SOLVER.make(planar_arm(3), "base", "tool") is None
