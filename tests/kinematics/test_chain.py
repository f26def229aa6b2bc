"""Chains between items and frames."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.geometry.transforms import invert
from rck.kinematics.chain import axes_at, chain_between, tip_pose
from rck.model import RckError, at_positions, build_item, build_robot
from rck.testing.robots import box_between, joint_vectors, planar_arm, robots, six_axis_arm


@given(st.data())
@settings(max_examples=60)
def test_chain_between_any_items_moves_like_the_robot(data):
    robot = data.draw(robots())
    names = [item.name for item in robot.items] + [frame.name for frame in robot.frames]
    base, tip = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    try:
        chain = chain_between(robot, base, tip)
    except RckError:
        # Some of the random robots have loose items.
        assert len(robot.tree.roots) > 1
        return
    vector = data.draw(joint_vectors(robot))
    moved = at_positions(robot, vector)

    def placed(name):
        frames = {frame.name: frame for frame in moved.frames}
        return moved.item(frames[name].item).pose @ frames[name].pose if name in frames else moved.item(name).pose

    expected = invert(placed(base)) @ placed(tip)
    np.testing.assert_allclose(tip_pose(chain, chain.of_robot(vector)), expected, rtol=0, atol=1e-10)


def test_chain_between_two_fingers_passes_the_palm():
    robot = six_axis_arm()
    there, back = chain_between(robot, "base", "link-3"), chain_between(robot, "link-3", "base")
    assert there.joints == ("joint-1", "joint-2", "joint-3")
    assert back.joints == there.joints[::-1]
    vector = np.array([0.3, -0.8, 1.1])
    np.testing.assert_allclose(tip_pose(back, vector[::-1]), invert(tip_pose(there, vector)), atol=1e-12)


def test_axes_of_chain_are_those_of_its_joints():
    robot = planar_arm(3)
    points, directions = axes_at(chain_between(robot, "base", "tool"), robot.positions)
    np.testing.assert_allclose(points, [(0, 0, 0), (0.5, 0, 0), (1, 0, 0)], atol=1e-12)
    np.testing.assert_allclose(directions, [(0, 0, 1)] * 3, atol=1e-12)


def test_chain_vector_converts_to_robot_vector_and_back():
    robot = six_axis_arm()
    chain = chain_between(robot, "link-2", "tool")
    whole = chain.in_robot(np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(whole, [0, 0, 1, 2, 3, 4])
    np.testing.assert_array_equal(chain.of_robot(whole), [1, 2, 3, 4])


def test_an_unknown_tip_is_refused_with_a_suggestion():
    with pytest.raises(RckError, match=r"no item or frame 'tol'.*tool"):
        chain_between(planar_arm(2), "base", "tol")


def test_items_that_no_joint_connects_have_no_chain():
    items = [build_item(name, [box_between((0, 0, 0), (1, 1, 1))]).unwrap() for name in ("one", "two")]
    with pytest.raises(RckError, match="are not connected"):
        chain_between(build_robot("apart", items).unwrap(), "one", "two")
