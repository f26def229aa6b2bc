"""Time steps, the event list and motions in progress."""

from math import pi, radians

import numpy as np
import pytest

from rck.hooks import Mount
from rck.hooks.actions import Announce, Condition, MoveJoint, SwitchCamera, SwitchSensor, WaitFor
from rck.kinematics.motion import joint_move, motion_limits
from rck.model import EventList, JointEvent, RckError, build_joint, build_robot
from rck.rendering.camera import Camera
from rck.simulation.events import Event, FollowPath, from_event_list, to_event_list
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.sensors import SensorSetting
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


def test_motion_progresses_with_time(crane):
    simulation = Simulation(crane, [Event(1.0, MoveJoint("turn", 1.0, 2.0))])
    for time, position in [(0.5, 0.0), (1.0, 0.0), (1.5, 0.25), (2.0, 0.5), (3.0, 1.0), (4.0, 1.0)]:
        simulation.step(time - simulation.time)
        assert simulation.vector[0] == pytest.approx(position, abs=1e-12)


@pytest.mark.parametrize("seconds", [0.0007, 0.01, 0.4, 10.0])
def test_motion_ends_exactly_at_its_goal_for_any_step(crane, seconds):
    simulation = Simulation(crane, [Event(0.123, MoveJoint("turn", 0.7, 1.647))])
    simulation.run(seconds=seconds)
    assert simulation.vector[0] == pytest.approx(0.7, abs=1e-12)
    (outcome,) = simulation.outcomes
    assert outcome.started == 0.123
    assert outcome.finished == pytest.approx(1.77, abs=1e-9)


def test_motions_of_one_joint_at_the_same_time_add_up(crane):
    events = [Event(0.0, MoveJoint("turn", 0.3, 1.0)), Event(0.5, MoveJoint("turn", 0.4, 0.5))]
    simulation = Simulation(crane, events)
    simulation.run()
    assert simulation.vector[0] == pytest.approx(0.7)


def test_a_motion_too_fast_for_its_joint_takes_longer_with_a_warning(crane):
    simulation = Simulation(crane, [Event(1.0, MoveJoint("turn", 2.0, 0.5))])
    (event,) = simulation.pending
    assert event.finish == pytest.approx(3.0)
    assert [finding.code for finding in simulation.findings] == [903]
    assert "2 s instead of 0.5 s" in simulation.notices[0].text


def test_a_joint_stops_at_its_limit_with_a_warning(crane):
    simulation = Simulation(crane, [Event(0.0, MoveJoint("lift", 1.0, 1.0))])
    simulation.run()
    assert simulation.vector[1] == pytest.approx(0.3)
    assert simulation.time == pytest.approx(0.31)
    (outcome,) = simulation.outcomes
    assert not outcome.done
    assert outcome.why == "joint lift is at its limit"


def test_events_for_joints_that_do_not_exist_are_refused_when_they_are_added(crane):
    simulation = Simulation(crane)
    with pytest.raises(RckError, match=r"joint arm.*turn, lift"):
        simulation.add(Event(0.0, MoveJoint("arm", 1.0, 1.0)))
    assert simulation.pending == ()


def test_a_path_moves_all_its_joints_together(crane):
    limits = motion_limits(crane, ["turn", "lift"])
    path = joint_move(limits, (0.0, 0.0), (1.0, 0.2)).unwrap()
    simulation = Simulation(crane, [Event(0.5, FollowPath(path))])
    simulation.step(0.5 + path.duration / 3)
    np.testing.assert_allclose(simulation.vector, path.at(path.duration / 3), atol=1e-12)
    simulation.run()
    np.testing.assert_allclose(simulation.vector, (1.0, 0.2), atol=1e-12)


def test_the_same_run_gives_the_same_numbers_to_the_last_bit(crane):
    def run():
        simulation = Simulation(
            crane, [Event(0.0, MoveJoint("turn", 1.1, 1.3)), Event(0.2, MoveJoint("lift", 0.2, 0.7))]
        )
        rows = []
        while not simulation.finished:
            simulation.step(0.013)
            rows.append(simulation.vector.tobytes())
        return rows

    assert run() == run()


def test_restored_state_continues_like_the_original(crane):
    simulation = Simulation(crane, [Event(0.0, MoveJoint("turn", 1.0, 1.0)), Event(0.5, MoveJoint("lift", 0.2, 1.5))])
    simulation.step(0.7)
    state = simulation.save()
    simulation.run()
    first = simulation.vector.copy(), simulation.time, [str(one) for one in simulation.notices]
    simulation.restore(state)
    assert simulation.time == pytest.approx(0.7)
    simulation.run()
    np.testing.assert_array_equal(simulation.vector, first[0])
    assert (simulation.time, [str(one) for one in simulation.notices]) == first[1:]


