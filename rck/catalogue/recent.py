"""Remembering what was made lately, and no more of it than fits."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

MOST = 4096


class Recent(Generic[Key, Value]):
    """The last few thousand values by key; the one that was not asked for longest is forgotten first.

    A slider that is dragged asks for a part with hundreds of lengths; without an end, memory would fill up.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of that key, made now if it is not known."""
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        value = make()
        self._known[key] = value
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return value
