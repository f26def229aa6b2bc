"""Historic runs, on the examples that ship with RCK."""

import json
import runpy
from math import degrees, radians
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.simulate import simulate
from rck.language.session import open_session
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.program_runner import ProgramRunner, read_program
from rck.simulation.simulation import Simulation

EXAMPLES = Path(__file__).parents[2] / "examples"


def cell_of(plugins, name, **options):
    robot = open_session(plugins, EXAMPLES / f"{name}.rck").compile().unwrap().robot
    return InstructionExecutor(Simulation(robot, plugins=plugins), plugins, **options)


def run(cell, plugins, program):
    program = ProgramRunner(cell, read_program(EXAMPLES / program, cell.simulation.robot, plugins))
    program.run()
    assert program.finished, program.executed[-1].reply
    return program


def place(cell, name):
    return 1000 * cell.simulation.kinematics.poses[cell.simulation.robot.item_index[name]][:3, 3]


def test_lingmans_arm_pushes_the_cube_is_blocked_and_continues():
    files = [str(EXAMPLES / "lingman-arm.robot"), str(EXAMPLES / "lingman-arm.events")]
    result = CliRunner().invoke(simulate, [*files, "--json"])
    assert result.exit_code == 0, result.output
    run = json.loads(result.stdout)
    assert [message["kind"] for message in run["messages"]] == ["pushed", "blocked", "freed"]
    assert run["messages"][1]["items"] == ["item3", "item0"]
    (blocked,) = [event for event in run["events"] if event["blocked"]]
    assert blocked["done"]
    assert blocked["blocked"][0]["seconds"] == pytest.approx(blocked["finished"] - blocked["started"] - 2.0)
    assert [event["pushed"] for event in run["events"]].count(["item4"]) == 1
    cube = np.array(run["objects"]["item4"])[:3, 3]
    assert np.hypot(*cube[:2]) == pytest.approx(np.hypot(0.28, 0.30), abs=1e-6)
    assert degrees(np.arctan2(cube[1], cube[0])) > 80


def test_command_reports_the_failed_line_of_a_program(tmp_path):
    program = tmp_path / "far.rckp"
    program.write_text("message hello\nmove_joints_absolute arm 0 700 0 100\n")
    result = CliRunner().invoke(simulate, [str(EXAMPLES / "desk-cell.rck"), str(program)])
    assert result.exit_code == 1
    assert "1 line of the program done, line 2 failed, in " in result.output


def test_the_puma_moves_by_its_joints_at_a_third_of_a_radian_a_second(plugins):
    cell = cell_of(plugins, "puma-cell", profile="linear")
    run(cell, plugins, "puma-joints.rckp")
    # The joint that goes farthest turns by 70, 40 and 60 degrees.
    assert cell.simulation.time == pytest.approx(radians(170) / 0.3, abs=0.03)
    np.testing.assert_allclose(np.degrees(cell.simulation.vector[:6]), [0, 0, -90, 0, 90, 0], atol=1e-9)


def test_the_puma_puts_the_cube_on_the_stage(plugins):
    cell = cell_of(plugins, "puma-cell", seconds=0.05)
    run(cell, plugins, "puma-pick.rckp")
    np.testing.assert_allclose(place(cell, "cube/cube"), [260, 140, 740], atol=0.1)
    kinds = [notice.kind for notice in cell.simulation.notices]
    assert kinds == ["gripped", "released", "landed"]


def test_two_pumas_hand_the_ball_over(plugins):
    cell = cell_of(plugins, "handover-cell", seconds=0.05)
    run(cell, plugins, "handover.rckp")
    # Its middle, for it has been turned on the way.
    ball = cell.simulation.kinematics.poses[cell.simulation.robot.item_index["ball/ball"]]
    np.testing.assert_allclose(1000 * (ball @ [0, 0, 0.02, 1])[:3], [270, 300, 720], atol=2.5)
    held = [notice.text for notice in cell.simulation.notices if notice.kind == "gripped"]
    assert held == ["left-hand/hand holds ball/ball", "right-hand/hand holds ball/ball"]


def test_the_slave_follows_the_master_by_the_stick_between_them(plugins):
    example = runpy.run_path(str(EXAMPLES / "master_slave.py"))
    forces = []
    simulation = example["run"](plugins, show=lambda time, force: forces.append(force))
    master, slave = (
        simulation.kinematics.poses[simulation.robot.item_index[f"{name}/tool-plate"]] for name in ("master", "slave")
    )
    assert np.abs(forces).max() > 1.0
    np.testing.assert_allclose(forces[-1], 0, atol=1e-3)
    # The stick is as long as it was, and neither hand was left behind.
    begin = [simulation.robot.item(f"{name}/tool-plate").pose for name in ("master", "slave")]
    np.testing.assert_allclose(np.linalg.inv(master) @ slave, np.linalg.inv(begin[0]) @ begin[1], atol=1e-5)
    assert np.abs(master - begin[0]).max() > 0.05


def test_object_is_gripped_at_its_defined_grasp(plugins, tmp_path):
    cell = cell_of(plugins, "puma-cell", seconds=0.05)
    text = """
        move_to_grasp puma cube/cube
        define_grasp cube/cube 0 0 15 180 0 0 40
        move_end_effector puma 260 -120 800 180 0 0
        move_to_grasp puma cube/cube
        close_gripper puma cube/cube
        move_to_grasp puma cube/cube
    """
    path = tmp_path / "take.rckp"
    path.write_text(text)
    program = ProgramRunner(cell, read_program(path, cell.simulation.robot, plugins))
    assert "no grasp is defined for cube/cube" in program.run().reply.text
    program.continue_at(3)
    halted = program.run()
    assert halted.line.number == 7
    assert halted.reply.text == "hand/hand already holds cube/cube"
    # Opened to 40 mm of 50, and closed to the 30 mm of the cube.
    assert cell.simulation.vector[6] == pytest.approx(0.015, abs=1e-4)
    opened = [one for one in cell.simulation.outcomes if getattr(one.event.action, "opening", 0.0) == 0.04]
    assert opened[0].done
