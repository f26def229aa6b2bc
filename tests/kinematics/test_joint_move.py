from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.kinematics.motion import PROFILES, joint_move
from rck.model import RckError

WAYS = st.lists(st.floats(-3, 3), min_size=3, max_size=3)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_goes_from_nothing_to_all_with_the_peaks_that_it_states(name):
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


@given(WAYS, st.sampled_from(["cubic", "polynomial", "trapezoidal"]))
@settings(max_examples=40)
def test_no_joint_exceeds_its_speed_or_acceleration_and_one_reaches_it(ways, profile):
    speeds, accelerations = np.array((1.0, 0.5, 2.0)), np.array((3.0, 4.0, 1.0))
    move = joint_move(np.zeros(3), ways, speeds, accelerations, profile=profile)
    if move.duration < 1e-3:
        return
    time = np.linspace(0, move.duration, 20_001)
    speed = np.gradient(move.at(time), time, axis=0)
    used = np.concatenate(
        [np.abs(speed).max(axis=0) / speeds, np.abs(np.gradient(speed, time, axis=0)).max(axis=0) / accelerations]
    )
    assert used.max() == pytest.approx(1.0, rel=2e-3)


def test_all_joints_arrive_together_with_the_slowest():
    move = joint_move([0, 0], [1.0, 0.1], [0.5, 0.5], profile="linear")
    assert move.slowest == 0
    assert move.duration == pytest.approx(2.0)
    np.testing.assert_allclose(move.at([-1, 1.0, 2.0, 9.0]), [[0, 0], [0.5, 0.05], [1, 0.1], [1, 0.1]])


def test_a_duration_that_is_too_short_is_stretched():
    assert joint_move([0], [1], [1], profile="linear", duration=0.1).duration == pytest.approx(1.0)
    assert joint_move([0], [1], [1], profile="linear", duration=5.0).duration == pytest.approx(5.0)


def test_a_move_to_where_the_joints_stand_takes_no_time():
    move = joint_move([1.0, 2.0], [1.0, 2.0], [1, 1])
    assert move.duration == 0
    np.testing.assert_array_equal(move.at([0.0]), [[1.0, 2.0]])


def test_the_three_motions_of_the_puma_260_take_the_seconds_that_their_largest_turns_say():
    start = np.radians((0, 0, -90, 0, 90, 0))
    relative = start + np.radians((-70, -10, 10, 30, -20, -10))
    absolute = np.radians((-60, 0, -70, 0, 90, 30))
    stops = [start, relative, absolute, start]
    moves = [joint_move(a, b, np.full(6, 0.3), profile="linear") for a, b in pairwise(stops)]
    # At 0.3 rad/s: turns of 70, 40 and 60 degrees.
    assert [move.duration for move in moves] == pytest.approx(list(np.radians([70, 40, 60]) / 0.3))


def test_an_unknown_profile_and_a_joint_without_speed_are_refused():
    with pytest.raises(RckError, match=r"no profile 'cubik'.*cubic"):
        joint_move([0], [1], [1], profile="cubik")
    with pytest.raises(RckError, match="speed above zero"):
        joint_move([0], [1], [0])
