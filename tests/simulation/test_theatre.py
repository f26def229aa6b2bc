"""What the Simulate screen plays, without the screen."""

import pytest

from rck.editor.theatre import Theatre
from rck.hooks import Mount
from rck.model import RckError
from rck.simulation.events import MoveJoint
from rck.simulation.sensing import SensorSetting
from rck.simulation.simulation import Simulation


@pytest.fixture
def slow(worlds, plugins):
    """A ram that slides at no more than 0.1 m/s."""
    world, _ = worlds
    return Theatre(world(speed=0.1), plugins)


def test_an_event_that_is_too_quick_is_listed_as_it_will_be_and_shows_what_becomes_of_it(slow):
    slow.add(MoveJoint("slide", 0.1, 0.0, 0.2))
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


def test_an_event_of_a_file_that_is_too_quick_shows_what_becomes_of_it(slow, tmp_path):
    (tmp_path / "run.yaml").write_text("events:\n- {at: 0, until: 0.2, move: slide, by: 100 mm}\n")
    slow.load(tmp_path / "run.yaml")
    slow.step(0.5)
    assert slow.state_of(slow.events[0]) == "moving"
    # It is told once that it takes longer, not with every change of the list.
    slow.add(MoveJoint("slide", 0.01, 5.0, 6.0))
    assert sum("cannot be that quick" in notice.text for notice in slow.simulation.notices) == 1


def test_of_two_equal_events_each_has_its_own_state(slow):
    for _ in range(2):
        slow.add(MoveJoint("slide", 0.01, 0.0, 1.0))
    slow.step(0.5)
    one, other = slow.events
    slow.simulation.give_up(one, "enough")
    assert [slow.state_of(one), slow.state_of(other)] == ["not done", "moving"]


def test_what_is_wrong_with_a_file_of_events_is_told(slow, tmp_path):
    path = tmp_path / "bad.events"
    path.write_text("2\n0 0 1.0\n0 0 0\n0 1 0\n0 0 1.0\n0 2 0\n0 3 0\n")
    with pytest.raises(RckError, match=r"bad\.events:5.*two events 0"):
        slow.load(path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(RckError, match=r"notes\.txt is no event file and no program; event files are .*\.yaml.*\.rckp"):
        slow.load(tmp_path / "notes.txt")


def test_an_emergency_stop_is_ended_and_the_run_goes_on(worlds, plugins):
    world, block = worlds
    robot = world(block("person", (0.0, 1.0, 0.0), mobile=True))
    setting = SensorSetting(
        "safety-zone", Mount("zone", "bed"), {"radius": 2.0, "action": "stop", "intruder": "person"}
    )
    theatre = Theatre(robot, plugins, (MoveJoint("slide", 1.0, 0.0, 10.0), MoveJoint("slide", 0.1, 2.0, 3.0)))
    assert not theatre.reinitialise()
    theatre.take(Simulation(robot, theatre.events, plugins=plugins, sensors=[setting]))
    theatre.step(1.0)
    first = theatre.events[0]
    assert theatre.simulation.emergency
    assert "reinitialise" in theatre.moments[0].notice.text
    theatre.simulation.sensors["zone"].on = False
    assert theatre.reinitialise()
    assert theatre.moments[-1].notice.text == "reinitialised after an emergency stop"
    assert theatre.state_of(first) == "not done"
    stopped = theatre.simulation.vector[0]
    theatre.step(3.0)
    assert theatre.simulation.vector[0] == pytest.approx(stopped + 0.1)
