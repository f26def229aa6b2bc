"""The panels that plugins add to a screen."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from rck.editor.dialogs.basic import ask_line
from rck.editor.plugin_features import PluginFeatures
from rck.editor.workbench import Workbench
from rck.hooks import (
    EditorContext,
    EditorPanel,
    EditorScreen,
    PanelBar,
    PanelButton,
    PanelContent,
    PanelField,
    PanelTable,
    PanelText,
)
from rck.hooks.manager import PluginFailure
from rck.hooks.panel_content import TextStyle
from rck.hooks.source_location import WrongReturnType
from rck.model import RckError

if TYPE_CHECKING:
    from rck.editor.app import RckApp

_MOST_LINES = 1000
"""Lines of a panel that are shown."""
_BAR = 12
"""Columns of a bar."""
_STYLES: dict[TextStyle, str] = {
    "normal": "", "bold": "bold", "dim": "dim", "good": "green", "warning": "yellow", "bad": "red",
}  # fmt: skip

Act = Callable[[EditorContext], object]
Line = tuple[Text, Act | PanelField | None]
"""A line of a panel, and what Enter or a click on it does."""


class PanelView(Static, can_focus=True):
    """The content of a panel; one widget draws all lines."""

    HELP = """
# Plugin panel

A plugin adds this panel. **Up** and **down** go to the next button, field or table row, **Enter** or a click chooses
it. F6 lists the plugins and can disable them.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Down", show=False, id="list-down"),
        Binding("up", "step(-1)", "Up", show=False, id="list-up"),
        Binding("enter", "choose", "Choose", show=True),
    ]

    def __init__(self, panel: EditorPanel | EditorScreen, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.panel = panel
        self.border_title = panel.name
        self.border_subtitle = ""
        self._lines: list[Line] = []
        self._cursor = -1
        self._wanted = False
        self._asking = False

    @property
    def _features(self) -> PluginFeatures:
        app: RckApp = self.app  # type: ignore[assignment]
        return app.plugin_features

    @property
    def plain(self) -> str:
        """The text of the panel."""
        return "\n".join(line.plain.rstrip() for line, _ in self._lines)

    def request(self) -> None:
        """Ask the plugin for the content; requests made meanwhile are combined."""
        self._wanted = True
        if not self._asking:
            self._asking = True
            self.run_worker(self._ask(), group="plugins")

    async def _ask(self) -> None:
        try:
            while self._wanted and self.is_attached:
                self._wanted = False
                try:
                    self._show(await self._features.show(self.panel, self._content))
                except PluginFailure as error:
                    self._fail(str(error))
                    return
                except RckError as error:
                    self._show([(Text(str(error), "dim"), None)])
        finally:
            self._asking = False

    def _content(self, context: EditorContext) -> list[Line]:
        """Return the lines of the plugin's content; runs in a thread."""
        content: list[PanelContent] = []
        for one in self.panel.show(context):
            content.append(one)
            if len(content) > _MOST_LINES:
                break
        # The bars of a panel start in one column.
        label = max((cell_len(one.label) for one in content if isinstance(one, PanelBar)), default=0)
        lines = [line for one in content for line in _lines_of(one, label, self.panel.show)]
        return [*lines[:_MOST_LINES], (Text("…", "dim"), None)] if len(lines) > _MOST_LINES else lines

    def _show(self, lines: list[Line]) -> None:
        self._lines = lines
        if not (0 <= self._cursor < len(lines) and lines[self._cursor][1] is not None):
            self._cursor = next((number for number, (_, act) in enumerate(lines) if act is not None), -1)
        self._paint()

    def _fail(self, reason: str) -> None:
        """Remove the panel and report why."""
        workbench: Workbench = self._features.workbench
        workbench.log(reason, "error")
        workbench.notify("checked")
        if isinstance(self.panel, EditorScreen):
            self._show([(Text(reason, "red"), None)])
            return
        if self.has_focus:
            # A hidden widget would keep the focus.
            self.screen.focus_next()
        self.display = False
        self.call_later(self.remove)

    def _paint(self) -> None:
        shown = []
        for number, (line, _) in enumerate(self._lines):
            line = line.copy()
            if number == self._cursor and self.has_focus:
                line.stylize("reverse")
            shown.append(line)
        self.update(Text("\n").join(shown))

    def on_focus(self) -> None:
        """Show the cursor."""
        self._paint()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._paint()

    def action_step(self, step: int) -> None:
        """Go to the next line that can be chosen."""
        active = [number for number, (_, act) in enumerate(self._lines) if act is not None]
        if active:
            place = active.index(self._cursor) + step if self._cursor in active else 0
            self._cursor = active[min(max(place, 0), len(active) - 1)]
            self._paint()
            self.scroll_visible()

    def action_choose(self) -> None:
        """Press the button, change the field, or choose the row under the cursor."""
        act = self._lines[self._cursor][1] if 0 <= self._cursor < len(self._lines) else None
        if isinstance(act, PanelField):
            field = act
            ask_line(self.app, field.label, field.value, lambda text: self._press(lambda ctx: field.enter(ctx, text)))
        elif act is not None:
            self._press(act)

    def _press(self, act: Act) -> None:
        self._features.press(self.panel, act, self.request)

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked line."""
        place = event.get_content_offset(self)
        if place is not None and 0 <= place.y < len(self._lines) and self._lines[place.y][1] is not None:
            self._cursor = place.y
            self._paint()
            self.action_choose()


def _lines_of(one: PanelContent, label: int, show: Callable[..., Any]) -> Iterable[Line]:
    """Return the lines of an element; raise an error if it is none. `label` is the width of the labels of bars."""
    if isinstance(one, str):
        one = PanelText(one)
    if isinstance(one, PanelText):
        return [(Text(line, _STYLES[one.style], no_wrap=True), None) for line in str(one.text).splitlines() or [""]]
    if isinstance(one, PanelBar):
        filled = round(_BAR * min(max(float(one.fraction), 0.0), 1.0))
        bar = ("━" * filled, _STYLES[one.style] or "bold")
        return [
            (
                Text.assemble(set_cell_size(one.label, label), " ", bar, ("─" * (_BAR - filled), "dim"), " ", one.text),
                None,
            )
        ]
    if isinstance(one, PanelButton):
        return [(Text.assemble((f"[ {one.label} ]", "bold")), one.press)]
    if isinstance(one, PanelField):
        return [(Text.assemble((f"{one.label}: ", "dim"), one.value or "…"), one)]
    if isinstance(one, PanelTable):
        return _table_lines(one)
    raise WrongReturnType(f"show returned {type(one).__name__} among its content, not an element of a panel", show)


def _table_lines(table: PanelTable) -> Iterable[Line]:
    rows = [tuple(map(str, row)) for row in table.rows]
    cells = [table.columns, *rows]
    if any(len(row) != len(table.columns) for row in rows):
        raise ValueError(f"a row of the table has not {len(table.columns)} cells")
    widths = [max(cell_len(row[column]) for row in cells) for column in range(len(table.columns))]
    right = [bool(rows) and all(_is_number(row[column]) for row in rows) for column in range(len(table.columns))]

    def line(row: tuple[str, ...]) -> str:
        padded = (
            " " * (width - cell_len(cell)) + cell if is_right else cell + " " * (width - cell_len(cell))
            for cell, width, is_right in zip(row, widths, right, strict=True)
        )
        return "  ".join(padded)

    yield Text(line(table.columns), "dim", no_wrap=True), None
    for number, row in enumerate(rows):
        yield Text(line(row), no_wrap=True), _chooser(table, number)


def _chooser(table: PanelTable, number: int) -> Act | None:
    choose = table.choose
    return None if choose is None else lambda context: choose(context, number)


def _is_number(text: str) -> bool:
    try:
        float(text.split(" ")[0])
    except ValueError:
        return False
    return True


class PluginPanels(VerticalScroll):
    """The panels of one screen."""

    def __init__(self, workbench: Workbench, screen_name: str, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._screen_name = screen_name
        panels = workbench.session.plugins.all(EditorPanel)
        self._panels = [panel for panel in panels if screen_name in panel.screens]
        self.can_focus = False
        if not self._panels:
            self.display = False

    @property
    def empty(self) -> bool:
        """True if no plugin adds a panel to this screen, or all have failed."""
        return not any(view.display for view in self.query(PanelView)) if self.is_mounted else not self._panels

    def compose(self) -> ComposeResult:
        """Add the view of each panel that has not failed."""
        app: RckApp = self.app  # type: ignore[assignment]
        panels = app.workbench.session.plugins.all(EditorPanel)
        self._panels = [panel for panel in panels if self._screen_name in panel.screens]
        for panel in self._panels:
            if not app.plugin_features.calls.has_failed(panel):
                yield PanelView(panel, classes="plugin-panel")

    def focus_first(self) -> None:
        """Focus the first panel."""
        self.screen.set_focus(next((view for view in self.query(PanelView) if view.display), None))

    def request(self) -> None:
        """Ask every panel for its content."""
        for view in self.query(PanelView):
            if view.display:
                view.request()
