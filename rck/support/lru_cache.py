"""Cache of limited size."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

MOST = 4096


class LruCache(Generic[Key, Value]):
    """Cache that drops the least recently used value when it is full.

    Dragging a slider requests a part with hundreds of lengths; without a limit, they would fill the memory.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key; create it if it is not cached."""
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        value = make()
        self._known[key] = value
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return value
