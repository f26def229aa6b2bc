"""The inspector: the properties of the selection, changed in place, refused with the reason beside the field.

All rows are drawn by one widget, and one line of input goes to where it is needed: a selection that moves through a
thousand instances costs no more than drawing a few lines.
"""

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

from rck.editor.properties import Property, properties, title
from rck.editor.workbench import Workbench

_LABEL = 10
"""Columns of the names."""
_VALUE = 8
"""Columns that a value has at least; then a hint is shown beside it."""


class PropertyTable(Widget, can_focus=True):
    """The rows, one of them under the cursor. It scrolls by itself, so that other rows need no other layout."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "edit", "Change", show=True, id="edit"),
        Binding("space", "switch", "Switch", show=True),
        Binding("down", "step(1)", "Down", show=False, id="list-down"),
        Binding("up", "step(-1)", "Up", show=False, id="list-up"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"property--cursor", "property--value", "property--reason"}

    class Edit(Message):
        """The user wants to change the row under the cursor."""

        def __init__(self, begun: str | None = None) -> None:
            super().__init__()
            self.begun = begun
            """What was typed already; None to begin with the present value."""

    class Switched(Message):
        """The user wants the next of the few values that there are."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.rows: list[Property] = []
        self.cursor = 0
        self._top = 0
        """The row on the first line."""
        self.reason = ""
        """Why the value that is being typed cannot be."""

    @property
    def row(self) -> Property | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def show(self, rows: list[Property]) -> None:
        """Show other rows; the cursor stays on the property of the same name."""
        label = self.row.label if self.row is not None else ""
        self.rows = rows
        kept = next((number for number, one in enumerate(rows) if one.label == label and one.command), None)
        self.cursor = kept if kept is not None else next((n for n, one in enumerate(rows) if one.command), 0)
        self._top = 0
        self._scroll_to_cursor()
        self.refresh()

    def explain(self, reason: str) -> None:
        """Say under the row why its value cannot be."""
        if reason != self.reason:
            self.reason = reason
            self.refresh()

    @property
    def _reason_lines(self) -> list[str]:
        return wrap(self.reason, max(8, self.size.width - 2))

    def value_region(self) -> Region:
        """Where the value under the cursor is, in the widget."""
        width = self._value_width(self.rows[self.cursor]) if self.row is not None else _VALUE
        return Region(_LABEL, self.cursor - self._top, width, 1)

    def _value_width(self, row: Property) -> int:
        room = self.size.width - _LABEL
        beside = room - len(row.hint) - 1
        return max(1, beside if row.hint and beside >= _VALUE else room)

    def render(self) -> RenderResult:
        """The rows, and the reason under the one that it is about."""
        if not self.rows:
            return Text("nothing to tell", "dim")
        cursor, value_style = (self.get_component_rich_style(f"property--{one}") for one in ("cursor", "value"))
        text = Text(no_wrap=True, overflow="crop", end="")
        for number, row in enumerate(self.rows[self._top : self._top + self.size.height], self._top):
            line = Text(f"{row.label:{_LABEL}.{_LABEL}}", "dim" if not row.command else "")
            width = self._value_width(row)
            line.append_text(Text(_fitted(row.value, width), value_style if row.command else ""))
            if width < self.size.width - _LABEL:
                line.append(" ").append(row.hint, "dim")
            if number == self.cursor and self.has_focus and row.command:
                line.stylize(cursor)
            text.append_text(line).append("\n")
            if number == self.cursor and self.reason:
                reason = self.get_component_rich_style("property--reason", partial=True)
                for one in self._reason_lines:
                    text.append(f"  {one}\n", reason)
        text.right_crop(1)
        return text

    def action_step(self, step: int) -> None:
        """To the next row that can be changed."""
        place = self.cursor + step
        while 0 <= place < len(self.rows) and not self.rows[place].command:
            place += step
        if 0 <= place < len(self.rows):
            self.cursor = place
            self._scroll_to_cursor()
            self.refresh()
            self.refresh_bindings()

    def _scroll_to_cursor(self) -> None:
        """Bring the row under the cursor into sight, with a line for a reason below it."""
        if self.size.height > 1:
            self._top = max(0, min(self._top, self.cursor), self.cursor + 2 - self.size.height)

    def on_resize(self) -> None:
        """The cursor stays in sight."""
        self._scroll_to_cursor()
        self.refresh()

    def _scroll(self, lines: int) -> None:
        self._top = max(0, min(self._top + lines, len(self.rows) - self.size.height))
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """See what is further down."""
        event.stop()
        self._scroll(2)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """See what is further up."""
        event.stop()
        self._scroll(-2)

    def action_edit(self) -> None:
        """Change the row under the cursor."""
        if self.row is not None and self.row.command:
            self.post_message(self.Edit())

    def action_switch(self) -> None:
        """The next of a few values."""
        if self.row is not None and self.row.choices:
            self.post_message(self.Switched())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Space switches only where there is something to switch."""
        return self.row is not None and bool(self.row.choices) if action == "switch" else True

    def on_key(self, event: events.Key) -> None:
        """Typing a number begins to change the value; letters are the keys of the screen."""
        row = self.row
        if row is None or not row.command or event.character is None or event.character not in _STARTS:
            return
        event.stop()
        event.prevent_default()
        self.post_message(self.Edit(event.character))

    def on_click(self, event: events.Click) -> None:
        """A click on a row that can be changed begins to change it."""
        # Under the cursor stands the reason, which is no row.
        below = len(self._reason_lines) if event.y > self.cursor - self._top else 0
        place = event.y - below + self._top
        if 0 <= place < len(self.rows) and self.rows[place].command:
            self.cursor = place
            self.refresh()
            self.post_message(self.Edit())


_STARTS = "0123456789+-.(#"


def _fitted(text: str, width: int) -> str:
    return f"{text:{width}}" if len(text) <= width else f"{text[: width - 1]}…"


class FieldInput(Input):
    """The value that is being changed; Escape takes the change back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Revert", show=True),
        Binding("enter", "submit", "Set", show=True),
        Binding("down", "commit(1)", "Set, next", show=False),
        Binding("up", "commit(-1)", "Set, before", show=False),
        Binding("tab", "commit(1)", "Set, next", show=False),
    ]

    class Left(Message):
        """The value is to stay as it was."""

    class Committed(Message):
        """The value is to be set, and the cursor to move on."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def action_leave(self) -> None:
        """Leave the value as it was."""
        self.post_message(self.Left())

    def action_commit(self, step: int) -> None:
        """Set the value and go on."""
        self.post_message(self.Committed(step))


class Inspector(Container, can_focus=False):
    """Shows and changes the selection."""

    BORDER_TITLE = "Inspector"
    HELP = """
