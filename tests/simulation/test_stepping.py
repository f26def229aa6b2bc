"""The clock, the event list and the queue."""

from math import pi, radians

import numpy as np
import pytest

from rck.kinematics.motion import joint_move, motion_limits
from rck.model import EventList, JointEvent, RckError, build_joint, build_robot
from rck.simulation.events import (
    Announce,
    FollowPath,
    MoveJoint,
    SwitchCamera,
    from_event_list,
    to_event_list,
)
from rck.simulation.simulation import Simulation


@pytest.fixture
def crane(worlds):
    _, block = worlds
    items = [block("post", (0, 0, 0)), block("jib", (0.5, 0, 0)), block("hook", (0.5, 0, -0.5))]
    joints = [
        build_joint("turn", "revolute", "post", "jib", limits=(-pi, pi), speed=1.0).unwrap(),
        build_joint("lift", "prismatic", "jib", "hook", end=(0, 0, 1), limits=(-0.3, 0.3)).unwrap(),
    ]
    return build_robot("crane", items, joints).unwrap()


def test_a_motion_is_as_far_as_the_clock_asks(crane):
    simulation = Simulation(crane, [MoveJoint("turn", 1.0, 1.0, 3.0)])
    for time, position in [(0.5, 0.0), (1.0, 0.0), (1.5, 0.25), (2.0, 0.5), (3.0, 1.0), (4.0, 1.0)]:
        simulation.step(time - simulation.time)
        assert simulation.vector[0] == pytest.approx(position, abs=1e-12)


@pytest.mark.parametrize("seconds", [0.0007, 0.01, 0.4, 10.0])
def test_a_motion_ends_exactly_where_it_should_whatever_the_step(crane, seconds):
    simulation = Simulation(crane, [MoveJoint("turn", 0.7, 0.123, 1.77)])
    simulation.run(seconds=seconds)
    assert simulation.vector[0] == pytest.approx(0.7, abs=1e-12)
    (outcome,) = simulation.outcomes
    assert outcome.started == 0.123
    assert outcome.finished == pytest.approx(1.77, abs=1e-9)


def test_motions_of_one_joint_at_the_same_time_add_up(crane):
    events = [MoveJoint("turn", 0.3, 0.0, 1.0), MoveJoint("turn", 0.4, 0.5, 1.0)]
    simulation = Simulation(crane, events)
    simulation.run()
    assert simulation.vector[0] == pytest.approx(0.7)


def test_a_motion_too_fast_for_its_joint_takes_longer_with_a_warning(crane):
    simulation = Simulation(crane, [MoveJoint("turn", 2.0, 1.0, 1.5)])
    (event,) = simulation.pending
    assert event.finish == pytest.approx(3.0)
    assert [finding.code for finding in simulation.findings] == [903]
    assert "2 s instead of 0.5 s" in simulation.notices[0].text


def test_a_joint_stops_at_its_limit_with_a_warning(crane):
    simulation = Simulation(crane, [MoveJoint("lift", 1.0, 0.0, 1.0)])
    simulation.run()
    assert simulation.vector[1] == pytest.approx(0.3)
    assert simulation.time == pytest.approx(0.31)
    (outcome,) = simulation.outcomes
    assert not outcome.done
    assert outcome.why == "joint lift is at its limit"


def test_events_for_joints_that_do_not_exist_are_refused_when_they_are_added(crane):
    simulation = Simulation(crane)
    with pytest.raises(RckError, match=r"joint arm.*turn, lift"):
        simulation.add(MoveJoint("arm", 1.0, 0.0, 1.0))
    assert simulation.pending == ()


def test_a_path_moves_all_its_joints_together(crane):
    limits = motion_limits(crane, ["turn", "lift"])
    path = joint_move(limits, (0.0, 0.0), (1.0, 0.2)).unwrap()
    simulation = Simulation(crane, [FollowPath(path, 0.5)])
    simulation.step(0.5 + path.duration / 3)
    np.testing.assert_allclose(simulation.vector, path.at(path.duration / 3), atol=1e-12)
    simulation.run()
    np.testing.assert_allclose(simulation.vector, (1.0, 0.2), atol=1e-12)


def test_the_same_run_gives_the_same_numbers_to_the_last_bit(crane):
    def run():
        simulation = Simulation(crane, [MoveJoint("turn", 1.1, 0.0, 1.3), MoveJoint("lift", 0.2, 0.2, 0.9)])
        rows = []
        while not simulation.finished:
            simulation.step(0.013)
            rows.append(simulation.vector.tobytes())
        return rows

    assert run() == run()


