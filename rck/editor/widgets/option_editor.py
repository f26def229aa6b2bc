"""The option editor: the options of an importer or the settings of a plugin, edited in place."""

from collections.abc import Mapping, Sequence

from textual import on
from textual.message import Message

from rck.editor.properties import Property
from rck.editor.widgets.property_table import PropertyEditor, PropertyTable
from rck.hooks import Option, read_options
from rck.hooks.options import state_units
from rck.model import RckError
from rck.model.quantities import Units
from rck.support.units import format_number

_LABEL = 16


class OptionEditor(PropertyEditor):
    """The options of an importer, or the settings of a plugin."""

    BORDER_TITLE = "Options"
    HELP = """
# Options

The options of the importer or plugin. **Up** and **down** choose one. Type a new value, or press **Enter** to edit the
current one. **Enter** applies it (an importer reads the file again), **Escape** keeps the old value, an empty value
restores the default. **Space** shows the next choice.
"""
    LABEL = _LABEL

    class Changed(Message):
        """An option is to be set; an empty value restores the default."""

        def __init__(self, name: str, value: str) -> None:
            super().__init__()
            self.name = name
            self.value = value

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._options: Sequence[Option] = ()
        self._given: Mapping[str, str] = {}
        self._units = Units()

    def use(self, options: Sequence[Option], given: Mapping[str, str], units: Units) -> None:
        """Show these options with their values; numbers without a unit are in the units of the assembly."""
        self._options, self._given, self._units = options, given, units
        self.show([self._row(option) for option in options])
        self._describe()

    def _row(self, option: Option) -> Property:
        choices = option.choices if option.type == "choice" else ("yes", "no") if option.type == "flag" else ()
        hint = "" if option.name in self._given else "default"
        return Property(option.name, self._given.get(option.name, _default(option)), "option {}", hint, choices)

    def move_to(self, name: str) -> None:
        """Move to an option."""
        names = [option.name for option in self._options]
        if name in names:
            self.table.action_step(names.index(name) - self.table.cursor)

    @on(PropertyTable.Moved)
    def _describe(self) -> None:
        row = self.table.row
        option = next((one for one in self._options if row is not None and one.name == row.label), None)
        self.border_subtitle = "" if option is None else option.help

    def preview_value(self, row: Property, value: str) -> None:
        """Show why a value is refused."""
        self.explain(self._refusal(row.label, value))

    def apply_value(self, row: Property, value: str) -> str:
        """Ask for the change of an option."""
        reason = self._refusal(row.label, value)
        if not reason:
            self.post_message(self.Changed(row.label, self._stated(row.label, value)))
        return reason

    def _refusal(self, name: str, value: str) -> str:
        try:
            if value.strip():
                read_options(self._options, {name: self._stated(name, value)})
        except RckError as error:
            return str(error)
        return ""

    def _stated(self, name: str, value: str) -> str:
        return state_units(self._options, {name: value.strip()}, self._units.of)[name] if value.strip() else ""


def _default(option: Option) -> str:
    if isinstance(option.default, bool):
        return "yes" if option.default else "no"
    if option.default is None:
        return ""
    return option.default if isinstance(option.default, str) else format_number(option.default)
