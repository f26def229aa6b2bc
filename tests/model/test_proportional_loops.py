"""Loops that hold exact proportions become mimic joints; others stay loops."""

import numpy as np
import pytest

from rck.model import JointKind
from rck.model.forward_kinematics import forward_batch
from rck.model.proportional_loops import without_proportional_loops
from rck.model.robot_arrays import robot_arrays
from rck.testing.mechanisms import delta, five_bar, four_bar, planar_linkage


def parallelogram(skew: float = 0.0):
    return planar_linkage(np.array([[0.0, 0.0], [0.05 + skew, 0.2], [0.35, 0.2], [0.3, 0.0]]))


def test_a_parallelogram_becomes_mimic_joints_exactly() -> None:
    robot = parallelogram()
    reduced, gone = without_proportional_loops(robot)
    assert gone == ("closing",)
    assert reduced.loops == ()
    assert {joint.kind for joint in reduced.joints} == {JointKind.CONTINUOUS}
    assert sorted(joint.mimic.ratio for joint in reduced.joints if joint.mimic) == [-1.0, 1.0]
    assert [joint.name for joint in reduced.free_joints] == [joint.name for joint in robot.free_joints]
    vectors = np.linspace(-1.0, 1.0, 21)[:, None]
    ours, theirs = (forward_batch(robot_arrays(one), vectors) for one in (robot, reduced))
    assert np.abs(ours - theirs).max() < 1e-9


@pytest.mark.parametrize(
    "make",
    [
        lambda: parallelogram(1e-5),
        lambda: four_bar(0.4, 0.1, 0.35, 0.3),
        lambda: five_bar(0.2, 0.25, 0.35),
        lambda: delta(0.1, 0.2, 0.45, 0.05),
    ],
)
def test_other_loops_stay(make) -> None:
    robot = make()
    same, gone = without_proportional_loops(robot)
    assert same is robot
    assert gone == ()
