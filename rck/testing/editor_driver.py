"""The editor without a terminal: a test sends keys and commands, and reads what the editor shows."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from rck.language.session import Session

if TYPE_CHECKING:
    from textual.pilot import Pilot


T = TypeVar("T")


class EditorDriver:
    """A user of the editor. Each call returns when the editor is idle again."""

    def __init__(self, session: Session) -> None:
        from rck.editor.app import RckApp

        self.session = session
        self.app: RckApp = RckApp(session)
        self._loop = asyncio.new_event_loop()
        # All steps run in one context: Textual keeps its active application there.
        self._context = copy_context()
        self._running: Any = None
        self._pilot: Pilot[Any] | None = None

    def _run(self, step: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(self._loop.create_task(step, context=self._context))

    def start(self, size: tuple[int, int] = (120, 40)) -> None:
        """Start the editor."""
        self._running = self.app.run_test(size=size)
        self._pilot = self._run(self._running.__aenter__())
        self._run(self._rest())

    def stop(self) -> None:
        """End the editor without saving."""
        self._run(self._running.__aexit__(None, None, None))
        self._loop.close()

    async def _rest(self) -> None:
        assert self._pilot is not None
        for _ in range(3):
            await self._pilot.pause()
            await self.app.workers.wait_for_complete()

    def press(self, *keys: str) -> None:
        """Press keys such as `f9`, `ctrl+z` or `x`."""
        assert self._pilot is not None
        self._run(self._pilot.press(*keys))
        self._run(self._rest())

    def do(self, command: str) -> None:
        """Run a command as the command line does."""

        async def run() -> None:
            self.app.workbench.run(command)
            await self._rest()

        self._run(run())

    @property
    def said(self) -> str:
        """The newest message."""
        messages = self.app.workbench.messages
        return messages[-1].text if messages else ""

    @property
    def panels(self) -> Mapping[str, str]:
        """The text of the visible panels of plugins, by name."""
        from rck.editor.widgets.plugin_panels import PanelView

        return {view.panel.name: view.plain for view in self.app.screen.query(PanelView) if view.display}


@contextmanager
def run_editor(session: Session) -> Iterator[EditorDriver]:
    """Run the editor on a session."""
    driver = EditorDriver(session)
    driver.start()
    try:
        yield driver
    finally:
        driver.stop()
