"""Plugins that return odd values or fail in the middle of work do no harm, and findings report them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rck.cli.main import cli
from rck.exporting.export import export
from rck.hooks import Goal, Plugins, discover
from rck.hooks.plugin_settings import develop
from rck.hooks.project_plugins import FilePoint
from rck.kinematics import solver_for
from rck.language.session import new_session, open_session
from rck.model import DeviceKind, RckError
from rck.model.device import Device
from rck.parts.library import open_catalogue, read_catalogue
from rck.simulation.recording import record
from rck.simulation.simulation import Simulation
from rck.testing.robots import planar_arm

EXAMPLES = Path(__file__).parents[2] / "examples"

ROOT = Path(__file__).resolve().parents[2]

NUMPY_IMPORTER = """
import numpy as np
from rck.geometry.primitives import box
from rck.hooks import Imported, Importer, hookimpl
from rck.model import Item, Joint, JointKind, JointLimits, PartDefinition, Subitem

def read(path, values, job):
    one = np.float64(0.1)
    block = Subitem(box(0.1, 0.1, 0.1), density=np.float32(1000.0))
    base, arm = (Item(name, (block,), friction=np.float64(0.5)) for name in ("base", "arm"))
    joint = Joint(
        "turn", JointKind.REVOLUTE, "base", ("arm",), (one * 0, one * 0, one * 0), (one * 0, one * 0, one),
        JointLimits(np.float64(-1), np.int64(1)), speed=np.float32(2.0), effort=np.int32(3),
    )
    return Imported((PartDefinition("arm", (base, arm), (joint,)),))

@hookimpl
def rck_importers():
    return [Importer("numbers", "NumPy numbers", (".num",), lambda path, head: head.startswith(b"num"), read)]
"""

SOLVER = """
from rck.hooks import Answer, Solver, hookimpl
import numpy as np

class Broken:
    def __init__(self, robot):
        self.joints = tuple(joint.name for joint in robot.free_joints)

    def solve(self, goal, seed=None, *, most=1, budget=0.005):
        {body}

@hookimpl
def rck_solvers():
    return [Solver("broken", "fails", lambda robot, base, tip: {make}, finds_all=True)]
"""

SENSOR = """
import numpy as np
from rck.hooks import Sensor, hookimpl

class Growing:
    def read(self, world):
        return {"value": {value}}

@hookimpl
def rck_sensors():
    return [Sensor("growing", "changes", lambda robot, mount, values: Growing())]
"""


@pytest.fixture
def plugin(tmp_path, plugins):
    """Return a function that makes a plugin manager of RCK's plugins and one file."""

    def make(source: str, name: str = "trial") -> Plugins:
        file = tmp_path / f"{name}.py"
        file.write_text(source, encoding="utf-8")
        own = [one.point for one in plugins._plugins.values()]
        return Plugins([*own, FilePoint(file)])

    return make


def test_numpy_numbers_of_an_importer_are_saved_and_read_again(plugin, tmp_path):
    plugins = plugin(NUMPY_IMPORTER)
    (tmp_path / "arm.num").write_text("num")
    session = new_session(plugins, tmp_path)
    session.do("import arm.num")
    session.save(tmp_path / "arm.rck")
    before, after = (one.compile().unwrap().robot for one in (session, open_session(plugins, tmp_path / "arm.rck")))
    (joint,) = after.joints
    assert (joint.limits.lower, joint.limits.upper, joint.speed, joint.effort) == (-1.0, 1.0, 2.0, 3.0)
    assert after.items[0].mass == pytest.approx(before.items[0].mass) == pytest.approx(1.0)
    assert json.dumps([joint.speed, joint.effort, before.items[0].friction]) == "[2.0, 3.0, 0.5]"


