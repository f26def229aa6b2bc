"""The player of the Simulate screen, without the screen."""

import pytest

from rck.editor.simulation_player import SimulationPlayer
from rck.hooks import Mount
from rck.hooks.actions import MoveJoint
from rck.model import RckError
from rck.simulation.events import Event
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation


@pytest.fixture
def slow(worlds, plugins):
    """A ram that slides at no more than 0.1 m/s."""
    world, _ = worlds
    return SimulationPlayer(world(speed=0.1), plugins)


def test_event_above_the_velocity_limit_is_listed_with_its_actual_duration(slow):
    slow.add(Event(0.0, MoveJoint("slide", 0.1, 0.2)))
    (event,) = slow.events
    assert event.finish == pytest.approx(1.0)
    assert slow.state_of(event) == ""
    slow.step(0.5)
    assert slow.state_of(event) == "moving"
    slow.step(0.6)
    assert slow.state_of(event) == "done"
    slow.stop()
    assert slow.events == (event,)
    assert slow.state_of(event) == ""
    slow.step(0.5)
    assert slow.state_of(slow.events[0]) == "moving"


def test_event_of_a_file_above_the_velocity_limit_has_a_state(slow, tmp_path):
    (tmp_path / "run.yaml").write_text("events:\n- {at: 0, until: 0.2, move: slide, by: 100 mm}\n")
    slow.load(tmp_path / "run.yaml")
    slow.step(0.5)
    assert slow.state_of(slow.events[0]) == "moving"
    # There is one warning, not one for every change of the list.
    slow.add(Event(5.0, MoveJoint("slide", 0.01, 1.0)))
    assert sum("exceeds the velocity limit" in notice.text for notice in slow.simulation.notices) == 1


def test_of_two_equal_events_each_has_its_own_state(slow):
    for _ in range(2):
        slow.add(Event(0.0, MoveJoint("slide", 0.01, 1.0)))
    slow.step(0.5)
    one, other = slow.events
    slow.simulation.give_up(one, "enough")
    assert [slow.state_of(one), slow.state_of(other)] == ["not done", "moving"]


def test_invalid_event_file_is_refused_with_the_reason(slow, tmp_path):
    path = tmp_path / "bad.events"
    path.write_text("2\n0 0 1.0\n0 0 0\n0 1 0\n0 0 1.0\n0 2 0\n0 3 0\n")
    with pytest.raises(RckError, match=r"bad\.events:5.*two events 0"):
        slow.load(path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(RckError, match=r"notes\.txt is neither an event file nor a program; .*\.yaml.*\.rckp"):
        slow.load(tmp_path / "notes.txt")


def test_run_continues_after_an_emergency_stop(worlds, plugins):
    world, block = worlds
    robot = world(block("person", (0.0, 1.0, 0.0), mobile=True))
    setting = SensorSetting(
        "safety-zone", Mount("zone", "bed"), {"radius": 2.0, "action": "stop", "intruder": "person"}
    )
    player = SimulationPlayer(
        robot, plugins, (Event(0.0, MoveJoint("slide", 1.0, 10.0)), Event(2.0, MoveJoint("slide", 0.1, 1.0)))
    )
    assert not player.reinitialise()
    player.take(Simulation(robot, player.events, plugins=plugins, sensors=[setting]))
    player.step(1.0)
    first = player.events[0]
    assert player.simulation.emergency
    assert "reinitialise" in player.moments[0].notice.text
    player.simulation.sensors["zone"].on = False
    assert player.reinitialise()
    assert player.moments[-1].notice.text == "reinitialised after an emergency stop"
    assert player.state_of(first) == "not done"
    stopped = player.simulation.vector[0]
    player.step(3.0)
    assert player.simulation.vector[0] == pytest.approx(stopped + 0.1)
