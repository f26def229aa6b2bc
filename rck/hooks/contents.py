"""Whether what a plugin returned is right inside, too: values as the annotations say, arrays of the right shape.

The checks read the annotations of :mod:`rck.hooks`, as far down as its own values go; what no annotation can say
follows below, for each kind of answer.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from math import isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from rck.hooks.kinds import Exported
from rck.hooks.solving import Answer
from rck.model.finding import Finding, errors_of
from rck.model.robot import Robot

_NUMBERS: dict[Any, tuple[type, ...]] = {float: (Real,), int: (Integral,), bool: (bool, np.bool_)}
_ARRAYS = {np.float64: "fiu", np.int64: "iu", np.bool_: "b"}
"""The letters that NumPy has for what may stand where such numbers are wanted."""


def misfit(value: Any, wanted: Any, path: str = "") -> str:
    """What keeps a value from being what an annotation says, and where in it; empty where nothing does."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        told = [misfit(value, one, path) for one in inner]
        deeper = [one for one, kind in zip(told, inner, strict=True) if _is(value, kind)]
        return "" if "" in told else deeper[0] if deeper else _is_not(value, wanted, path)
    if origin is Literal:
        known = any(type(value) is type(one) and value == one for one in inner)
        return "" if known else f"{path or 'it'} is {value!r}, none of {', '.join(map(repr, inner))}"
    if not _is(value, wanted):
        return _is_not(value, wanted, path)
    if origin is tuple and inner[-1:] != (Ellipsis,):
        pairs: Iterable[tuple[Any, Any, str]] = (
            (one, kind, f"{path}[{place}]") for place, (one, kind) in enumerate(zip(value, inner, strict=True))
        )
    elif origin is not None and issubclass(origin, Mapping):
        pairs = (
            (one, kind, f"{path}[{key!r}]")
            for key, item in value.items()
            for one, kind in zip((key, item), inner, strict=True)
        )
    elif origin is not None and origin is not np.ndarray and inner and issubclass(origin, Iterable):
        pairs = ((one, inner[0], f"{path}[{place}]") for place, one in enumerate(value))
    elif _is_looked_into(wanted):
        start = f"{path}." if path else ""
        pairs = ((getattr(value, name), kind, f"{start}{name}") for name, kind in _fields_of(wanted).items())
    else:
        return ""
    return next(filter(None, (misfit(one, kind, at) for one, kind, at in pairs)), "")


def other_type(value: Any, wanted: Any) -> str:
    """What a value is instead of what an annotation says, where it is something else altogether; else empty."""
    kinds = _kinds(wanted)
    return "" if any(_is(value, kind) for kind in kinds) else _instead(value, kinds)


def _is(value: Any, wanted: Any) -> bool:
    """Whether a value is what an annotation says, from outside."""
    if wanted is Any:
        return True
    if wanted in (None, NoneType):
        return value is None
    origin, inner = get_origin(wanted) or wanted, get_args(wanted)
    if origin is np.ndarray:
        return _is_array(value, get_args(inner[1])[0])
    if origin is tuple:
        fits = len(inner) == len(value) if isinstance(value, tuple) and inner[-1:] != (Ellipsis,) else True
        # Whoever wrote a list where many are wanted meant the same.
        return fits and isinstance(value, tuple if inner[-1:] != (Ellipsis,) else tuple | list)
    if not isinstance(origin, type) or getattr(origin, "_is_protocol", False):
        return True
    if isinstance(value, str | bytes) and origin not in (str, bytes) and issubclass(origin, Collection | Iterable):
        return False
    return isinstance(value, _NUMBERS.get(origin, (origin,)))


def _is_array(value: Any, number: Any) -> bool:
    if number in _ARRAYS:
        return isinstance(value, np.ndarray) and value.dtype.kind in _ARRAYS[number]
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:
        return False


def _is_not(value: Any, wanted: Any, path: str) -> str:
    return f"{path or 'it'} is {_instead(value, _kinds(wanted))}"


def _kinds(wanted: Any) -> tuple[Any, ...]:
    return get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)


def _instead(value: Any, kinds: Iterable[Any]) -> str:
    given = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
    return f"{given}, not {' or '.join(map(_name, kinds))}"


def _name(kind: Any) -> str:
    if kind in (None, NoneType):
        return "None"
    if get_origin(kind) is np.ndarray:
        return "an array of numbers"
    if get_origin(kind) is tuple and get_args(kind)[-1:] != (Ellipsis,):
        return f"{len(get_args(kind))} values in a tuple"
    return str(getattr(kind, "__name__", kind))


def _is_looked_into(kind: Any) -> bool:
    """Whether it is a value that plugins make by hand; others, such as robots, are checked when they are built."""
    if not isinstance(kind, type) or not (is_dataclass(kind) or issubclass(kind, msgspec.Struct)):
        return False
    return kind is Finding or kind.__module__.startswith("rck.hooks.")


