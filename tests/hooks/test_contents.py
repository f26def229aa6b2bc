"""What a plugin returns is looked at inside, too: wrong contents are refused where they come from, and named."""

import numpy as np
import pytest

from rck.geometry.transforms import translation
from rck.hooks import (
    Answer,
    Check,
    CollisionBackend,
    Exported,
    Exporter,
    Goal,
    Imported,
    Importer,
    Job,
    Physics,
    Press,
    Program,
    ProgramLanguage,
    Sensor,
    Solver,
    discover,
    no_solutions,
)
from rck.hooks.contents import unkeepable
from rck.kinematics.chain import chain_between
from rck.kinematics.solver import solver_for
from rck.model import Finding, RckError, Severity
from rck.testing.robots import six_axis_arm
from rck.testing.surroundings import arm_before_a_wall
from tests.hooks.test_guarding import plugins_with

ARM = six_axis_arm()
FREE = len(ARM.free_joints)
WARNING = Finding(104, Severity.WARNING, "robot", "heavy")
ERROR = Finding(507, Severity.ERROR, "robot", "no")


def refused(call, reason):
    with pytest.raises(RckError) as refusal:
        call()
    assert str(refusal.value).startswith("plugin stranger failed: ")
    assert reason in str(refusal.value)
    # Where it was returned: in this file.
    assert "(test_contents.py, line " in str(refusal.value)


EXPORTED = {
    "a text for content": (lambda: Exported({"o.mine": "text"}), "files['o.mine'] is str, not bytes"),
    "a number for a path": (lambda: Exported({1: b"x"}), "files[1] is int, not str"),
    "a list of files": (lambda: Exported([1]), "files is list, not Mapping"),
    "a text for a finding": (lambda: Exported({"a": b""}, ("boo",)), "findings[0] is str, not Finding"),
    "a finding that is wrong": (
        lambda: Exported({"a": b""}, (Finding(104, 3, "x", "y"),)),
        "findings[0].severity is int, not Severity",
    ),
    "no file": (Exported, "it has no file, and no error that says why"),
    "no file and a warning": (lambda: Exported({}, (WARNING,)), "it has no file"),
}


@pytest.mark.parametrize("what", EXPORTED)
def test_an_exporter_is_refused_that_returns(what):
    make, reason = EXPORTED[what]
    _, exporter = plugins_with(Exporter, write=lambda *all: make())
    refused(lambda: exporter.write(ARM, "o.mine", {}, Job()), reason)


def test_an_exporter_may_refuse_with_an_error_and_give_findings_in_a_list():
    for right in (Exported({}, (ERROR,)), Exported({"a": b"x"}, [WARNING])):
        _, exporter = plugins_with(Exporter, write=lambda *all, right=right: right)
        assert exporter.write(ARM, "o.mine", {}, Job()) is right


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (Imported("robot"), "robot is str, not Robot or None"),
        (Imported(findings=("boo",)), "findings[0] is str, not Finding"),
        (Imported(ARM, ports=("tip",)), "ports[0] is str, not PortFrame"),
    ],
)
def test_an_importer_is_refused_that_returns_something_else_inside(made, reason, tmp_path):
    _, importer = plugins_with(Importer, read=lambda *all: made)
    refused(lambda: importer.read(tmp_path, {}, Job()), reason)


def test_a_program_has_lines():
    _, language = plugins_with(ProgramLanguage, compile=lambda *all: Program(("x",)))
    refused(lambda: language.compile("", ARM), "lines[0] is str, not Line")


class Answering:
    joints = tuple(joint.name for joint in ARM.free_joints)

    def __init__(self, answer):
        self.answer = answer

    def solve(self, goal, seed=None, *, most=1, budget=0.005):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(np.zeros((1, 9))), "solutions has the shape (1, 9), not (1, 6)"),
        (Answer(np.zeros(6)), "solutions has the shape (6,), not (6, 6)"),
        (Answer(np.full((1, 6), np.nan)), "solutions has numbers that are not finite"),
        (Answer([[0.0] * 6]), "solutions is list, not an array of numbers"),
        (Answer(np.array([["a"] * 6])), "solutions is an array of <U1, not an array of numbers"),
        (Answer(no_solutions(6), reason="far", nearest=np.zeros(2)), "nearest has the shape (2,), not (6,)"),
        (Answer(no_solutions(6), reason=7), "reason is int, not str"),
    ],
)
def test_a_solver_is_refused_that_answers_something_else(answer, reason):
    _, solver = plugins_with(Solver, make=lambda *all: Answering(answer))
    made = solver.make(ARM, "base", "tool")
    refused(lambda: made.solve(Goal(np.eye(4))), reason)


