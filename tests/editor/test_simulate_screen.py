"""The Simulate screen: events are put in, played, looked into and saved; nothing needs the mouse."""

import numpy as np
import pytest
from textual.widgets import Input, Static

from rck.assembly.document import Assembly
from rck.editor.event_lines import event_line, parse_event
from rck.editor.screens.simulate import EventTable, Messages
from rck.editor.theatre import Theatre
from rck.editor.widgets.plots import bars
from rck.model import RckError
from rck.simulation.events import MoveJoint, UseGripper

UNITS = Assembly(name="x").units


@pytest.fixture
def robot(editor, arm):
    return editor.session(None, arm).compile().unwrap().robot


@pytest.fixture
def theatre(robot, plugins):
    theatre = Theatre(robot, plugins)
    theatre.add(parse_event("shoulder/axis 30 0 1", robot, UNITS))
    theatre.add(parse_event("say 0.5 half way", robot, UNITS))
    return theatre


def play_to_the_end(theatre):
    """As the screen does, by a clock that does not wait."""
    now = [0.0]
    theatre.player._clock = lambda: now[0]
    theatre.play()
    for _ in range(1000):
        now[0] += 0.05
        theatre.advance()
        if not theatre.playing:
            return
    raise AssertionError("it does not end")


@pytest.mark.parametrize(
    "line",
    ["shoulder/axis 30 0 1", "elbow/axis -12.5 0.25 4", "close hand 3", "open hand 5.5", "say 1 a b c", "view 2 top"],
)
def test_an_event_is_the_line_that_it_was_typed_as(line, robot):
    assert event_line(parse_event(line, robot, UNITS), robot, UNITS) == line


def test_changes_are_in_the_units_of_the_assembly(robot):
    assert parse_event("shoulder/axis 90 0 1", robot, UNITS) == MoveJoint("shoulder/axis", np.pi / 2, 0, 1)
    assert parse_event("shoulder/axis 0.5rad 0 1min", robot, UNITS) == MoveJoint("shoulder/axis", 0.5, 0, 60)
    assert parse_event("close hand 1 red cube", robot, UNITS) == UseGripper("hand", True, 1, "red cube")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "an event is JOINT"),
        ("shoulder/axis 30", "an event is JOINT"),
        ("sholder/axis 30 0 1", "did you mean shoulder/axis"),
        ("shoulder/axis lots 0 1", "lots"),
        ("shoulder/axis 30 0 1kg", "unit of mass"),
    ],
)
def test_what_is_no_event_is_refused(line, said, robot):
    with pytest.raises(RckError, match=said):
        parse_event(line, robot, UNITS)


def test_a_run_is_played_to_its_end_and_put_back(theatre):
    play_to_the_end(theatre)
    assert np.degrees(theatre.simulation.vector[0]) == pytest.approx(30)
    assert [theatre.state_of(event) for event in theatre.events] == ["done", "done"]
    assert [moment.notice.text for moment in theatre.moments] == ["half way"]
    theatre.stop()
    assert theatre.simulation.time == 0
    assert theatre.simulation.vector[0] == 0
    assert len(theatre.simulation.pending) == 2


def test_a_message_leads_back_to_its_moment_and_on_from_there(theatre):
    play_to_the_end(theatre)
    theatre.go_to(theatre.moments[0])
    assert theatre.simulation.time == pytest.approx(0.5, abs=0.06)
    assert 10 < np.degrees(theatre.simulation.vector[0]) < 20
    play_to_the_end(theatre)
    assert np.degrees(theatre.simulation.vector[0]) == pytest.approx(30)


def test_events_change_before_and_during_a_run(theatre, robot):
    theatre.replace(0, parse_event("shoulder/axis 20 0 1", robot, UNITS))
    theatre.step(0.5)
    theatre.add(parse_event("elbow/axis 10 0.8 1", robot, UNITS))
    play_to_the_end(theatre)
    assert np.degrees(theatre.simulation.vector[:2]) == pytest.approx([20, 10])
    theatre.stop()
    theatre.remove(len(theatre.events) - 1)
    play_to_the_end(theatre)
    assert np.degrees(theatre.simulation.vector[:2]) == pytest.approx([20, 0])