@cache
def _fields_of(kind: type) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except NameError:
        # Only subcommands name something of click, and who asks for those has it.
        import click

        return get_type_hints(kind, localns={"click": click})


@dataclass
class Known:
    """What is known of an object that a plugin made."""

    made: Any
    robot: Robot | None = None
    """What it was made for."""
    channels: tuple[str, ...] = field(default=())
    """Those of a sensor, once it was read."""


def flaw(value: Any) -> str:
    """What is wrong with an answer that has the right types."""
    if isinstance(value, Exported) and not value.files and not errors_of(value.findings):
        return "it has no file, and no error that says why"
    return ""


def flaw_of(member: str, value: Any, known: Known) -> str:
    """The same for what a member of an object gave that a plugin made."""
    check = _OF_MEMBERS.get(member)
    return check(value, known) if check is not None else ""


def _answer(answer: Answer, known: Known) -> str:
    count = len(known.made.joints)
    if len(answer.solutions):
        wrong = _shape("solutions", answer.solutions, (len(answer.solutions), count))
        if wrong:
            return wrong
    for name, wanted in (("nearest", (count,)), ("nearest_pose", (4, 4))):
        value = getattr(answer, name)
        if value is not None and (wrong := _shape(name, value, wanted)):
            return wrong
    return ""


def _shape(name: str, value: Any, wanted: tuple[int, ...]) -> str:
    if value.shape != wanted:
        return f"{name} has the shape {value.shape}, not {wanted}"
    return "" if np.isfinite(value).all() else f"{name} has numbers that are not finite"


def _joints(names: Any, known: Known) -> str:
    free = () if known.robot is None else [joint.name for joint in known.robot.free_joints]
    strange = [name for name in names if name not in free] if known.robot is not None else []
    return f"{strange[0]} is no free joint of the robot" if strange else ""


def _pairs(pairs: Any, known: Known) -> str:
    if known.robot is None:
        return ""
    items = known.robot.item_index
    return next((f"{name!r} is no item of the robot" for pair in pairs for name in pair if name not in items), "")


def _meetings(found: Any, known: Known) -> str:
    pairs = [one.items for one in found]
    return misfit(pairs, list[tuple[str, str]]) or _pairs(pairs, known)


def _reading(reading: Mapping[str, Any], known: Known) -> str:
    channels = tuple(sorted(reading))
    before, known.channels = known.channels, channels
    if before and before != channels:
        return f"its channels were {', '.join(before)} and now are {', '.join(channels) or 'none'}"
    return ""


def _of_joints(value: Any, known: Known) -> str:
    return "" if known.robot is None else _shape("it", value, (len(known.robot.free_joints),))


def _poses(value: Any, known: Known) -> str:
    return "" if known.robot is None else _shape("it", value, (len(known.robot.items), 4, 4))


def _rates(value: Any, known: Known) -> str:
    return "" if known.robot is None else _shape("it", value, (len(known.robot.items), 6))


def _presses(presses: Any, known: Known) -> str:
    for press in presses:
        for name in ("point", "force"):
            if wrong := _shape(name, getattr(press, name), (3,)):
                return wrong
    return _pairs([press.items for press in presses], known)


def _memory(value: Any, known: Known) -> str:
    return unkeepable(value)


def unkeepable(value: Any, path: str = "") -> str:
    """What keeps a value from coming back from a file of JSON as it was; empty where nothing does."""
    if isinstance(value, dict):
        strange = [key for key in value if type(key) is not str]
        if strange:
            return f"{path or 'it'} has the key {strange[0]!r}, which is no text"
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = dict(enumerate(value)).items()
    elif value is None or type(value) in (str, int, bool):
        return ""
    elif type(value) is float:
        return "" if isfinite(value) else f"{path or 'it'} is {value}, which JSON cannot hold"
    else:
        return f"{path or 'it'} is {type(value).__name__}, which JSON cannot hold"
    return next(filter(None, (unkeepable(one, f"{path}[{key!r}]") for key, one in parts)), "")


_OF_MEMBERS: dict[str, Callable[[Any, Known], str]] = {
    "solve": _answer,
    "joints": _joints,
    "touching": _pairs,
    "contacts": _meetings,
    "clearances": _meetings,
    "read": _reading,
    "read_noisy": _reading,
    "positions": _of_joints,
    "speeds": _of_joints,
    "efforts": _of_joints,
    "step": _of_joints,
    "steer": _of_joints,
    "poses": _poses,
    "velocities": _rates,
    "accelerations": _rates,
    "gravity": lambda value, known: _shape("it", value, (3,)),
    "presses": _presses,
    "memory": _memory,
}
"""By the name of the member: no two protocols use one for different things."""
