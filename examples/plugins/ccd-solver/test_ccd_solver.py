import numpy as np

from rck.hooks import Goal, Solver
from rck.kinematics import chain_between, tip_pose
from rck.testing.robots import six_axis_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_solvers(solver_contract):
    solver_contract("ccd")


def test_it_reaches_positions_from_another_pose(contribution):
    arm = six_axis_arm()
    solver, chain = contribution(Solver, "ccd").make(arm, "base", "tool"), chain_between(arm, "base", "tool")
    start = np.clip(np.zeros(6), chain.lower, chain.upper)
    for offset in (0.2, 0.4):
        wanted = tip_pose(chain, np.clip(start + offset, chain.lower, chain.upper))
        answer = solver.solve(Goal(wanted, "position", 1e-4), start, budget=20.0)
        assert answer.solved, answer.reason
        reached = tip_pose(chain, answer.solutions[0])
        assert np.linalg.norm(reached[:3, 3] - wanted[:3, 3]) < 1e-4