def test_a_saved_state_is_gone_on_from_as_if_nothing_had_been(crane):
    simulation = Simulation(crane, [MoveJoint("turn", 1.0, 0.0, 1.0), MoveJoint("lift", 0.2, 0.5, 2.0)])
    simulation.step(0.7)
    state = simulation.save()
    simulation.run()
    first = simulation.vector.copy(), simulation.time, [str(one) for one in simulation.notices]
    simulation.restore(state)
    assert simulation.time == pytest.approx(0.7)
    simulation.run()
    np.testing.assert_array_equal(simulation.vector, first[0])
    assert (simulation.time, [str(one) for one in simulation.notices]) == first[1:]


def test_stop_puts_everything_back_to_the_beginning(worlds):
    world, block = worlds
    robot = world(block("cube", (0.5, 0, 0), mobile=True))
    simulation = Simulation(robot, [MoveJoint("slide", 1.0, 0.0, 1.0)])
    simulation.run()
    simulation.restart()
    assert simulation.time == 0.0
    assert len(simulation.pending) == 1
    np.testing.assert_array_equal(simulation.stage.poses[2][:3, 3], [0.5, 0, 0])
    simulation.run()
    assert simulation.vector[0] == pytest.approx(1.0)


def test_the_event_list_is_kept_edited_and_begun_again(crane):
    first, second = MoveJoint("turn", 1.0, 0.0, 1.0), MoveJoint("lift", 0.1, 2.0, 3.0)
    simulation = Simulation(crane, [first, second])
    simulation.step(2.5)
    third = MoveJoint("turn", 0.5, 4.0, 5.0)
    simulation.add(third, listed=True)
    simulation.add(MoveJoint("turn", 0.1, 2.5, 2.6))
    simulation.remove(second)
    assert simulation.events == (first, third)
    simulation.run()
    np.testing.assert_allclose(simulation.vector, [1.6, 0.1], atol=1e-9)
    simulation.restart()
    assert simulation.pending == (first, third)
    simulation.run()
    np.testing.assert_allclose(simulation.vector, [1.5, 0.0], atol=1e-9)


def test_events_can_be_added_and_removed_while_it_runs(crane):
    late = MoveJoint("lift", 0.1, 2.0, 3.0)
    simulation = Simulation(crane, [MoveJoint("turn", 1.0, 0.0, 1.0), late])
    simulation.step(0.5)
    simulation.remove(late)
    simulation.add(MoveJoint("turn", -0.5, 1.0, 2.0))
    simulation.run()
    np.testing.assert_allclose(simulation.vector, [0.5, 0.0], atol=1e-12)


def test_messages_and_cameras_come_at_their_time(crane):
    simulation = Simulation(crane, [SwitchCamera("top", 0.2), Announce("half way", 0.5), MoveJoint("turn", 1, 0, 1)])
    simulation.run()
    assert [(notice.kind, notice.text) for notice in simulation.notices] == [("camera", "top"), ("message", "half way")]
    assert [notice.time for notice in simulation.notices] == pytest.approx([0.2, 0.5])
    assert simulation.camera == "top"


def test_an_event_file_is_read_in_degrees_and_hundredths(crane):
    listed = EventList((JointEvent(0, 0, 90.0, 0, 200), JointEvent(1, 1, 0.1, 100, 150)))
    events = from_event_list(listed, crane)
    assert events == (MoveJoint("turn", radians(90), 0.0, 2.0), MoveJoint("lift", 0.1, 1.0, 1.5))
    assert to_event_list(events, crane).unwrap() == listed


def test_an_event_file_with_too_high_a_joint_number_is_refused(crane):
    with pytest.raises(RckError, match="event 4 moves joint 9, but joints are numbered 0 to 1"):
        from_event_list(EventList((JointEvent(4, 9, 1.0, 0, 1),)), crane)


def test_events_that_a_file_cannot_hold_are_told(crane):
    built = to_event_list([Announce("hello", 0.0), MoveJoint("turn", radians(10), 0.0, 1.0)], crane)
    assert len(built.unwrap().events) == 1
    assert [finding.code for finding in built.findings] == [503]


def test_the_event_that_will_come_is_given_back_and_its_outcome_is_known_by_it(worlds):
    world, _ = worlds
    simulation = Simulation(world(speed=0.1))
    quick = MoveJoint("slide", 0.1, 0.0, 0.2)
    event = simulation.add(quick)
    assert event.finish == pytest.approx(1.0)
    assert [finding.code for finding in simulation.findings] == [903]
    simulation.run()
    assert simulation.outcomes[0].event is event
    slow = MoveJoint("slide", -0.1, simulation.time, simulation.time + 2.0)
    assert simulation.add(slow) is slow
