"""The Simulate screen: events are put in, played, looked into and saved; nothing needs the mouse."""

import dataclasses

import numpy as np
import pytest
from textual.widgets import Input, Static

from rck.assembly.document import Assembly
from rck.editor.event_lines import event_line, parse_event
from rck.editor.theatre import Theatre
from rck.editor.widgets.event_table import EventTable, Messages
from rck.editor.widgets.plots import bars
from rck.editor.widgets.readings import _pictures
from rck.model import Device, DeviceKind, RckError
from rck.simulation.events import MoveJoint, UseGripper

UNITS = Assembly(name="x").units


@pytest.fixture
def robot(editor, arm):
    robot = editor.session(None, arm).compile().unwrap().robot
    last = robot.items[-1].name
    devices = (Device("arm/hand", DeviceKind("vacuum-gripper"), last), Device("eye", DeviceKind.LASER_RANGE, last))
    return dataclasses.replace(robot, devices=devices)


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
    [
        "shoulder/axis 30 0 1",
        "elbow/axis -12.5 0.25 4",
        "close arm/hand 3",
        "open arm/hand 5.5",
        "say 1 a b c",
        "view 2 top",
        "wait 2 eye.distance < 0.2",
        "wait 2 eye.distance >= 0.2 5",
        "off eye 3",
    ],
)
def test_an_event_is_the_line_that_it_was_typed_as(line, robot):
    assert event_line(parse_event(line, robot, UNITS), robot, UNITS) == line


def test_changes_are_in_the_units_of_the_assembly(robot):
    assert parse_event("shoulder/axis 90 0 1", robot, UNITS) == MoveJoint("shoulder/axis", np.pi / 2, 0, 1)
    assert parse_event("shoulder/axis 0.5rad 0 1min", robot, UNITS) == MoveJoint("shoulder/axis", 0.5, 0, 60)
    assert parse_event("close hand 1 red cube", robot, UNITS) == UseGripper("arm/hand", True, 1, "red cube")


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
        assert "●" not in str(player.app.screen_stack[-2].query_one("#clock").content)
        await player.press("ctrl+u")
        await player.type("run.bmp\r")
        assert player.said == "run.bmp: runs are .gif, .png or .rib"
        await player.press("ctrl+u")
        await player.type("nowhere/run\r")
        assert "there is no folder" in player.said
        assert player.said.endswith("nowhere; make it, or choose another place")
        await player.press("ctrl+u")
        await player.type("run\r")
        await player.press("i", "ctrl+u")
        await player.type("now.bmp\r")
        assert player.said == "now.bmp: pictures are .png or .rib"
        await player.press("ctrl+u")
        await player.type("now.rib\r")

    editor.play(story, commands=arm)
    assert (editor.folder / "untitled.events").read_text().split()[:2] == ["1", "0"]
    assert (editor.folder / "untitled.png").read_bytes().startswith(b"\x89PNG")
    assert (editor.folder / "run.gif").read_bytes().startswith(b"GIF89a")
    assert not (editor.folder / "nowhere").exists()
    assert b"Polygon" in (editor.folder / "now.rib").read_bytes()


PROGRAM = """# To and fro.
robot_speed arm 1.5
move_joints_absolute arm 20 0
move_joints_relative arm 10 0
message half way
move_joints_absolute arm 0 0
"""


@pytest.fixture
def scripted(robot, plugins, tmp_path):
    """A theatre with a program of six lines; its arm is called as the robot is."""
    path = tmp_path / "fro.rckp"
    path.write_text(PROGRAM.replace(" arm ", f" {robot.name} "))
    theatre = Theatre(robot, plugins)
    assert theatre.load(path) == "a program of 6 lines"
    return theatre


def states(theatre):
    return [row.state for row in theatre.script.rows]


def test_a_program_is_stepped_line_by_line_and_halts_at_breakpoints(scripted):
    scripted.script.break_at(4)
    scripted.play_line()
    assert states(scripted)[:3] == ["", "done", "next"]
    assert not scripted.playing
    play_to_the_end(scripted)
    assert scripted.script.place == "halted before line 5"
    assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(30)
    play_to_the_end(scripted)
    assert states(scripted) == ["", "done", "done", "done", "done", "done"]
    assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(0)
    assert [moment.notice.text for moment in scripted.moments if "line" in moment.notice.text][-1] == "line 6: done"
    scripted.play()
    assert scripted.simulation.time == 0
    assert scripted.script.place == "in line 3"


