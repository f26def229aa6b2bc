"""Programs: reading, replies, breakpoints and editing."""

from math import pi

import numpy as np
import pytest

from rck.geometry.transforms import from_euler, translation
from rck.hooks import ProgramLanguage
from rck.hooks.actions import (
    Announce,
    Condition,
    MoveJoints,
    MoveTool,
    SetSpeed,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    Wait,
    WaitFor,
)
from rck.model import Frame, RckError, build_joint, build_robot
from rck.simulation.arms import arm_named, arms_of
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.program_runner import ProgramRunner, read_program
from rck.simulation.simulation import Simulation


@pytest.fixture
def gantry(worlds):
    """A tool that three slides move: x, y, z."""
    _, block = worlds
    names = ["frame", "bridge", "car", "quill"]
    items = [block(name, (0, 0, 2 - 0.5 * n), (0.05, 0.05, 0.05)) for n, name in enumerate(names)]
    ends = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    joints = [
        build_joint(f"g/{axis}", "prismatic", names[n], names[n + 1], end=ends[n], limits=(-1, 1), speed=0.5).unwrap()
        for n, axis in enumerate("xyz")
    ]
    tool = Frame("tip", "quill", translation((0, 0, -0.1)))

    def make(*others):
        return build_robot("gantry", [*items, *others], joints, [tool]).unwrap()

    return make


def compiled(plugins, robot, text, language="commands"):
    chosen = next(one for one in plugins.all(ProgramLanguage) if one.name == language)
    return chosen.compile(text, robot)


def test_arm_has_the_names_of_its_tool_scope_and_robot(gantry):
    robot = gantry()
    assert set(arms_of(robot)) == {"tip", "g", "gantry"}
    assert arm_named(robot, "g").chain.joints == ("g/x", "g/y", "g/z")
    assert arm_named(robot, "").name == "tip"
    with pytest.raises(RckError, match=r"no robot arm 'gant'.*gantry"):
        arm_named(robot, "gant")


def test_every_command_is_read_in_millimetres_and_degrees(plugins, gantry):
    text = """
        # what a program may say
        move_joints_relative g 100 0 -50
        move_joints_absolute g 0 0 0
        move_joint_by_joint g 1 2 3
        move_end_effector g 100 200 300 0 0 90   # with an orientation
        move_straight_line g 100 200 300
        close_gripper g cube
        open_gripper g
        robot_speed g 0.3
        message "all is well"
        status
        camera top
        sensor eye off
        wait 1.5
        wait left/eye.distance < 0.2 5
    """
    lines = compiled(plugins, gantry(), text).lines
    assert [line.number for line in lines] == list(range(3, 17))
    commands = [line.instruction for line in lines]
    assert commands[:3] == [
        MoveJoints("g", (0.1, 0.0, -0.05), relative=True),
        MoveJoints("g", (0.0, 0.0, 0.0)),
        MoveJoints("g", (0.001, 0.002, 0.003), one_by_one=True),
    ]
    np.testing.assert_allclose(commands[3].pose, translation((0.1, 0.2, 0.3)) @ from_euler([0, 0, pi / 2]))
    assert commands[4].straight
    assert commands[4].keep_orientation
    assert commands[5:] == [
        UseGripper("g", True, "cube"),
        UseGripper("g", False),
        SetSpeed("g", 0.3),
        Announce("all is well"),
        Announce(),
        SwitchCamera("top"),
        SwitchSensor("eye", False),
        Wait(1.5),
        WaitFor(Condition("left/eye", "distance", "<", 0.2), 5.0),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("move_joints g 1 2 3", "line 1: there is no command 'move_joints'"),
        ("status\nmove_joints_absolute g 1 2", "line 2: move_joints_absolute takes ROBOT and a position per joint"),
        ("move_joints_absolute h 1 2 3", "line 1: there is no robot arm 'h'"),
        ("move_end_effector g 1 2 3 4", "line 1: move_end_effector takes"),
        ("move_end_effector g 1 2 three", "line 1: move_end_effector takes"),
        ("close_gripper", "line 1: close_gripper takes"),
        ("wait eye.distance ~ 3", "line 1: wait takes"),
        ("wait nan", "line 1: wait takes"),
        ('message "open', "line 1: No closing quotation"),
    ],
)
def test_invalid_line_is_refused_with_its_number(plugins, gantry, text, message):
    with pytest.raises(RckError) as caught:
        compiled(plugins, gantry(), text)
    assert message in str(caught.value)


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "x"])
def test_an_arcs_program_takes_finite_numbers(plugins, gantry, tmp_path, number):
    (tmp_path / "go.arcs").write_text(f"g\np 300 0 300 0 0 {number} 2")
    with pytest.raises(RckError, match=rf"line 2: p takes 7 numbers, X Y Z O A T STEPS, not '{number}'"):
        read_program(tmp_path / "go.arcs", gantry(), plugins)


