"""Typing ahead: keys that arrive faster than they are handled go to where the ones before them lead.

Over a slow line many keys arrive at once. Textual would give all of them to what has the focus now, although the first
of them may move it: the letters after `:` belong to the command line, not to the view.
"""

import asyncio
from collections import deque
from collections.abc import Iterator

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump

_PATIENCE = 0.5
"""Seconds that a key may take before the next one is not kept waiting any longer."""
_ROUNDS = 3
"""A key makes a widget send a message, which makes its panel send another, to which the screen answers."""


class TypeAhead(App[None]):
    """An application that handles one key after the other."""

    def __init__(self, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._typed: deque[events.Key] = deque()
        self._handling: asyncio.Task[None] | None = None

    def post_message(self, message: Message) -> bool:
        """A key that comes from the keyboard waits its turn; one that bubbles up is on its way already."""
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
                await self._until_handled()
        finally:
            self._handling = None

    async def _until_handled(self) -> None:
        """Wait until everyone on the way of a key has done what was there to do when it came by."""
        for node in self._way_of_a_key():
            done = asyncio.Event()
            if not node.call_later(done.set):
                continue
            try:
                await asyncio.wait_for(done.wait(), _PATIENCE)
            except TimeoutError:
                return

    def _way_of_a_key(self) -> Iterator[MessagePump]:
        """The application, then what has the focus and all above it up to the application again."""
        yield self
        if self.screen_stack:
            way = (self.focused or self.screen).ancestors_with_self
            for _ in range(_ROUNDS):
                yield from way
