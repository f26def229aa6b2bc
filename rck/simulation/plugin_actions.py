"""Actions of plugins: written as a word and its arguments in events, programs, editor lines and server requests."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rck.hooks import ActionKind, Plugins
from rck.hooks.actions import Action, Program, ProgramLine
from rck.hooks.manager import PluginFailure
from rck.model.robot import Robot
from rck.simulation.action_types import ACTION_TYPES, ActionType, Execution
from rck.simulation.events import Event
from rck.support.finding import Built, RckError
from rck.support.names import did_you_mean
from rck.support.units import parse_quantity

if TYPE_CHECKING:
    from rck.model.quantities import Units
    from rck.simulation.active_motion import ActiveMotion
    from rck.simulation.instruction_executor import InstructionExecutor
    from rck.simulation.simulation import Simulation

T = TypeVar("T")


class PluginAction(ActionType[Any]):
    """Behaviour of an action of a plugin; a failure ends its event, not the simulation."""

    def __init__(self, kind: ActionKind, guard: Callable[[], AbstractContextManager[None]]) -> None:
        self.name = kind.name
        self._inner: ActionType[Any] = kind.behaviour
        self._guard = guard

    def _call(self, function: Callable[..., T], *arguments: Any) -> T:
        with self._guard():
            return function(*arguments)

    @property
    def can_be_event(self) -> bool:
        """True if an event can have the action."""
        return self._inner.can_be_event

    def describe(self, action: Any) -> str:
        """Return the action in a few words."""
        return self._call(self._inner.describe, action)

    def check(self, simulation: "Simulation", action: Any) -> Built[Any]:
        """Return the action as the robot can carry it out, or errors."""
        return self._call(self._inner.check, simulation, action)

    def begin(self, simulation: "Simulation", event: Event, action: Any) -> None:
        """Carry out the action of an event that is due."""
        try:
            self._call(self._inner.begin, simulation, event, action)
        except PluginFailure as failure:
            simulation.complete(event, str(failure))

    def poll(self, simulation: "Simulation", action: Any, waited: float) -> str | None:
        """Return None while later events have to wait, then why the action failed or an empty text."""
        try:
            return self._call(self._inner.poll, simulation, action, waited)
        except PluginFailure as failure:
            return str(failure)

    def finish(self, simulation: "Simulation", running: "ActiveMotion") -> None:
        """Record the outcome of a motion that has come to its end."""
        self._call(self._inner.finish, simulation, running)

    def joints(self, simulation: "Simulation", action: Any) -> frozenset[str]:
        """Return the joints that the action moves."""
        return self._call(self._inner.joints, simulation, action)

    def execute(self, executor: "InstructionExecutor", action: Any) -> Execution:
        """Carry out the action as an instruction of a program."""
        with self._guard():
            return (yield from self._inner.execute(executor, action))

    def from_words(self, words: Sequence[str], robot: Robot) -> Any:
        """Return the action of the words after its name."""
        made = self._call(self._inner.from_words, words, robot)
        if ACTION_TYPES.get(type(made)) is not self:
            raise RckError(f"{self.name}: its plugin returned {type(made).__name__} instead of its action")
        return made

    def to_words(self, action: Any) -> Sequence[str]:
        """Return the words after its name."""
        return self._call(self._inner.to_words, action)

    def from_row(self, row: Mapping[str, Any], robot: Robot) -> Any:
        """Return the action of a row; `true` stands for no words."""
        value = row[self.name]
        return self.from_words([] if value is True else str(value).split(), robot)

    def to_row(self, event: Event, action: Any, robot: Robot) -> dict[str, Any]:
        """Return the row of an event, without its start."""
        return {self.name: " ".join(self.to_words(action)) or True}

    def from_line(self, words: Sequence[str], robot: Robot, units: "Units") -> Event | None:
        """Return the event of a line: the name, the words and the start."""
        if len(words) < 2:
            return None
        return Event(parse_quantity(words[-1], "time", "s"), self.from_words(words[1:-1], robot))

    def to_line(self, event: Event, action: Any, robot: Robot, units: "Units") -> str:
        """Return the line of an event."""
        return " ".join([self.name, *self.to_words(action), f"{event.start:.6g}"])


def use_plugin_actions(plugins: Plugins) -> None:
    """Register the actions of plugins; one with a word or class name that is in use is ignored with a finding."""
    for kind in plugins.all(ActionKind):
        known = ACTION_TYPES.get(kind.action)
        if isinstance(known, PluginAction) and known.name == kind.name:
            continue
        for action, behaviour in list(ACTION_TYPES.items()):
            if isinstance(behaviour, PluginAction) and behaviour.name == kind.name:
                # An earlier version of the plugin.
                del ACTION_TYPES[action]
        if reason := _clash(kind):
            plugins.leave_out(kind, reason)
            continue
        ACTION_TYPES[kind.action] = _behaviour(kind, plugins)


def _clash(kind: ActionKind) -> str:
    """Return why an action cannot be registered; empty if it can."""
    if not isinstance(kind.behaviour, ActionType):
        return "its behaviour is not a rck.simulation.action_types.ActionType"
    words = {word for one in ACTION_TYPES.values() for word in (*one.row, *one.verbs, *one.words)}
    if kind.name in words:
        return "there is an action of this name"
    if kind.action.__name__ in {action.__name__ for action in ACTION_TYPES}:
        return f"there is an action class {kind.action.__name__}"
    return ""


def _behaviour(kind: ActionKind, plugins: Plugins) -> PluginAction:
    inner = cast("ActionType[Any]", kind.behaviour)
    members = {
        "row": {kind.name: str | int | float | bool},
        "verbs": (kind.name,),
        "words": (kind.name,),
        "usage": " ".join(filter(None, (kind.name, inner.arguments, "START"))),
        "arguments": inner.arguments,
        "is_motion": inner.is_motion,
        "holds_back": inner.holds_back,
    }
    made: type[PluginAction] = type(f"{kind.action.__name__}Behaviour", (PluginAction,), members)
    return made(kind, lambda: plugins.guard(kind))


def parse_action(line: str, robot: Robot) -> Action:
    """Return the action of a plugin that a line names, such as `beep 3`."""
    words = line.split()
    known = {one.name: one for one in ACTION_TYPES.values() if isinstance(one, PluginAction)}
    if not words or words[0] not in known:
        wanted = words[0] if words else ""
        listed = ", ".join(known) or "none; no plugin adds any"
        raise RckError(f"there is no action {wanted!r}{did_you_mean(wanted, known)}; actions of plugins: {listed}")
    action: Action = known[words[0]].from_words(words[1:], robot)
    return action


def compile_with_actions(compile_: Callable[[str, Robot], Program], text: str, robot: Robot) -> Program:
    """Compile a program. Lines that its language refuses may be actions of plugins."""
    names = {one.name for one in ACTION_TYPES.values() if isinstance(one, PluginAction)}
    lines = text.splitlines()
    numbers = [number for number, line in enumerate(lines, start=1) if line.split()[:1] and line.split()[0] in names]
    if not numbers:
        return compile_(text, robot)
    try:
        return compile_(text, robot)
    except RckError:
        rest = "\n".join("" if number in numbers else line for number, line in enumerate(lines, start=1))
        program = compile_(f"{rest}\n", robot)
    added = []
    for number in numbers:
        try:
            added.append(ProgramLine(number, lines[number - 1].strip(), parse_action(lines[number - 1], robot)))
        except RckError as error:
            raise RckError(f"line {number}: {error}") from None
    return Program(tuple(sorted((*program.lines, *added), key=lambda line: line.number)))