def test_an_arcs_program_runs_another_file_where_it_is_named(plugins, gantry, tmp_path):
    (tmp_path / "home.arcs").write_text("p 0 0 0 0 0 0 5 s")
    (tmp_path / "say.rckp").write_text("message inside\n")
    (tmp_path / "all.arcs").write_text("g\nf home.arcs\nf say.rckp u")
    program = read_program(tmp_path / "all.arcs", gantry(), plugins)
    assert [type(line.instruction) for line in program.lines] == [UseGripper, MoveTool, Announce, Announce, UseGripper]
    assert [line.number for line in program.lines] == [1, 2, 2, 3, 3]
    assert program.lines[1].text == "f home.arcs: p 0 0 0 0 0 0 5"
    (tmp_path / "home.arcs").write_text("f all.arcs")
    with pytest.raises(RckError, match=r"all.arcs, line 2: home.arcs, line 1: all.arcs is already being read"):
        read_program(tmp_path / "all.arcs", gantry(), plugins)
    (tmp_path / "all.arcs").write_text("s f gone.arcs")
    with pytest.raises(RckError, match=r"all.arcs, line 1: .*gone.arcs: No such file"):
        read_program(tmp_path / "all.arcs", gantry(), plugins)


def test_an_arcs_program_is_read_as_the_report_shows_it(plugins, gantry):
    program = compiled(plugins, gantry(), "s c 1324 0 700 0 90 0 20 s\ng U p 1 2 3 0 0 0 5 q s", "arcs")
    kinds = [type(line.instruction) for line in program.lines]
    assert kinds == [Announce, MoveTool, Announce, UseGripper, UseGripper, MoveTool]
    straight, point = program.lines[1].instruction, program.lines[5].instruction
    assert straight.straight
    assert not point.straight
    # In the frame of the robot's base, which is 2 m up.
    np.testing.assert_allclose(straight.pose[:3, 3], [1.324, 0, 2.7])
    np.testing.assert_allclose(straight.pose[:3, 2], [1, 0, 0], atol=1e-15)


@pytest.mark.parametrize("text", ["x", "c 1 2 3", "p 1 2 3 0 0 0 g", "f"])
def test_invalid_arcs_program_is_refused(plugins, gantry, text):
    with pytest.raises(RckError, match="line 1: "):
        compiled(plugins, gantry(), text, "arcs")


def test_a_file_of_an_unknown_ending_is_refused(plugins, gantry, tmp_path):
    path = tmp_path / "program.bas"
    path.write_text("10 PRINT")
    with pytest.raises(RckError, match=r"known: .*\.rckp"):
        read_program(path, gantry(), plugins)


def test_instructions_in_python_reply_done_or_the_reason(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins)
    assert cell.move_joints_relative("g", [0.1, 0.2, 0.3])
    assert cell.move_joints_relative("g", [0.1, 0.0, 0.0])
    np.testing.assert_allclose(cell.simulation.vector, [0.2, 0.2, 0.3], atol=1e-12)
    assert cell.move_joints_absolute("g", [0, 0, 0])
    reply = cell.move_joints_absolute("g", [3, 0, 0])
    assert not reply
    assert "would be at 3000 mm" in reply.text
    assert "has no gripper" in cell.close_gripper("g").text
    assert "takes 3 joint values" in cell.move_joints_absolute("g", [0, 0]).text
    assert "no robot arm" in cell.open_gripper("x").text
    np.testing.assert_allclose(cell.simulation.vector, 0, atol=1e-12)


