"""Choosing a format and a file to export to, with what the format would lose told beforehand."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
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
from rck.exporting.everything import Attempt, attempt, robot_exporters
from rck.hooks import Exporter
from rck.hooks import Option as Setting
from rck.hooks.options import read_options, state_units
from rck.language.words import quote, quote_setting
from rck.model import Finding, RckError, Robot, Severity
from rck.model.finding import errors_of

_TYPING = 1.0
"""Seconds in which the next letter belongs to those before."""
_HEADINGS = {
    Severity.ERROR: ("It cannot be written:", "bold red"),
    Severity.WARNING: ("It would behave differently:", "bold yellow"),
    Severity.NOTE: ("Left out, or assumed:", "bold"),
}


class FormatList(OptionList):
    """Goes to the format whose name or ending begins with the letters that are typed."""

    def __init__(self, exporters: Sequence[Exporter], **options: object) -> None:
        labels = [Option(Text.assemble(one.name, (f"  {one.endings[0]}", "dim"))) for one in exporters]
        super().__init__(*labels, **options)  # type: ignore[arg-type]
        self._names = [(one.name, *one.endings) for one in exporters]
        self._typed = ""
        self._last = 0.0

    def on_key(self, event: events.Key) -> None:
        """A letter that no format goes on with begins anew, as does one after a pause."""
        if event.character is None or not event.is_printable:
            return
        event.stop()
        before = self._typed if event.time - self._last < _TYPING else ""
        self._last = event.time
        for typed in (before + event.character.lower(), event.character.lower()):
            found = [n for n, names in enumerate(self._names) if any(name.startswith(typed) for name in names)]
            if found:
                self._typed, self.highlighted = typed, found[0]
                return


class SettingRow(Horizontal):
    """An option of an exporter: its name, a field for its value, and beside that why the value is refused."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting

    def compose(self) -> ComposeResult:
        """All in one line."""
        yield Static(Text(self.setting.name, "dim"), classes="export-label")
        field = Input(placeholder=placeholder(self.setting), compact=True, classes="export-setting")
        field.tooltip = "\n".join([self.setting.help, *self.setting.choices])
        yield field
        yield Static(classes="export-refusal")

    @property
    def field(self) -> Input:
        """Where the value is typed."""
        return self.query_one(Input)

    def is_right(self) -> bool:
        """Whether the value will do; beside the field stands why not."""
        given = {self.setting.name: self.field.value} if self.field.value.strip() else {}
        why = ""
        try:
            read_options((self.setting,), given)
        except RckError as error:
            why = str(error).removeprefix(f"option {self.setting.name}: ")
        self.query_one(".export-refusal", Static).update(Text(why))
        return not why


def placeholder(setting: Setting) -> str:
    """The default, as a user would type it, and what the option is for."""
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


class ExportDialog(ModalScreen[str]):
    """The formats, what the highlighted one would lose, the file and options; answers with the command that exports."""

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
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]

    def __init__(self, workbench: Workbench, robot: Robot) -> None:
        super().__init__()
        self._plugins = workbench.session.plugins
        self._robot = robot
        self._units = workbench.assembly.units
        path = workbench.session.path
        self._stem = path.stem if path is not None else robot.name
        self._exporters = robot_exporters(self._plugins)
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], Attempt] = {}

    def compose(self) -> ComposeResult:
        """Formats on the left, what would be lost on the right, the file and the options below."""
        with Vertical(id="export") as box:
            box.border_title = "Export"
            box.border_subtitle = "Letters: a format · Enter: the file, then export · Tab: options"
            with Horizontal(id="export-choice"):
                yield FormatList(self._exporters, id="export-formats", compact=True)
                with VerticalScroll(id="export-losses"):
                    yield Static(id="export-told")
            yield Input(id="export-file", compact=True)
            yield VerticalScroll(id="export-settings", can_focus=False)
            yield Static(id="export-reason")

    def on_mount(self) -> None:
        """The formats first."""
        self.query_one("#export-formats").focus()

    @property
    def _chosen(self) -> Exporter:
        return self._exporters[self.query_one("#export-formats", OptionList).highlighted or 0]

    @on(OptionList.OptionHighlighted)
    async def _offer(self) -> None:
        """Show what there is to say about a format, and its options."""
        exporter = self._chosen
        self.query_one("#export-file", Input).value = f"{self._stem}{exporter.endings[0]}"
        box = self.query_one("#export-settings")
        await box.remove_children()
        await box.mount(*map(SettingRow, exporter.options))
        self._look()

    def _look(self) -> None:
        exporter = self._chosen
        self.query_one("#export-reason", Static).update("")
        self.query_one("#export-told", Static).update(Text.assemble(exporter.summary, ("\n\nlooking ...", "dim")))
        self.run_worker(self._tell(exporter), exclusive=True, group="export")

    async def _tell(self, exporter: Exporter) -> None:
        self.query_one("#export-told", Static).update(told(await self._attempted(exporter, self._given)))

    @property
    def _given(self) -> dict[str, str]:
        """The options that were typed, by name; bare lengths and angles in the units of the assembly."""
        rows = self.query(SettingRow).results(SettingRow)
        given = {row.setting.name: row.field.value.strip() for row in rows if row.field.value.strip()}
        return state_units(self._chosen.options, given, self._units.of)

    async def _attempted(self, exporter: Exporter, given: Mapping[str, str]) -> Attempt:
        """What becomes of the robot in the format; each is tried once with its options, beside the interface."""
        key = exporter.name, tuple(sorted(given.items()))
        if key not in self._known:
            main = f"{self._stem}{exporter.endings[0]}"
            made = await asyncio.to_thread(attempt, self._robot, exporter, main, self._plugins, given=given)
            self._known[key] = made
        return self._known[key]

    @on(OptionList.OptionSelected)
    def _to_file(self) -> None:
        self.query_one("#export-file", Input).focus()

    @on(Input.Submitted, ".export-setting")
    def _set(self) -> None:
        """Tell anew what is lost, and go back to the file; a value that will not do is to be mended first."""
        if self._settings_are_right():
            self._look()
            self.query_one("#export-file", Input).focus()

    def _settings_are_right(self) -> bool:
        wrong = [row for row in self.query(SettingRow).results(SettingRow) if not row.is_right()]
        if wrong:
            wrong[0].field.focus()
        return not wrong

    @on(Input.Submitted, "#export-file")
    async def _accept(self, event: Input.Submitted) -> None:
        if not self._settings_are_right():
            return
        exporter, name, given = self._chosen, event.value.strip(), self._given
        blockers = errors_of((await self._attempted(exporter, given)).exported.findings)
        if blockers or not name:
            reason = blockers[0].message if blockers else "a file name is missing"
            self.query_one("#export-reason", Static).update(Text(reason))
            return
        settings = [quote_setting(setting, value) for setting, value in given.items()]
        self.dismiss(" ".join(["export", quote(name), *settings, "--format", exporter.name]))


def told(made: Attempt) -> Text:
    """The findings of an attempt, the worst first."""
    text = Text(f"{made.exporter.summary}\n")
    findings = made.exported.findings
    for severity, (heading, style) in _HEADINGS.items():
        messages = [finding.message for finding in findings if finding.severity is severity]
        if messages:
            text.append(f"\n{heading}\n", style)
            text.append("".join(f"· {message}\n" for message in messages))
    if not findings:
        text.append("\nNothing is lost.\n")
    return text


def reasons_against(findings: Iterable[Finding]) -> str:
    """Why there is no robot to export."""
    reasons = "\n".join(f"· {finding}" for finding in errors_of(findings))
    return f"There is no robot to export:\n{reasons}"
