"""The values of options: from the texts that users type to typed values in SI units."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rck.hooks.kinds import Option, Values
from rck.model.finding import RckError
from rck.model.names import did_you_mean
from rck.model.units import SCREEN_UNITS, parse_quantity, split_quantity

COMMON = (
    Option("rate", "how many readings a second; 0 for one at every step", "number", 0.0),
    Option("noise", "standard deviation, in the unit of the reading", "number", 0.0),
)
"""Options of every sensor."""
_YES = frozenset({"yes", "true", "on", "y", "1"})
_NO = frozenset({"no", "false", "off", "n", "0"})


def read_options(options: Sequence[Option], given: Mapping[str, str]) -> Values:
    """A value for every option: what the text says, else the default.

    Lengths and angles without a unit are millimetres and degrees; the values are metres and radians.
    """
    known = [option.name for option in options]
    for name in given:
        if name not in known:
            offer = f"options: {', '.join(known)}" if known else "it takes no options"
            raise RckError(f"there is no option {name!r}{did_you_mean(name, known)}; {offer}")
    return {option.name: _value(option, given.get(option.name, option.default)) for option in options}


def state_units(
    options: Sequence[Option], given: Mapping[str, str], unit_of: Callable[[str], str | None]
) -> dict[str, str]:
    """Return the texts with a unit added to bare lengths and angles; `unit_of` tells the unit of a dimension.

    What cannot be read stays as it is: :func:`read_options` says why.
    """
    types = {option.name: option.type for option in options}
    return {name: _stated(text, types.get(name, "text"), unit_of) for name, text in given.items()}


def _stated(text: str, type_: str, unit_of: Callable[[str], str | None]) -> str:
    unit = unit_of(type_) if type_ in ("length", "angle") else None
    try:
        return f"{text.strip()}{unit}" if unit and not split_quantity(text, type_)[1] else text
    except RckError:
        return text


def sensor_options(options: Sequence[Option]) -> tuple[Option, ...]:
    """The options of a sensor with those that every sensor has."""
    own = {option.name for option in options}
    return (*options, *(option for option in COMMON if option.name not in own))


def _value(option: Option, given: str | float | bool | None) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return _parsed(option, given)
    except RckError as error:
        raise RckError(f"option {option.name}: {error}") from None


def _parsed(option: Option, text: str) -> str | float | bool:
    if option.type == "text":
        return text
    if option.type == "flag":
        return _truth(text)
    if option.type == "choice":
        return _choice(option.choices, text)
    return parse_quantity(text, option.type, SCREEN_UNITS[option.type])


def _truth(text: str) -> bool:
    word = text.strip().casefold()
    if word not in _YES | _NO:
        raise RckError(f"{text!r} is neither yes nor no")
    return word in _YES


def _choice(choices: Sequence[str], text: str) -> str:
    by_spelling = {choice.casefold(): choice for choice in choices} | {choice: choice for choice in choices}
    found = by_spelling.get(text) or by_spelling.get(text.casefold())
    if found is None:
        raise RckError(f"{text!r} is not among the choices: {', '.join(choices)}")
    return found
