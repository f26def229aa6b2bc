"""A table of properties that are edited in place and validated while typing.

One widget draws all rows, and one input moves to the row that is edited. So changing the selection stays fast in an
assembly with a thousand instances.
"""

from abc import abstractmethod
from textwrap import wrap
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from rck.editor.properties import Property

LABEL = 10
"""Columns of the labels."""
_VALUE = 8
"""Minimum columns of a value with a hint next to it."""
_FIRST_CHARACTERS = "0123456789+-.(#"
"""Typing one of these starts editing."""


class PropertyTable(Widget, can_focus=True):
    """The rows, with a cursor. It scrolls by itself, so that new rows need no new layout."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "edit", "Edit", show=True, id="edit"),
        Binding("space", "switch", "Toggle", show=True),
        Binding("down", "step(1)", "Down", show=False, id="list-down"),
        Binding("up", "step(-1)", "Up", show=False, id="list-up"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"property--cursor", "property--value", "property--reason"}

    class Edit(Message):
        """The row under the cursor is to be edited."""

        def __init__(self, typed: str | None = None) -> None:
            super().__init__()
            self.typed = typed
            """The text typed so far; None to start with the current value."""

    class Switched(Message):
        """The row under the cursor is to be set to its next choice."""

    class Moved(Message):
        """The cursor is on another row."""

    def __init__(self, label: int = LABEL, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._label = label
        self.rows: list[Property] = []
        self.cursor = 0
        self._top = 0
        """The row on the first line."""
        self.reason = ""
        """The reason why the typed value is refused; empty if it is accepted."""

    @property
    def row(self) -> Property | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def show(self, rows: list[Property]) -> None:
        """Show other rows; the cursor stays on the property with the same label."""
        label = self.row.label if self.row is not None else ""
        self.rows = rows
        editable = [number for number, row in enumerate(rows) if row.command]
        same = [number for number in editable if rows[number].label == label]
        self.cursor = next(iter([*same, *editable]), 0)
        self._top = 0
        self._scroll_to_cursor()
        self.refresh()

    def explain(self, reason: str) -> None:
        """Show below the row why its value is refused."""
        if reason != self.reason:
            self.reason = reason
            self.refresh()

    @property
    def _reason_lines(self) -> list[str]:
        return wrap(self.reason, max(8, self.size.width - 2))

    def value_region(self) -> Region:
        """Return the region of the value under the cursor, relative to the widget."""
        width = self._value_width(self.rows[self.cursor]) if self.row is not None else _VALUE
        return Region(self._label, self.cursor - self._top, width, 1)

    def _value_width(self, row: Property) -> int:
        room = self.size.width - self._label
        beside = room - len(row.hint) - 1
        return max(1, beside if row.hint and beside >= _VALUE else room)

    def render(self) -> RenderResult:
        """Draw the rows, and the reason below the edited row."""
        if not self.rows:
            return Text("no properties", "dim")
        cursor, value_style = (self.get_component_rich_style(f"property--{name}") for name in ("cursor", "value"))
        text = Text(no_wrap=True, overflow="crop", end="")
        for number, row in enumerate(self.rows[self._top : self._top + self.size.height], self._top):
            line = Text(f"{row.label:{self._label}.{self._label}}", "dim" if not row.command else "")
            width = self._value_width(row)
            line.append_text(Text(_fitted(row.value, width), value_style if row.command else ""))
            if width < self.size.width - self._label:
                line.append(" ").append(row.hint, "dim")
            if number == self.cursor and self.has_focus and row.command:
                line.stylize(cursor)
            text.append_text(line).append("\n")
            if number == self.cursor and self.reason:
                reason = self.get_component_rich_style("property--reason", partial=True)
                for reason_line in self._reason_lines:
                    text.append(f"  {reason_line}\n", reason)
        text.right_crop(1)
        return text

    def action_step(self, step: int) -> None:
        """Move to the next editable row."""
        number = self.cursor + step
        while 0 <= number < len(self.rows) and not self.rows[number].command:
            number += step
        if 0 <= number < len(self.rows):
            self.cursor = number
            self._scroll_to_cursor()
            self.refresh()
            self.refresh_bindings()
            self.post_message(self.Moved())

    def _scroll_to_cursor(self) -> None:
        """Scroll to the row under the cursor and the line below it, which may show a reason."""
        if self.size.height > 1:
            self._top = max(0, min(self._top, self.cursor), self.cursor + 2 - self.size.height)

    def on_resize(self) -> None:
        """Keep the cursor visible."""
        self._scroll_to_cursor()
        self.refresh()

    def _scroll(self, lines: int) -> None:
        self._top = max(0, min(self._top + lines, len(self.rows) - self.size.height))
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self._scroll(2)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self._scroll(-2)

    def action_edit(self) -> None:
        """Edit the row under the cursor."""
        if self.row is not None and self.row.command:
            self.post_message(self.Edit())

    def action_switch(self) -> None:
        """Set the next choice."""
        if self.row is not None and self.row.choices:
            self.post_message(self.Switched())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable Space only for rows with choices."""
        return self.row is not None and bool(self.row.choices) if action == "switch" else True

    def on_key(self, event: events.Key) -> None:
        """Start editing when a number is typed; letters remain the keys of the screen."""
        row = self.row
        if row is None or not row.command or event.character is None or event.character not in _FIRST_CHARACTERS:
            return
        event.stop()
        event.prevent_default()
        self.post_message(self.Edit(event.character))

    def on_click(self, event: events.Click) -> None:
        """Edit the clicked row."""
        # The lines of the reason below the cursor are not rows.
        reason_lines = len(self._reason_lines) if event.y > self.cursor - self._top else 0
        number = event.y - reason_lines + self._top
        if 0 <= number < len(self.rows) and self.rows[number].command:
            self.cursor = number
            self.refresh()
            self.post_message(self.Edit())


