"""The line at the top: the file, the screens, how many findings."""

from rich.text import Text
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widgets import Static

SCREENS = (("build", "Build", "F2"), ("move", "Move", "F3"), ("simulate", "Simulate", "F4"),
           ("import", "Import", "F5"), ("plugins", "Plugins", "F6"))  # fmt: skip


class TitleBar(Static):
    """Names the file and where one is."""

    file: reactive[str] = reactive("untitled")
    unsaved: reactive[bool] = reactive(False)
    screen_name: reactive[str] = reactive("build")
    findings: reactive[int] = reactive(0)

    def render(self) -> RenderResult:
        """File on the left, screens in the middle, findings on the right; what fits."""
        width = self.size.width
        left = Text.assemble((" RCK ", "bold reverse"), " ", (self.file, "bold"), " •" if self.unsaved else "")
        tabs = Text("  ")
        for name, label, key in SCREENS:
            style = "bold underline" if name == self.screen_name else "dim"
            tabs.append(f"{label} ", style)
            tabs.append(f"{key}  ", "dim")
        count = self.findings
        right = (
            Text(f"{count} finding{'s' if count != 1 else ''} ▲ ", "yellow") if count else Text("no findings ", "dim")
        )
        room = width - left.cell_len - right.cell_len
        if room < tabs.cell_len:
            tabs = Text(f"  {self.screen_name.capitalize()}", "bold underline")
        middle = max(0, room - tabs.cell_len)
        return Text.assemble(left, tabs, " " * middle, right, no_wrap=True, overflow="crop")

    def on_click(self, event: object) -> None:
        """A click on a screen's name goes there."""
        x = getattr(event, "x", 0)
        place = len(f" RCK  {self.file}") + (2 if self.unsaved else 0) + 2
        for name, label, key in SCREENS:
            end = place + len(label) + len(key) + 3
            if place <= x < end:
                self.app.call_later(self.app.run_action, f"go('{name}')")
            place = end
