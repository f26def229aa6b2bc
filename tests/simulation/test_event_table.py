"""Event tables in YAML files."""

from math import pi

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.simulate import simulate
from rck.hooks.actions import Announce, Condition, MoveJoint, SwitchCamera, SwitchSensor, UseGripper, WaitFor
from rck.kinematics.motion import joint_move, motion_limits
from rck.model import Device, DeviceKind, RckError, build_joint, build_robot
from rck.simulation.event_table import read_table, save_table
from rck.simulation.events import Event, FollowPath
from rck.simulation.simulation import Simulation


@pytest.fixture
def crane(worlds):
    _, block = worlds
    items = [block("post", (0, 0, 0)), block("jib", (0.5, 0, 0)), block("hook", (0.5, 0, -0.5))]
    joints = [
        build_joint("turn", "revolute", "post", "jib", limits=(-pi, pi)).unwrap(),
        build_joint("lift", "prismatic", "jib", "hook", end=(0, 0, 1), limits=(-0.3, 0.3)).unwrap(),
    ]
    devices = [
        Device("hand", DeviceKind("vacuum-gripper"), "hook"),
        Device("eye", DeviceKind.CAMERA, "hook"),
        Device("left/eye", DeviceKind.LASER_RANGE, "jib"),
    ]
    return build_robot("crane", items, joints, devices=devices).unwrap()


def test_saved_events_of_every_type_are_read_back(crane, tmp_path):
    events = (
        Event(0.0, MoveJoint("turn", 0.7, 2.0)),
        Event(0.5, MoveJoint("lift", -0.125, 1.0)),
        Event(2.0, UseGripper("hand", True, "cube")),
        Event(2.5, UseGripper("hand", False)),
        Event(2.6, SwitchSensor("eye", False)),
        Event(2.7, SwitchSensor("eye", True)),
        Event(2.8, SwitchCamera("top")),
        Event(3.0, WaitFor(Condition("left/eye", "distance", "<=", 0.25), 5.0)),
        Event(3.5, Announce("there: it is, # or not")),
    )
    path = tmp_path / "run.yaml"
    save_table(reversed(events), crane, path)
    again = read_table(path, crane)
    assert again[1:] == events[1:]
    assert again[0].action.change == pytest.approx(0.7, abs=1e-12)


def test_devices_and_joints_can_be_named_by_the_end_of_their_name(crane, tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text("events:\n- {at: 1, wait: eye.distance < 0.2}\n- {at: 0, close: hand}\n")
    close, wait = read_table(path, crane)
    assert close.action.gripper == "hand"
    assert wait.action.condition.sensor == "eye"
    path.write_text("events:\n- {at: 1, wait: left.distance < 0.2}\n")
    assert read_table(path, crane)[0].action.condition.sensor == "left/eye"
    path.write_text("events:\n- {at: 1, close: hnad}\n")
    with pytest.raises(RckError, match=r"run.yaml:2: event 0: there is no gripper called hnad \(did you mean hand\?\)"):
        read_table(path, crane)


def test_path_is_saved_as_joint_motions_to_the_same_goal(crane, tmp_path):
    path = joint_move(motion_limits(crane), (0, 0), (1.0, 0.2)).unwrap()
    save_table([Event(0.5, FollowPath(path))], crane, tmp_path / "run.yaml")
    simulation = Simulation(crane, read_table(tmp_path / "run.yaml", crane))
    simulation.run()
    np.testing.assert_allclose(simulation.vector, (1.0, 0.2), atol=1e-9)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{at: 0, say: a, camera: b}", ":2: event 0: an event needs exactly one of move"),
        ("{at: 0}", "not none"),
        ("{at: 0, move: turn, by: 3}", "a motion needs `by` and `until`"),
        ("{at: 0, until: 1, move: arm, by: 3}", "no movable joint called arm"),
        ("{at: 0, until: 1, move: turn, by: 3 kg}", "event 0: "),
        ("{at: 0, wait: eye}", "is not a comparison"),
        ("{at: soon, say: a}", "events.0.at"),
        ("{at: 0, says: a}", "says"),
    ],
)
def test_invalid_row_is_refused_with_its_line(crane, tmp_path, row, message):
    path = tmp_path / "run.yaml"
    path.write_text(f"events:\n- {row}\n")
    with pytest.raises(RckError) as caught:
        read_table(path, crane)
    assert message in str(caught.value)


def test_the_command_runs_a_table(tmp_path):
    from pathlib import Path

    table = tmp_path / "run.yaml"
    table.write_text("events:\n- {at: 0, until: 1, move: joint0, by: 30}\n- {at: 0.5, say: half way}\n")
    robot = Path(__file__).parents[2] / "examples" / "lingman-arm.robot"
    result = CliRunner().invoke(simulate, [str(robot), str(table), "--step", "0.1"])
    assert result.exit_code == 0, result.output
    assert "message: half way" in result.output
    early = CliRunner().invoke(simulate, [str(robot), str(table), "--step", "0.1", "--until", "0.6"])
    assert early.exit_code == 1
    assert "not done: event at 0 s, joint0: was not done in time" in early.output


def test_empty_assembly_runs_events(tmp_path):
    (tmp_path / "run.yaml").write_text("events:\n- {at: 0, say: hello}\n")
    (tmp_path / "empty.rck").write_text("rck: 1\nname: empty\n")
    done = CliRunner().invoke(simulate, [str(tmp_path / "empty.rck"), str(tmp_path / "run.yaml")])
    assert done.exit_code == 0
    assert "hello" in done.output
