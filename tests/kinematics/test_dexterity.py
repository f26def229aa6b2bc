"""Jacobians, singularities and encoder errors of chains."""

from math import pi, sin

import numpy as np
import pytest

from rck.kinematics.chain import chain_between, tip_pose
from rck.kinematics.dexterity import chain_jacobian, dexterity, encoder_errors, singularity_report
from rck.model.joint_positions import random_vectors
from rck.testing.robots import planar_arm


@pytest.mark.parametrize("name", ["unimation/puma-560", "stanford/stanford-arm", "bosch/sr-800", "kuka/iiwa-7"])
def test_jacobian_is_derivative_of_pose(arm, name):
    chain = arm(name)
    step = 1e-6
    for vector in random_vectors(chain.robot, 3, seed=2, joints=chain.joints):
        here = tip_pose(chain, vector)
        slope = chain_jacobian(chain, vector)
        for column in range(len(vector)):
            nudge = step * np.eye(len(vector))[column]
            change = (tip_pose(chain, vector + nudge) - tip_pose(chain, vector - nudge)) / (2 * step)
            spin = change[:3, :3] @ here[:3, :3].T
            numeric = [*change[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]]
            np.testing.assert_allclose(slope[:, column], numeric, atol=1e-8)


def test_manipulability_of_two_links_is_sine_of_elbow():
    chain = chain_between(planar_arm(2, length=0.5), "base", "tool")
    slope = chain_jacobian(chain, np.array([0.3, 0.8]))[:2]
    # Yoshikawa 1985: the product of the lengths and the sine.
    assert abs(np.linalg.det(slope)) == pytest.approx(0.25 * sin(0.8))
    # Lengths count in reaches, and the arm reaches one metre.
    assert dexterity(chain, np.array([0.3, 0.8])).manipulability == pytest.approx(0.25 * sin(0.8))


@pytest.mark.parametrize(("joints", "said"), [(2, "turns in place"), (3, "does not move")])
def test_stretched_planar_arm_is_singular(joints, said):
    chain = chain_between(planar_arm(joints), "base", "tool")
    idle, lost = singularity_report(chain, np.zeros(joints))
    assert f"tool {said} while the joints move together" in idle
    assert lost.endswith(("moving along (1.00, 0.00, 0.00)", "moving along (-1.00, 0.00, 0.00)"))


def test_straight_wrist_of_puma_is_singular_and_names_idle_joints(arm):
    chain = arm("unimation/puma-560")
    straight = np.radians([20.0, 40.0, -100.0, 35.0, 0.0, 10.0])
    report = dexterity(chain, straight)
    assert report.singular
    assert report.manipulability == pytest.approx(0, abs=1e-12)
    # Joints 4 and 6 turn against each other and the tip stays.
    np.testing.assert_allclose(np.abs(report.idle), [[0, 0, 0, 0.5**0.5, 0, 0.5**0.5]], atol=1e-9)
    assert report.idle[0, 3] * report.idle[0, 5] < 0
    bent = dexterity(chain, straight + np.radians([0, 0, 0, 0, 60.0, 0]))
    assert not bent.singular
    assert len(bent.idle) == 0


def test_singularity_report_describes_lost_motions(arm):
    chain = arm("unimation/puma-560")
    straight = np.radians([20.0, 40.0, -100.0, 35.0, 0.0, 10.0])
    stays, cannot = singularity_report(chain, straight)
    joints = [name for name in chain.joints if name in stays]
    assert joints == [chain.joints[3], chain.joints[5]]
    assert "flange-frame cannot do this" in cannot
    assert "turning about" in cannot
    assert singularity_report(chain, straight + np.radians([0, 0, 0, 0, 60.0, 0])) == []
    # Seven joints always leave one motion idle; that alone is no singularity.
    seven = arm("kuka/iiwa-7")
    assert singularity_report(seven, np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.9, 0.5])) == []


def test_a_redundant_arm_always_has_an_idle_motion(arm):
    chain = arm("kuka/iiwa-7")
    vector = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.9, 0.5])
    idle = dexterity(chain, vector).idle
    assert len(idle) == 1
    np.testing.assert_allclose(chain_jacobian(chain, vector) @ idle[0], 0, atol=1e-12)


def test_the_error_of_one_encoder_is_its_step_times_the_arm():
    chain = chain_between(planar_arm(1, length=0.5), "base", "tool")
    away, turned = encoder_errors(chain, np.zeros((1, 1)), [12])[0]
    assert away == pytest.approx(0.5 * 2 * pi / 4096)
    assert turned == pytest.approx(2 * pi / 4096)
