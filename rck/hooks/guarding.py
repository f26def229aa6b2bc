"""A guard round all that a plugin contributed: its functions, and the objects that these make.

What is guarded, and what it may return, is read from the annotations of :mod:`rck.hooks.kinds`: a new kind, or a new
function of one, is guarded by itself. :mod:`rck.hooks.contents` looks inside what is returned.
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

from rck.hooks.containment import waited_for
from rck.hooks.contents import Known, flaw, flaw_of, misfit, other_type
from rck.hooks.job import Job
from rck.hooks.output import THREAD
from rck.hooks.places import Place, Unfit, place_of_function
from rck.model.robot import Robot

T = TypeVar("T")
Guard = Callable[[], AbstractContextManager[None]]

TO_ANSWER = 60.0
"""Seconds that a function of a plugin may take to answer, unless it is given a :class:`Job`, which can be stopped."""
TO_STOP = 5.0
"""Seconds in which what was given a job must end once the user has stopped it."""
_NOTHING = (None, NoneType)


def guarded(contribution: T, guard: Guard, quiet: Guard | None = None) -> T:
    """The same contribution, with a guard round each of its functions.

    `quiet` is the guard of those that have no business to print: all but what talks to users by itself.
    """
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
        functions[one.name] = _function(value, what, returned, quiet or guard if patient else guard, patient)
    same: T = replace(cast(Any, contribution), **functions)
    return same


def _function(
    call: Callable[..., Any],
    what: str,
    returned: Any,
    guard: Guard,
    patient: bool,
    look: Callable[[Any], str] = flaw,
) -> Callable[..., Any]:
    """The function with a guard; `look` tells what is wrong with an answer of the right type."""

    def work(*arguments: Any, **named: Any) -> Any:
        value = call(*arguments, **named)
        try:
            return _checked(value, what, returned, guard, look, arguments)
        except Unfit as error:
            raise Unfit(str(error), place_of_function(call)) from None

    def run(*arguments: Any, **named: Any) -> Any:
        with guard():
            if not patient or threading.current_thread().name == THREAD:
                return work(*arguments, **named)
            job = next((one for one in arguments if isinstance(one, Job)), None)
            return waited_for(partial(work, *arguments, **named), TO_ANSWER if job is None else TO_STOP, job)

    # For who wants to tell where it is.
    vars(run)["__wrapped__"] = call
    return run


def _checked(
    value: Any, what: str, wanted: Any, guard: Guard, look: Callable[[Any], str], given: tuple[Any, ...] = ()
) -> Any:
    """The value, if it is what the annotation says; an object of a protocol gets a guard of its own."""
    if wanted is bool:
        return bool(value)
    if wanted in _NOTHING:
        return value
    kinds = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    for kind in kinds:
        origin = get_origin(kind) or kind
        if getattr(origin, "_is_protocol", False) and get_origin(kind) is None:
            missing = [member for member in _returns_of(origin) if not hasattr(value, member)]
            if not missing:
                robot = next((one for one in given if isinstance(one, Robot)), None)
                return _object(value, what, origin, guard, Known(value, robot))
            if value is not None:
                raise Unfit(f"{what} returned {type(value).__name__}, which has no {', '.join(missing)}")
        elif origin is Iterable and isinstance(value, Iterable):
            # Here, where the guard is: it may be a generator that fails on the way.
            value = list(value)
    if instead := other_type(value, wanted):
        raise Unfit(f"{what} returned {instead}")
    if wrong := misfit(value, wanted) or look(value):
        raise Unfit(f"{what} returned something wrong: {wrong}")
    return value


def _object(made: Any, what: str, protocol: type, guard: Guard, known: Known) -> Any:
    """Whatever the object has and does, guarded."""
    names = [name for name in dir(made) if not name.startswith("_")]
    members = {name: _member(name, what, _returns_of(protocol).get(name, Any)) for name in names}
    # Members of the class, where `isinstance` looks for those of a protocol.
    return type(type(made).__name__, (_Guarded,), members)(made, guard, known)


def _member(name: str, what: str, returned: Any) -> property:
    said = f"{name} of {what}"

    def get(own: "_Guarded") -> Any:
        def look(value: Any) -> str:
            return flaw_of(name, value, own._known)

        with own._guard():
            value = getattr(own._made, name)
        if callable(value):
            return _function(value, said, returned, own._guard, patient=True, look=look)
        with own._guard():
            try:
                return _checked(value, said, returned, own._guard, look)
            except Unfit as error:
                raise Unfit(str(error), _place_of_member(own._made, name)) from None

    return property(get)


def _place_of_member(made: Any, name: str) -> Place | None:
    """Where a property is computed, or else where what has the attribute is made."""
    computed = getattr(type(made), name, None)
    return place_of_function(computed.fget if isinstance(computed, property) else type(made).__init__)


class _Guarded:
    """Stands before an object that a plugin made."""

    def __init__(self, made: Any, guard: Guard, known: Known) -> None:
        self._made = made
        self._guard = guard
        self._known = known

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Guarded":
        made = deepcopy(self._made, memo)
        return type(self)(made, self._guard, replace(self._known, made=made))


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
