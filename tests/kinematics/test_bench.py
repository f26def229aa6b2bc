"""The benchmark of solvers: the judge, and the chains of the peers."""

import numpy as np
import pytest
from rck_bench.ik_arms import BUILT, built_arm, calibrated
from rck_bench.ik_judge import Contender, contest, random_goals, reached
from rck_bench.ik_peers import chain_urdf, finite_limits
from rck_bench.report import Report, Row, as_table

from rck.kinematics.chain import poses_at
from rck.model.joint_positions import random_vectors


@pytest.mark.parametrize("name", ["unimation/puma-560", "stanford/stanford-arm", "franka/panda"])
def test_peers_get_the_same_chain(arm, name):
    pin = pytest.importorskip("pinocchio")
    chain = arm(name)
    model = pin.buildModelFromXML(chain_urdf(chain))
    data = model.createData()
    vectors = random_vectors(chain.robot, 5, seed=1, joints=chain.joints)
    for vector, pose in zip(vectors, reached(chain, vectors), strict=True):
        pin.framesForwardKinematics(model, data, vector)
        np.testing.assert_allclose(data.oMf[model.getFrameId("tip")].homogeneous, pose, atol=1e-9)


def test_judge_agrees_with_nominal_and_calibrated_chains(arm):
    chain = calibrated(arm("unimation/puma-560"))
    vectors = random_vectors(chain.robot, 20, seed=2, joints=chain.joints)
    np.testing.assert_allclose(reached(chain, vectors), poses_at(chain, vectors)[1], atol=1e-12)


def test_solutions_that_miss_or_violate_limits_do_not_count(arm):
    chain = arm("unimation/puma-560")
    goals = random_goals(chain, 6)
    low, high = finite_limits(chain)
    vectors = np.random.default_rng(1).uniform(low, high, (6, 6))

    def call(goal, seed):
        number = next(n for n, one in enumerate(goals) if (one == goal).all())
        if number == 1:
            return np.empty((0, 6))
        return np.array([vectors[number] + (1e-3 if number == 3 else 0.0)])

    # Of six goals one has no answer and one a wrong one; who gets the first three misses one of them.
    all_of_them, the_first = contest(chain, [Contender(call, 10), Contender(call, 3)], goals, np.zeros(6))
    assert all_of_them.success == pytest.approx(4 / 6)
    assert the_first.success == pytest.approx(2 / 3)


def test_random_arms_have_four_to_seven_joints_and_are_repeatable():
    arms = [built_arm(count) for count in BUILT]
    assert [len(chain.joints) for chain in arms] == [4, 5, 6, 7]
    again = built_arm(BUILT[-1])
    np.testing.assert_array_equal(again.bodies["parent_from_body"], arms[-1].bodies["parent_from_body"])


def test_report_marks_rows_of_one_pass():
    once, often = Row("a", 1.0, one_pass=True), Row("b", 1.0)
    assert "one pass over the work." in as_table(Report([once]))
    assert "one pass" not in as_table(Report([often]))
    both = as_table(Report([once, often]))
    assert "best of" in both
    assert "one pass" in both
