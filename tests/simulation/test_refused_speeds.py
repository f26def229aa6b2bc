"""Speeds and time steps that are not positive numbers are refused with a remedy."""

from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rck_tests import block

from rck.cli.serve import serve
from rck.cli.simulate import simulate
from rck.hooks import read_options
from rck.hooks.actions import Condition, WaitFor
from rck.model import RckError, build_joint, build_robot
from rck.simulation.clock import RealTimeClock
from rck.simulation.events import Event
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.motor_loads import physics_named
from rck.simulation.program_runner import read_program
from rck.simulation.simulation import Simulation

WRONG = [0.0, -1.0, nan]
EXAMPLES = Path(__file__).parents[2] / "examples"
ARM, EVENTS = EXAMPLES / "lingman-arm.robot", EXAMPLES / "lingman-arm.events"


@pytest.fixture
def slider():
    items = [block("bed", (0, 0, -1)), block("ram", (0, 0, 0))]
    slide = build_joint("slide", "prismatic", "bed", "ram", end=(1, 0, 0), limits=(-1, 1), speed=0.5).unwrap()
    return build_robot("slider", items, [slide]).unwrap()


@pytest.mark.parametrize("seconds", [*WRONG, inf])
def test_a_time_step_must_be_positive(slider, seconds):
    with pytest.raises(RckError, match=r"time step must be positive, not .* s; use for example 0.01"):
        Simulation(slider).step(seconds)


@pytest.mark.parametrize("speed", [*WRONG, inf])
def test_a_speed_factor_must_be_in_its_range(slider, speed):
    with pytest.raises(RckError, match=r"real-time factor must be from 0.1 to 100, not"):
        RealTimeClock(Simulation(slider), speed)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--step", "--step must be a positive time in seconds"),
        ("--speed", "--speed must be from 0.1 to 100"),
    ],
)
@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_the_command_simulate_refuses_them(option, message, value):
    result = CliRunner().invoke(simulate, [str(ARM), str(EVENTS), f"{option}={value}"])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize("option", ["--speed", "--rate"])
@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_the_command_serve_refuses_them(option, value):
    result = CliRunner().invoke(serve, [str(ARM), f"{option}={value}"])
    assert result.exit_code == 2
    assert option in result.output


@pytest.mark.parametrize("value", ["0", "-0.001"])
@pytest.mark.parametrize("option", ["step", "bandwidth"])
def test_an_engine_refuses_a_time_step_or_bandwidth_of_zero(slider, plugins, option, value):
    pytest.importorskip("mujoco")
    engine = physics_named(plugins, "mujoco")
    with pytest.raises(RckError, match=f"option {option} of physics mujoco must be positive, not {value}"):
        engine.make(slider, read_options(engine.options, {option: value}))
    with pytest.raises(RckError, match="time step must be positive"):
        engine.make(slider, read_options(engine.options, {})).steer(np.zeros(1), 0.0)


@pytest.mark.parametrize("value", WRONG)
def test_program_refuses_a_speed_of_zero_and_full_removes_it(slider, plugins, tmp_path, value):
    cell = InstructionExecutor(Simulation(slider, plugins=plugins), plugins)
    reply = cell.robot_speed("slider", value)
    assert not reply
    assert "must be positive" in reply.text
    assert "`full`" in reply.text
    path = tmp_path / "slow.rckp"
    path.write_text(f"robot_speed slider {value}\n")
    with pytest.raises(RckError, match=r"slow.rckp, line 1: robot_speed takes ROBOT .* or full"):
        read_program(path, slider, plugins)
    durations = []
    for speed in (0.1, inf):
        assert cell.robot_speed("slider", speed)
        begin = cell.simulation.time
        assert cell.move_joints_relative("slider", [0.2])
        durations.append(cell.simulation.time - begin)
    assert durations[0] > 2.0 > 1.0 > durations[1]
    path.write_text("robot_speed slider full\n")
    assert read_program(path, slider, plugins).lines[0].instruction.speed == inf


@pytest.mark.parametrize("label", ["speed", "acceleration"])
def test_joint_without_speed_is_refused_with_a_remedy(label):
    (finding,) = build_joint("slide", "prismatic", "bed", "ram", limits=(-1, 1), **{label: 0.0}).findings
    assert finding.code == 104
    assert finding.message == f"{label} is 0, so the joint cannot move"
    assert "omit it" in finding.fix


@pytest.mark.parametrize("speed", ["0", "0 rpm", "-3", "-1 deg/s"])
def test_the_command_set_refuses_a_joint_speed_of_zero(session, speed):
    session.do("add robotis/xm540-w270 motor")
    session.do("set joint motor/axis speed=20")
    with pytest.raises(RckError, match="speed must be positive"):
        session.do(f'set joint motor/axis speed="{speed}"')
    assert session.assembly.joints["motor/axis"].speed == 20.0


def test_patience_that_is_not_a_number_is_refused(slider):
    with pytest.raises(RckError, match="patience must be 0 s or more, not nan"):
        Simulation(slider, [Event(0.0, WaitFor(Condition("eye", "distance", "<", 1.0), nan))])
