"""Recordings: writing, reading, replay and plots; the real-time clock."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.simulate import simulate
from rck.hooks import Mount, discover
from rck.hooks.actions import MoveJoint, SwitchCamera
from rck.model import RckError
from rck.rendering.camera import Camera, named_camera
from rck.simulation.animation import CameraSwitch, camera_switches, film
from rck.simulation.clock import RealTimeClock
from rck.simulation.events import Event
from rck.simulation.recording import TIME, Replay, read_recording, record, save_recording
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation


@pytest.fixture
def pushing(worlds):
    world, block = worlds
    return world(block("cube", (0.5, 0, 0), mobile=True), block("wall", (1.0, 0, 0)))


def made(robot, **options):
    return Simulation(robot, [Event(0.0, MoveJoint("slide", 1.0, 1.0))], **options)


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_a_recording_is_read_back_to_the_last_bit(pushing, tmp_path, ending):
    recording = record(made(pushing))
    path = tmp_path / f"run{ending}"
    save_recording(recording, path)
    again = read_recording(path)
    assert list(again.columns) == list(recording.columns)
    for name, values in recording.columns.items():
        np.testing.assert_array_equal(again.columns[name], values)
    assert again.contacts == recording.contacts


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_two_equal_runs_give_the_same_bytes(pushing, tmp_path, ending):
    paths = [tmp_path / f"{number}{ending}" for number in range(2)]
    for path in paths:
        save_recording(record(made(pushing)), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_animation_follows_camera_events(pushing):
    steep = Camera((0.0, -3.0, 9.0), (0.5, 0.0, 0.0))
    switches = [Event(0.3, SwitchCamera("top")), Event(0.6, SwitchCamera("steep"))]
    simulation = Simulation(pushing, [Event(0.0, MoveJoint("slide", 0.3, 1.0)), *switches], cameras={"steep": steep})
    recording = record(simulation)

    def frames(**options):
        return list(film(simulation.robot, recording, width=64, height=48, rate=10, **options))

    home, shown = frames(), frames(switches=camera_switches(simulation))
    assert all((one == other).all() for one, other in zip(home[:3], shown[:3], strict=True))
    fitted = frames(switches=[CameraSwitch(0.0, named_camera("top"), exact=False)])
    exact = frames(camera=steep)
    for number, frame in enumerate(shown[3:], start=3):
        np.testing.assert_array_equal(frame, fitted[number] if number < 6 else exact[number])
        assert (frame != home[number]).any()


def test_columns_have_names_and_units(pushing):
    recording = record(made(pushing))
    names = list(recording.columns)
    assert names[:2] == [TIME, "joint slide [m]"]
    assert names[2:5] == ["object cube xx", "object cube xy", "object cube xz"]
    np.testing.assert_allclose(recording.columns["object cube xp"][-1], 0.9, atol=1e-5)
    assert recording.contacts[0] == ""
    assert recording.contacts[-1] == "cube|wall;ram|cube"


def test_a_replay_shows_every_item_exactly_where_it_was(pushing):
    simulation = made(pushing)
    poses = [simulation.kinematics.poses.copy()]
    recorder_poses = poses.append
    from rck.simulation.recording import Recorder

    recorder = Recorder(simulation)
    recorder.note()
    simulation.run(after_step=lambda: (recorder.note(), recorder_poses(simulation.kinematics.poses.copy())))
    replay = Replay(pushing, recorder.recording())
    for row, there in enumerate(poses):
        np.testing.assert_array_equal(replay.show(row).poses, there)
    np.testing.assert_array_equal(replay.show_at(0.305).poses, poses[30])


def test_a_recording_of_another_robot_is_refused(pushing, worlds):
    world, _ = worlds
    recording = record(Simulation(world(), [Event(0, MoveJoint("slide", 0.1, 0.1))]))
    with pytest.raises(RckError, match="another robot: it has no column 'object cube xx'"):
        Replay(pushing, recording)


def test_invalid_recording_is_refused(tmp_path):
    for name, content in [("a.csv", b"x,y\n1,2\n"), ("b.npz", b"no"), ("c.csv", b"")]:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(RckError, match="is not a recording"):
            read_recording(path)
    with pytest.raises(RckError, match=r"\.csv or \.npz"):
        save_recording(read_recording, tmp_path / "d.txt")


class Clock:
    """A clock on the wall that stands still unless it is moved."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_clock_keeps_real_time_at_any_speed_and_load(pushing):
    for speed, ticks in [(1.0, [0.02, 0.04, 0.01]), (0.1, [0.2, 0.1]), (10.0, [0.016, 0.033])]:
        clock = Clock()
        player = RealTimeClock(made(pushing), speed, clock)
        player.play()
        for tick in ticks:
            clock.now += tick
            player.advance()
        assert player.simulation.time == pytest.approx(speed * sum(ticks))
        assert player.wall_time == pytest.approx(sum(ticks))


