"""Guards around the functions of a contribution: failures are reported under the name of the plugin."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from copy import deepcopy
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, TypeVar, cast

from rck.hooks.actions import Program
from rck.hooks.editor_kinds import Overlay
from rck.hooks.ik_types import ChainSolver
from rck.hooks.kinds import (
    ActionKind,
    CliCommand,
    CollisionBackend,
    CollisionScene,
    Exported,
    Exporter,
    Gripper,
    Imported,
    Importer,
    Physics,
    PhysicsWorld,
    ProgramLanguage,
    Sensor,
    SensorReader,
    Solver,
    Viewer,
)
from rck.hooks.overlay_shapes import OverlayShapes
from rck.hooks.source_location import WrongReturnType
from rck.hooks.survey import Survey
from rck.model.robot import Robot

T = TypeVar("T")
Guard = Callable[[str], AbstractContextManager[None]]
"""Context manager around a call; its argument names the file or robot, and may be empty."""

_RETURNED: dict[tuple[type, str], type] = {
    (Exporter, "write"): Exported,
    (Gripper, "holds"): str,
    (Importer, "read"): Imported,
    (Importer, "survey"): Survey,
    (Overlay, "draw"): OverlayShapes,
    (ProgramLanguage, "compile"): Program,
}
_MADE: dict[type, type] = {
    CollisionBackend: CollisionScene,
    Physics: PhysicsWorld,
    Sensor: SensorReader,
    Solver: ChainSolver,
}
"""Kinds whose function `make` returns an object with methods."""


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect what a plugin prints to stderr: stdout is for the output of commands.

    Only in the main thread: the streams of Python belong to all threads.
    """
    if current_thread() is not main_thread():
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def guarded(contribution: T, guard: Guard, own: bool) -> T:
    """Return the contribution with a guard around each of its functions.

    The objects that they make are guarded too, except in RCK's `own` plugins, where microseconds count.
    """
    if isinstance(contribution, ActionKind | CliCommand):
        return contribution
    values = {field.name: getattr(contribution, field.name) for field in fields(cast(Any, contribution))}
    functions = {
        name: _guarded_function(contribution, name, value, guard, own)
        for name, value in values.items()
        if callable(value)
    }
    result: T = replace(cast(Any, contribution), **functions)
    return result


def _guarded_function(
    contribution: object, name: str, function: Callable[..., Any], guard: Guard, own: bool
) -> Callable[..., Any]:
    kind = type(contribution)
    expected = _RETURNED.get((kind, name), object)
    # A viewer may print to stdout.
    quiet = not isinstance(contribution, Viewer)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with guard(_subject(arguments)):
            if quiet:
                with stdout_to_stderr():
                    result = function(*arguments, **named)
            else:
                result = function(*arguments, **named)
            if not isinstance(result, expected):
                message = f"{name} returned {type(result).__name__}, not {expected.__name__}"
                raise WrongReturnType(message, function)
            if kind in _MADE and result is not None and not own:
                return _guarded_object(result, _MADE[kind], guard, function)
            return result

    return call


def _subject(arguments: tuple[Any, ...]) -> str:
    """Return the name of the file or robot that a function works on."""
    for argument in arguments:
        if isinstance(argument, Path):
            return str(argument)
        if isinstance(argument, Robot):
            return argument.name
    return ""


def _guarded_object(made: Any, protocol: type, guard: Guard, maker: Callable[..., Any]) -> Any:
    """Return a stand-in for an object; its members call those of the object within the guard."""
    missing = [name for name in vars(protocol) if not name.startswith("_") and not hasattr(made, name)]
    if missing:
        raise WrongReturnType(f"made {type(made).__name__}, which has no {', '.join(missing)}", maker)
    # Members of the class: `isinstance` looks there for the members of a protocol.
    members = {name: _guarded_member(name) for name in dir(made) if not name.startswith("_")}
    return type(type(made).__name__, (_GuardedObject,), members)(made, guard)


def _guarded_member(name: str) -> property:
    def get(stand_in: "_GuardedObject") -> Any:
        with stand_in._guard(""):
            value = getattr(stand_in._made, name)
        if not callable(value):
            return value

        def call(*arguments: Any, **named: Any) -> Any:
            with stand_in._guard(""), stdout_to_stderr():
                return value(*arguments, **named)

        return call

    return property(get)


class _GuardedObject:
    def __init__(self, made: Any, guard: Guard) -> None:
        self._made = made
        self._guard = guard

    def __deepcopy__(self, memo: dict[int, Any]) -> "_GuardedObject":
        return type(self)(deepcopy(self._made, memo), self._guard)
