"""Actions of plugins in events, programs, editor lines, saved states and server requests."""

import pytest

from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.control.services import Caller, request_of
from rck.editor.event_lines import event_line, parse_event, usage
from rck.hooks import Plugins
from rck.hooks.project_plugins import FilePoint
from rck.model import RckError
from rck.model.quantities import Units
from rck.simulation.action_types import ACTION_TYPES
from rck.simulation.event_table import read_events, save_table
from rck.simulation.events import Event
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.plugin_actions import PluginAction, parse_action
from rck.simulation.program_runner import ProgramRunner, read_program
from rck.simulation.simulation import Simulation
from rck.simulation.state_file import encode_state, read_state, restore_state, save_state
from rck.testing.robots import planar_arm

BEEP = """
from dataclasses import dataclass
from rck.hooks import ActionKind, hookimpl
from rck.hooks.actions import Action
from rck.model import RckError
from rck.simulation.action_types import ActionType

@dataclass(frozen=True, slots=True)
class Beep(Action):
    times: int = 1

class BeepType(ActionType[Beep]):
    arguments = "[TIMES]"

    def from_words(self, words, robot):
        if len(words) > 1 or not all(word.isdigit() for word in words):
            raise RckError("beep takes a number of times")
        return Beep(*map(int, words))

    def to_words(self, action):
        return (str(action.times),)

    def describe(self, action):
        return f"beep {action.times} times"

    def begin(self, simulation, event, action):
        if action.times == 13:
            raise ValueError("bad luck")
        simulation.tell("message", " ".join(["beep"] * action.times))
        simulation.complete(event)

@hookimpl
def rck_actions():
    return [ActionKind("beep", "make a sound", Beep, BeepType())]
"""


@pytest.fixture
def beeping(tmp_path, plugins):
    """Return RCK's plugins and one that adds the action `beep`; it is removed afterwards."""
    file = tmp_path / "beeper.py"
    file.write_text(BEEP, encoding="utf-8")
    own = [one.point for one in plugins._plugins.values()]
    yield Plugins([*own, FilePoint(file)])
    for action, behaviour in list(ACTION_TYPES.items()):
        if isinstance(behaviour, PluginAction):
            del ACTION_TYPES[action]


def told(simulation):
    return [(round(notice.time, 6), notice.text) for notice in simulation.notices if notice.kind == "message"]


def test_event_file_with_an_action_of_a_plugin_is_read_run_and_written(beeping, tmp_path):
    (tmp_path / "a.yaml").write_text("events:\n- {at: 0.5, beep: 2}\n- {at: 1, beep: true}\n")
    robot = planar_arm(2)
    events = read_events(tmp_path / "a.yaml", robot, beeping)
    simulation = Simulation(robot, events, plugins=beeping)
    simulation.run(until=2)
    assert told(simulation) == [(0.5, "beep beep"), (1.0, "beep")]
    assert all(outcome.done for outcome in simulation.outcomes)
    save_table(events, robot, tmp_path / "b.yaml")
    assert read_events(tmp_path / "b.yaml", robot, beeping) == events


def test_wrong_words_are_refused_with_file_and_line(beeping, tmp_path):
    (tmp_path / "a.yaml").write_text("events:\n- {at: 0, say: hello}\n- {at: 0.5, beep: often}\n")
    with pytest.raises(RckError, match=r"a.yaml:3: event 1: beep takes a number of times"):
        read_events(tmp_path / "a.yaml", planar_arm(2), beeping)


def test_program_in_any_language_can_use_the_action(beeping, tmp_path):
    robot = planar_arm(2)
    program_file = tmp_path / "p.rckp"
    program_file.write_text("message start\nbeep 2\nwait 0.5\nbeep\n")
    simulation = Simulation(robot, plugins=beeping)
    runner = ProgramRunner(InstructionExecutor(simulation, beeping), read_program(program_file, robot, beeping))
    runner.run()
    assert [text for _, text in told(simulation)] == ["start", "beep beep", "beep"]
    assert [done.line.number for done in runner.executed] == [1, 2, 3, 4]
    program_file.write_text("wait 0.5\nbeep often\n")
    with pytest.raises(RckError, match="line 2: beep takes a number"):
        read_program(program_file, robot, beeping)


def test_editor_line_is_read_and_written(beeping):
    robot = planar_arm(2)
    Simulation(robot, plugins=beeping)
    event = parse_event("beep 3 1.5", robot, Units())
    assert event.start == 1.5
    assert event_line(event, robot, Units()) == "beep 3 1.5"
    assert "beep [TIMES] START" in usage()


def test_server_request_carries_out_the_action(beeping):
    world = ServedWorld.of(planar_arm(2), beeping)
    hub = Hub(world)
    assert hub.services["/act"].changes
    service = hub.services["/act"]
    request = request_of(service, b'{"action": "beep 2"}')
    reply = service.run(world, Caller("tester"), request)
    assert reply["success"]
    world.advance(0.1)
    assert [text for _, text in told(world.simulation)] == ["beep beep"]
    with pytest.raises(RckError, match="did you mean beep"):
        world.act("tester", "bep 2")


def test_failure_of_the_action_ends_its_event_and_names_the_plugin(beeping):
    robot = planar_arm(2)
    simulation = Simulation(robot, plugins=beeping)
    simulation.add(Event(0.1, parse_action("beep 13", robot)))
    simulation.add(Event(0.2, parse_action("beep 1", robot)))
    simulation.run(until=1)
    failed, done = simulation.outcomes
    assert not failed.done
    assert "plugin beeper: action kind beep failed" in failed.why
    assert done.done


def test_pending_action_survives_a_saved_state(beeping, tmp_path):
    robot = planar_arm(2)
    simulation = Simulation(robot, [Event(0.5, _beep(robot, beeping))], plugins=beeping)
    simulation.step(0.1)
    state, _ = encode_state(simulation)
    save_state(state, tmp_path / "s.json")
    other = Simulation(robot, plugins=beeping)
    restore_state(other, read_state(tmp_path / "s.json"), "s.json")
    other.run(until=1)
    assert told(other) == [(0.5, "beep")]


def _beep(robot, plugins):
    Simulation(robot, plugins=plugins)
    return parse_action("beep 1", robot)


def test_action_with_the_name_of_a_built_in_one_is_ignored_and_reported(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(BEEP.replace('"beep", "make', '"wait", "make'), encoding="utf-8")
    plugins = Plugins([FilePoint(file)])
    Simulation(planar_arm(2), plugins=plugins)
    assert "ActionKind wait is ignored: there is an action of this name" in plugins.findings[0].message
    assert not [one for one in ACTION_TYPES.values() if isinstance(one, PluginAction)]
