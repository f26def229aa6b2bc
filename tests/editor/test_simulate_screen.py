"""The Simulate screen: events and programs are edited, played and saved by keys."""

import dataclasses

import numpy as np
import pytest
from textual.widgets import Input, Static

from rck.assembly.document import Assembly
from rck.editor.event_lines import event_line, parse_event
from rck.editor.simulation_player import SimulationPlayer
from rck.editor.widgets.event_table import EventTable, MessageLog
from rck.editor.widgets.rich_text import bars
from rck.editor.widgets.sensor_readings import _images
from rck.hooks.actions import MoveJoint, UseGripper
from rck.model import Device, DeviceKind, RckError
from rck.simulation.events import Event

UNITS = Assembly(name="x").units


@pytest.fixture
def robot(editor, arm):
    robot = editor.session(None, arm).compile().unwrap().robot
    last = robot.items[-1].name
    devices = (Device("arm/hand", DeviceKind("vacuum-gripper"), last), Device("eye", DeviceKind.LASER_RANGE, last))
    return dataclasses.replace(robot, devices=devices)


@pytest.fixture
def simulation_player(robot, plugins):
    simulation_player = SimulationPlayer(robot, plugins)
    simulation_player.add(parse_event("shoulder/axis 30 0 1", robot, UNITS))
    simulation_player.add(parse_event("say 0.5 half way", robot, UNITS))
    return simulation_player


def play_to_the_end(simulation_player):
    """As the screen does, by a clock that does not wait."""
    now = [0.0]
    simulation_player.clock._clock = lambda: now[0]
    simulation_player.play()
    for _ in range(1000):
        now[0] += 0.05
        simulation_player.advance()
        if not simulation_player.playing:
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
def test_event_line_is_written_as_typed(line, robot):
    assert event_line(parse_event(line, robot, UNITS), robot, UNITS) == line


def test_changes_are_in_the_units_of_the_assembly(robot):
    assert parse_event("shoulder/axis 90 0 1", robot, UNITS) == Event(0, MoveJoint("shoulder/axis", np.pi / 2, 1.0))
    assert parse_event("shoulder/axis 0.5rad 0 1min", robot, UNITS) == Event(0, MoveJoint("shoulder/axis", 0.5, 60.0))
    assert parse_event("close hand 1 red cube", robot, UNITS) == Event(1, UseGripper("arm/hand", True, "red cube"))


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
def test_invalid_event_is_refused(line, said, robot):
    with pytest.raises(RckError, match=said):
        parse_event(line, robot, UNITS)


def test_simulation_is_played_to_its_end_and_reset(simulation_player):
    play_to_the_end(simulation_player)
    assert np.degrees(simulation_player.simulation.vector[0]) == pytest.approx(30)
    assert [simulation_player.state_of(event) for event in simulation_player.events] == ["done", "done"]
    assert [moment.notice.text for moment in simulation_player.moments] == ["half way"]
    simulation_player.stop()
    assert simulation_player.simulation.time == 0
    assert simulation_player.simulation.vector[0] == 0
    assert len(simulation_player.simulation.pending) == 2


def test_simulation_continues_from_the_time_of_a_message(simulation_player):
    play_to_the_end(simulation_player)
    simulation_player.go_to(simulation_player.moments[0])
    assert simulation_player.simulation.time == pytest.approx(0.5, abs=0.06)
    assert 10 < np.degrees(simulation_player.simulation.vector[0]) < 20
    play_to_the_end(simulation_player)
    assert np.degrees(simulation_player.simulation.vector[0]) == pytest.approx(30)


def test_events_can_be_changed_before_and_during_a_simulation(simulation_player, robot):
    simulation_player.replace(0, parse_event("shoulder/axis 20 0 1", robot, UNITS))
    simulation_player.step(0.5)
    simulation_player.add(parse_event("elbow/axis 10 0.8 1", robot, UNITS))
    play_to_the_end(simulation_player)
    assert np.degrees(simulation_player.simulation.vector[:2]) == pytest.approx([20, 10])
    simulation_player.stop()
    simulation_player.remove(len(simulation_player.events) - 1)
    play_to_the_end(simulation_player)
    assert np.degrees(simulation_player.simulation.vector[:2]) == pytest.approx([20, 0])


def test_refused_change_keeps_the_event(simulation_player, robot):
    before = simulation_player.events
    with pytest.raises(RckError, match="no gripper"):
        simulation_player.replace(0, Event(1, UseGripper("nobody", True)))
    assert simulation_player.events == before
    play_to_the_end(simulation_player)
    assert np.degrees(simulation_player.simulation.vector[0]) == pytest.approx(30)


def test_events_are_saved_loaded_and_reverted(simulation_player, robot, tmp_path):
    lost = simulation_player.save(tmp_path / "run.events")
    assert "1 events are not joint motions and were left out" in lost[0]
    simulation_player.remove(0)
    simulation_player.revert()
    assert len(simulation_player.events) == 2
    simulation_player.load(tmp_path / "run.events")
    assert simulation_player.events == (parse_event("shoulder/axis 30 0 1", robot, UNITS),)
    (tmp_path / "bad.events").write_text("1\n1 99 10\n0 0 0\n0 1 0\n")
    with pytest.raises(RckError, match="moves joint 99"):
        simulation_player.load(tmp_path / "bad.events")
    assert len(simulation_player.events) == 1


def test_speed_has_steps_and_limits(simulation_player):
    assert simulation_player.faster(1) == 2.0
    assert simulation_player.faster(100) == 100.0
    assert simulation_player.faster(-100) == 0.1


