"""Moves through via points, and new goals during motion."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rck.geometry.transforms import translation
from rck.hooks import Goal, discover
from rck.kinematics.chain import tip_pose
from rck.kinematics.motion import joint_move, motion_limits, peaks, redirected, redirected_to, through
from rck.kinematics.solver_choice import solver_for
from rck.model import RckError
from rck.testing.robots import planar_arm

LIMITS = motion_limits(planar_arm(2), speeds=(1.0, 0.5), accelerations=(2.0, 1.5))
PLACES = st.tuples(st.floats(-2, 2), st.floats(-2, 2))


def keeps_limits(path, share=1.0):
    speeds, accelerations = peaks(path)
    return (speeds <= share * LIMITS.speeds * 1.002).all() and (accelerations <= LIMITS.accelerations * 1.002).all()


@given(st.lists(PLACES, min_size=2, max_size=5), st.sampled_from([None, 0.2, 0.02]))
@settings(max_examples=25, deadline=None)
def test_via_points_are_passed_within_blend_radius_and_limits(places, smoothing):
    path = through(LIMITS, places, smoothing=smoothing).unwrap()
    assert keeps_limits(path)
    np.testing.assert_allclose(path.end, places[-1], atol=1e-9)
    moments = path.at(np.linspace(0, path.duration, 4000))
    if smoothing is not None:
        for place in places:
            assert np.abs(moments - place).max(axis=1).min() <= smoothing + 2e-3


@given(st.lists(PLACES, min_size=2, max_size=5))
@example([(0.0, 1.0), (0.0, 1e-196), (0.0, 0.0), (0.0, 1.0)])
@example([(0.0, 1.0), (0.0, 2e-9), (0.0, 0.0), (0.0, 1.0)])
@settings(max_examples=12, deadline=None)
def test_velocity_is_continuous_at_via_points(places):
    path = through(LIMITS, places).unwrap()
    spans = path.times[1:-1][np.diff(path.times)[1:] > 1e-9]
    for time in spans:
        np.testing.assert_allclose(path.speed_at(time - 1e-9), path.speed_at(time + 1e-9), atol=1e-6)


def test_without_smoothing_the_joints_stop_at_each_via_point():
    places = [(0, 0), (1, 0), (1, 1)]
    path = through(LIMITS, places, smoothing=0).unwrap()
    expected = joint_move(LIMITS, (0, 0), (1, 0)).unwrap().duration
    np.testing.assert_allclose(path.at(expected), (1, 0), atol=1e-9)
    np.testing.assert_allclose(path.speed_at(expected), 0, atol=1e-9)
    assert through(LIMITS, places).unwrap().duration < path.duration


def test_single_via_point_is_rest_and_negative_smoothing_is_refused():
    assert through(LIMITS, [(1, 2), (1, 2)]).unwrap().duration == 0
    with pytest.raises(RckError, match="not negative"):
        through(LIMITS, [(0, 0), (1, 1)], smoothing=-1)


@given(st.floats(0, 3), PLACES)
@settings(max_examples=30, deadline=None)
def test_a_goal_may_change_while_the_joints_move(time, goal):
    path = joint_move(LIMITS, (0, 0), (1.5, -0.8)).unwrap()
    turned = redirected(path, time, goal, LIMITS).unwrap()
    np.testing.assert_allclose(turned.end, goal, atol=1e-9)
    assert keeps_limits(turned)
    before = np.linspace(0, min(time, path.duration), 9)
    np.testing.assert_allclose(turned.at(before), path.at(before), atol=1e-9)
    # Speed goes on where it was.
    moments = np.linspace(0, turned.duration, 5001)
    steps = np.abs(np.diff(turned.speed_at(moments), axis=0)).max(axis=0)
    assert (steps <= LIMITS.accelerations * 1.01 * turned.duration / 5000 + 1e-9).all()


def test_a_goal_may_change_at_every_tick():
    path = joint_move(LIMITS, (0, 0), (1.0, 0.0)).unwrap()
    time = 0.0
    for tick in range(30):
        time += 0.05
        path = redirected(path, time, (1.0 + 0.02 * tick, 0.1 * np.sin(0.3 * tick)), LIMITS).unwrap()
    assert keeps_limits(path)
    np.testing.assert_allclose(path.end, (1.58, 0.1 * np.sin(8.7)), atol=1e-9)


def test_pose_as_new_goal_is_reached_or_refused_with_reason(arm):
    chain = arm("unimation/puma-560")
    limits, solver = (
        motion_limits(chain.robot, chain.joints),
        solver_for(discover(), chain.robot, chain.base, chain.tip),
    )
    start = np.radians([0.0, 45.0, -180.0, 0.0, 30.0, 0.0])
    path = joint_move(limits, start, start + 0.5).unwrap()
    pose = tip_pose(chain, np.add(start, (-0.2, 0.1, 0.1, 0.2, 0.2, 0.0)))
    turned = redirected_to(path, 0.3, Goal(pose), solver, limits).unwrap()
    np.testing.assert_allclose(turned.at(0.2), path.at(0.2), atol=1e-12)
    np.testing.assert_allclose(turned.speed_at([0.3 - 1e-7, 0.3 + 1e-7])[0], path.speed_at(0.3), atol=1e-5)
    np.testing.assert_allclose(tip_pose(chain, turned.end), pose, atol=1e-5)
    assert (peaks(turned)[0] <= 1.001 * limits.speeds).all()
    far = redirected_to(path, 0.3, Goal(translation((5.0, 0.0, 0.0)) @ pose), solver, limits)
    assert [finding.code for finding in far.findings] == [901]
    assert "out of reach" in far.findings[0].message
