"""Copies of frozen dataclasses that keep their cached properties."""

from typing import TypeVar

_Value = TypeVar("_Value")


def copy_with(value: _Value, **changes: object) -> _Value:
    """Return a copy of a frozen dataclass without slots, with these fields or cached properties changed.

    All other cached properties are kept, so none of them may depend on the changes. Unlike `dataclasses.replace`, it
    does not run the constructor, and takes a third of the time.
    """
    copy = object.__new__(type(value))
    vars(copy).update(vars(value), **changes)
    return copy
