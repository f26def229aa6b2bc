"""Export dialog: choose a format, a file and options, and see what the format would lose."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import degrees
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from rck.editor.workbench import Workbench
from rck.exporting.export import ExportResult, grouped_exporters, try_export
from rck.grammar import quote, quote_setting
from rck.hooks import Exporter
from rck.hooks import Option as Setting
from rck.hooks.options import read_options, state_units
from rck.model import Finding, RckError, Robot, Severity
from rck.support.finding import errors_of

_TYPING = 1.0
"""Longest time between letters of one format name, in seconds."""
_HEADINGS = {
    Severity.ERROR: ("Cannot be exported:", "bold red"),
    Severity.WARNING: ("Behaves differently:", "bold yellow"),
    Severity.NOTE: ("Lost or assumed:", "bold"),
}


class FormatList(OptionList):
    """List of formats; typing selects the format whose name or extension starts with the letters."""

    def __init__(self, groups: Mapping[str, Sequence[Exporter]], **options: object) -> None:
        super().__init__(*_lines(groups), **options)  # type: ignore[arg-type]
        self._exporters = {one.name: one for exporters in groups.values() for one in exporters}
        self._typed = ""
        self._last = 0.0

    @property
    def chosen(self) -> Exporter:
        """The highlighted format."""
        option = self.highlighted_option
        return self._exporters[(option and option.id) or next(iter(self._exporters))]

    def choose(self, name: str) -> None:
        """Highlight a format, or the first one if there is none of this name."""
        self.highlighted = self.get_option_index(name if name in self._exporters else next(iter(self._exporters)))

    def on_key(self, event: events.Key) -> None:
        """Select a format by its first letters; start again after a pause, or if no format matches."""
        if event.character is None or not event.is_printable:
            return
        event.stop()
        before = self._typed if event.time - self._last < _TYPING else ""
        self._last = event.time
        for typed in (before + event.character.lower(), event.character.lower()):
            for one in self._exporters.values():
                if any(name.startswith(typed) for name in (one.name, *one.endings)):
                    self._typed = typed
                    self.choose(one.name)
                    return


def _lines(groups: Mapping[str, Sequence[Exporter]]) -> Iterator[Option]:
    """Yield a heading for each group, and its formats."""
    for group, exporters in groups.items():
        yield Option(Text(group, "bold"), disabled=True)
        for one in exporters:
            yield Option(Text.assemble(f" {one.name}", (f"  {one.endings[0]}", "dim")), id=one.name)


class SettingRow(Horizontal):
    """A row for an option of an exporter: its name, a field for its value, and the reason if it is refused."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting

    def compose(self) -> ComposeResult:
        """Add the name, the field and the reason."""
        yield Static(Text(self.setting.name, "dim"), classes="export-label")
        field = Input(placeholder=placeholder(self.setting), compact=True, classes="export-setting")
        field.tooltip = "\n".join([self.setting.help, *self.setting.choices])
        yield field
        yield Static(classes="export-refusal")

    @property
    def field(self) -> Input:
        """The field for the value."""
        return self.query_one(Input)

    def is_valid(self) -> bool:
        """Return True if the value is valid, and show the reason if it is not."""
        given = {self.setting.name: self.field.value} if self.field.value.strip() else {}
        reason = ""
        try:
            read_options((self.setting,), given)
        except RckError as error:
            reason = str(error).removeprefix(f"option {self.setting.name}: ")
        self.query_one(".export-refusal", Static).update(Text(reason))
        return not reason


def placeholder(setting: Setting) -> str:
    """Return the default, as a user would type it, and the help of the option."""
    default = setting.default
    if isinstance(default, bool):
        shown = "yes" if default else "no"
    elif isinstance(default, float) and setting.type == "length":
        shown = f"{1000 * default:g} mm"
    elif isinstance(default, float) and setting.type == "angle":
        shown = f"{degrees(default):g}°"
    elif isinstance(default, float):
        shown = f"{default:g}"
    else:
        shown = str(default or "")
    return f"{shown} · {setting.help}" if shown else setting.help