def test_paused_clock_does_not_advance_and_can_be_stepped(pushing):
    clock = Clock()
    player = RealTimeClock(made(pushing), clock=clock)
    player.play()
    clock.now += 0.1
    player.advance()
    player.pause()
    clock.now += 5.0
    assert player.advance() == 0.0
    player.step(0.05)
    assert player.simulation.time == pytest.approx(0.15)
    player.play()
    clock.now += 0.1
    player.advance()
    assert player.simulation.time == pytest.approx(0.25)
    player.stop()
    assert player.simulation.time == 0.0
    assert not player.playing


def test_clock_stops_when_all_events_are_over(worlds):
    world, _ = worlds
    clock = Clock()
    player = RealTimeClock(made(world()), 100.0, clock)
    player.play()
    clock.now += 0.1
    player.advance()
    assert not player.playing
    assert player.simulation.finished


@pytest.mark.parametrize("speed", [0.0, 0.05, 101.0, float("nan")])
def test_a_speed_out_of_range_is_refused(pushing, speed):
    with pytest.raises(RckError, match=r"0\.1 to 100"):
        RealTimeClock(made(pushing), speed)


def test_command_writes_a_recording_and_reports_the_run(tmp_path):
    from pathlib import Path

    examples = Path(__file__).parents[2] / "examples"
    files = [str(examples / "lingman-arm.robot"), str(examples / "lingman-arm.events")]
    out = tmp_path / "run.csv"
    plot = tmp_path / "run.png"
    result = CliRunner().invoke(simulate, [*files, "--out", str(out), "--plot", str(plot), "--step", "0.05"])
    assert result.exit_code == 0, result.output
    assert "pushes item4" in result.output
    assert "item3 was blocked by item0" in result.output
    assert "5 of 5 events done in 13.00 s" in result.output
    assert f"wrote {out}\nwrote {plot}\n" in result.stdout
    assert read_recording(out).times[-1] == pytest.approx(13.0)
    early = CliRunner().invoke(simulate, [*files, "--until", "6", "--step", "0.05", "--json"])
    assert early.exit_code == 1
    assert json.loads(early.stdout)["events"][-1]["why"] == "item3 is blocked by item0"


def test_sensors_are_in_the_recording(pushing):
    plugins = discover()
    sensor = SensorSetting("laser-range", Mount("eye", "ram"), {"max-range": 2.0})
    recording = record(made(pushing, plugins=plugins, sensors=[sensor]))
    assert recording.columns["sensor eye distance"].shape == recording.times.shape


def test_recording_is_plotted_by_type_of_column(pushing):
    from rck.simulation.plots import panels_of

    panels = {panel.title: panel for panel in panels_of(record(made(pushing)))}
    assert set(panels) == {"joints [mm]", "pairs that touch"}
    (slide,) = panels["joints [mm]"].curves
    assert slide.values[-1] == pytest.approx(800, abs=0.01)
    assert panels["pairs that touch"].curves[0].values.max() == 2


def test_the_command_plots_to_a_picture_and_to_the_terminal(tmp_path):
    from pathlib import Path

    examples = Path(__file__).parents[2] / "examples"
    files = [str(examples / "lingman-arm.robot"), str(examples / "lingman-arm.events")]
    picture = tmp_path / "run.png"
    result = CliRunner().invoke(simulate, [*files, "--step", "0.1", "--plot", str(picture), "--chart"])
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "━ joint0" in result.output
