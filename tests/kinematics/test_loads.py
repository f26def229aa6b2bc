"""Largest static loads of joints under gravity."""

import json
from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.cli.main import cli
from rck.geometry.primitives import box
from rck.geometry.transforms import translation
from rck.hooks import discover
from rck.kinematics.load_search import GravityModel
from rck.kinematics.loads import GRAVITY, carrying_frame, load_findings, static_efforts, worst_loads
from rck.language.session import open_session
from rck.model import Frame, JointKind, JointLimits, Mimic, RckError, at_positions, build_item, build_joint, build_robot
from rck.model.subitem import subitem_of
from rck.testing.robots import robots

G = -GRAVITY[2]


def bar(name, start, length, mass):
    """Along x, its mass in the middle."""
    shape = subitem_of(box(length, 0.02, 0.02), density=mass / (length * 0.02 * 0.02)).unwrap()
    return build_item(name, [shape], pose=translation((start + length / 2, 0, 0))).unwrap()


def two_bars(limits=(-pi, pi), **elbow):
    """Bars of 2 kg and 1 kg on axes along y, stretched out along x where the shoulder stands at its lower limit."""
    items = [bar("post", -0.1, 0.1, 1.0), bar("upper", 0.0, 0.4, 2.0), bar("fore", 0.4, 0.3, 1.0)]
    joints = [
        build_joint(
            "shoulder", "revolute", "post", "upper", end=(0, 1, 0), limits=limits, position=limits[0], effort=10.0
        ).unwrap(),
        build_joint("elbow", "continuous", "upper", "fore", start=(0.4, 0, 0), end=(0.4, 1, 0), **elbow).unwrap(),
    ]
    return build_robot("bars", items, joints, [Frame("tip", "fore", translation((0.15, 0, 0)))]).unwrap()


def test_horizontal_stretched_arm_is_worst_for_shoulder():
    shoulder, elbow = worst_loads(two_bars())
    assert shoulder.effort == pytest.approx(G * (2 * 0.2 + 1 * 0.55))
    assert shoulder.share == pytest.approx(shoulder.effort / 10.0)
    assert not shoulder.too_much
    assert elbow.effort == pytest.approx(G * 0.15)
    assert (elbow.share, elbow.too_much) == (None, False)
    assert np.cos(shoulder.positions["elbow"]) == pytest.approx(1)


def test_payload_acts_with_its_lever_arm():
    robot = two_bars()
    shoulder, elbow = worst_loads(robot, 0.3, carrying_frame(robot))
    assert shoulder.effort == pytest.approx(G * (2 * 0.2 + 1 * 0.55 + 0.3 * 0.7))
    assert shoulder.too_much
    assert elbow.effort == pytest.approx(G * (0.15 + 0.3 * 0.3))
    (alone,) = worst_loads(robot, 0.3, carrying_frame(robot), joints=["elbow"])
    assert alone.effort == pytest.approx(elbow.effort)


def test_joint_limits_reduce_worst_load():
    # Pulled along the arm as it is drawn, which may swing out by no more than 30°; the elbow turns freely.
    shoulder, _ = worst_loads(two_bars(limits=(0.0, pi / 6)), gravity=(G, 0.0, 0.0))
    assert shoulder.effort == pytest.approx(G * ((2 * 0.2 + 1 * 0.4) / 2 + 1 * 0.15))
    assert shoulder.positions["shoulder"] == pytest.approx(pi / 6)


def test_mimic_joint_adds_load_to_its_leader():
    robot = two_bars(mimic=Mimic("shoulder", -1.0))
    (shoulder,) = worst_loads(robot)
    # The fore arm stays level, so all that is lifted of it is its elbow.
    assert shoulder.effort == pytest.approx(G * (2 * 0.2 + 1 * 0.4))