@pytest.mark.parametrize(
    ("body", "make"),
    [
        ("return 1 / 0", "Broken(robot)"),
        ("return Answer(np.ones((1, 5)), complete=True)", "Broken(robot)"),
        ("pass", "1 / 0"),
        ("pass", "object()"),
    ],
)
def test_solver_that_fails_is_replaced_by_the_next_with_a_warning(plugin, body, make):
    plugins = plugin(SOLVER.format(body=body, make=make))
    robot = planar_arm(5)
    goal = Goal(robot.world_from("tool"), "position")
    solver = solver_for(plugins, robot, "base", "tool")
    assert solver.solve(goal, robot.positions, budget=1.0).solved
    messages = [finding.message for finding in plugins.findings if finding.code == 602]
    assert any("is used instead of the solver broken, which failed" in message for message in messages)
    with pytest.raises(RckError, match="broken"):
        solver_for(plugins, robot, "base", "tool", "broken").solve(goal, robot.positions)


@pytest.mark.parametrize("goals", [False, True])
def test_reach_warns_of_a_solver_that_fails(tmp_path, monkeypatch, goals):
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "broken_solver.py").write_text(SOLVER.format(body="return 1 / 0", make="Broken(robot)"))
    develop(tmp_path / "config", tmp_path / "broken_solver.py", on=True)
    (tmp_path / "goals.txt").write_text("100,0,300,0,0,0\n")
    options = ["--goals", str(tmp_path / "goals.txt")] if goals else ["--samples", "50", "--turns", "2"]
    done = CliRunner().invoke(cli, ["reach", str(EXAMPLES / "desk-arm.rck"), "--no-collisions", *options])
    assert done.exit_code in (0, 1)
    assert "is used instead of the solver broken, which failed" in done.output


def test_library_of_a_plugin_replaces_no_part_but_the_project_does_and_both_are_reported(tmp_path, plugins):
    shipped = Path(open_catalogue(plugins).entries["structure/plate"].path)
    for name in ("plugin", "project/parts"):
        (tmp_path / name).mkdir(parents=True)
        shutil.copy(shipped, tmp_path / name / "plate.yaml")
    own = open_catalogue(plugins)
    assert own.findings == ()
    folders = [shipped.parent, tmp_path / "plugin"]
    clashing = read_catalogue(folders)
    assert clashing.entries["structure/plate"].path == str(shipped)
    assert [(one.code, one.severity.name, one.where) for one in clashing.findings] == [
        (707, "WARNING", "part structure/plate")
    ]
    project = open_catalogue(plugins, tmp_path / "project")
    assert project.entries["structure/plate"].path == str(tmp_path / "project" / "parts" / "plate.yaml")
    assert [(one.code, one.severity.name) for one in project.findings] == [(707, "NOTE")]


@pytest.mark.parametrize("value", ["np.zeros(2 if world.time < 0.015 else 3)", "np.array(['a'])"])
def test_sensor_with_a_changing_channel_is_switched_off_and_recorded_until_then(plugin, value):
    plugins = plugin(SENSOR.replace("{value}", value))
    robot = planar_arm(2)
    device = Device("nose", DeviceKind("growing"), robot.items[0].name)
    simulation = Simulation(_with_device(robot, device), plugins=plugins)
    recording = record(simulation, until=0.05)
    simulation.step(0.03)
    assert len(recording.times) >= 1
    assert [notice.text for notice in simulation.notices if "nose" in notice.text and "switched off" in notice.text]


def test_simulation_reports_a_sensor_that_no_plugin_simulates(plugins):
    robot = planar_arm(2)
    unknown = Device("nose", DeviceKind("acme-nose"), robot.items[0].name)
    known = Device("eye", DeviceKind.CAMERA, robot.items[0].name)
    simulation = Simulation(_with_device(robot, unknown, known), plugins=plugins)
    assert [(one.code, one.where) for one in simulation.findings if one.code == 608] == [(608, "device nose")]
    nothing = Simulation(_with_device(robot, known), plugins=Plugins(()))
    assert "no plugin provides the kind camera" in nothing.findings[0].message


