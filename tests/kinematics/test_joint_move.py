"""Joint moves are as fast as the limits allow."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.kinematics.motion import (
    PROFILES,
    joined,
    joint_by_joint,
    joint_move,
    motion_limits,
    peaks,
)
from rck.model import RckError
from rck.testing.robots import planar_arm, six_axis_arm

WAYS = st.lists(st.floats(-3, 3), min_size=3, max_size=3)


def limits_of(speeds, accelerations=inf):
    return motion_limits(planar_arm(len(speeds)), speeds=speeds, accelerations=accelerations)


@pytest.mark.parametrize("name", PROFILES)
def test_profile_goes_from_zero_to_one_with_stated_peaks(name):
    profile = PROFILES[name]
    time = np.linspace(0, 1, 100_001)
    share = profile.share(time)
    assert share[0] == pytest.approx(0)
    assert share[-1] == pytest.approx(1)
    speed = np.gradient(share, time)
    assert speed.min() >= -1e-9
    assert speed.max() == pytest.approx(profile.peak_speed, rel=1e-4)
    if np.isfinite(profile.peak_acceleration):
        assert np.abs(np.gradient(speed, time)).max() == pytest.approx(profile.peak_acceleration, rel=1e-3)


@pytest.mark.parametrize("name", PROFILES)
def test_profile_time_inverts_share(name):
    shares = np.linspace(0, 1, 21)
    np.testing.assert_allclose(PROFILES[name].share(PROFILES[name].time(shares)), shares, atol=1e-9)


@given(WAYS, st.sampled_from(["cubic", "polynomial", "trapezoidal"]))
@settings(max_examples=40)
def test_joints_stay_within_limits_and_one_reaches_them(ways, profile):
    speeds, accelerations = np.array((1.0, 0.5, 2.0)), np.array((3.0, 4.0, 1.0))
    move = joint_move(limits_of(speeds, accelerations), np.zeros(3), ways, profile=profile).unwrap()
    if move.duration < 1e-3:
        return
    time = np.linspace(0, move.duration, 20_001)
    speed = np.gradient(move.at(time), time, axis=0)
    used = np.concatenate(
        [np.abs(speed).max(axis=0) / speeds, np.abs(np.gradient(speed, time, axis=0)).max(axis=0) / accelerations]
    )
    assert used.max() == pytest.approx(1.0, rel=2e-3)


@given(WAYS, st.sampled_from(list(PROFILES)))
@settings(max_examples=30)
def test_speed_and_acceleration_are_derivatives_of_path(ways, profile):
    move = joint_move(limits_of((1.0, 0.5, 2.0), 3.0), np.zeros(3), ways, profile=profile, duration=9.0).unwrap()
    time, step = np.linspace(0.5, 8.5, 40) + 0.003, 1e-5
    slope = (move.at(time + step) - move.at(time - step)) / (2 * step)
    np.testing.assert_allclose(move.speed_at(time), slope, atol=1e-6)
    if profile != "trapezoidal":
        # The acceleration of that one jumps.
        slope = (move.speed_at(time + step) - move.speed_at(time - step)) / (2 * step)
        np.testing.assert_allclose(move.acceleration_at(time), slope, atol=1e-5)
    assert not move.speed_at([-1.0, move.duration + 1.0]).any()


@given(WAYS, st.floats(0.1, 4.0), st.floats(0.1, 20.0))
@settings(max_examples=40)
def test_long_trapezoidal_move_has_constant_velocity_phase(ways, speed, acceleration):
    move = joint_move(limits_of([speed] * 3, acceleration), np.zeros(3), ways).unwrap()
    way = np.abs(ways).max()
    # The textbook times of one joint: rise, cruise and fall, or rise and fall alone.
    cruises = way > speed**2 / acceleration
    expected = way / speed + speed / acceleration if cruises else 2 * np.sqrt(way / acceleration)
    assert move.duration == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_all_joints_arrive_with_the_slowest():
    move = joint_move(limits_of([0.5, 0.5]), [0, 0], [1.0, 0.1], profile="linear").unwrap()
    assert move.duration == pytest.approx(2.0)
    np.testing.assert_allclose(move.at([-1, 1.0, 2.0, 9.0]), [[0, 0], [0.5, 0.05], [1, 0.1], [1, 0.1]])
    np.testing.assert_allclose(move.at(1.0), [0.5, 0.05])
    assert move.joints == ("joint-1", "joint-2")


def test_short_duration_is_extended_with_warning():
    limits = limits_of([2.0, 1.0])
    quick = joint_move(limits, [0, 0], [1, 1], profile="linear", duration=0.1)
    assert quick.unwrap().duration == pytest.approx(1.0)
    assert [finding.code for finding in quick.findings] == [903]
    assert "joint-2" in quick.findings[0].where
    assert "1 s instead of 0.1 s" in quick.findings[0].message
    slow = joint_move(limits, [0, 0], [1, 1], profile="linear", duration=5.0)
    assert slow.unwrap().duration == pytest.approx(5.0)
    assert slow.findings == ()


def test_move_to_present_position_takes_no_time():
    move = joint_move(limits_of([1, 1]), [1.0, 2.0], [1.0, 2.0]).unwrap()
    assert move.duration == 0
    np.testing.assert_array_equal(move.at([0.0]), [[1.0, 2.0]])


def test_goal_outside_joint_limits_is_refused():
    refused = joint_move(motion_limits(six_axis_arm()), np.zeros(6), [0, 9.0, 0, 0, 0, 0])
    assert refused.value is None
    assert [finding.code for finding in refused.findings] == [904]
    assert refused.findings[0].where == "joint joint-2"


def test_joint_by_joint_moves_one_at_a_time():
    limits = limits_of([0.5, 0.5])
    path = joint_by_joint(limits, [0, 0], [1.0, -0.5], profile="linear").unwrap()
    assert path.duration == pytest.approx(3.0)
    np.testing.assert_allclose(path.at([1.0, 2.0, 2.5, 3.0]), [[0.5, 0], [1, 0], [1, -0.25], [1, -0.5]], atol=1e-9)


def test_the_three_motions_of_the_puma_260_take_about_fourteen_seconds_as_splines(arm):
    chain = arm("unimation/puma-260")
    start = np.radians((0, 0, -90, 0, 90, 0))
    relative = start + np.radians((-70, -10, 10, 30, -20, -10))
    absolute = np.radians((-60, 0, -70, 0, 90, 30))
    limits = motion_limits(chain.robot, chain.joints, speeds=0.3, accelerations=inf)
    stops = [start, relative, absolute, start]
    moves = [joint_move(limits, a, b, profile="linear").unwrap() for a, b in pairwise(stops)]
    # At 0.3 rad/s: turns of 70, 40 and 60 degrees.
    assert [move.duration for move in moves] == pytest.approx(list(np.radians([70, 40, 60]) / 0.3))
    # A spline is half as fast again in the middle as on the whole (Kahloun 1987 reports about 14 s).
    smooth = joined([joint_move(limits, a, b, profile="cubic").unwrap() for a, b in pairwise(stops)])
    assert smooth.duration == pytest.approx(14.8, abs=0.1)
    assert peaks(smooth)[0].max() == pytest.approx(0.3, rel=1e-3)
    np.testing.assert_allclose(smooth.end, start, atol=1e-12)


def test_unknown_profile_and_zero_speed_are_refused():
    with pytest.raises(RckError, match=r"no profile 'cubik'.*cubic"):
        joint_move(limits_of([1]), [0], [1], profile="cubik")
    with pytest.raises(RckError, match="positive speed"):
        limits_of([0])
    with pytest.raises(RckError, match="must be positive, not -1 s"):
        joint_move(limits_of([1]), [0], [1], duration=-1.0)
    with pytest.raises(RckError, match="finite position for each of joint-1"):
        joint_move(limits_of([1]), [0], [np.nan])