def test_a_solver_names_joints_that_there_are():
    _, solver = plugins_with(Solver, make=lambda *all: type("Strange", (Answering,), {"joints": ("elbow-9",)})(None))
    made = solver.make(ARM, "base", "tool")
    refused(lambda: made.joints, "elbow-9 is no free joint of the robot")


def ends_of_the_arm():
    tip = ARM.items[-1].name
    base = ARM.items[0].name
    return base, tip, chain_between(ARM, base, tip)


def test_a_solution_that_misses_the_goal_does_not_pass_and_names_the_solver():
    base, tip, chain = ends_of_the_arm()
    answer = Answer(np.array([chain.reference]))
    plugins, _ = plugins_with(Solver, make=lambda *all: type("Lying", (Answering,), {"joints": chain.joints})(answer))
    solver = solver_for(plugins, ARM, base, tip, "mine")
    here = ARM.world_from(base)
    right = np.linalg.inv(here) @ ARM.world_from(tip)
    assert solver.solve(Goal(right)) is answer
    with pytest.raises(RckError, match=r"plugin stranger failed: ValueError: solver mine gave .* 100 mm and 0° off"):
        solver.solve(Goal(translation((0.1, 0, 0)) @ right))
    assert [one.code for one in plugins.findings] == [602]


def test_a_solution_beyond_the_limits_does_not_pass():
    base, tip, chain = ends_of_the_arm()
    from rck.kinematics.chain import tip_pose

    beyond = np.where(np.isfinite(chain.upper), chain.upper + 0.1, chain.reference)
    answer = Answer(beyond[None])
    plugins, _ = plugins_with(Solver, make=lambda *all: type("Far", (Answering,), {"joints": chain.joints})(answer))
    solver = solver_for(plugins, ARM, base, tip, "mine")
    with pytest.raises(RckError, match="solver mine gave a solution beyond the limits"):
        solver.solve(Goal(tip_pose(chain, beyond)))


def test_solvers_that_come_with_rck_are_called_as_they_are():
    base, tip, _ = ends_of_the_arm()
    made = solver_for(discover((), {"RCK_PLUGINS": "ik-numeric"}), ARM, base, tip)
    assert type(made).__module__.startswith("rck.kinematics.numeric")


def scene(touching):
    made = type("Scene", (), {"touching": lambda self, vector: touching})()
    _, backend = plugins_with(CollisionBackend, make=lambda *all: made)
    return backend.make(ARM, ())


@pytest.mark.parametrize(
    ("touching", "reason"),
    [
        ([(1, 2, 3)], "[0] is tuple, not 2 values in a tuple"),
        ([(1, 2)], "[0][0] is int, not str"),
        ([("nope", "nada")], "'nope' is no item of the robot"),
    ],
)
def test_pairs_that_touch_are_names_of_items(touching, reason):
    refused(lambda: scene(touching).touching(ARM.positions), reason)


def test_pairs_of_items_pass():
    pair = (ARM.items[0].name, ARM.items[1].name)
    assert scene([pair]).touching(ARM.positions) == [pair]


def reader(*readings, **more):
    waiting = iter(readings)
    made = type("Reader", (), {"read": lambda self, world: next(waiting), **more})()
    plugins, sensor = plugins_with(Sensor, make=lambda *all: made)
    world, mount = arm_before_a_wall()
    return plugins, sensor.make(world.robot, mount, {}), world


@pytest.mark.parametrize(
    ("reading", "reason"),
    [
        ({"v": np.array(["a"])}, "['v'] is an array of <U1, not an array of numbers"),
        ({5: np.zeros(1)}, "[5] is int, not str"),
        ({"v": [[1], [1, 2]]}, "['v'] is list, not an array of numbers"),
        ("text", "returned str, not Mapping"),
    ],
)
def test_a_reading_is_refused_that_is_not_numbers_by_channel(reading, reason):
    _, made, world = reader(reading)
    refused(lambda: made.read(world), reason)


