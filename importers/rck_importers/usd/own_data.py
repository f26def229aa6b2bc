"""Data that RCK wrote for itself, in the custom data of prims; other programs may have changed it."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from rck.model import Actuation, ActuatorKind


def own_data(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data without entries that are not what RCK writes."""
    return _valid(found, _CHECKS)


def _valid(found: Any, checks: Mapping[str, Callable[[Any], bool]]) -> dict[str, Any]:
    if not isinstance(found, Mapping):
        return {}
    return {name: value for name, value in found.items() if name in checks and checks[name](value)}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and isfinite(value)


def _are_numbers(count: int) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        try:
            return len(value) == count and all(isfinite(float(one)) for one in value)
        except (TypeError, ValueError):
            return False

    return check


def _is_table(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(map(of, value.values()))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_one_of(words: type[Actuation] | type[ActuatorKind]) -> Callable[[Any], bool]:
    known = {word.value for word in words}
    return lambda value: isinstance(value, str) and value in known


def _is_whole(checks: Mapping[str, Callable[[Any], bool]]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and len(_valid(value, checks)) == len(value)


_ACTUATOR: Mapping[str, Callable[[Any], bool]] = {
    "number": _is_number,
    "name": _is_text,
    "kind": _is_one_of(ActuatorKind),
    "gear": lambda value: _is_number(value) and value != 0,
    "force": _are_numbers(2),
    "control": _are_numbers(2),
    "values": _is_table(_is_number),
    "mjcf": _is_table(_is_text),
}
_DEVICE: Mapping[str, Callable[[Any], bool]] = {
    "number": _is_number,
    "kind": lambda value: _is_text(value) and bool(value.strip()),
    "values": _is_table(_is_number),
    "settings": _is_table(_is_text),
}
_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "item": lambda value: isinstance(value, (bool, int)),
    "position": _is_number,
    "positions": _are_numbers(3),
    "actuation": _is_one_of(Actuation),
    "actuator": _is_whole(_ACTUATOR),
    "device": _is_whole(_DEVICE),
    "kind": _is_one_of(ActuatorKind),
    "number": _is_number,
    "values": _is_table(_is_number),
    "mjcf": _is_table(_is_text),
    "poses": _is_table(_is_table(_is_number)),
}
