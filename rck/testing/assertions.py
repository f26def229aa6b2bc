"""Assertions about the values that plugins return: types by the annotations of :mod:`rck.hooks`, arrays, JSON."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import cache
from math import isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click
import msgspec
import numpy as np

from rck.hooks.manager import PluginFailure
from rck.support.finding import Finding, RckError

_NUMBERS: dict[Any, tuple[type, ...]] = {float: (Real,), int: (Integral,), bool: (bool, np.bool_)}
_ARRAYS = {np.float64: "fiu", np.int64: "iu", np.bool_: "b"}
"""NumPy's kinds of numbers that are accepted for each type of array."""


@contextmanager
def allow_refusal() -> Iterator[None]:
    """Accept that the block refuses its input (:class:`RckError`, :class:`OSError`); raise any other failure."""
    try:
        yield
    except PluginFailure as failure:
        raise failure.__cause__ or failure from None
    except (RckError, OSError):
        pass


def assert_type(value: Any, annotation: Any, what: str) -> None:
    """Raise :class:`AssertionError` if a value, or any value inside it, is not of the annotated type."""
    wrong = type_mismatch(value, annotation)
    assert not wrong, f"{what}: {wrong}"


def assert_array(value: Any, shape: tuple[int, ...], what: str) -> None:
    """Raise :class:`AssertionError` if a value is not an array of that shape with finite numbers."""
    assert _is_array(value, np.float64), f"{what} is {_describe(value)}, not an array of numbers"
    assert value.shape == shape, f"{what} has the shape {value.shape}, not {shape}"
    assert np.isfinite(value).all(), f"{what} contains numbers that are not finite"


def type_mismatch(value: Any, annotation: Any, path: str = "") -> str:
    """Return where and how a value differs from the annotated type; empty if it does not."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        mismatches = [type_mismatch(value, option, path) for option in arguments]
        if "" in mismatches:
            return ""
        inside = [wrong for wrong, option in zip(mismatches, arguments, strict=True) if _is(value, option)]
        return inside[0] if inside else _differs(value, annotation, path)
    if origin is Literal:
        known = any(type(value) is type(option) and value == option for option in arguments)
        return "" if known else f"{path or 'it'} is {value!r}, not one of {', '.join(map(repr, arguments))}"
    if not _is(value, annotation):
        return _differs(value, annotation, path)
    inner = (type_mismatch(element, option, at) for element, option, at in _elements(value, annotation, path))
    return next(filter(None, inner), "")


def _elements(value: Any, annotation: Any, path: str) -> Iterator[tuple[Any, Any, str]]:
    """Yield the values inside a value, each with its annotation and its path."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        for number, (element, option) in enumerate(zip(value, arguments, strict=True)):
            yield element, option, f"{path}[{number}]"
    elif origin is not None and issubclass(origin, Mapping):
        for key, element in value.items():
            yield key, arguments[0], f"{path}[{key!r}]"
            yield element, arguments[1], f"{path}[{key!r}]"
    elif origin is not None and origin is not np.ndarray and arguments and issubclass(origin, Iterable):
        for number, element in enumerate(value):
            yield element, arguments[0], f"{path}[{number}]"
    elif _has_checked_fields(annotation):
        for name, option in _fields_of(annotation).items():
            yield getattr(value, name), option, f"{path}.{name}" if path else name


def _is(value: Any, annotation: Any) -> bool:
    """Return True if the outer type of a value is the annotated one."""
    if annotation is Any:
        return True
    if annotation in (None, NoneType):
        return value is None
    origin, arguments = get_origin(annotation) or annotation, get_args(annotation)
    if origin is np.ndarray:
        return _is_array(value, get_args(arguments[1])[0])
    if origin is tuple:
        if arguments[-1:] == (Ellipsis,):
            return isinstance(value, tuple | list)
        return isinstance(value, tuple) and len(arguments) == len(value)
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


def _differs(value: Any, annotation: Any, path: str) -> str:
    options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return f"{path or 'it'} is {_describe(value)}, not {' or '.join(map(_name, options))}"


def _describe(value: Any) -> str:
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__


def _name(annotation: Any) -> str:
    if annotation in (None, NoneType):
        return "None"
    if get_origin(annotation) is np.ndarray:
        return "an array of numbers"
    if get_origin(annotation) is tuple and get_args(annotation)[-1:] != (Ellipsis,):
        return f"a tuple of {len(get_args(annotation))}"
    return str(getattr(annotation, "__name__", annotation))


def _has_checked_fields(kind: Any) -> bool:
    """Return True for the values that plugins create directly; robots, for instance, are checked when built."""
    if not isinstance(kind, type) or not (is_dataclass(kind) or issubclass(kind, msgspec.Struct)):
        return False
    return kind is Finding or kind.__module__.startswith("rck.hooks.")


@cache
def _fields_of(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns={"click": click})


def json_mismatch(value: Any, path: str = "") -> str:
    """Return why a value would not come back unchanged from a JSON file; empty if it would."""
    if isinstance(value, dict):
        wrong_keys = [key for key in value if type(key) is not str]
        if wrong_keys:
            return f"{path or 'it'} has the key {wrong_keys[0]!r}, which is not a str"
        elements = value.items()
    elif isinstance(value, list | tuple):
        elements = dict(enumerate(value)).items()
    elif value is None or type(value) in (str, int, bool):
        return ""
    elif type(value) is float:
        return "" if isfinite(value) else f"{path or 'it'} is {value}, which JSON cannot store"
    else:
        return f"{path or 'it'} is {type(value).__name__}, which JSON cannot store"
    return next(filter(None, (json_mismatch(element, f"{path}[{key!r}]") for key, element in elements)), "")
