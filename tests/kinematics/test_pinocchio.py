"""The solver that uses pinocchio keeps the contract, and moves as the chain does."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from rck_ik_pinocchio.solver import pinocchio_solver

from rck.hooks import Goal, discover
from rck.kinematics.chain import tip_pose
from rck.kinematics.solver import solver_for
from rck.model.sampling import random_vectors

pytest_plugins = ["rck.testing.fixtures"]


@pytest.mark.parametrize("name", ["unimation/puma-560", "kuka/iiwa-7", "stanford/stanford-arm", "bosch/sr-800"])
def test_the_wrapper_of_pinocchio_keeps_the_contract(arm, name, solver_contract):
    chain = arm(name)
    solver_contract("pinocchio", chain.robot, chain.base, chain.tip, goals=4)


def test_the_model_of_pinocchio_moves_as_the_chain_does(arm):
    import pinocchio as pin

    chain = arm("franka/panda")
    made = pinocchio_solver(chain)
    data = made.model.createData()
    for vector in random_vectors(chain.robot, 5, seed=3, joints=chain.joints):
        pin.framesForwardKinematics(made.model, data, vector)
        np.testing.assert_allclose(data.oMf[made.tip].homogeneous, tip_pose(chain, vector), atol=1e-12)


def test_it_is_asked_by_name_and_never_before_the_default(arm):
    chain = arm("franka/panda")
    named = solver_for(discover(), chain.robot, chain.base, chain.tip, "pinocchio")
    assert type(named) is type(pinocchio_solver(chain))
    assert type(solver_for(discover(), chain.robot, chain.base, chain.tip)) is not type(named)
    answer = named.solve(Goal(tip_pose(chain, chain.reference), "position"))
    assert "whole pose" in answer.reason


def test_joints_that_follow_others_are_left_to_other_solvers(arm):
    chain = arm("unimation/puma-560")
    bodies = chain.bodies.copy()
    bodies["ratio"][2] = 0.5
    assert pinocchio_solver(replace(chain, bodies=bodies)) is None