class ExportDialog(ModalScreen[tuple[str, str]]):
    """Dialog with the formats, their losses, the file and the options; returns the export command and the format."""

    DEFAULT_CSS = """
    ExportDialog { align: center middle; }
    ExportDialog #export { width: 90%; max-width: 110; height: 80%; border: round $primary; background: $surface; }
    ExportDialog #export-formats { width: 28; height: 1fr; border: none; }
    ExportDialog #export-losses { width: 1fr; padding: 0 1; }
    ExportDialog #export-choice { height: 1fr; }
    ExportDialog #export-settings { height: auto; max-height: 5; }
    ExportDialog SettingRow { height: auto; }
    ExportDialog .export-label { width: 14; padding: 0 1; }
    ExportDialog .export-setting { width: 1fr; }
    ExportDialog .export-refusal { width: auto; max-width: 60%; color: $error; padding: 0 1; }
    ExportDialog #export-reason { color: $error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, workbench: Workbench, robot: Robot, format_name: str) -> None:
        super().__init__()
        self._first_format = format_name
        self._plugins = workbench.session.plugins
        self._robot = robot
        self._units = workbench.assembly.units
        path = workbench.session.path
        self._stem = path.stem if path is not None else robot.name
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], ExportResult] = {}

    def compose(self) -> ComposeResult:
        """Put the formats on the left, the losses on the right, the file and the options below."""
        with Vertical(id="export") as box:
            box.border_title = "Export"
            box.border_subtitle = "Type: select format · Enter: file name, then export · Tab: options"
            with Horizontal(id="export-choice"):
                yield FormatList(grouped_exporters(self._plugins), id="export-formats", compact=True)
                with VerticalScroll(id="export-losses"):
                    yield Static(id="export-result")
            yield Input(id="export-file", compact=True)
            yield VerticalScroll(id="export-settings", can_focus=False)
            yield Static(id="export-reason")

    def on_mount(self) -> None:
        """Focus the list of formats, on the format that was used last."""
        formats = self.query_one(FormatList)
        formats.choose(self._first_format)
        formats.focus()

    @property
    def _chosen(self) -> Exporter:
        return self.query_one(FormatList).chosen

    @on(OptionList.OptionHighlighted)
    async def _offer(self) -> None:
        """Show the losses and the options of the selected format."""
        exporter = self._chosen
        self.query_one("#export-file", Input).value = f"{self._stem}{exporter.endings[0]}"
        box = self.query_one("#export-settings")
        await box.remove_children()
        await box.mount(*map(SettingRow, exporter.options))
        self._start_check()

    def _start_check(self) -> None:
        exporter = self._chosen
        self.query_one("#export-reason", Static).update("")
        self.query_one("#export-result", Static).update(Text.assemble(exporter.summary, ("\n\nChecking ...", "dim")))
        self.run_worker(self._show_result(exporter), exclusive=True, group="export")

    async def _show_result(self, exporter: Exporter) -> None:
        self.query_one("#export-result", Static).update(format_result(await self._try(exporter, self._given)))

    @property
    def _given(self) -> dict[str, str]:
        """The entered options by name; lengths and angles without a unit are in the units of the assembly."""
        rows = self.query(SettingRow).results(SettingRow)
        given = {row.setting.name: row.field.value.strip() for row in rows if row.field.value.strip()}
        return state_units(self._chosen.options, given, self._units.of)

    async def _try(self, exporter: Exporter, given: Mapping[str, str]) -> ExportResult:
        """Export in a thread, without writing; results are cached by format and options."""
        key = exporter.name, tuple(sorted(given.items()))
        if key not in self._known:
            main = f"{self._stem}{exporter.endings[0]}"
            made = await asyncio.to_thread(try_export, self._robot, exporter, main, given=given)
            self._known[key] = made
        return self._known[key]

    @on(OptionList.OptionSelected)
    def _focus_file(self) -> None:
        self.query_one("#export-file", Input).focus()

    @on(Input.Submitted, ".export-setting")
    def _submit_setting(self) -> None:
        """Update the losses and focus the file name, if all values are valid."""
        if self._validate_settings():
            self._start_check()
            self.query_one("#export-file", Input).focus()

    def _validate_settings(self) -> bool:
        invalid = [row for row in self.query(SettingRow).results(SettingRow) if not row.is_valid()]
        if invalid:
            invalid[0].field.focus()
        return not invalid

    @on(Input.Submitted, "#export-file")
    async def _accept(self, event: Input.Submitted) -> None:
        if not self._validate_settings():
            return
        exporter, name, given = self._chosen, event.value.strip(), self._given
        blockers = errors_of((await self._try(exporter, given)).exported.findings)
        if blockers or not name:
            reason = blockers[0].message if blockers else "enter a file name"
            self.query_one("#export-reason", Static).update(Text(reason))
            return
        settings = [quote_setting(setting, value) for setting, value in given.items()]
        self.dismiss((" ".join(["export", quote(name), *settings, "--format", exporter.name]), exporter.name))


def format_result(made: ExportResult) -> Text:
    """Return the summary of the format and the findings, most severe first."""
    text = Text(f"{made.exporter.summary}\n")
    findings = made.exported.findings
    for severity, (heading, style) in _HEADINGS.items():
        messages = [finding.message for finding in findings if finding.severity is severity]
        if messages:
            text.append(f"\n{heading}\n", style)
            text.append("".join(f"· {message}\n" for message in messages))
    if not findings:
        text.append("\nNo losses.\n")
    return text


def describe_errors(findings: Iterable[Finding]) -> str:
    """Return the reasons why there is no robot to export."""
    reasons = "\n".join(f"· {finding}" for finding in errors_of(findings))
    return f"The assembly has errors and cannot be exported:\n{reasons}"