# Inspector

The properties of what is selected. **Up** and **down** choose one; type a value, or **Enter** to change the one that
is there, with a unit if you like (`12in`, `0.3rad`, `1/2in`). The view shows what it would give, and a value that
cannot be is refused at once with the reason below it. **Enter** sets it, **Escape** leaves it as it was, an empty value
is the default. **Space** switches between yes and no.
"""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    def compose(self) -> ComposeResult:
        """The rows, and the line of input, which is hidden until it is needed."""
        yield PropertyTable()
        yield FieldInput(compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        """Nothing is being changed yet."""
        self._field.display = False
        self.rebuild()

    @property
    def table(self) -> PropertyTable:
        """The rows."""
        return self.query_one(PropertyTable)

    @property
    def _field(self) -> FieldInput:
        return self.query_one(FieldInput)

    def rebuild(self) -> None:
        """Show the selection as it is now; nothing moves when nothing changed."""
        self.border_title = Text(f"Inspector: {title(self._workbench)}")
        rows = properties(self._workbench)
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
        place = self.table.value_region()
        field.styles.offset = (place.x, place.y)
        field.styles.width = place.width
        field.display = True
        field.value = row.value if event.begun is None else event.begun
        field.cursor_position = len(field.value)
        self.screen.set_focus(field)

    @on(PropertyTable.Switched)
    def _switch(self, event: PropertyTable.Switched) -> None:
        event.stop()
        row = self.table.row
        if row is not None and row.choices:
            place = row.choices.index(row.value) + 1 if row.value in row.choices else 0
            self._workbench.do(row.line(row.choices[place % len(row.choices)]))

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        """Say at once whether the value would do, and show what it would give."""
        event.stop()
        row = self.table.row
        if row is None or not self._field.display:
            return
        if event.value == row.value:
            self._workbench.hide_preview()
            self._explain("")
        else:
            self._workbench.show_preview(row.line(event.value), self._explain)

    def _explain(self, reason: str) -> None:
        if self._field.display:
            self.table.explain(reason)
            self._field.set_class(bool(reason), "refused")

    @on(Input.Submitted)
    def _set(self, event: Input.Submitted) -> None:
        event.stop()
        self._commit(event.value)

    @on(FieldInput.Committed)
    def _set_and_go_on(self, event: FieldInput.Committed) -> None:
        event.stop()
        if self._commit(self._field.value):
            self.table.action_step(event.step)

    def _commit(self, value: str) -> bool:
        """Set the value; one that is refused can be corrected."""
        row = self.table.row
        if row is not None and value != row.value and not self._workbench.do(row.line(value)):
            self.table.explain(self._workbench.said[-1].text)
            return False
        if self._field.display:
            self._close()
        return True

    @on(FieldInput.Left)
    def _leave(self, event: FieldInput.Left) -> None:
        event.stop()
        self._workbench.hide_preview()
        self._close()

    @on(Input.Blurred)
    def _left_for_elsewhere(self, event: Input.Blurred) -> None:
        """Going to another panel leaves the value as it was; going to another window does not."""
        event.stop()
        if self._field.display and self.app.app_focus:
            self._workbench.hide_preview()
            self._close()

    def _close(self) -> None:
        """Back to the rows."""
        was_here = self._field.has_focus
        self._field.display = False
        self._field.remove_class("refused")
        self.table.explain("")
        if was_here:
            self.screen.set_focus(self.table)
