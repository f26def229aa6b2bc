"""The findings: each one jumps to its place and offers its fix."""

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from rck.editor.fixes import fix_line, is_about_plugins, place_of
from rck.editor.workbench import Workbench
from rck.model import Finding, Severity

_MARKS = {Severity.ERROR: ("✗", "bold red"), Severity.WARNING: ("▲", "bold yellow"), Severity.NOTE: ("·", "bold cyan")}


class FindingsPanel(OptionList):
    """Lists what is wrong."""

    BORDER_TITLE = "Findings"
    HELP = """
# Findings

What checks found, the worst first. The arrows select the place that a finding is about; **Enter** begins the command
that mends it, where there is one: then it stands after the arrow. `docs/findings.md` explains every number.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Mend", show=True),
        Binding("down", "cursor_down", "Down", show=False, id="list-down"),
        Binding("up", "cursor_up", "Up", show=False, id="list-up"),
    ]

    class Fix(Message):
        """The user wants to mend something by a command that begins so."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._shown: list[Finding] = []
        self._nothing = ""
        """What is said where there are none."""

    def rebuild(self) -> None:
        """List the findings of now."""
        found = sorted(self._workbench.findings, key=lambda one: -one.severity)
        nothing = "" if found else "looking ..." if self._workbench.unchecked else "nothing is wrong"
        if (found, nothing) == (self._shown, self._nothing):
            return
        place = self.highlighted
        self._shown, self._nothing = found, nothing
        self.clear_options()
        self.border_title = f"Findings: {len(found)}" if found else "Findings"
        if nothing:
            self.add_option(Option(Text(nothing, "dim"), disabled=True))
        self.add_options(Option(self._label(finding)) for finding in found)
        if place is not None and found:
            self.highlighted = min(place, len(found) - 1)

    def _label(self, finding: Finding) -> Text:
        mark, style = _MARKS[finding.severity]
        text = Text.assemble((f"{mark} RCK{finding.code} ", style), (finding.where, "bold"), f"\n{finding.message}")
        line = fix_line(finding, self._workbench)
        if line:
            text.append(f"\n⏎ {line}", "italic")
        elif finding.fix:
            text.append(f"\n→ {finding.fix}", "dim")
        return text

    @on(OptionList.OptionHighlighted)
    def _go(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.has_focus and self._shown:
            place = place_of(self._shown[event.option_index], self._workbench)
            if place is not None:
                self._workbench.select(place)

    @on(OptionList.OptionSelected)
    async def _mend(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if not self._shown:
            return
        finding = self._shown[event.option_index]
        place = place_of(finding, self._workbench)
        if place is not None:
            self._workbench.select(place)
        line = fix_line(finding, self._workbench)
        if line:
            self.post_message(self.Fix(line))
        elif is_about_plugins(finding):
            await self.app.run_action("app.go('plugins')")
        else:
            self._workbench.say(finding.fix or finding.message)
