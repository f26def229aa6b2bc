"""State files: saving and resuming runs."""

import json
from math import pi
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.cli.simulate import simulate
from rck.geometry.transforms import rotation_about
from rck.hooks import Mount
from rck.hooks.actions import Announce, Condition, MoveJoint, SwitchSensor, WaitFor
from rck.model import RckError
from rck.simulation.events import Event
from rck.simulation.recording import record, save_recording
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation
from rck.simulation.state_file import encode_state, read_state, restore_state, save_state

EXAMPLES = Path(__file__).parents[2] / "examples"
ALONG_X = rotation_about((0, 1, 0), pi / 2)


@pytest.fixture
def busy(worlds, plugins):
    """A ram that pushes a cube against a wall, under the eyes of sensors of every sort of past."""
    world, block = worlds
    robot = world(block("cube", (0.5, 0, 0), mobile=True), block("wall", (1.0, 0, 0)))
    settings = [
        SensorSetting("laser-range", Mount("eye", "ram", ALONG_X), {"noise": 0.01}),
        SensorSetting("lidar-2d", Mount("all-round", "ram"), {"rate": 7.0, "angular-resolution": "30 deg"}),
        SensorSetting("imu", Mount("inner", "cube")),
        SensorSetting("force-stick", Mount("stick", "ram"), {"to": "cube"}),
        SensorSetting("safety-zone", Mount("zone", "bed"), {"radius": "0.62 m", "least-stop": 0.1}),
        SensorSetting("encoder", Mount("count", "ram")),
    ]
    events = [
        Event(0.0, MoveJoint("slide", 1.0, 1.0)),
        Event(0.5, Announce("half way")),
        Event(0.3, WaitFor(Condition("eye", "distance", "<", 0.5), 0.5)),
        Event(0.4, SwitchSensor("count", False)),
        # The zone holds the ram; the run goes on as long as something is to come.
        Event(1.9, Announce("late")),
    ]

    def make(listed=events):
        return Simulation(robot, listed, plugins=plugins, sensors=settings, seed=5)

    return make


def csv_of(simulation, path, until=float("inf")):
    save_recording(record(simulation, until), path)
    return path.read_bytes().splitlines()


@pytest.mark.parametrize("until", [0.33, 0.41, 0.6, 0.97, 1.3])
def test_resumed_run_equals_the_whole_run_to_the_last_bit(busy, tmp_path, until):
    whole = busy()
    wanted = csv_of(whole, tmp_path / "whole.csv", 2.0)
    broken = busy()
    first = csv_of(broken, tmp_path / "first.csv", until)
    save_state(encode_state(broken)[0], tmp_path / "run.state.json")
    # Another run, as if in another program: it has no events of its own.
    resumed = busy(())
    restore_state(resumed, read_state(tmp_path / "run.state.json"), "run")
    rest = csv_of(resumed, tmp_path / "rest.csv", 2.0)
    assert rest[1] == first[-1]
    assert [*first, *rest[2:]] == wanted
    assert resumed.notices == whole.notices
    assert [(one.event, one.finished, one.blockings, one.pushed) for one in resumed.outcomes] == [
        (one.event, one.finished, one.blockings, one.pushed) for one in whole.outcomes
    ]
    resumed.restart()
    assert resumed.time == 0
    assert resumed.pending == whole.events


def test_velocities_of_set_joints_and_pushed_objects_are_saved(worlds, plugins, tmp_path):
    world, block = worlds

    def make(*events):
        return Simulation(world(block("cube", (0.15, 0, 0), mobile=True)), events, plugins=plugins)

    simulation, resumed = make(Event(0.0, MoveJoint("slide", 1.0, 1.0))), make()
    for seconds in (0.01, 0.03, 0.02):
        simulation.place(simulation.vector + 0.001 * seconds)
        simulation.step(seconds)
    assert simulation.joint_velocities[0] != 1.0
    cube = simulation.robot.item_index["cube"]
    assert simulation.view.velocities[cube, 0] == simulation.joint_velocities[0]
    save_state(encode_state(simulation)[0], tmp_path / "run.state.json")
    restore_state(resumed, read_state(tmp_path / "run.state.json"), "run")
    assert resumed.joint_velocities.tolist() == simulation.joint_velocities.tolist()
    assert resumed.view.velocities.tolist() == simulation.view.velocities.tolist()
    assert resumed.view.accelerations.tolist() == simulation.view.accelerations.tolist()


