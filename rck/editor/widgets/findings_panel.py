"""The findings panel: selects the object that a finding is about, and offers the fix."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from rck.editor.dialogs.basic import ListChoice, ListDialog
from rck.editor.finding_fixes import fix_lines, is_about_plugins, subject_of
from rck.editor.workbench import Workbench
from rck.model import Finding, Severity

_MARKS = {Severity.ERROR: ("✗", "bold red"), Severity.WARNING: ("▲", "bold yellow"), Severity.NOTE: ("·", "bold cyan")}


def finding_text(finding: Finding, lines: Sequence[str] = ()) -> Text:
    """Return a finding for display, with the commands that fix it, else with its remedy."""
    mark, style = _MARKS[finding.severity]
    text = Text.assemble((f"{mark} {finding.label} ", style), (finding.where, "bold"), f"\n{finding.message}")
    if lines:
        text.append(f"\n⏎ {' · '.join(line.strip() for line in lines)}", "italic")
    elif finding.fix:
        text.append(f"\n→ {finding.fix}", "dim")
    return text


class FindingsPanel(OptionList):
    """The list of findings."""

    BORDER_TITLE = "Findings"
    HELP = """
# Findings

The findings of all checks, most severe first. Moving to a finding selects the object that it is about. **Enter** begins
the command that fixes it, or lists several; they are shown after ⏎. `docs/findings.md` explains every code.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Fix", show=True),
        Binding("down", "cursor_down", "Down", show=False, id="list-down"),
        Binding("up", "cursor_up", "Up", show=False, id="list-up"),
    ]

    class Fix(Message):
        """A finding is to be fixed with this command, or start of a command."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._shown: list[Finding] = []
        self._empty_text = ""
        """The text that is shown if there are no findings."""

    def rebuild(self) -> None:
        """List the current findings."""
        found = sorted(self._workbench.findings, key=lambda finding: -finding.severity)
        empty_text = "" if found else "checking ..." if self._workbench.checks_pending else "no findings"
        if (found, empty_text) == (self._shown, self._empty_text):
            return
        row = self.highlighted
        self._shown, self._empty_text = found, empty_text
        self.clear_options()
        self.border_title = f"Findings: {len(found)}" if found else "Findings"
        if empty_text:
            self.add_option(Option(Text(empty_text, "dim"), disabled=True))
        self.add_options(Option(self._label(finding)) for finding in found)
        if row is not None and found:
            self.highlighted = min(row, len(found) - 1)

    def _label(self, finding: Finding) -> Text:
        return finding_text(finding, fix_lines(finding, self._workbench))

    @on(OptionList.OptionHighlighted)
    def _highlight(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.has_focus and self._shown:
            self._select_subject(self._shown[event.option_index])

    def _select_subject(self, finding: Finding) -> None:
        subject = subject_of(finding, self._workbench)
        if subject is not None:
            self._workbench.select(subject)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._shown:
            self._fix(self._shown[event.option_index])

    @work
    async def _fix(self, finding: Finding) -> None:
        """Begin the command that fixes a finding; if there are several, ask which one."""
        self._select_subject(finding)
        lines = fix_lines(finding, self._workbench)
        if len(lines) > 1:
            choices = [ListChoice(line, line.strip()) for line in lines]
            line = await self.app.push_screen_wait(ListDialog(f"Fix {finding.label}", choices))
            if line:
                self.post_message(self.Fix(line))
        elif lines:
            self.post_message(self.Fix(lines[0]))
        elif is_about_plugins(finding):
            await self.app.run_action("app.go('plugins')")
        else:
            self._workbench.log(finding.fix or finding.message)
