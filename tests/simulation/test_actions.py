"""The registry of actions: a new type needs one class, and works in events, files, programs and states."""

from dataclasses import dataclass

import pytest

from rck.hooks.actions import Action, Announce, MoveJoints, RunFile, SetSpeed, Wait
from rck.model import RckError
from rck.simulation.action_types import ACTION_TYPES, ActionType, action_type, register
from rck.simulation.event_table import read_table, save_table
from rck.simulation.events import Event
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.simulation import Simulation
from rck.simulation.state_file import encode_state, restore_state


@dataclass(frozen=True, slots=True)
class Beep(Action):
    times: int


@pytest.fixture
def beep():
    """A type of action that is registered for one test."""

    @register(Beep)
    class BeepType(ActionType[Beep]):
        def describe(self, action):
            return f"beep {action.times}"

        def begin(self, simulation, event, action):
            simulation.tell("message", " ".join(["beep"] * action.times))
            simulation.complete(event)

    yield Beep
    del ACTION_TYPES[Beep]


@pytest.fixture
def ram(worlds):
    world, _ = worlds
    return world()


def test_registered_action_works_in_events_programs_and_states(beep, ram, plugins):
    simulation = Simulation(ram, [Event(0.5, beep(2)), Event(1.0, beep(1))], plugins=plugins)
    simulation.run(0.7)
    assert [notice.text for notice in simulation.notices] == ["beep beep"]
    resumed = Simulation(ram, plugins=plugins)
    restore_state(resumed, encode_state(simulation)[0], "state")
    assert resumed.pending == (Event(1.0, beep(1)),)
    executor = InstructionExecutor(simulation, plugins)
    assert executor.execute(beep(3))
    assert simulation.notices[-1].text in ("beep beep beep", "beep")
    with pytest.raises(RckError, match="Beep cannot be written"):
        save_table([Event(0.0, beep(1))], ram, None)


def test_unregistered_action_is_refused(ram):
    with pytest.raises(RckError, match="Beep is not a registered action; known: MoveJoint"):
        Simulation(ram).add(Event(0.0, Beep(1)))


@pytest.mark.parametrize("action", [MoveJoints("g", (0.0,)), SetSpeed("g", 1.0), RunFile("other.rckp")])
def test_instruction_for_programs_cannot_be_an_event(ram, action):
    with pytest.raises(RckError, match="is an instruction for programs only"):
        Simulation(ram).add(Event(0.0, action))


def test_wait_delays_later_events(ram):
    simulation = Simulation(ram, [Event(0.5, Wait(1.0)), Event(0.6, Announce("late"))])
    simulation.run()
    assert [notice.text for notice in simulation.notices] == ["wait 1 s", "late"]
    assert simulation.notices[-1].time == pytest.approx(1.6, abs=0.02)


def test_every_action_with_a_file_key_has_a_description(ram, tmp_path):
    (tmp_path / "run.yaml").write_text("events:\n- {at: 1, say: hello}\n- {at: 0, camera: top}\n")
    events = read_table(tmp_path / "run.yaml", ram)
    assert [action_type(event.action).describe(event.action) for event in events] == ["view top", "say hello"]