def test_restart_returns_to_the_start(worlds):
    world, block = worlds
    robot = world(block("cube", (0.5, 0, 0), mobile=True))
    simulation = Simulation(robot, [Event(0.0, MoveJoint("slide", 1.0, 1.0))])
    simulation.run()
    simulation.restart()
    assert simulation.time == 0.0
    assert len(simulation.pending) == 1
    np.testing.assert_array_equal(simulation.kinematics.poses[2][:3, 3], [0.5, 0, 0])
    simulation.run()
    assert simulation.vector[0] == pytest.approx(1.0)


def test_event_list_is_kept_edited_and_restarted(crane):
    first, second = Event(0.0, MoveJoint("turn", 1.0, 1.0)), Event(2.0, MoveJoint("lift", 0.1, 1.0))
    simulation = Simulation(crane, [first, second])
    simulation.step(2.5)
    third = Event(4.0, MoveJoint("turn", 0.5, 1.0))
    simulation.add(third, listed=True)
    simulation.add(Event(2.5, MoveJoint("turn", 0.1, 0.1)))
    simulation.remove(second)
    assert simulation.events == (first, third)
    simulation.run()
    np.testing.assert_allclose(simulation.vector, [1.6, 0.1], atol=1e-9)
    simulation.restart()
    assert simulation.pending == (first, third)
    simulation.run()
    np.testing.assert_allclose(simulation.vector, [1.5, 0.0], atol=1e-9)


def test_events_can_be_added_and_removed_while_it_runs(crane):
    late = Event(2.0, MoveJoint("lift", 0.1, 1.0))
    simulation = Simulation(crane, [Event(0.0, MoveJoint("turn", 1.0, 1.0)), late])
    simulation.step(0.5)
    simulation.remove(late)
    simulation.add(Event(1.0, MoveJoint("turn", -0.5, 1.0)))
    simulation.run()
    np.testing.assert_allclose(simulation.vector, [0.5, 0.0], atol=1e-12)


def test_messages_and_cameras_take_effect_on_time(crane):
    simulation = Simulation(
        crane, [Event(0.2, SwitchCamera("top")), Event(0.5, Announce("half way")), Event(0, MoveJoint("turn", 1, 1.0))]
    )
    simulation.run()
    assert [(notice.kind, notice.text) for notice in simulation.notices] == [("camera", "top"), ("message", "half way")]
    assert [notice.time for notice in simulation.notices] == pytest.approx([0.2, 0.5])
    assert simulation.camera == "top"


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (SwitchCamera("tpo"), r"event at 0\.2 s: there is no view 'tpo' \(did you mean top\?\); known: .*overview"),
        (
            SwitchSensor("eya", True),
            r"event at 0\.2 s: there is no sensor called eya \(did you mean eye\?\); known: eye",
        ),
        (
            WaitFor(Condition("nosuch", "distance", "<", 1.0)),
            r"event at 0\.2 s: there is no sensor called nosuch; known: eye",
        ),
    ],
)
def test_cameras_and_sensors_with_unknown_names_are_refused(crane, plugins, action, message):
    eye = SensorSetting("laser-range", Mount("eye", crane.items[0].name))
    simulation = Simulation(crane, plugins=plugins, sensors=[eye], cameras={"overview": Camera((9.0, 0.0, 9.0))})
    with pytest.raises(RckError, match=message):
        simulation.add(Event(0.2, action))
    assert not simulation.pending
    reply = InstructionExecutor(simulation, plugins).execute(action)
    assert not reply
    simulation.add(Event(0.2, SwitchCamera("overview")))
    simulation.run()
    assert simulation.camera == "overview"


def test_an_event_file_is_read_in_degrees_and_hundredths(crane):
    listed = EventList((JointEvent(0, 0, 90.0, 0, 200), JointEvent(1, 1, 0.1, 100, 150)))
    events = from_event_list(listed, crane)
    assert events == (Event(0.0, MoveJoint("turn", radians(90), 2.0)), Event(1.0, MoveJoint("lift", 0.1, 0.5)))
    assert to_event_list(events, crane).unwrap() == listed


def test_an_event_file_with_too_high_a_joint_number_is_refused(crane):
    with pytest.raises(RckError, match="event 4 moves joint 9, but joints are numbered 0 to 1"):
        from_event_list(EventList((JointEvent(4, 9, 1.0, 0, 1),)), crane)


def test_events_that_a_file_cannot_store_are_a_warning(crane):
    built = to_event_list([Event(0.0, Announce("hello")), Event(0.0, MoveJoint("turn", radians(10), 1.0))], crane)
    assert len(built.unwrap().events) == 1
    assert [finding.code for finding in built.findings] == [503]


def test_add_returns_the_event_to_which_the_outcome_refers(worlds):
    world, _ = worlds
    simulation = Simulation(world(speed=0.1))
    quick = Event(0.0, MoveJoint("slide", 0.1, 0.2))
    event = simulation.add(quick)
    assert event.finish == pytest.approx(1.0)
    assert [finding.code for finding in simulation.findings] == [903]
    simulation.run()
    assert simulation.outcomes[0].event is event
    slow = Event(simulation.time, MoveJoint("slide", -0.1, 2.0))
    assert simulation.add(slow) is slow
