"""Random joint vectors within the limits."""

import numpy as np

from rck.model import build_item, build_joint, build_robot
from rck.model.joint_positions import random_vectors
from rck.testing.robots import box_between


def arm():
    items = [build_item(name, [box_between((0, 0, 0), (1, 1, 1))]).unwrap() for name in "abcd"]
    joints = [
        build_joint("free", "continuous", "a", "b").unwrap(),
        build_joint("wound", "revolute", "b", "c", limits=(-10.0, 10.0)).unwrap(),
        build_joint("rail", "prismatic", "c", "d", limits=(5.0, 9.0), position=7.0).unwrap(),
    ]
    return build_robot("arm", items, joints).unwrap()


def test_random_vectors_fill_limits_and_are_repeatable():
    vectors = random_vectors(arm(), 1000, seed=3)
    np.testing.assert_array_equal(vectors, random_vectors(arm(), 1000, seed=3))
    np.testing.assert_allclose(vectors.min(axis=0), [-np.pi, -10, 5], atol=0.1)
    np.testing.assert_allclose(vectors.max(axis=0), [np.pi, 10, 9], atol=0.1)


def test_widest_applies_only_to_rotations():
    vectors = random_vectors(arm(), 1000, widest=2.0)
    np.testing.assert_allclose(vectors.min(axis=0), [-2, -2, 5], atol=0.1)
    np.testing.assert_allclose(vectors.max(axis=0), [2, 2, 9], atol=0.1)


def test_some_vectors_have_about_half_of_their_joints_at_a_limit():
    vectors = random_vectors(arm(), 1000, at_limits=4, joints=("wound", "rail"))
    ends = (vectors == [-10, 5]) | (vectors == [10, 9])
    assert not ends[np.arange(1000) % 4 != 0].any()
    assert 0.4 < ends[::4].mean() < 0.6
