"""Event loops in threads of their own: their owners go on with something else, or simply wait."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """An event loop that runs in a thread."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Let something be done there, and wait for it."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            # What is waited for ends too.
            future.cancel()
            raise

    def close(self) -> None:
        """End the loop and its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@contextmanager
def background_loop(name: str) -> Iterator[BackgroundLoop]:
    """An event loop in a thread, while a `with` block lasts."""
    running = BackgroundLoop(name)
    try:
        yield running
    finally:
        running.close()