def test_a_program_is_edited_where_it_halts_and_goes_on(scripted):
    scripted.script.break_at(3)
    play_to_the_end(scripted)
    name = scripted.robot.name
    with pytest.raises(RckError, match="line 4: there is no command 'dance'"):
        scripted.script.edit(3, "dance")
    scripted.script.edit(3, f"move_joints_relative {name} 5 0")
    scripted.script.insert(3, f"move_joints_relative {name} 1 0")
    scripted.script.edit(6)
    play_to_the_end(scripted)
    assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(26)
    scripted.script.go_to(2)
    play_to_the_end(scripted)
    assert scripted.script.place == "halted before line 4"
    assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(20)


def test_a_message_of_a_program_leads_back_into_its_lines(scripted):
    play_to_the_end(scripted)
    at = {moment.notice.text: moment for moment in scripted.moments}
    # The change of joints by so much is under way then, and is not made twice.
    for text, place in (
        ("line 3: done", "in line 4"),
        ("line 2: done", "halted before line 3"),
        ("half way", "before line 6"),
    ):
        scripted.go_to(at[text])
        assert place in scripted.script.place
        play_to_the_end(scripted)
        assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(0)
        assert scripted.script.place == "done"


def test_states_are_saved_and_gone_on_from(scripted, theatre, tmp_path):
    scripted.script.break_at(3)
    play_to_the_end(scripted)
    scripted.save_state(tmp_path / "half.state.json")
    play_to_the_end(scripted)
    assert "state at" in scripted.load(tmp_path / "half.state.json")
    assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(20)
    play_to_the_end(scripted)
    assert states(scripted)[2:] == ["done"] * 4
    with pytest.raises(RckError, match="saved in a program"):
        theatre.load(tmp_path / "half.state.json")
    theatre.step(0.6)
    theatre.save_state(tmp_path / "events.state.json")
    fresh = Theatre(theatre.robot, theatre.plugins)
    fresh.load(tmp_path / "events.state.json")
    assert fresh.events == theatre.events
    play_to_the_end(fresh)
    assert np.degrees(fresh.simulation.vector[0]) == pytest.approx(30)


def test_events_of_all_kinds_are_kept_in_yaml(theatre, tmp_path):
    assert theatre.save(tmp_path / "run.yaml") == ()
    kept = theatre.events
    theatre.remove(0)
    assert theatre.load(tmp_path / "run.yaml") == "2 events"
    assert theatre.events == kept


def test_what_is_taught_on_the_move_screen_becomes_events(editor, arm):
    async def story(player):
        await player.press("f3", *["right"] * 3, "t", "down", *["right"] * 2, "t")
        assert "taught pose 2" in player.said
        moved = player.bench.shown.robot.positions
        await player.press("f4", "t")
        theatre = player.app.screen.theatre
        assert len(theatre.events) == 2
        theatre.step(0.1)
        assert not np.allclose(theatre.simulation.vector, moved)
        theatre.step(60.0)
        np.testing.assert_allclose(theatre.simulation.vector, moved, atol=1e-9)
        await player.press("t")
        assert "nothing was taught yet" in player.said

    editor.play(story, commands=arm)


def test_a_run_is_captured_as_numbered_pictures(editor, arm):
    async def story(player):
        await player.press("f4", "a")
        await player.type("shoulder/axis 30 0 1\r")
        for name in ("run.png", "run.rib"):
            await player.press("0", "g", *["right_square_bracket"] * 6)
            await player.press("space")
            await player.press("g")
            await player.press("ctrl+u")
            await player.type(f"{name}\r")
        assert "run-" in player.said

    editor.play(story, commands=arm)
    assert (editor.folder / "run-0001.png").read_bytes().startswith(b"\x89PNG")
    frames = sorted(editor.folder.glob("run-*.rib"))
    assert frames
    assert b"Polygon" in frames[-1].read_bytes()


def test_cameras_show_what_they_see(robot, plugins):
    camera = Device("eye", DeviceKind.DEPTH_CAMERA, robot.items[0].name)
    theatre = Theatre(dataclasses.replace(robot, devices=(*robot.devices, camera)), plugins)
    lines = _pictures(theatre, 60, 14)
    assert [len(line.plain) for line in lines] == [len(lines[0].plain)] * len(lines)
    assert "eye " in lines[0].plain
    assert "depth" in lines[0].plain
    assert len(lines) > 5
    assert _pictures(theatre, 60, 3) == []


def test_the_run_follows_what_is_built(editor, arm):
    async def story(player):
        await player.press("f4", "a")
        await player.type("elbow/axis 30 0 1\r")
        await player.command("remove elbow --with-dependents")
        screen = player.app.screen
        assert screen.theatre.events == ()
        assert [joint.name for joint in screen.theatre.robot.free_joints] == ["shoulder/axis"]

    editor.play(story, commands=arm)
