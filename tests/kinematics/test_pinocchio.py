"""The solver that uses pinocchio meets the contract."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from rck_plugins.solvers.pinocchio import pinocchio_solver

from rck.hooks import Goal, discover
from rck.kinematics.chain import tip_pose
from rck.kinematics.solver_choice import solver_for
from rck.model.joint_positions import random_vectors

pytest_plugins = ["rck.testing.fixtures"]


@pytest.mark.parametrize("name", ["unimation/puma-560", "kuka/iiwa-7", "stanford/stanford-arm", "bosch/sr-800"])
def test_pinocchio_solver_meets_contract(arm, name, solver_contract):
    chain = arm(name)
    solver_contract("pinocchio", chain.robot, chain.base, chain.tip, goals=4)


def test_pinocchio_model_moves_like_chain(arm):
    import pinocchio as pin

    chain = arm("franka/panda")
    made = pinocchio_solver(chain)
    data = made.model.createData()
    for vector in random_vectors(chain.robot, 5, seed=3, joints=chain.joints):
        pin.framesForwardKinematics(made.model, data, vector)
        np.testing.assert_allclose(data.oMf[made.tip].homogeneous, tip_pose(chain, vector), atol=1e-12)


def test_pinocchio_is_used_only_by_name(arm):
    chain = arm("franka/panda")
    named = solver_for(discover(), chain.robot, chain.base, chain.tip, "pinocchio")
    assert type(named) is type(pinocchio_solver(chain))
    assert type(solver_for(discover(), chain.robot, chain.base, chain.tip)) is not type(named)
    answer = named.solve(Goal(tip_pose(chain, chain.reference), "position"))
    assert "whole pose" in answer.reason


def test_chain_with_mimic_joints_is_not_supported(arm):
    chain = arm("unimation/puma-560")
    bodies = chain.bodies.copy()
    bodies["ratio"][2] = 0.5
    assert pinocchio_solver(replace(chain, bodies=bodies)) is None
