"""The title bar: the file, the screens, and the number of findings."""

from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widgets import Static

from rck.editor.workbench import Workbench
from rck.model import Severity
from rck.support.units import counted


class TitleBar(Static):
    """A clickable title: RCK opens the command palette, the file name saves, a screen's name shows the screen."""

    screen_name: reactive[str] = reactive("build")

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._spans: list[tuple[int, int, str]] = []
        """First and last column, and action of each clickable span."""

    def render(self) -> RenderResult:
        """Draw the file on the left, the screens in the middle, the findings on the right, as far as they fit."""
        width = self.size.width
        workbench: Workbench = self.app.workbench  # type: ignore[attr-defined]
        session = workbench.session
        file = session.path.name if session.path is not None else session.assembly.name
        left = Text.assemble((" RCK ", "bold reverse"), " ", (file, "bold"), " •" if session.unsaved else "")
        count = sum(finding.severity > Severity.NOTE for finding in workbench.findings)
        right = Text(f"{counted(count, 'finding')} ▲ ", "bold") if count else Text("no findings ", "dim")
        if width < 60:
            right = Text(f"{count} ▲ ", "bold") if count else Text()
        room = width - left.cell_len - right.cell_len
        variants = map(self._tabs, (2, 1, 0))
        tabs, spans = next(((tabs, spans) for tabs, spans in variants if tabs.cell_len <= room), self._tabs(0))
        start = left.cell_len
        self._spans = [(start + first, start + last, action) for first, last, action in spans]
        self._spans += [
            (0, 5, "app.command_palette"),
            (6, start, "app.save"),
            (width - right.cell_len, width, "show_findings"),
        ]
        gap = max(0, room - tabs.cell_len)
        return Text.assemble(left, tabs, " " * gap, right, no_wrap=True, overflow="crop")

    def _tabs(self, detail: int) -> tuple[Text, list[tuple[int, int, str]]]:
        """Return the names of the screens with their keys (2), without keys (1), or only the current one (0)."""
        tabs = Text("  ")
        spans = []
        for name, screen in self.app.screen_specs.items():  # type: ignore[attr-defined]
            is_current = name == self.screen_name
            if detail == 0 and not is_current:
                continue
            start = tabs.cell_len
            tabs.append(screen.label, "bold underline" if is_current else "dim")
            if detail == 2 and screen.key:
                tabs.append(" ").append(screen.key.upper(), "dim")
            spans.append((start, tabs.cell_len, f"app.go('{name}')"))
            tabs.append("  " if detail == 2 else " ")
        return tabs, spans

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the clicked span."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                await self.app.run_action(action, self.screen)
