"""The panels of the Import screen: files, contents, layers, options and findings."""

from collections.abc import Collection
from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option as OptionLine

from rck.editor.file_import import FileImport
from rck.editor.flat_scene import FlatColours
from rck.editor.import_rows import content_rows, layer_rows, problems
from rck.editor.widgets.file_chooser import FileChooser
from rck.editor.widgets.findings_panel import finding_text
from rck.editor.widgets.option_editor import OptionEditor
from rck.editor.widgets.row_list import RowList
from rck.hooks import Survey
from rck.model.quantities import Units
from rck.support.units import counted

PANELS = {"1": "files", "2": "contents", "3": "layers", "4": "options", "5": "problems"}
"""Names of the panels by key."""


class ImportPanels(Vertical):
    """The panels; without room for all, one of them is visible."""

    def __init__(self, folder: Path, endings: Collection[str], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._folder = folder
        self._endings = endings

    def compose(self) -> ComposeResult:
        """Add the panels."""
        yield FileChooser(self._folder, self._endings, id="files")
        yield RowList(id="contents")
        yield RowList(1, id="layers")
        yield OptionEditor(id="options")
        yield OptionList(id="problems")

    def on_mount(self) -> None:
        """Set the titles."""
        self.contents.border_title = "Contents"
        self.layer_list.border_title = "Layers"
        self.query_one("#problems").border_title = "Findings"

    @property
    def files(self) -> FileChooser:
        """The files that can be imported."""
        return self.query_one(FileChooser)

    @property
    def contents(self) -> RowList:
        """Regions, solids and joints of the file."""
        return self.query_one("#contents", RowList)

    @property
    def layer_list(self) -> RowList:
        """Layers of the drawing."""
        return self.query_one("#layers", RowList)

    @property
    def options(self) -> OptionEditor:
        """Options of the importer."""
        return self.query_one(OptionEditor)

    @property
    def shows_files(self) -> bool:
        """True if the user is choosing a file."""
        return self.has_class("panel-files")

    def open(self, name: str) -> None:
        """Show and focus a panel."""
        for other in PANELS.values():
            self.set_class(other == name, f"panel-{other}")
        self.set_class(name != "files", "-open")
        if name == "files":
            self.files.focus_path()
        else:
            self.screen.set_focus(self.options.table if name == "options" else self.query_one(f"#{name}"))

    def show(self, file: FileImport, colours: FlatColours | None, units: Units) -> None:
        """Show the current draft of a file."""
        survey = file.survey
        self.contents.show(content_rows(survey))
        self.layer_list.show([] if survey.drawing is None else layer_rows(survey.drawing, colours))
        self.set_class(bool(self.layer_list.rows), "has-layers")
        self.options.use(file.importer.options, file.draft.recipe.given, units)
        self._show_problems(survey)
        self.show_state(file)

    def _show_problems(self, survey: Survey) -> None:
        box = self.query_one("#problems", OptionList)
        found = list(problems(survey))
        box.clear_options()
        box.add_options(OptionLine(finding_text(finding)) for finding in found)
        box.border_title = f"Findings: {len(found)}" if found else "Findings"

    def show_state(self, file: FileImport) -> None:
        """Show the name of the file, what it contains, and whether its recipe is saved."""
        survey = file.survey
        unit = f" · {survey.length_unit}" if survey.length_unit else ""
        self.contents.border_title = Text(f"{file.path.name} · {file.importer.name}{unit}")
        state = "" if not file.keeps_recipe or file.is_saved else "recipe not saved · "
        regions = 0 if survey.drawing is None else len(survey.drawing.regions)
        counts = [(len(survey.pieces), "part"), (regions, "region"), (len(survey.joints), "joint")]
        self.contents.border_subtitle = state + ", ".join(counted(count, word) for count, word in counts if count)