def _with_device(robot, *devices):
    from dataclasses import replace

    return replace(robot, devices=devices)


SUBCOMMAND = """
import click
from rck.hooks import CliCommand, hookimpl

@hookimpl
def rck_cli_commands():
    return [CliCommand("greet", "Say hello to the robot.", click.Command("greet"))]
"""


def test_help_lists_the_subcommands_of_plugins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "rck_plugins").mkdir()
    (tmp_path / "rck_plugins" / "greeter.py").write_text(SUBCOMMAND)
    assert "greet" not in CliRunner().invoke(cli, ["--help"]).output
    CliRunner().invoke(cli, ["plugins", "allow"])
    shown = CliRunner().invoke(cli, ["--help"]).output
    assert "Commands of plugins:\n  greet  Say hello to the robot." in shown
    wrong = CliRunner().invoke(cli, ["gret"], standalone_mode=False)
    assert "did you mean greet" in str(wrong.exception)


def test_parts_show_lists_devices():
    shown = CliRunner().invoke(cli, ["parts", "show", "intel/realsense-d435"]).output
    assert any(line.startswith("◉ ") and "depth-camera on" in line for line in shown.splitlines())


def test_progress_names_the_check_that_runs(plugin, monkeypatch):
    from rck.hooks import Job
    from rck.language.robot_checks import check_robot

    source = """
from rck.hooks import Check, hookimpl

@hookimpl
def rck_checks():
    return [Check("ponder", "slow", lambda robot: [])]
"""
    told = []
    check_robot(planar_arm(2), plugin(source, "thinker"), Job(lambda fraction, step: told.append(step)))
    assert "check ponder of plugin thinker" in told


OPTIONS = """
import numpy as np
from rck.hooks import Answer, CollisionBackend, Option, Solver, hookimpl

class Fixed:
    joints = ("joint-1",)

    def __init__(self, values):
        self.values = values

    def solve(self, goal, seed=None, *, most=1, budget=0.005):
        return Answer(np.zeros((0, 1)), reason=f"tried {self.values['tries']:g} times")

class Nothing:
    def __init__(self, values):
        self.pair = values["pair"]

    def touching(self, vector):
        return [tuple(self.pair.split("+"))] if self.pair else []

@hookimpl
def rck_solvers():
    tries = Option("tries", "number of tries", "number", 3.0)
    return [Solver("fixed", "none", lambda robot, base, tip, values: Fixed(values), options=(tries,))]

@hookimpl
def rck_collision_backends():
    pair = Option("pair", "items in contact", "text", "")
    return [CollisionBackend("nothing", "none", lambda robot, ignored, values: Nothing(values), options=(pair,))]
"""


def test_options_of_solvers_and_collision_backends_are_set_in_the_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "rck_plugins").mkdir()
    (tmp_path / "rck_plugins" / "choosy.py").write_text(OPTIONS)
    CliRunner().invoke(cli, ["plugins", "allow"])
    export(planar_arm(1), tmp_path / "arm.urdf", discover())

    def ik(*words):
        return CliRunner().invoke(cli, ["ik", "arm.urdf", "--to", "500,0,0", *words], standalone_mode=False)

    assert "no solution: tried 3 times" in ik("--solver", "fixed").output
    assert "no solution: tried 7 times" in ik("--solver", "fixed", "--solver-set", "tries=7").output
    assert "did you mean tries" in str(ik("--solver", "fixed", "--solver-set", "trys=7").exception)
    assert "solver numeric: there is no option 'tries'" in str(
        ik("--solver", "numeric", "--solver-set", "tries=7").exception
    )
    assert "add --solver" in str(ik("--solver-set", "tries=7").exception)
    collide = ["collide", "arm.urdf", "--backend", "nothing"]
    assert "link-1" not in CliRunner().invoke(cli, collide).output
    assert "link-1" in CliRunner().invoke(cli, [*collide, "--backend-set", "pair=base+link-1"]).output