def run(*words):
    result = CliRunner().invoke(simulate, [str(word) for word in words], standalone_mode=False)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    ("cell", "events", "again", "until"),
    [
        ("lingman-arm.robot", "lingman-arm.events", (), 3.0),
        # Broken off with the cube in the hand.
        ("desk-cell.rck", "desk-pick.rckp", (EXAMPLES / "desk-pick.rckp",), 4.0),
    ],
)
def test_command_resumes_from_a_state(cell, events, again, until, tmp_path):
    state, csv = tmp_path / "half.state.json", tmp_path / "run.csv"
    options = ("--step", 0.05, "--json", "--out", csv)
    whole = json.loads(run(EXAMPLES / cell, EXAMPLES / events, *options).stdout)
    wanted = csv.read_bytes().splitlines()
    run(EXAMPLES / cell, EXAMPLES / events, "--until", until, "--save-state", state, *options)
    first = csv.read_bytes().splitlines()
    assert 2 < len(first) < len(wanted)
    assert json.loads(run(EXAMPLES / cell, *again, "--from-state", state, *options).stdout) == whole
    assert [*first, *csv.read_bytes().splitlines()[2:]] == wanted


def test_invalid_state_and_state_of_another_robot_are_refused(busy, plugins, worlds, tmp_path):
    path = tmp_path / "bad.state.json"
    with pytest.raises(RckError, match="no saved state"):
        read_state(path)
    for content, words in (
        ("{}", "not a saved state"),
        ('{"rck_state": 1}', "an older RCK"),
        ("[", "not a saved state"),
    ):
        path.write_text(content)
        with pytest.raises(RckError, match=words):
            read_state(path)
    state, _ = encode_state(busy())
    world, block = worlds
    with pytest.raises(RckError, match="objects of the state and of ram-world differ, for example cube"):
        restore_state(Simulation(world(block("wall", (1.0, 0, 0))), plugins=plugins), state, "bad")


def test_events_together_with_a_state_are_refused(tmp_path):
    state = tmp_path / "half.state.json"
    arm, events = EXAMPLES / "lingman-arm.robot", EXAMPLES / "lingman-arm.events"
    run(arm, events, "--until", 0.1, "--save-state", state)
    result = CliRunner().invoke(simulate, [str(arm), str(events), "--from-state", str(state)])
    assert result.exit_code == 2
    assert "contains its own events" in result.output
    for until in ((), ("--until", "inf")):
        result = CliRunner().invoke(simulate, [str(arm), *until])
        assert result.exit_code == 2
        assert "name an event file or a program" in result.output


@pytest.mark.parametrize(("action", "emergency", "held"), [("stop", True, False), ("hold", False, True)])
def test_state_distinguishes_emergency_stop_and_safety_hold(worlds, plugins, action, emergency, held):
    world, block = worlds
    robot = world(block("cube", (0.5, 0, 0), mobile=True))
    zone = SensorSetting("safety-zone", Mount("zone", "bed"), {"radius": 1.0, "action": action, "height": 5.0})

    def make():
        return Simulation(robot, [Event(0.0, MoveJoint("slide", 0.3, 3.0))], plugins=plugins, sensors=[zone])

    simulation, again = make(), make()
    simulation.step(1.0)
    state, _ = encode_state(simulation)
    assert (state.state["emergency"], state.state["held"]) == (emergency, held)
    restore_state(again, state, "state")
    saved = again.save()
    assert (saved.emergency, saved.held) == (emergency, held)
    told = len(again.notices)
    again.step(0.5)
    assert again.vector[0] == simulation.vector[0]
    assert len(again.notices) == told
