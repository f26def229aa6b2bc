"""An application that handles one key at a time, so that keys typed ahead reach the widget that they are meant for.

Over a slow connection many keys arrive at once. Textual would send all of them to the focused widget, although the
first may move the focus: letters after `:` belong to the command line, not to the view.
"""

import asyncio
from collections import deque
from collections.abc import Iterator

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump

_TIMEOUT = 0.5
"""Seconds after which the next key no longer waits for the previous one."""
_ROUNDS = 3
"""A key makes a widget send a message, which makes its panel send another, which the screen handles."""


class TypeAheadApp(App[None]):
    """An application that handles keys one after the other."""

    def __init__(self, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._typed: deque[events.Key] = deque()
        self._handling: asyncio.Task[None] | None = None

    def post_message(self, message: Message) -> bool:
        """Queue keys from the keyboard; other messages, and keys that bubble up, are posted at once."""
        if not isinstance(message, events.Key) or message.is_forwarded:
            return super().post_message(message)
        self._typed.append(message)
        if self._handling is None:
            self._handling = asyncio.create_task(self._handle_keys())
        return True

    async def _handle_keys(self) -> None:
        try:
            while self._typed:
                super().post_message(self._typed.popleft())
                await self._wait_until_handled()
        finally:
            self._handling = None

    async def _wait_until_handled(self) -> None:
        """Wait until every node that the key passes has processed the messages in its queue."""
        for node in self._key_path():
            done = asyncio.Event()
            if not node.call_later(done.set):
                continue
            try:
                await asyncio.wait_for(done.wait(), _TIMEOUT)
            except TimeoutError:
                return

    def _key_path(self) -> Iterator[MessagePump]:
        """Yield the application, then the focused widget and its ancestors, several times."""
        yield self
        if self.screen_stack:
            path = (self.focused or self.screen).ancestors_with_self
            for _ in range(_ROUNDS):
                yield from path