def test_channels_stay_the_same():
    _, made, world = reader({"v": [1, 2]}, {"v": np.zeros(3)}, {"w": np.zeros(1)})
    for _ in range(2):
        made.read(world)
    refused(lambda: made.read(world), "its channels were v and now are w")


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        (np.zeros(3), "it is ndarray, which JSON cannot hold"),
        ({(1, 2): 3}, "it has the key (1, 2), which is no text"),
        ({"a": [1, {2}]}, "['a'][1] is set, which JSON cannot hold"),
        ([float("nan")], "[0] is nan, which JSON cannot hold"),
        (np.float64(2.0), "it is float64, which JSON cannot hold"),
    ],
)
def test_what_a_sensor_remembers_must_come_back_from_json(memory, reason):
    _, made, _ = reader(memory=lambda self: memory, recall=lambda self, memory: None)
    refused(made.memory, reason)
    assert unkeepable({"a": [1, 2.5, None, True, "x", {"b": ()}]}) == ""


class World:
    """As right as need be; the tests make one thing of it wrong."""

    def __init__(self):
        self.positions = self.speeds = self.efforts = np.zeros(FREE)
        self.poses = np.array([item.pose for item in ARM.items])
        self.velocities = self.accelerations = np.zeros((len(ARM.items), 6))
        self.gravity = np.array([0.0, 0.0, -9.81])
        self.presses = []
        self.steered = np.zeros(FREE)

    def steer(self, targets, seconds):
        return self.steered

    step = steer

    def hold(self, item, hand): ...
    def let_go(self, item): ...
    def memory(self): ...
    def recall(self, memory): ...


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("positions", np.zeros(9), "it has the shape (9,), not (6,)"),
        ("speeds", np.full(6, np.inf), "it has numbers that are not finite"),
        ("poses", np.zeros((2, 2)), "it has the shape (2, 2), not "),
        ("poses", "here", "returned str, not an array of numbers"),
        ("velocities", np.zeros((2, 6)), "it has the shape (2, 6), not "),
        ("accelerations", np.zeros(6), "it has the shape (6,), not "),
        ("gravity", np.full(3, np.nan), "it has numbers that are not finite"),
        ("presses", [Press(("a", "b"), np.zeros(3), np.zeros(3))], "'a' is no item of the robot"),
        ("presses", [Press(("a", "b"), np.zeros(2), np.zeros(3))], "point has the shape (2,), not (3,)"),
    ],
)
def test_a_world_of_physics_is_refused_whose_figures_are_wrong(name, value, reason):
    def make(robot, values):
        world = World()
        setattr(world, name, value)
        return world

    _, physics = plugins_with(Physics, make=make)
    made = physics.make(ARM, {})
    refused(lambda: getattr(made, name), reason)


@pytest.mark.parametrize("value", [np.zeros(9), np.full(FREE, np.nan)])
def test_positions_after_a_step_are_looked_at(value):
    world = World()
    world.steered = value
    _, physics = plugins_with(Physics, make=lambda *all: world)
    made = physics.make(ARM, {})
    for call in (made.steer, made.step):
        refused(lambda call=call: call(np.zeros(FREE), 0.1), "returned something wrong: it has ")


def test_a_world_that_is_right_passes():
    _, physics = plugins_with(Physics, make=lambda *all: World())
    made = physics.make(ARM, {})
    assert made.steer(np.zeros(FREE), 0.1).shape == made.positions.shape == (FREE,)
    assert made.poses.shape == (len(ARM.items), 4, 4)


def test_a_check_gives_findings_that_are_whole():
    _, check = plugins_with(Check, run=lambda robot: [Finding(104, 2, "x", None)])
    refused(lambda: check.run(ARM), "[0].severity is int, not Severity")


WRONG_FIELDS = {
    'Exporter("x", None, (".x",), print)': "summary is NoneType, not str",
    'Exporter("x", "x", (".x",), "print")': "write is str, not Callable",
    'Exporter("x", "x", (".x",), print, options=[1])': "options[0] is int, not Option",
    'Exporter("x", "x", (".x",), print, takes="robots")': "takes is 'robots', none of 'robot', 'events'",
}


@pytest.mark.parametrize("source", WRONG_FIELDS)
def test_a_contribution_is_refused_whose_fields_are_wrong(source, install):
    install("broken", f"from rck.hooks import *\n\n@hookimpl\ndef rck_exporters():\n    return [{source}]\n")
    plugins = discover((), {"RCK_PLUGINS": "broken"})
    assert plugins.all(Exporter) == ()
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (603, "plugin broken")
    assert WRONG_FIELDS[source] in finding.message
    assert finding.message.endswith("(broken.py, line 3)")