def _fitted(text: str, width: int) -> str:
    return f"{text:{width}}" if len(text) <= width else f"{text[: width - 1]}…"


class FieldInput(Input):
    """The input for the edited value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", show=True),
        Binding("enter", "submit", "Apply", show=True),
        Binding("down", "commit(1)", "Apply, next", show=False),
        Binding("up", "commit(-1)", "Apply, previous", show=False),
        Binding("tab", "commit(1)", "Apply, next", show=False),
    ]

    class Cancelled(Message):
        """The value is to stay as it was."""

    class Committed(Message):
        """The value is to be applied, and the cursor to move on."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def action_cancel(self) -> None:
        """Keep the old value."""
        self.post_message(self.Cancelled())

    def action_commit(self, step: int) -> None:
        """Apply the value and move on."""
        self.post_message(self.Committed(step))


class PropertyEditor(Container, can_focus=False):
    """A panel with a table of properties; subclasses say what a value changes."""

    LABEL = LABEL

    @abstractmethod
    def preview_value(self, row: Property, value: str) -> None:
        """Show what a typed value would change, and call `explain`."""

    def end_preview(self) -> None:
        """Hide the preview."""

    @abstractmethod
    def apply_value(self, row: Property, value: str) -> str:
        """Change the property; return the reason if the value is refused."""

    def compose(self) -> ComposeResult:
        """Add the rows and the input, which is hidden until it is needed."""
        yield PropertyTable(self.LABEL)
        yield FieldInput(compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        """Hide the input."""
        self._field.display = False

    @property
    def table(self) -> PropertyTable:
        """The rows."""
        return self.query_one(PropertyTable)

    @property
    def _field(self) -> FieldInput:
        return self.query_one(FieldInput)

    def show(self, rows: list[Property]) -> None:
        """Show other rows, unless they are the same."""
        if rows != self.table.rows:
            if self._field.display:
                self._close()
            self.table.show(rows)

    @on(PropertyTable.Edit)
    def _edit(self, event: PropertyTable.Edit) -> None:
        event.stop()
        row, field = self.table.row, self._field
        if row is None:
            return
        region = self.table.value_region()
        field.styles.offset = (region.x, region.y)
        field.styles.width = region.width
        field.display = True
        field.value = row.value if event.typed is None else event.typed
        field.cursor_position = len(field.value)
        self.screen.set_focus(field)

    @on(PropertyTable.Switched)
    def _switch(self, event: PropertyTable.Switched) -> None:
        event.stop()
        row = self.table.row
        if row is not None and row.choices:
            index = row.choices.index(row.value) + 1 if row.value in row.choices else 0
            self.apply_value(row, row.choices[index % len(row.choices)])

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        """Preview the typed value, or show why it is refused."""
        event.stop()
        row = self.table.row
        if row is None or not self._field.display:
            return
        if event.value == row.value:
            self.end_preview()
            self.explain("")
        else:
            self.preview_value(row, event.value)

    def explain(self, reason: str) -> None:
        """Show why the typed value is refused; empty if it is accepted."""
        if self._field.display:
            self.table.explain(reason)
            self._field.set_class(bool(reason), "error")

    @on(Input.Submitted)
    def _apply(self, event: Input.Submitted) -> None:
        event.stop()
        self._commit(event.value)

    @on(FieldInput.Committed)
    def _apply_and_move(self, event: FieldInput.Committed) -> None:
        event.stop()
        if self._commit(self._field.value):
            self.table.action_step(event.step)

    def _commit(self, value: str) -> bool:
        """Apply the value; a refused value stays in the input. Return True if it was applied."""
        row = self.table.row
        reason = self.apply_value(row, value) if row is not None and value != row.value else ""
        if reason:
            self.table.explain(reason)
            return False
        if self._field.display:
            self._close()
        return True

    @on(FieldInput.Cancelled)
    def _cancel(self, event: FieldInput.Cancelled) -> None:
        event.stop()
        self.end_preview()
        self._close()

    @on(Input.Blurred)
    def _blur(self, event: Input.Blurred) -> None:
        """Cancel editing when another panel gets the focus, but not when another window does."""
        event.stop()
        if self._field.display and self.app.app_focus:
            self.end_preview()
            self._close()

    def _close(self) -> None:
        """Hide the input and return the focus to the rows."""
        had_focus = self._field.has_focus
        self._field.display = False
        self._field.remove_class("error")
        self.table.explain("")
        if had_focus:
            self.screen.set_focus(self.table)