@settings(max_examples=25, deadline=None)
@given(robot=robots(most_joints=4), seed=st.integers(0, 1000))
def test_no_sampled_position_exceeds_worst_load(robot, seed):
    rng = np.random.default_rng(seed)
    loads = {load.joint: load for load in worst_loads(robot)}
    model = GravityModel(robot, np.array(GRAVITY))
    for name, load in loads.items():
        vector = np.array(list(load.positions.values()))
        assert abs(led_efforts(robot, vector)[name]) == pytest.approx(load.effort, rel=1e-9, abs=1e-9)
    for _ in range(20):
        for name, effort in led_efforts(robot, rng.uniform(*model.spans.T)).items():
            assert abs(effort) <= loads[name].effort * (1 + 1e-6) + 1e-9


def led_efforts(robot, vector):
    """Return the efforts of the free joints: that of a mimic joint counts for its leader, times the ratio."""
    efforts = static_efforts(at_positions(robot, vector))
    for joint in robot.joints:
        if joint.mimic and joint.kind.moves:
            efforts[joint.mimic.joint] += joint.mimic.ratio * efforts.pop(joint.name)
    return efforts


def test_limits_of_mimic_joint_limit_its_leader():
    robot = two_bars(limits=(-pi, pi))
    follower = replace(
        robot.joint("elbow"), kind=JointKind.REVOLUTE, mimic=Mimic("shoulder", 0.5), limits=JointLimits(-0.4, 0.4)
    )
    model = GravityModel(build_robot("led", robot.items, [robot.joints[0], follower]).unwrap(), np.array(GRAVITY))
    np.testing.assert_allclose(model.spans, [[-0.8, 0.8]])


def test_continuous_joint_is_searched_over_the_period_of_its_mimics():
    robot = two_bars(mimic=Mimic("shoulder", 0.75))
    leader = replace(robot.joint("shoulder"), kind=JointKind.CONTINUOUS, limits=None, position=0.0)
    model = GravityModel(build_robot("led", robot.items, [leader, robot.joints[1]]).unwrap(), np.array(GRAVITY))
    np.testing.assert_allclose(model.spans, [[-4 * pi, 4 * pi]])


def test_invalid_payload_is_refused():
    robot = two_bars()
    with pytest.raises(RckError, match="needs a frame"):
        worst_loads(robot, 1.0)
    with pytest.raises(RckError, match="at least 0 kg"):
        worst_loads(robot, -1.0, carrying_frame(robot))
    with pytest.raises(RckError, match=r"no item or frame 'tipp' \(did you mean tip"):
        carrying_frame(robot, "tipp")
    bare = build_robot("bare", robot.items, robot.joints).unwrap()
    assert carrying_frame(bare).item == "fore"


def test_arm_that_cannot_hold_itself_is_a_finding():
    robot = two_bars(effort=1.0)
    (finding,) = load_findings(robot)
    assert str(finding).startswith("RCK915 warning: joint elbow: must hold 1.47, above its effort limit of 1 N m")
    assert load_findings(two_bars(effort=2.0)) == []


def test_stall_torque_is_named(tmp_path):
    (tmp_path / "arm.rck").write_text("rck: 1\nname: arm\nparts:\n  waist: {part: robotis/xm540-w270}\n")
    said = CliRunner().invoke(cli, ["loads", str(tmp_path / "arm.rck")]).stdout
    assert "N m stall torque " in said
    rows = json.loads(CliRunner().invoke(cli, ["loads", str(tmp_path / "arm.rck"), "--json"]).stdout)
    assert [row["figure"] for row in rows] == ["stall torque"]


TWO_ARMS = """\
rck: 1
name: two
units: {length: mm, angle: deg}
parts:
  left: {part: universal-robots/ur5e}
  right: {part: universal-robots/ur5e, place: {at: [2000, 0, 0]}}
"""