def test_a_change_that_is_refused_leaves_the_event_as_it_was(theatre, robot):
    before = theatre.events
    with pytest.raises(RckError, match="no gripper"):
        theatre.replace(0, UseGripper("nobody", True, 1))
    assert theatre.events == before
    play_to_the_end(theatre)
    assert np.degrees(theatre.simulation.vector[0]) == pytest.approx(30)


def test_events_are_saved_loaded_and_reverted(theatre, robot, tmp_path):
    lost = theatre.save(tmp_path / "run.events")
    assert "1 events that move no joint are left out" in lost[0]
    theatre.remove(0)
    theatre.revert()
    assert len(theatre.events) == 2
    theatre.load(tmp_path / "run.events")
    assert theatre.events == (parse_event("shoulder/axis 30 0 1", robot, UNITS),)
    (tmp_path / "bad.events").write_text("1\n1 99 10\n0 0 0\n0 1 0\n")
    with pytest.raises(RckError, match="moves joint 99"):
        theatre.load(tmp_path / "bad.events")
    assert len(theatre.events) == 1


def test_the_speed_has_steps_and_ends(theatre):
    assert theatre.faster(1) == 2.0
    assert theatre.faster(100) == 100.0
    assert theatre.faster(-100) == 0.1


def test_bars_reach_from_the_least_to_the_greatest():
    assert bars([0, 1, 2, 3], 4) == "▁▃▆█"
    assert bars([5, 5], 4) == "▁▁"
    assert bars([], 4) == ""
    assert bars(list(range(1000)), 3)[-1] == "█"
    assert bars([float("nan"), 1.0], 4) == "▁"


def test_a_user_adds_events_plays_and_goes_back_by_keys(editor, arm):
    async def story(player):
        await player.press("f4")
        screen = player.app.screen
        assert screen.query_one(EventTable).has_focus
        await player.press("a")
        await player.type("shoulder/axis 30 0 1\r")
        await player.press("a")
        await player.type("say 0.5 half way\r")
        assert screen.query_one(EventTable).row_count == 2
        await player.press(*["right_square_bracket"] * 6, "space")
        assert np.degrees(screen.theatre.simulation.vector[0]) == pytest.approx(30)
        assert screen.query_one(Messages).option_count == 1
        await player.press("0")
        assert screen.theatre.simulation.time == 0
        await player.press("a")
        await player.type("nonsense\r")
        question, line = player.app.screen.query(Static).first(), player.app.screen.query_one(Input)
        assert "an event is JOINT" in str(question.content)
        assert line.value == "nonsense"
        await player.press("escape")
        await player.press("home", "enter")
        await player.press("ctrl+u")
        await player.type("shoulder/axis 45 0 1\r")
        assert np.degrees(screen.theatre.events[0].change) == pytest.approx(45)
        await player.press("delete")
        assert len(screen.theatre.events) == 1
        await player.press("u")
        assert screen.theatre.events == ()

    editor.play(story, commands=arm)


def test_events_and_pictures_go_to_files(editor, arm):
    async def story(player):
        await player.press("f4", "a")
        await player.type("shoulder/axis 30 0 1\r")
        await player.press("S", "enter")
        assert "saved untitled.events" in player.said
        await player.press("i", "enter")
        await player.press("g", *["right_square_bracket"] * 6)
        await player.press("space")
        await player.press("g")
        await player.press("enter")
        await player.press("i", "ctrl+u")
        await player.type("now.rib\r")

    editor.play(story, commands=arm)
    assert (editor.folder / "untitled.events").read_text().split()[:2] == ["1", "0"]
    assert (editor.folder / "untitled.png").read_bytes().startswith(b"\x89PNG")
    assert (editor.folder / "untitled.gif").read_bytes().startswith(b"GIF89a")
    assert b"Polygon" in (editor.folder / "now.rib").read_bytes()


def test_the_run_follows_what_is_built(editor, arm):
    async def story(player):
        await player.press("f4", "a")
        await player.type("elbow/axis 30 0 1\r")
        await player.command("remove elbow --with-dependents")
        screen = player.app.screen
        assert screen.theatre.events == ()
        assert [joint.name for joint in screen.theatre.robot.free_joints] == ["shoulder/axis"]

    editor.play(story, commands=arm)
