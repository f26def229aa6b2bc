"""The inspector: the properties of the selection, changed in place, refused with the reason beside the field."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Static

from rck.editor.properties import Property, properties, title
from rck.editor.workbench import Workbench


class Field(Horizontal):
    """One property: its name, its value, its range or unit."""

    def __init__(self, one: Property, workbench: Workbench) -> None:
        super().__init__()
        self.property = one
        self._workbench = workbench

    def compose(self) -> ComposeResult:
        """Label, value, hint."""
        yield Static(self.property.label, classes="field-label")
        if self.property.command:
            yield FieldInput(self.property.value, compact=True, select_on_focus=True, classes="field-value")
        else:
            yield Static(self.property.value, classes="field-value", markup=False)
        yield Static(self.property.hint, classes="field-hint", markup=False)

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        """Say at once whether the value would do, and show what it would give."""
        event.stop()
        hint = self.query_one(".field-hint", Static)
        if not event.input.has_focus or event.value == self.property.value:
            hint.update(self.property.hint)
            self.remove_class("refused")
            return
        reason = self._workbench.show_preview(self.property.line(event.value))
        hint.update(reason or self.property.hint)
        self.set_class(bool(reason), "refused")

    @on(Input.Submitted)
    def _set(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self.property.value:
            self._workbench.do(self.property.line(event.value))


class FieldInput(Input):
    """The value of a property; Escape takes the change back."""

    BINDINGS = [Binding("escape", "revert", "Revert", show=True)]

    def action_revert(self) -> None:
        """Leave the value as it was."""
        field = self.parent
        assert isinstance(field, Field)
        self.value = field.property.value
        self.app.action_focus_view()  # type: ignore[attr-defined]


class Inspector(VerticalScroll):
    """Shows and changes the selection."""

    BORDER_TITLE = "Inspector"
    can_focus = False
    HELP = """
# Inspector

The properties of what is selected. Type a value, with a unit if you like (`12in`, `0.3rad`, `1/2in`); the view shows what it
would give, and a value that cannot be is refused at once with the reason. **Enter** sets it, **Escape** leaves it.
"""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._shown: list[Property] = []

    async def rebuild(self) -> None:
        """Show the selection as it is now; nothing moves when nothing changed."""
        rows = properties(self._workbench)
        self.border_title = f"Inspector: {title(self._workbench)}"
        if rows == self._shown:
            return
        if [one.label for one in rows] == [one.label for one in self._shown] and len(rows) == len(self.children):
            for field, one in zip(self.query(Field), rows, strict=True):
                if one != field.property:
                    await self._replace(field, one)
        else:
            await self.remove_children()
            await self.mount_all([Field(one, self._workbench) for one in rows])
        self._shown = rows

    async def _replace(self, field: Field, one: Property) -> None:
        """Another value in the same row, without taking the focus away."""
        if bool(one.command) != bool(field.property.command):
            await self.mount(Field(one, self._workbench), before=field)
            await field.remove()
            return
        field.property = one
        field.remove_class("refused")
        field.query_one(".field-hint", Static).update(one.hint)
        value = field.query_one(".field-value")
        if isinstance(value, Input):
            value.value = one.value
        elif isinstance(value, Static):
            value.update(one.value)
