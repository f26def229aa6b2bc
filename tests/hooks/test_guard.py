"""Guards around contributions: failures are reported under the name of the plugin, which stays enabled."""

import dataclasses
from copy import deepcopy
from pathlib import Path

import click
import numpy as np
import pytest

from rck.geometry.transforms import translation
from rck.hooks import HOOK_OF_KIND, Answer, Check, CliCommand, Goal, Sensor, Solver, Viewer, discover, hookimpl
from rck.hooks.guard import _MADE, _RETURNED
from rck.hooks.kinds import StatefulReader
from rck.hooks.manager import PluginFailure, Plugins
from rck.kinematics.chain import chain_between, tip_pose
from rck.kinematics.solver_choice import solver_for
from rck.language.robot_checks import check_robot
from rck.model import RckError
from rck.testing.robots import planar_arm, six_axis_arm
from rck.testing.still_world import arm_before_a_wall

ARM = six_axis_arm()
REQUIRED = {"name": "mine", "summary": "mine", "endings": (".mine",), "folder": Path(), "usage": "mine",
            "command": click.Command("mine")}  # fmt: skip
FUNCTIONS = [
    pytest.param(kind, field.name, id=f"{kind.__name__}.{field.name}")
    for kind in HOOK_OF_KIND
    for field in dataclasses.fields(kind)
    if "Callable" in str(field.type) and kind is not CliCommand
]
"""Every function of every kind, by the annotations, so that new ones are tested too."""
MEMBERS = [
    pytest.param(kind, member, id=f"{kind.__name__}.{member}")
    for kind, protocol in _MADE.items()
    for member in vars(protocol)
    if not member.startswith("_")
]


def plugins_with(kind, **functions):
    """Return plugins with one contribution of a foreign plugin, and the contribution."""
    required = [field for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]
    values = {field.name: REQUIRED.get(field.name, lambda *all: None) for field in required}
    contribution = kind(**{**values, **functions})

    class ThirdParty:
        pass

    setattr(ThirdParty, HOOK_OF_KIND[kind], staticmethod(hookimpl(lambda: [contribution], specname=HOOK_OF_KIND[kind])))

    class Point:
        name, value, dist = "third-party", "third-party", None
        load = staticmethod(lambda: ThirdParty)

    plugins = Plugins([Point()])
    (found,) = plugins.all(kind)
    return plugins, found


def fail(*arguments, **named):
    raise IndexError("list index out of range")


def assert_reported(plugins, kind, reason):
    assert [(finding.code, finding.where) for finding in plugins.findings] == [(602, "plugin third-party")]
    assert reason in plugins.findings[0].message
    assert len(plugins.all(kind)) == 1


def test_functions_of_all_kinds_are_tested():
    assert len(FUNCTIONS) >= 15


@pytest.mark.parametrize(("kind", "function"), FUNCTIONS)
def test_function_that_raises_is_reported(kind, function):
    plugins, contribution = plugins_with(kind, **{function: fail})
    with pytest.raises(PluginFailure, match=r"plugin third-party: .* mine failed on arm: IndexError: list index out"):
        getattr(contribution, function)(six_axis_arm("arm"))
    assert_reported(plugins, kind, "IndexError")


@pytest.mark.parametrize(("kind", "function"), _RETURNED)
def test_function_that_returns_another_type_is_reported_with_its_line(kind, function):
    plugins, contribution = plugins_with(kind, **{function: lambda *all: 3.5})
    with pytest.raises(PluginFailure, match=rf"TypeError: {function} returned float, not \w+ \(test_guard.py, line"):
        getattr(contribution, function)()
    assert_reported(plugins, kind, "TypeError")


@pytest.mark.parametrize(("kind", "member"), MEMBERS)
def test_object_that_a_plugin_makes_is_guarded(kind, member):
    made = type("Made", (), {name: staticmethod(fail) for name in vars(_MADE[kind]) if not name.startswith("_")})()
    plugins, contribution = plugins_with(kind, make=lambda *all: made)
    stand_in = contribution.make()
    with pytest.raises(PluginFailure, match="plugin third-party"):
        getattr(stand_in, member)()
    assert_reported(plugins, kind, "IndexError")


