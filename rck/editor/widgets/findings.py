"""The findings: each one jumps to its place and offers its fix."""

from rich.text import Text
from textual import on
from textual.binding import Binding
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from rck.editor.workbench import Selected, Workbench
from rck.model import Finding, Severity

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


class FindingsPanel(OptionList):
    """Lists what is wrong."""

    BORDER_TITLE = "Findings"
    HELP = """
# Findings

What checks found, the worst first. **Enter** selects the place; the fix stands in the message. `docs/findings.md` explains every
number.
"""
    BINDINGS = [Binding("enter", "select", "Go there", show=True)]

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._shown: list[Finding] = []

    def rebuild(self) -> None:
        """List the findings of now."""
        self._shown = sorted(self._workbench.findings, key=lambda one: -one.severity)
        self.clear_options()
        if not self._shown:
            self.add_option(Option(Text("nothing is wrong", "dim"), disabled=True))
        for finding in self._shown:
            text = Text.assemble((f"RCK{finding.code} ", _COLOURS[finding.severity]), (finding.where, "bold"), "\n")
            text.append(finding.message)
            if finding.fix:
                text.append(f"\n→ {finding.fix}", "dim")
            self.add_option(Option(text))

    @on(OptionList.OptionSelected)
    def _go(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        finding = self._shown[event.option_index]
        place = place_of(finding, self._workbench)
        if place is not None:
            self._workbench.select(place)
        self._workbench.say(finding.fix or finding.message)


def place_of(finding: Finding, workbench: Workbench) -> Selected | None:
    """The thing in the assembly that a finding is about."""
    words = finding.where.replace(",", " ").split()
    kinds = {"item": "item", "joint": "joint"}
    for kind, name in zip(words, words[1:], strict=False):
        if kind in kinds and name.partition("/")[0] in workbench.assembly.parts:
            return Selected("item" if kind == "item" else "joint", name)
    for word in words:
        instance = word.partition(".")[0].partition("/")[0]
        if instance in workbench.assembly.parts:
            return Selected("instance", instance)
    return None
