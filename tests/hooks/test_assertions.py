"""Contracts look inside the values that plugins return, and name the wrong element."""

import numpy as np
import pytest

from rck.hooks import (
    Answer,
    Check,
    Exported,
    Exporter,
    Imported,
    Physics,
    Press,
    Program,
    ProgramLanguage,
    Sensor,
    Solver,
    no_solutions,
)
from rck.hooks.manager import PluginFailure
from rck.model import Finding, RckError, Severity
from rck.testing.assertions import allow_refusal, json_mismatch, type_mismatch
from rck.testing.contracts import check_check, check_language
from rck.testing.devices import check_physics, check_sensor
from rck.testing.exporters import check_exporter
from rck.testing.robots import planar_arm, six_axis_arm
from rck.testing.solvers import check_solver

ARM = six_axis_arm()
ROBOT = planar_arm(2)
WARNING = Finding(104, Severity.WARNING, "robot", "heavy")
ERROR = Finding(507, Severity.ERROR, "robot", "no")

EXPORTED = {
    "a text for content": (lambda: Exported({"robot.mine": "text"}), "files['robot.mine'] is str, not bytes"),
    "a number for a path": (lambda: Exported({1: b"x"}), "files[1] is int, not str"),
    "a list of files": (lambda: Exported([1]), "files is list, not Mapping"),
    "a text for a finding": (lambda: Exported({"robot.mine": b""}, ("boo",)), "findings[0] is str, not Finding"),
    "an invalid finding": (
        lambda: Exported({"robot.mine": b""}, (Finding(104, 3, "x", "y"),)),
        "findings[0].severity is int, not Severity",
    ),
    "no file": (Exported, "it returned neither a file nor an error finding"),
    "no file and a warning": (lambda: Exported({}, (WARNING,)), "it returned neither a file nor an error finding"),
}


@pytest.mark.parametrize("what", EXPORTED)
def test_exporter_contract_violation_is_detected(what):
    make, reason = EXPORTED[what]
    with pytest.raises(AssertionError) as violation:
        check_exporter(Exporter("mine", "mine", (".mine",), lambda *all: make()))
    assert reason in str(violation.value)


@pytest.mark.parametrize("exported", [Exported({}, (ERROR,)), Exported({"robot.mine": b"x"}, [WARNING])])
def test_exporter_may_refuse_with_an_error_and_list_its_findings(exported):
    check_exporter(Exporter("mine", "mine", (".mine",), lambda *all: exported))


@pytest.mark.parametrize(
    ("imported", "reason"),
    [
        (Imported(("robot",)), "parts[0] is str, not PartDefinition"),
        (Imported(findings=("boo",)), "findings[0] is str, not Finding"),
        (Imported(events="events"), "events is str, not EventList or None"),
    ],
)
def test_wrong_elements_of_an_import_are_named(imported, reason):
    assert type_mismatch(imported, Imported) == reason


def test_compiled_program_must_consist_of_program_lines():
    with pytest.raises(AssertionError, match=r"lines\[0\] is str, not ProgramLine"):
        check_language(ProgramLanguage("mine", "mine", (".mine",), lambda *all: Program(("x",))), "go", ARM)


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
        (Answer(np.full((1, 6), np.nan)), "solutions contains numbers that are not finite"),
        (Answer([[0.0] * 6]), "solutions is list, not an array of numbers"),
        (Answer(np.array([["a"] * 6])), "solutions is an array of <U1, not an array of numbers"),
        (Answer(no_solutions(6), reason="far", nearest=np.zeros(2)), "nearest has the shape (2,), not (6,)"),
        (Answer(no_solutions(6), reason=7), "reason is int, not str"),
    ],
)
def test_wrong_elements_of_an_answer_are_named(answer, reason):
    with pytest.raises(AssertionError) as violation:
        check_solver(Solver("mine", "mine", lambda *all: Answering(answer)), ARM, "base", "tool")
    assert reason in str(violation.value)


def test_solver_must_name_free_joints_of_the_robot():
    solver = Solver("mine", "mine", lambda *all: type("Strange", (Answering,), {"joints": ("elbow-9",)})(None))
    with pytest.raises(AssertionError, match="not free joints of the robot: elbow-9"):
        check_solver(solver, ARM, "base", "tool")