def test_object_without_the_members_of_its_protocol_is_refused():
    _, sensor = plugins_with(Sensor, make=lambda *all: object())
    with pytest.raises(PluginFailure, match="sensor mine failed: TypeError: made object, which has no read"):
        sensor.make(None, None, {})


def test_guarded_object_has_the_members_of_the_original_and_can_be_copied():
    class Counting:
        def __init__(self):
            self.count = 0

        def read(self, world):
            self.count += 1
            return {"count": np.array([self.count])}

        def memory(self):
            return self.count

        def recall(self, memory):
            self.count = memory

    _, sensor = plugins_with(Sensor, make=lambda *all: Counting())
    world, mount = arm_before_a_wall()
    reader = sensor.make(world.robot, mount, {})
    assert isinstance(reader, StatefulReader)
    assert reader.read(world)["count"] == 1
    other = deepcopy(reader)
    reader.recall(7)
    assert (reader.count, other.count) == (7, 1)


def test_check_that_fails_while_it_yields_is_reported_and_the_other_findings_remain():
    def run(robot):
        yield fail()

    plugins, _ = plugins_with(Check, run=run)
    assert check_robot(planar_arm(2), plugins) == check_robot(planar_arm(2), Plugins([]))
    assert_reported(plugins, Check, "check mine failed on")


def test_refusal_passes_through():
    def refuse(robot):
        raise RckError("too heavy")

    plugins, check = plugins_with(Check, run=refuse)
    with pytest.raises(RckError, match=r"^too heavy$"):
        check.run(None)
    assert plugins.findings == ()
    assert len(plugins.all(Check)) == 1


def test_functions_print_to_stderr_and_viewers_to_stdout(capsys):
    plugins_with(Check, run=print)[1].run("check")
    plugins_with(Viewer, show=print)[1].show("viewer")
    assert capsys.readouterr() == ("viewer\n", "check\n")


class Answering:
    joints = tuple(joint.name for joint in ARM.free_joints)

    def __init__(self, answer):
        self.answer = answer

    def solve(self, goal, seed=None, *, most=1, budget=0.005):
        return self.answer


def solver_with(answer):
    base, tip = ARM.items[0].name, ARM.items[-1].name
    plugins, _ = plugins_with(Solver, make=lambda *all: Answering(answer))
    return plugins, solver_for(plugins, ARM, base, tip, "mine")


def test_solution_that_misses_the_goal_is_refused_and_names_the_solver():
    base, tip = ARM.items[0].name, ARM.items[-1].name
    answer = Answer(np.array([chain_between(ARM, base, tip).reference]))
    plugins, solver = solver_with(answer)
    right = np.linalg.inv(ARM.world_from(base)) @ ARM.world_from(tip)
    assert solver.solve(Goal(right)) is answer
    with pytest.raises(
        PluginFailure, match=r"plugin third-party: solver mine failed: ValueError: .* 100 mm and 0° away"
    ):
        solver.solve(Goal(translation((0.1, 0, 0)) @ right))
    assert [finding.code for finding in plugins.findings] == [602]


def test_solution_beyond_the_joint_limits_is_refused():
    chain = chain_between(ARM, ARM.items[0].name, ARM.items[-1].name)
    beyond = np.where(np.isfinite(chain.upper), chain.upper + 0.1, chain.reference)
    _, solver = solver_with(Answer(beyond[None]))
    with pytest.raises(PluginFailure, match="outside the joint limits"):
        solver.solve(Goal(tip_pose(chain, beyond)))


def test_solvers_of_rck_are_called_directly():
    plugins = discover((), {"RCK_PLUGINS": "solver-numeric"})
    made = solver_for(plugins, ARM, ARM.items[0].name, ARM.items[-1].name)
    assert type(made).__module__.startswith("rck.kinematics.numeric_solver")
