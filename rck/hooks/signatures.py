"""Signatures of the functions of contributions, compared with the declarations of their kind."""

import collections.abc
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from rck.hooks.kinds import CliCommand, CollisionBackend, ItemPairs, Solver, Values
from rck.hooks.source_location import SourceLocation, location_of_function
from rck.model.robot import Robot

_MAKE: dict[type, tuple[Any, ...]] = {Solver: (Robot, str, str), CollisionBackend: (Robot, ItemPairs)}
"""Parameters of `make` of the kinds that pass option values only to contributions with options."""


class WrongSignature(NamedTuple):
    """A function that RCK cannot call as its kind declares, or that declares other types."""

    message: str
    location: SourceLocation | None


def wrong_signatures(contribution: object) -> Iterator[WrongSignature]:
    """Yield the functions of a contribution whose signature differs from the declaration of its kind."""
    kind = type(contribution)
    if isinstance(contribution, CliCommand):
        return
    hints = get_type_hints(kind)
    for field in fields(kind):  # type: ignore[arg-type]
        function = getattr(contribution, field.name)
        declared = _callable_hint(hints[field.name])
        if field.name == "make" and kind in _MAKE:
            declared = (*_MAKE[kind], *((Values,) if getattr(contribution, "options", ()) else ())), object
        if declared is None or not callable(function):
            continue
        wrong = _difference(function, *declared)
        if wrong:
            yield WrongSignature(f"{field.name} {wrong}", location_of_function(function))


def _callable_hint(hint: Any) -> tuple[tuple[Any, ...], Any] | None:
    """Return the types of the parameters and of the result; None for anything but a function."""
    if get_origin(hint) in (Union, UnionType):
        found = (_callable_hint(one) for one in get_args(hint))
        return next((one for one in found if one is not None), None)
    if get_origin(hint) is not collections.abc.Callable:
        return None
    parameters, result = get_args(hint)
    return (tuple(parameters), result) if isinstance(parameters, list) else None


def _difference(function: Callable[..., Any], parameters: tuple[Any, ...], result: Any) -> str:
    """Return the difference between a function and its declaration; empty if there is none."""
    try:
        signature = inspect.signature(function)
        hints = {} if inspect.isclass(function) else get_type_hints(inspect.unwrap(function))
    except Exception:
        # Functions of extension modules have no signature, and names of annotations may exist for type checkers only.
        return ""
    declared = ", ".join(map(_type_name, parameters))
    try:
        bound = signature.bind(*parameters)
    except TypeError as error:
        return f"takes {signature}, but RCK calls it with ({declared}): {error}"
    for name, given in bound.arguments.items():
        wanted = given if not isinstance(given, tuple) else None
        if name in hints and _unrelated(hints[name], wanted):
            return f"declares {name}: {_type_name(hints[name])}, but RCK passes {_type_name(wanted)}"
    if "return" in hints and _unrelated(hints["return"], result):
        return f"declares the result {_type_name(hints['return'])}, but RCK needs {_type_name(result)}"
    return ""


def _unrelated(one: Any, other: Any) -> bool:
    """Return True if both are classes and neither is a subclass of the other."""
    if (
        Any in (one, other)
        or not (inspect.isclass(one) and inspect.isclass(other))
        or get_origin(one)
        or get_origin(other)
    ):
        return False
    # Whether a class satisfies a protocol shows only when its objects are used.
    if getattr(one, "_is_protocol", False) or getattr(other, "_is_protocol", False):
        return False
    try:
        return not (issubclass(one, other) or issubclass(other, one) or {one, other} == {int, float})
    except TypeError:
        return False


def _type_name(hint: Any) -> str:
    return hint.__name__ if inspect.isclass(hint) and not get_args(hint) else str(hint).replace("typing.", "")
