"""A guard round all that a plugin contributed: its functions, and the objects that these make.

What is guarded, and what it may return, is read from the annotations of :mod:`rck.hooks.kinds`: a new kind, or a new
function of one, is guarded by itself.
"""

import re
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import fields, replace
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from rck.hooks.containment import THREAD, waited_for
from rck.hooks.job import Job

T = TypeVar("T")
Guard = Callable[[], AbstractContextManager[None]]

TO_ANSWER = 60.0
"""Seconds that a function of a plugin may take to answer, unless it is given a :class:`Job`, which can be stopped."""
TO_STOP = 5.0
"""Seconds in which what was given a job must end once the user has stopped it."""
_NOTHING = (None, NoneType)


def guarded(contribution: T, guard: Guard) -> T:
    """The same contribution, with a guard round each of its functions."""
    functions: dict[str, Any] = {}
    kind = re.sub(r"\B([A-Z])", r" \1", type(contribution).__name__).lower()
    what = f"{kind} {cast(Any, contribution).name}"
    for one in fields(cast(Any, contribution)):
        value, signature = getattr(contribution, one.name), _callable_in(one.type)
        if signature is None or not callable(value):
            continue
        given, returned = get_args(signature)
        # What takes nothing makes widgets, in the thread of the editor; what gives nothing waits for its user.
        patient = bool(given) and returned not in _NOTHING
        functions[one.name] = _function(value, what, returned, guard, patient)
    same: T = replace(cast(Any, contribution), **functions)
    return same


def _function(call: Callable[..., Any], what: str, returned: Any, guard: Guard, patient: bool) -> Callable[..., Any]:
    def work(*arguments: Any, **named: Any) -> Any:
        return _checked(call(*arguments, **named), what, returned, guard)

    def run(*arguments: Any, **named: Any) -> Any:
        with guard():
            if not patient or threading.current_thread().name == THREAD:
                return work(*arguments, **named)
            job = next((one for one in arguments if isinstance(one, Job)), None)
            return waited_for(partial(work, *arguments, **named), TO_ANSWER if job is None else TO_STOP, job)

    return run


def _checked(value: Any, what: str, wanted: Any, guard: Guard) -> Any:
    """The value, if it is what the annotation says; an object of a protocol gets a guard of its own."""
    if wanted is Any or wanted in _NOTHING:
        return value
    if wanted is bool:
        return bool(value)
    kinds = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    for kind in kinds:
        origin = get_origin(kind) or kind
        if kind is NoneType and value is None:
            return None
        if getattr(origin, "_is_protocol", False) and get_origin(kind) is None:
            missing = [member for member in _returns_of(origin) if not hasattr(value, member)]
            if not missing:
                return _object(value, what, origin, guard)
            if value is not None:
                raise TypeError(f"{what} returned {type(value).__name__}, which has no {', '.join(missing)}")
        elif origin is Iterable and isinstance(value, Iterable):
            # Here, where the guard is: it may be a generator that fails on the way.
            listed = list(value)
            for one in listed:
                _checked(one, what, get_args(kind)[0], guard)
            return listed
        elif isinstance(origin, type) and isinstance(value, origin):
            return value
    expected = " or ".join("None" if kind is NoneType else getattr(kind, "__name__", str(kind)) for kind in kinds)
    raise TypeError(f"{what} returned {type(value).__name__}, not {expected}")


def _object(made: Any, what: str, protocol: type, guard: Guard) -> Any:
    """Whatever the object has and does, guarded."""
    names = [name for name in dir(made) if not name.startswith("_")]
    members = {name: _member(name, what, _returns_of(protocol).get(name, Any)) for name in names}
    # Members of the class, where `isinstance` looks for those of a protocol.
    return type(type(made).__name__, (_Guarded,), members)(made, guard)


def _member(name: str, what: str, returned: Any) -> property:
    said = f"{name} of {what}"

    def get(own: "_Guarded") -> Any:
        with own._guard():
            value = getattr(own._made, name)
        if callable(value):
            return _function(value, said, returned, own._guard, patient=True)
        with own._guard():
            return _checked(value, said, returned, own._guard)

    return property(get)


class _Guarded:
    """Stands before an object that a plugin made."""

    def __init__(self, made: Any, guard: Guard) -> None:
        self._made = made
        self._guard = guard

    def __deepcopy__(self, known: dict[int, Any]) -> "_Guarded":
        return type(self)(deepcopy(self._made, known), self._guard)


@cache
def _returns_of(protocol: type) -> dict[str, Any]:
    """What each member of a protocol gives."""
    found = {}
    for name, member in vars(protocol).items():
        function = member.fget if isinstance(member, property) else member
        if not name.startswith("_") and callable(function):
            found[name] = get_type_hints(function)["return"]
    return found


def _callable_in(annotation: Any) -> Any:
    """The signature of a field that holds a function, or may hold one."""
    for kind in (annotation, *get_args(annotation)):
        if get_origin(kind) is Callable:
            return kind
    return None
