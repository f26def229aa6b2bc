"""Runs that are broken off, saved to a file, and gone on with."""

import json
from math import pi
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.cli.simulate import simulate
from rck.geometry.transforms import rotation_about
from rck.hooks import Mount
from rck.model import RckError
from rck.simulation.events import Announce, Condition, MoveJoint, SwitchSensor, WaitFor
from rck.simulation.recording import record, save_recording
from rck.simulation.sensing import SensorSetting
from rck.simulation.simulation import Simulation
from rck.simulation.state_file import read_state, restore, save_state, state_of

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
        MoveJoint("slide", 1.0, 0.0, 1.0),
        Announce("half way", 0.5),
        WaitFor(Condition("eye", "distance", "<", 0.5), 0.3, 0.5),
        SwitchSensor("count", False, 0.4),
    ]

    def make(listed=events):
        return Simulation(robot, listed, plugins=plugins, sensors=settings, seed=5)

    return make


def csv_of(simulation, path, until=float("inf")):
    save_recording(record(simulation, until), path)
    return path.read_bytes().splitlines()


@pytest.mark.parametrize("until", [0.33, 0.41, 0.6, 0.97, 1.3])
def test_a_run_that_was_broken_off_goes_on_to_the_last_bit(busy, tmp_path, until):
    whole = busy()
    wanted = csv_of(whole, tmp_path / "whole.csv", 2.0)
    broken = busy()
    first = csv_of(broken, tmp_path / "first.csv", until)
    save_state(state_of(broken)[0], tmp_path / "run.state.json")
    # Another run, as if in another program: it has no events of its own.
    resumed = busy(())
    restore(resumed, read_state(tmp_path / "run.state.json"), "run")
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


def test_the_velocities_of_placed_joints_and_pushed_objects_are_kept(worlds, plugins, tmp_path):
    world, block = worlds

    def make(*events):
        return Simulation(world(block("cube", (0.15, 0, 0), mobile=True)), events, plugins=plugins)

    simulation, resumed = make(MoveJoint("slide", 1.0, 0.0, 1.0)), make()
    for seconds in (0.01, 0.03, 0.02):
        simulation.place(simulation.vector + 0.001 * seconds)
        simulation.step(seconds)
    assert simulation.joint_velocities[0] != 1.0
    cube = simulation.robot.item_index["cube"]
    assert simulation.view.velocities[cube, 0] == simulation.joint_velocities[0]
    save_state(state_of(simulation)[0], tmp_path / "run.state.json")
    restore(resumed, read_state(tmp_path / "run.state.json"), "run")
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
def test_the_command_goes_on_from_a_state(cell, events, again, until, tmp_path):
    state, csv = tmp_path / "half.state.json", tmp_path / "run.csv"
    options = ("--step", 0.05, "--json", "--out", csv)
    whole = json.loads(run(EXAMPLES / cell, EXAMPLES / events, *options).stdout)
    wanted = csv.read_bytes().splitlines()
    run(EXAMPLES / cell, EXAMPLES / events, "--until", until, "--save-state", state, *options)
    first = csv.read_bytes().splitlines()
    assert 2 < len(first) < len(wanted)
    assert json.loads(run(EXAMPLES / cell, *again, "--from-state", state, *options).stdout) == whole
    assert [*first, *csv.read_bytes().splitlines()[2:]] == wanted


def test_what_is_no_state_or_of_another_robot_is_refused(busy, plugins, worlds, tmp_path):
    path = tmp_path / "bad.state.json"
    with pytest.raises(RckError, match="no saved state"):
        read_state(path)
    for content, words in (("{}", "no saved state"), ('{"rck_state": 1}', "an older RCK"), ("[", "no saved state")):
        path.write_text(content)
        with pytest.raises(RckError, match=words):
            read_state(path)
    state, _ = state_of(busy())
    world, block = worlds
    with pytest.raises(RckError, match="objects are not those of ram-world, for one cube"):
        restore(Simulation(world(block("wall", (1.0, 0, 0))), plugins=plugins), state, "bad")


def test_events_beside_a_state_are_refused(tmp_path):
    state = tmp_path / "half.state.json"
    arm, events = EXAMPLES / "lingman-arm.robot", EXAMPLES / "lingman-arm.events"
    run(arm, events, "--until", 0.1, "--save-state", state)
    result = CliRunner().invoke(simulate, [str(arm), str(events), "--from-state", str(state)])
    assert result.exit_code == 2
    assert "brings its own events" in result.output
    assert "name the file of events" in CliRunner().invoke(simulate, [str(arm)]).output


@pytest.mark.parametrize(("action", "emergency", "held"), [("stop", True, False), ("hold", False, True)])
def test_an_emergency_stop_and_a_hold_for_safety_are_told_apart_in_a_state(worlds, plugins, action, emergency, held):
    world, block = worlds
    robot = world(block("cube", (0.5, 0, 0), mobile=True))
    zone = SensorSetting("safety-zone", Mount("zone", "bed"), {"radius": 1.0, "action": action, "height": 5.0})

    def make():
        return Simulation(robot, [MoveJoint("slide", 0.3, 0.0, 3.0)], plugins=plugins, sensors=[zone])

    simulation, again = make(), make()
    simulation.step(1.0)
    state, _ = state_of(simulation)
    assert (state.emergency, state.held) == (emergency, held)
    restore(again, state, "state")
    saved = again.save()
    assert (saved.emergency, saved.held) == (emergency, held)
    told = len(again.notices)
    again.step(0.5)
    assert again.vector[0] == simulation.vector[0]
    assert len(again.notices) == told
