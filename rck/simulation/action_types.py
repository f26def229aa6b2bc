"""Registry of action types: how the actions of each type are checked, carried out, described, written and read.

A new type of action is one dataclass and one subclass of :class:`ActionType`, which :func:`register` adds:

.. code-block:: python

    @dataclass(frozen=True, slots=True)
    class Beep(Action):
        times: int


    @register(Beep)
    class BeepType(ActionType[Beep]):
        row = {"beep": int}

        def begin(self, simulation, event, action):
            simulation.tell("message", "beep " * action.times)
            simulation.complete(event)
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from rck.hooks.actions import Action
from rck.model.robot import Robot
from rck.support.finding import Built, RckError

if TYPE_CHECKING:
    from rck.model.quantities import Units
    from rck.simulation.active_motion import ActiveMotion
    from rck.simulation.events import Event
    from rck.simulation.instruction_executor import InstructionExecutor
    from rck.simulation.simulation import Simulation

A = TypeVar("A", bound=Action)


@dataclass(frozen=True, slots=True)
class InstructionReply:
    """The reply to an instruction; it is true if the instruction was carried out."""

    done: bool
    text: str = "done"

    def __bool__(self) -> bool:
        return self.done


Execution: TypeAlias = Generator[float, None, InstructionReply]
"""An instruction in progress: it yields the seconds to simulate before the next call, and returns the reply."""


class ActionType(Generic[A]):
    """Behaviour of the actions of one type. A subclass overrides what applies to its actions."""

    is_motion: ClassVar[bool] = False
    """True if it moves joints from its start time on; other actions take effect at the end of a step."""
    holds_back: ClassVar[bool] = False
    """True if later events wait until :meth:`poll` reports that it is over."""
    row: ClassVar[Mapping[str, Any]] = {}
    """Keys of an event in a YAML file, with their types. The keys in `verbs` select the type of action."""
    verbs: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[tuple[str, ...]] = ()
    """First words of an event line in the editor."""
    arguments: ClassVar[str] = ""
    """Words after the name of an action of a plugin, such as `TIMES`, for help."""
    usage: ClassVar[str] = ""
    """Syntax of an event line."""

    @property
    def can_be_event(self) -> bool:
        """True if an event can have the action; otherwise only programs can."""
        return self.holds_back or type(self).begin is not ActionType.begin

    def describe(self, action: A) -> str:
        """Return the action in a few words."""
        return type(action).__name__

    def amount(self, action: A, robot: Robot, units: "Units") -> str:
        """Return by how much the action moves a joint, with the unit; empty for other actions."""
        return ""

    def check(self, simulation: "Simulation", action: A) -> Built[A]:
        """Return the action as the robot can carry it out, with warnings, or errors that say why it cannot."""
        return Built(action)

    def begin(self, simulation: "Simulation", event: "Event", action: A) -> None:
        """Carry out the action of an event that is due."""
        raise RckError(f"{self.describe(action)} is an instruction for programs only")

    def poll(self, simulation: "Simulation", action: A, waited: float) -> str | None:
        """Return None while later events have to wait, then why the action failed or an empty text."""
        return ""

    def finish(self, simulation: "Simulation", running: "ActiveMotion") -> None:
        """Record the outcome of a motion that has come to its end."""
        simulation.outcomes.append(running.outcome())

    def joints(self, simulation: "Simulation", action: A) -> frozenset[str]:
        """Return the joints that the action moves."""
        return frozenset()

    def execute(self, executor: "InstructionExecutor", action: A) -> Execution:
        """Carry out the action as an instruction of a program; by default, as an event that starts now."""
        return (yield from executor.schedule(action))

    def from_words(self, words: Sequence[str], robot: Robot) -> A:
        """Return the action of the words after its name; for actions of plugins."""
        raise RckError(f"{type(self).__name__} cannot be written in words")

    def to_words(self, action: A) -> Sequence[str]:
        """Return the words after the name of the action; for actions of plugins."""
        return ()

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> A:
        """Return the action of a row of a YAML file."""
        raise RckError(f"{type(self).__name__} cannot be read from a file")

    def to_row(self, event: "Event", action: A, robot: Robot) -> dict[str, Any]:
        """Return the row of an event, without its start."""
        raise RckError(f"{type(action).__name__} cannot be written to a file")

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> "Event | None":
        """Return the event of a line in the editor; None if the words do not fit `usage`."""
        return None

    def to_line(self, event: "Event", action: A, robot: Robot, units: "Units") -> str:
        """Return the line of an event; for an event that cannot be typed, its description."""
        return self.describe(action)


ACTION_TYPES: dict[type[Action], ActionType[Any]] = {}
"""The registered types. Look up with :func:`action_type`."""


def register(action: type[A]) -> Callable[[type[ActionType[A]]], type[ActionType[A]]]:
    """Return a class decorator that registers the behaviour of a type of action."""

    def add(behaviour: type[ActionType[A]]) -> type[ActionType[A]]:
        ACTION_TYPES[action] = behaviour()
        return behaviour

    return add


def action_type(action: A) -> ActionType[A]:
    """Return the behaviour of an action."""
    found = ACTION_TYPES.get(type(action))
    if found is None:
        known = ", ".join(kind.__name__ for kind in ACTION_TYPES)
        raise RckError(f"{type(action).__name__} is not a registered action; known: {known}")
    return found
