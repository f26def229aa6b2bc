"""What every panel of the editor must do: run :func:`check_panel` on yours."""

import asyncio
from typing import Any

from rck.hooks.kinds import EditorPanel
from rck.model.robot import build_robot
from rck.testing.robots import planar_arm


def check_panel(panel: EditorPanel) -> None:
    """It makes a widget of Textual that can be shown, and that follows robots: with items, without, and none at all."""
    from textual.widget import Widget

    widget, other = panel.make(), panel.make()
    assert isinstance(widget, Widget), f"it made {type(widget).__name__}, not a widget of Textual"
    assert other is not widget, "it made the same widget twice"
    asyncio.run(_shown(widget))


async def _shown(widget: Any) -> None:
    from textual.app import App, ComposeResult

    class Window(App[None]):
        def compose(self) -> ComposeResult:
            yield widget

    # What a widget raises while it is shown comes out at the end of this.
    async with Window().run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        if hasattr(widget, "show_robot"):
            for robot in (planar_arm(2), build_robot("nothing", []).unwrap(), None):
                widget.show_robot(robot)
                await pilot.pause()
