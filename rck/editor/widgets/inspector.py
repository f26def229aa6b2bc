"""The inspector: the properties of the selection, edited in place and validated while typing."""

from rich.text import Text

from rck.editor.properties import Property, properties, title
from rck.editor.widgets.property_table import PropertyEditor
from rck.editor.workbench import Workbench


class Inspector(PropertyEditor):
    """The panel that shows and edits the properties of the selection."""

    BORDER_TITLE = "Inspector"
    HELP = """
# Inspector

The properties of the selection. **Up** and **down** choose one. Type a new value, or press **Enter** to edit the
current one; units are optional (`12in`, `0.3rad`, `1/2in`). The view shows a preview, and the reason appears below if
the value is refused. **Enter** applies it, **Escape** keeps the old value, an empty value restores the default.
**Space** toggles yes and no.
"""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    def on_mount(self) -> None:
        """Fill the rows."""
        super().on_mount()
        self.rebuild()

    def rebuild(self) -> None:
        """Update the rows if the selection or its properties have changed."""
        self.border_title = Text(f"Inspector: {title(self._workbench)}")
        self.show(properties(self._workbench))

    def preview_value(self, row: Property, value: str) -> None:
        """Preview the command that sets the value."""
        self._workbench.show_preview(row.line(value), self.explain)

    def end_preview(self) -> None:
        """Hide the preview."""
        self._workbench.hide_preview()

    def apply_value(self, row: Property, value: str) -> str:
        """Run the command that sets the value."""
        return "" if self._workbench.run(row.line(value)) else self._workbench.messages[-1].text