def test_payload_of_two_arms_needs_the_name_of_a_tip(tmp_path):
    path = tmp_path / "two.rck"
    path.write_text(TWO_ARMS)
    asked = CliRunner().invoke(cli, ["loads", str(path), "--payload", "5kg"])
    assert isinstance(asked.exception, RckError)
    assert "choose one of left/tool0, right/tool0" in str(asked.exception)
    loaded = json.loads(
        CliRunner().invoke(cli, ["loads", str(path), "--payload", "5kg", "--at", "right/tool0", "--json"]).stdout
    )
    effort = {row["joint"]: row["effort"] for row in loaded}
    assert effort["right/shoulder-lift"] > 1.5 * effort["left/shoulder-lift"]


ARM = """\
rck: 1
name: arm
units: {length: mm, angle: deg}
parts:
  arm: {part: universal-robots/ur5e}
tools:
  hand: {on: arm.flange}
"""


def test_loads_command_in_shell_and_language(tmp_path):
    path = tmp_path / "arm.rck"
    path.write_text(ARM)
    fine = CliRunner().invoke(cli, ["loads", str(path), "--payload", "5kg"])
    assert fine.exit_code == 0
    assert fine.stdout.splitlines()[-1].startswith("arm/")
    assert fine.stdout.startswith("with a payload of 5 kg at hand (choose another frame or item with --at)\n")
    weak = CliRunner().invoke(cli, ["loads", str(path), "--payload", "30kg"])
    assert weak.exit_code == 1
    assert any("arm/shoulder-lift" in line and line.endswith("too weak") for line in weak.stdout.splitlines())
    rows = json.loads(CliRunner().invoke(cli, ["loads", str(path), "--json"]).stdout)
    assert all(row["effort"] <= row["most"] for row in rows)
    said = open_session(discover(), path).do("loads 30kg --at hand")
    assert said.message.splitlines() == weak.stdout.splitlines()


EXAMPLES = Path(__file__).parents[2] / "examples"


def test_load_above_the_continuous_torque_is_near_the_limit():
    said = CliRunner().invoke(cli, ["loads", str(EXAMPLES / "desk-arm.rck"), "--payload", "500g"])
    assert said.exit_code == 0
    (line,) = [line for line in said.stdout.splitlines() if line.startswith("shoulder/axis ")]
    assert line.endswith("near limit")
    assert "estimated: 20% of stall" in said.stdout
    words = ["loads", str(EXAMPLES / "desk-arm.rck"), "--payload", "500g", "--json"]
    rows = {row["joint"]: row for row in json.loads(CliRunner().invoke(cli, words).stdout)}
    assert rows["shoulder/axis"]["verdict"] == "near limit"
    assert rows["waist/axis"]["verdict"] == "ok"
    assert rows["shoulder/axis"]["max_power"] == pytest.approx(10.6 * pi / 4)


def test_program_compares_the_motors_with_their_torque_speed_lines(tmp_path):
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    cell, slow = EXAMPLES / "desk-cell.rck", EXAMPLES / "desk-pick.rckp"
    fine = CliRunner().invoke(cli, ["loads", str(cell), "--program", str(slow)])
    assert fine.exit_code == 0
    assert "strong enough for this run" in fine.stdout
    fast = tmp_path / "fast.rckp"
    fast.write_text(slow.read_text().replace("robot_speed arm 2\n", ""))
    words = ["loads", str(cell), "--program", str(fast)]
    weak = CliRunner().invoke(cli, words)
    assert weak.exit_code == 1
    assert "but its motor gives" in weak.output
    rows = {row["joint"]: row for row in json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)}
    run = rows["arm/shoulder/axis"]["run"]
    # Its peak is far below the stall torque: only the speed makes it too weak.
    assert run["peak_effort"] < 0.5 * run["stall_effort"]
    assert run["usage"] > 1.0
    assert run["verdict"] == "too weak"
    assert rows["arm/shoulder/axis"]["verdict"] == "ok"


def test_payload_of_a_program_is_refused():
    words = [
        "loads",
        str(EXAMPLES / "desk-cell.rck"),
        "--program",
        str(EXAMPLES / "desk-pick.rckp"),
        "--payload",
        "1kg",
    ]
    assert CliRunner().invoke(cli, words).exit_code == 2
