"""The judge of the comparison with other solvers, and what they are given."""

import numpy as np
import pytest
from rck_bench.ik import calibrated, judged, random_goals, reached
from rck_bench.ik_peers import chain_urdf, finite_limits
from rck_bench.report import Report, Row, as_table

from rck.kinematics.chain import poses_at
from rck.testing.solvers import random_vectors


@pytest.mark.parametrize("name", ["unimation/puma-560", "stanford/stanford-arm", "franka/panda"])
def test_peers_get_the_very_chain_that_is_solved(arm, name):
    pin = pytest.importorskip("pinocchio")
    chain = arm(name)
    model = pin.buildModelFromXML(chain_urdf(chain))
    data = model.createData()
    vectors = random_vectors(chain.robot, chain.joints, 5, seed=1)
    for vector, pose in zip(vectors, reached(chain, vectors), strict=True):
        pin.framesForwardKinematics(model, data, vector)
        np.testing.assert_allclose(data.oMf[model.getFrameId("tip")].homogeneous, pose, atol=1e-9)


def test_the_judge_agrees_with_the_chain_also_when_it_is_calibrated(arm):
    chain = calibrated(arm("unimation/puma-560"))
    vectors = random_vectors(chain.robot, chain.joints, 20, seed=2)
    np.testing.assert_allclose(reached(chain, vectors), poses_at(chain, vectors)[1], atol=1e-12)


def test_answers_that_miss_or_leave_the_limits_do_not_count(arm):
    chain = arm("unimation/puma-560")
    goals = random_goals(chain, 6)
    low, high = finite_limits(chain)
    vectors = iter([None, *np.random.default_rng(1).uniform(low, high, (6, 6))])
    number = -2

    def call(goal, seed):
        nonlocal number
        number += 1
        vector = next(vectors)
        if number < 0 or number == 1:
            return np.empty((0, 6))
        return np.array([vector + (1e-3 if number == 3 else 0.0)])

    # The first call is not counted; of six goals one has no answer and one a wrong one.
    assert judged(chain, call, goals, np.zeros(6), budget=np.inf).success == pytest.approx(4 / 6)


def test_the_report_says_which_rows_are_one_pass():
    once, often = Row("a", 1.0, one_pass=True), Row("b", 1.0)
    assert "one pass over the work." in as_table(Report([once], {}))
    assert "one pass" not in as_table(Report([often], {}))
    both = as_table(Report([once, often], {}))
    assert "best of" in both
    assert "one pass" in both