def test_tool_moves_to_a_pose_in_the_world(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins)
    tip = arm_named(cell.simulation.robot, "g")
    assert cell.move_end_effector("g", translation((0.3, -0.2, 0.6)))
    np.testing.assert_allclose(cell.tool_pose(tip)[:3, 3], [0.3, -0.2, 0.6], atol=1e-6)
    ways = []
    cell._after_step = lambda: ways.append(cell.tool_pose(tip)[:3, 3])
    assert cell.move_straight_line("g", translation((0.5, 0.2, 0.4)))
    way = np.array(ways) - [0.3, -0.2, 0.6]
    along = np.array([0.2, 0.4, -0.2]) / np.sqrt(0.24)
    assert np.abs(way - np.outer(way @ along, along)).max() < 1e-4
    assert "cannot be reached" in cell.move_end_effector("g", translation((5, 0, 0))).text


def test_speed_is_that_of_the_joint_that_moves_farthest(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins, profile="linear")
    cell.robot_speed("g", 0.1)
    cell.move_joints_relative("g", [0.5, 0.1, 0])
    assert cell.simulation.time == pytest.approx(5.0, abs=0.02)


def test_motion_that_stays_blocked_is_cancelled_and_names_the_contact(plugins, gantry, worlds):
    _, block = worlds
    cell = InstructionExecutor(Simulation(gantry(block("wall", (0.5, 0, 0.5))), plugins=plugins), plugins, seconds=0.05)
    reply = cell.move_joints_relative("g", [0.9, 0, 0])
    assert reply.text == "gave up after 10 s: quill is blocked by wall"
    assert not cell.simulation.running
    assert cell.move_joints_relative("g", [-0.1, 0, 0])


def test_program_stops_at_breakpoints_and_continues(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins)
    text = "move_joints_relative g 100 0 0\nmove_joints_relative g 0 100 0\nmove_joints_relative g 0 0 100"
    run = ProgramRunner(cell, compiled(plugins, cell.simulation.robot, text), breakpoints=[2])
    run.run()
    assert run.line.number == 2
    np.testing.assert_allclose(cell.simulation.vector, [0.1, 0, 0], atol=1e-12)
    run.step()
    assert run.line.number == 3
    run.run()
    assert run.finished
    assert run.step() is None
    np.testing.assert_allclose(cell.simulation.vector, [0.1, 0.1, 0.1], atol=1e-12)


def test_program_halts_at_an_error_and_continues_there_after_an_edit(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins)
    robot = cell.simulation.robot
    run = ProgramRunner(cell, compiled(plugins, robot, "move_joints_relative g 100 0 0\nclose_gripper g\nstatus"))
    halted = run.run()
    assert (halted.line.number, halted.reply.done) == (2, False)
    run.replace_program(
        compiled(plugins, robot, "move_joints_relative g 100 0 0\nmove_joints_relative g 0 50 0\nstatus")
    )
    run.run()
    assert run.finished
    np.testing.assert_allclose(cell.simulation.vector, [0.1, 0.05, 0], atol=1e-12)
    run.continue_at(1)
    assert run.line.number == 1
    with pytest.raises(RckError, match="no line 9"):
        run.continue_at(9)


def test_waiting_lets_time_pass(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins)
    assert cell.execute(Wait(1.25))
    assert cell.simulation.time == pytest.approx(1.25)
    assert "no sensor called eye" in cell.execute(WaitFor(Condition("eye", "distance", "<", 1.0), 1.0)).text


def test_status_reports_the_tool_poses(plugins, gantry):
    cell = InstructionExecutor(Simulation(gantry(), plugins=plugins), plugins)
    assert cell.status() == "tip at 0.0 0.0 400.0 mm, 0.0 0.0 0.0°"
    cell.execute(Announce())
    assert cell.simulation.notices[-1].text.startswith("tip at 0.0 0.0 400.0 mm")


def test_obstacle_on_every_way_to_a_pose_is_pushed_or_named(plugins, gantry, worlds):
    _, block = worlds
    goal = translation((0.6, 0.0, 0.4))
    cube = block("cube", (0.3, 0, 0.5), mobile=True)
    cell = InstructionExecutor(Simulation(gantry(cube), plugins=plugins), plugins, seconds=0.05)
    assert cell.move_end_effector("g", goal)
    assert "pushes cube" in cell.simulation.notices[0].text
    cell = InstructionExecutor(Simulation(gantry(block("wall", (0.3, 0, 0.5))), plugins=plugins), plugins, seconds=0.05)
    assert cell.move_end_effector("g", goal).text == "gave up after 10 s: quill is blocked by wall"
