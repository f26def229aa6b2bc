"""Joint paths: segments, velocities, cutting, joining, playback."""

from math import degrees, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.hooks import discover
from rck.hooks.file_exchange import read_file
from rck.hooks.kinds import Exporter
from rck.kinematics.motion import (
    cut,
    event_list,
    joined,
    joint_move,
    motion_limits,
    peaks,
    playback,
    resting,
    stretched,
)
from rck.model import RckError
from rck.support.job import Job
from rck.testing.robots import planar_arm

ROBOT = planar_arm(2)
LIMITS = motion_limits(ROBOT, speeds=(1.0, 0.5), accelerations=(2.0, 2.0))


def move(start, end, **options):
    return joint_move(LIMITS, start, end, **options).unwrap()


def test_paths_are_concatenated():
    both = joined([move((0, 0), (1, 0)), resting(LIMITS.joints, (1, 0), 2.0), move((1, 0), (1, -1))])
    first = move((0, 0), (1, 0)).duration
    np.testing.assert_allclose(both.at([0, first, first + 2, 99]), [[0, 0], [1, 0], [1, 0], [1, -1]], atol=1e-12)


def test_paths_with_gap_are_refused():
    with pytest.raises(RckError, match=r"starts 0\.5 away"):
        joined([move((0, 0), (1, 0)), move((0.5, 0), (1, 1))])


def test_stretched_path_is_slower_by_factor():
    path = move((0, 0), (1, 0.3))
    slow = stretched(path, 2.0)
    np.testing.assert_allclose(slow.at(1.0), path.at(0.5))
    np.testing.assert_allclose(peaks(slow)[0], peaks(path)[0] / 2)
    np.testing.assert_allclose(peaks(slow)[1], peaks(path)[1] / 4)


@given(st.floats(-0.5, 4.0))
@settings(max_examples=40)
def test_cut_path_is_unchanged_up_to_cut(time):
    path = joined([move((0, 0), (1, 0)), move((1, 0), (0, 1), profile="polynomial")])
    part = cut(path, time)
    assert part.duration == pytest.approx(min(max(time, 0), path.duration))
    moments = np.linspace(0, part.duration, 20)
    np.testing.assert_allclose(part.at(moments), path.at(moments), atol=1e-12)


def test_stored_frames_are_played_at_their_times():
    path = playback(("a", "b"), (10.0, 11.0, 13.0), [(0, 0), (1, 2), (1, 0)])
    assert path.duration == 3.0
    np.testing.assert_allclose(path.at([0.5, 1.0, 2.0]), [[0.5, 1], [1, 2], [1, 1]])
    with pytest.raises(RckError, match="increasing times"):
        playback(("a",), (1.0, 1.0), [(0,), (1,)])
    with pytest.raises(RckError, match="2 positions for each of its 1 times"):
        playback(("a", "b"), (1.0,), [(0,)])


def test_a_linear_move_is_one_event_for_each_joint_that_moves():
    events = event_list(move((0, 0.2), (1, 0.2), profile="linear"), ROBOT).events
    assert len(events) == 1
    assert (events[0].joint, events[0].start, events[0].finish) == (0, 0, 100)
    assert events[0].action == pytest.approx(degrees(1))


@pytest.mark.parametrize("profile", ["cubic", "polynomial", "trapezoidal"])
def test_events_follow_path_within_tolerance(profile):
    path = move((0, 0), (1.2, -0.4), profile=profile, duration=3.0)
    events = event_list(path, ROBOT, tolerance=0.01).events
    ticks = np.arange(0, 301)
    played = np.zeros((len(ticks), 2))
    for event in events:
        share = np.clip((ticks - event.start) / (event.finish - event.start), 0, 1)
        played[:, event.joint] += np.radians(event.action) * share
    np.testing.assert_allclose(played, path.at(ticks / 100), atol=0.01)
    assert [event.number for event in events] == list(range(len(events)))


def test_a_path_is_written_as_an_event_file_and_read_again(tmp_path):
    plugins = discover()
    events = event_list(move((0, 0), (1, -1)), ROBOT)
    writer = next(one for one in plugins.all(Exporter) if one.name == "event-file")
    for name, content in writer.write(events, "run.events", {}, Job()).files.items():
        (tmp_path / name).write_bytes(content)
    again = read_file(tmp_path / "run.events", plugins).events
    assert [(one.joint, one.start, one.finish) for one in again.events] == [
        (one.joint, one.start, one.finish) for one in events.events
    ]
    total = sum(one.action for one in again.events if one.joint == 0)
    assert total == pytest.approx(degrees(1), abs=1e-6)


def test_joints_without_limits_get_defaults():
    robot = planar_arm(1)
    assert motion_limits(robot).speeds > 0
    assert np.isfinite(motion_limits(robot).accelerations).all()
    assert motion_limits(robot, accelerations=inf).accelerations == inf
    half = motion_limits(robot).scaled(0.5)
    np.testing.assert_allclose(half.speeds, motion_limits(robot).speeds / 2)
    with pytest.raises(RckError, match="factor must be positive"):
        motion_limits(robot).scaled(0.0)