def test_bars_are_scaled_from_minimum_to_maximum():
    assert bars([0, 1, 2, 3], 4) == "▁▃▆█"
    assert bars([5, 5], 4) == "▁▁"
    assert bars([], 4) == ""
    assert bars(list(range(1000)), 3)[-1] == "█"
    assert bars([float("nan"), 1.0], 4) == "▁"


def test_events_are_added_played_and_reset_by_keys(editor, arm):
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
        assert np.degrees(screen.player.simulation.vector[0]) == pytest.approx(30)
        assert screen.query_one(MessageLog).option_count == 1
        await player.press("0")
        assert screen.player.simulation.time == 0
        await player.press("a")
        await player.type("nonsense\r")
        question, line = player.app.screen.query(Static).first(), player.app.screen.query_one(Input)
        assert "an event is JOINT" in str(question.content)
        assert line.value == "nonsense"
        await player.press("escape")
        await player.press("home", "enter")
        await player.press("ctrl+u")
        await player.type("shoulder/axis 45 0 1\r")
        assert np.degrees(screen.player.events[0].action.change) == pytest.approx(45)
        await player.press("delete")
        assert len(screen.player.events) == 1
        await player.press("u")
        assert screen.player.events == ()

    editor.play(story, commands=arm)


def test_events_and_images_are_written_to_files(editor, arm):
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
        assert player.said == "run.bmp: a capture must be .gif, .png or .rib"
        await player.press("ctrl+u")
        await player.type("nowhere/run\r")
        assert "there is no folder" in player.said
        assert player.said.endswith("nowhere; create it, or choose another location")
        await player.press("ctrl+u")
        await player.type("run\r")
        await player.press("i", "ctrl+u")
        await player.type("now.bmp\r")
        assert player.said == "now.bmp: a picture must be .png or .rib"
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
    """A simulation_player with a program of six lines; its arm is called as the robot is."""
    path = tmp_path / "fro.rckp"
    path.write_text(PROGRAM.replace(" arm ", f" {robot.name} "))
    simulation_player = SimulationPlayer(robot, plugins)
    assert simulation_player.load(path) == "a program of 6 lines"
    return simulation_player


def states(simulation_player):
    return [row.state for row in simulation_player.script.rows]


def test_program_is_stepped_by_line_and_stops_at_breakpoints(scripted):
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


def test_paused_program_is_edited_and_continues(scripted):
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


def test_message_of_a_program_returns_to_its_line(scripted):
    play_to_the_end(scripted)
    at = {moment.notice.text: moment for moment in scripted.moments}
    # The relative joint motion is in progress then, and must not be applied twice.
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


def test_saved_state_is_loaded_and_continued(scripted, simulation_player, tmp_path):
    scripted.script.break_at(3)
    play_to_the_end(scripted)
    scripted.save_state(tmp_path / "half.state.json")
    play_to_the_end(scripted)
    assert "state at" in scripted.load(tmp_path / "half.state.json")
    assert np.degrees(scripted.simulation.vector[0]) == pytest.approx(20)
    play_to_the_end(scripted)
    assert states(scripted)[2:] == ["done"] * 4
    with pytest.raises(RckError, match="while a program was running"):
        simulation_player.load(tmp_path / "half.state.json")
    simulation_player.step(0.6)
    simulation_player.save_state(tmp_path / "events.state.json")
    fresh = SimulationPlayer(simulation_player.robot, simulation_player.plugins)
    fresh.load(tmp_path / "events.state.json")
    assert fresh.events == simulation_player.events
    play_to_the_end(fresh)
    assert np.degrees(fresh.simulation.vector[0]) == pytest.approx(30)


def test_events_of_all_kinds_are_saved_in_yaml(simulation_player, tmp_path):
    assert simulation_player.save(tmp_path / "run.yaml") == ()
    kept = simulation_player.events
    simulation_player.remove(0)
    assert simulation_player.load(tmp_path / "run.yaml") == "2 events"
    assert simulation_player.events == kept


def test_taught_poses_become_events(editor, arm):
    async def story(player):
        await player.press("f3", *["right"] * 3, "t", "down", *["right"] * 2, "t")
        assert "taught pose 2" in player.said
        moved = player.bench.shown.robot.positions
        await player.press("f4", "t")
        simulation_player = player.app.screen.player
        assert len(simulation_player.events) == 2
        simulation_player.step(0.1)
        assert not np.allclose(simulation_player.simulation.vector, moved)
        simulation_player.step(60.0)
        np.testing.assert_allclose(simulation_player.simulation.vector, moved, atol=1e-9)
        await player.press("t")
        assert "no poses were taught yet" in player.said

    editor.play(story, commands=arm)


def test_simulation_is_captured_as_numbered_images(editor, arm):
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


def test_camera_images_are_shown(robot, plugins):
    camera = Device("eye", DeviceKind.DEPTH_CAMERA, robot.items[0].name)
    simulation_player = SimulationPlayer(dataclasses.replace(robot, devices=(*robot.devices, camera)), plugins)
    lines = _images(simulation_player, 60, 14)
    assert [len(line.plain) for line in lines] == [len(lines[0].plain)] * len(lines)
    assert "eye " in lines[0].plain
    assert "depth" in lines[0].plain
    assert len(lines) > 5
    assert _images(simulation_player, 60, 3) == []


def test_simulation_follows_changes_of_the_assembly(editor, arm):
    async def story(player):
        await player.press("f4", "a")
        await player.type("elbow/axis 30 0 1\r")
        await player.command("remove elbow --with-dependents")
        screen = player.app.screen
        assert screen.player.events == ()
        assert [joint.name for joint in screen.player.robot.free_joints] == ["shoulder/axis"]

    editor.play(story, commands=arm)
