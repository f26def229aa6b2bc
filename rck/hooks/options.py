"""Option values: conversion of the text that users type into typed values in SI units."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rck.hooks.ik_types import ChainSolver
from rck.hooks.kinds import CollisionBackend, CollisionScene, ItemPairs, Option, Solver, Values
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.names import did_you_mean
from rck.support.units import SCREEN_UNITS, UNITS, from_si, parse_quantity, split_quantity

COMMON = (
    Option("rate", "readings per second; 0 for one at every step", "number", 0.0),
    Option("noise", "standard deviation, in the unit of the reading", "number", 0.0),
)
"""Options of every sensor."""
_YES = frozenset({"yes", "true", "on", "y", "1"})
_NO = frozenset({"no", "false", "off", "n", "0"})


def read_options(options: Sequence[Option], given: Mapping[str, str]) -> Values:
    """Return a value for every option: the given one, or else the default.

    Lengths and angles without a unit are in millimetres and degrees; the values are in metres and radians.
    """
    known = [option.name for option in options]
    for name in given:
        if name not in known:
            offer = f"options: {', '.join(known)}" if known else "it has no options"
            raise RckError(f"there is no option {name!r}{did_you_mean(name, known)}; {offer}")
    return {option.name: _value(option, given.get(option.name, option.default)) for option in options}


def make_solver(
    solver: Solver, robot: Robot, base: str, tip: str, given: Mapping[str, str] | None = None
) -> ChainSolver | None:
    """Return the solver of a chain with these options, or None if it does not support the chain."""
    return solver.make(robot, base, tip, *_option_values(solver, "solver", given or {}))


def make_scene(
    backend: CollisionBackend, robot: Robot, ignored: ItemPairs, given: Mapping[str, str] | None = None
) -> CollisionScene:
    """Return the collision scene of a robot with these options; contacts of the pairs are ignored."""
    return backend.make(robot, ignored, *_option_values(backend, "collision backend", given or {}))


def _option_values(kind: Solver | CollisionBackend, what: str, given: Mapping[str, str]) -> tuple[Values, ...]:
    """Return the option values as the last argument, or nothing if there are no options."""
    try:
        values = read_options(kind.options, given)
    except RckError as error:
        raise RckError(f"{what} {kind.name}: {error}") from None
    return (values,) if kind.options else ()


def state_units(
    options: Sequence[Option], given: Mapping[str, str], unit_of: Callable[[str], str | None]
) -> dict[str, str]:
    """Return the texts with units added to lengths and angles that have none; `unit_of` maps dimensions to units.

    Invalid texts stay unchanged: :func:`read_options` reports them.
    """
    types = {option.name: option.type for option in options}
    return {name: _with_unit(text, types.get(name, "text"), unit_of) for name, text in given.items()}


def _with_unit(text: str, type_: str, unit_of: Callable[[str], str | None]) -> str:
    unit = unit_of(type_) if type_ in ("length", "angle") else None
    try:
        return f"{text.strip()}{unit}" if unit and not split_quantity(text, type_)[1] else text
    except RckError:
        return text


def sensor_options(options: Sequence[Option]) -> tuple[Option, ...]:
    """Return the options of a sensor, including those that every sensor has."""
    own = {option.name for option in options}
    return (*options, *(option for option in COMMON if option.name not in own))


def _value(option: Option, given: str | float | bool | None) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return _parse(option, given)
    except RckError as error:
        raise RckError(f"option {option.name}: {error}") from None


def _parse(option: Option, text: str) -> str | float | bool:
    if option.type == "text":
        return text
    if option.type == "flag":
        return _parse_flag(text)
    if option.type == "choice":
        return _parse_choice(option.choices, text)
    return parse_quantity(text, option.type, SCREEN_UNITS[option.type])


def _parse_flag(text: str) -> bool:
    word = text.strip().casefold()
    if word not in _YES | _NO:
        raise RckError(f"{text!r} is neither yes nor no")
    return word in _YES


def _parse_choice(choices: Sequence[str], text: str) -> str:
    by_spelling = {choice.casefold(): choice for choice in choices} | {choice: choice for choice in choices}
    found = by_spelling.get(text) or by_spelling.get(text.casefold())
    if found is None:
        raise RckError(f"{text!r} is not one of {', '.join(choices)}")
    return found


def length_unit(default: str) -> Option:
    """Return the option for the unit of the lengths in a file."""
    return Option("length-unit", "unit of the lengths in the file", "choice", default, tuple(UNITS["length"]))


def units_per_metre(values: Values, default: str) -> float:
    """Return how many of the units of the option `length-unit` make a metre; divide lengths of the file by it."""
    return from_si(1.0, "length", values.get("length-unit", default))