def sensor_reading(reading, **more):
    made = type("Reader", (), {"read": lambda self, world: reading, **more})
    return Sensor("mine", "mine", lambda *all: made())


@pytest.mark.parametrize(
    ("reading", "reason"),
    [
        ({"v": np.array(["a"])}, "['v'] is an array of <U1, not an array of numbers"),
        ({5: np.zeros(1)}, "[5] is int, not str"),
        ({"v": [[1], [1, 2]]}, "['v'] is list, not an array of numbers"),
        ("text", "reading: it is str, not Mapping"),
        ({"v": np.array([np.nan])}, "channel v contains NaN"),
    ],
)
def test_reading_must_be_numbers_by_channel(reading, reason):
    with pytest.raises(AssertionError) as violation:
        check_sensor(sensor_reading(reading))
    assert reason in str(violation.value)


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        (np.zeros(3), "it is ndarray, which JSON cannot store"),
        ({(1, 2): 3}, "it has the key (1, 2), which is not a str"),
        ({"a": [1, {2}]}, "['a'][1] is set, which JSON cannot store"),
        ([float("nan")], "[0] is nan, which JSON cannot store"),
        (np.float64(2.0), "it is float64, which JSON cannot store"),
    ],
)
def test_memory_of_a_sensor_must_be_json(memory, reason):
    with pytest.raises(AssertionError) as violation:
        check_sensor(sensor_reading({"v": np.zeros(1)}, memory=lambda self: memory, recall=lambda self, memory: None))
    assert reason in str(violation.value)
    assert json_mismatch({"a": [1, 2.5, None, True, "x", {"b": ()}]}) == ""


class World:
    """Physics of two joints that moves with every step; each test makes one value wrong."""

    def __init__(self):
        self.positions = ROBOT.positions.copy()
        self.speeds = self.efforts = np.zeros(2)
        self.poses = np.array([item.pose for item in ROBOT.items])
        self.velocities = self.accelerations = np.zeros((len(ROBOT.items), 6))
        self.gravity = np.array([0.0, 0.0, -9.81])
        self.presses = []

    def steer(self, targets, seconds):
        self.positions = self.positions + seconds
        return self.positions

    step = steer

    def hold(self, item, hand): ...
    def let_go(self, item): ...
    def memory(self):
        return self.positions.tolist()

    def recall(self, memory):
        self.positions = np.array(memory)


def test_valid_physics_keeps_the_contract():
    check_physics(Physics("mine", "mine", lambda robot, values: World()))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("efforts", np.zeros(9), "efforts has the shape (9,), not (2,)"),
        ("efforts", np.full(2, np.inf), "efforts contains numbers that are not finite"),
        ("poses", np.zeros((2, 2)), "poses has the shape (2, 2), not "),
        ("poses", "here", "poses is str, not an array of numbers"),
        ("velocities", np.zeros((2, 5)), "velocities has the shape (2, 5), not "),
        ("accelerations", np.zeros(6), "accelerations has the shape (6,), not "),
        ("gravity", np.full(3, np.nan), "gravity contains numbers that are not finite"),
        ("presses", [Press(("a", "b"), np.zeros(3), np.zeros(3))], "unknown items: ('a', 'b')"),
        ("presses", [Press(("a", "b"), np.zeros(2), np.zeros(3))], "point has the shape (2,), not (3,)"),
    ],
)
def test_wrong_values_of_physics_are_named(name, value, reason):
    def make(robot, values):
        world = World()
        setattr(world, name, value)
        return world

    with pytest.raises(AssertionError) as violation:
        check_physics(Physics("mine", "mine", make))
    assert reason in str(violation.value)


def test_findings_of_a_check_must_be_complete():
    check = Check("mine", "mine", lambda robot: [Finding(104, 2, "x", None)])
    with pytest.raises(AssertionError, match=r"\[0\].severity is int, not Severity"):
        check_check(check)


def test_contracts_accept_refusals_but_not_failures_of_plugins():
    with allow_refusal():
        raise RckError("too heavy")
    with pytest.raises(IndexError), allow_refusal():
        raise PluginFailure("plugin broken failed") from IndexError("out of range")
