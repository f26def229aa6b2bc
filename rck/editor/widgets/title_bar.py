"""The line at the top: the file, the screens, how many findings."""

from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widgets import Static

from rck.editor.screens import SCREENS
from rck.editor.workbench import Workbench
from rck.model import Severity


class TitleBar(Static):
    """Names the file and where one is; a click goes elsewhere, on RCK it shows all commands, on the file it saves."""

    screen_name: reactive[str] = reactive("build")

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._places: list[tuple[int, int, str]] = []
        """From which column to which a click does which action."""

    def render(self) -> RenderResult:
        """File on the left, screens in the middle, findings on the right; what fits."""
        width = self.size.width
        workbench: Workbench = self.app.workbench  # type: ignore[attr-defined]
        session = workbench.session
        file = session.path.name if session.path is not None else session.assembly.name
        left = Text.assemble((" RCK ", "bold reverse"), " ", (file, "bold"), " •" if session.unsaved else "")
        count = sum(one.severity > Severity.NOTE for one in workbench.findings)
        right = Text(f"{count} finding{'s' if count != 1 else ''} ▲ ", "bold") if count else Text("no findings ", "dim")
        if width < 60:
            right = Text(f"{count} ▲ ", "bold") if count else Text()
        room = width - left.cell_len - right.cell_len
        tabs, places = next(
            one for detail in (2, 1, 0) if (one := self._tabs(detail))[0].cell_len <= room or detail == 0
        )
        start = left.cell_len
        self._places = [(start + first, start + last, action) for first, last, action in places]
        self._places += [
            (0, 5, "app.command_palette"),
            (6, start, "app.save"),
            (width - right.cell_len, width, "show_findings"),
        ]
        gap = max(0, room - tabs.cell_len)
        return Text.assemble(left, tabs, " " * gap, right, no_wrap=True, overflow="crop")

    def _tabs(self, detail: int) -> tuple[Text, list[tuple[int, int, str]]]:
        """The names of the screens, with their keys (2), without (1), or only where one is (0)."""
        tabs = Text("  ")
        places = []
        for name, screen in SCREENS.items():
            here = name == self.screen_name
            if detail == 0 and not here:
                continue
            start = tabs.cell_len
            tabs.append(screen.label, "bold underline" if here else "dim")
            if detail == 2:
                tabs.append(" ").append(screen.key.upper(), "dim")
            places.append((start, tabs.cell_len, f"app.go('{name}')"))
            tabs.append("  " if detail == 2 else " ")
        return tabs, places

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked on."""
        for start, end, action in self._places:
            if start <= event.x < end:
                await self.app.run_action(action, self.screen)
