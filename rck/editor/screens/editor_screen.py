"""What every screen of the editor has: a name in the title bar, and the workbench."""

from typing import ClassVar

from textual.screen import Screen

from rck.editor.widgets.title_bar import TitleBar
from rck.editor.workbench import Workbench


class EditorScreen(Screen[None]):
    """A screen that knows what is worked on."""

    NAME: ClassVar[str] = ""
    """As the title bar knows it."""

    @property
    def workbench(self) -> Workbench:
        """What is worked on."""
        workbench: Workbench = self.app.workbench  # type: ignore[attr-defined]
        return workbench

    def help_was_closed(self) -> bool:
        """Close the help beside the screen, if it is open; whether it was."""
        opened = bool(self.query("HelpPanel"))
        if opened:
            self.app.action_hide_help_panel()
        return opened

    def on_mount(self) -> None:
        """Say where one is."""
        self.query_one(TitleBar).screen_name = self.NAME
