"""The Import screen: the parts of a file, the items and joints they become, and the importer's options."""

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Input, ProgressBar, Static

from rck.editor.import_survey import (
    SurveySceneBuilder,
    assign_item,
    connect_joint,
    declare_joint,
    joint_row,
    part_row,
    read_connection,
    survey_of,
)
from rck.editor.screens.editor_screen import EditorScreen
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.grammar import quote, quote_setting
from rck.hooks import Importer, Job
from rck.hooks.file_exchange import import_values, importer_for, read_with
from rck.hooks.options import read_options, state_units
from rck.hooks.recipe import Recipe, read_recipe, with_item, with_joint, with_options, write_recipe
from rck.hooks.survey import Survey
from rck.model import RckError
from rck.support.files import in_words, path_in
from rck.support.finding import errors_of
from rck.support.units import counted

_PROGRESS_INTERVAL = 0.1
"""Seconds between two updates of the progress bar."""


class ImportScreen(EditorScreen):
    """The screen that imports a file of another format."""

    NAME = "import"
    HELP = """
# Import

Type a file name and press **Enter**. The parts of the file are listed and shown. **Enter** assigns a part to an item,
**space** selects several parts, **j** turns a part into a joint about its long axis. **Enter** on a joint sets the
items that it connects. **o** moves to the options of the importer; the file is read again when you change one. **f**
returns to the file name. **ctrl+a** imports the file as one instance, in one command that you can undo. Your decisions
are stored in a recipe next to the file, for the next import. **Escape** stops reading, or returns to the Build screen.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "accept", "Import", show=True, priority=True),
        Binding("space", "choose", "Select several", show=True),
        Binding("j", "joint", "Make joint", show=True),
        Binding("f", "file", "File", show=True),
        Binding("o", "options", "Options", show=True),
        Binding("escape", "back", "Stop / back", show=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._source = SurveySceneBuilder()
        self._importer: Importer | None = None
        self._path: Path | None = None
        self._job: Job | None = None
        self._assigning: frozenset[str] = frozenset()
        self._connecting = ""
        """The joint whose connection is being edited."""
        self._recipe = Recipe()

    def compose(self) -> ComposeResult:
        """Add the file name on top, the parts on the left, the view and the options on the right."""
        yield TitleBar(id="title")
        with Horizontal(id="import-file-row"):
            yield Static("file ", id="import-label")
            yield Input(placeholder="file to import, such as side.dxf", id="import-file", compact=True)
        with Horizontal(id="import-work"):
            with Vertical(id="import-left"):
                yield DataTable(id="import-pieces", cursor_type="row", zebra_stripes=True)
                yield DataTable(id="import-joints", cursor_type="row")
            with Vertical(id="import-right"):
                yield SceneView(self.workbench, source=self._source, id="import-view")
                yield VerticalScroll(id="import-settings")
        yield ProgressBar(id="import-progress", total=1.0, show_eta=False)
        yield Input(placeholder="item name", id="import-item", compact=True)
        yield Static(id="message")
        yield KeyBar()

    def on_mount(self) -> None:
        """Set up the tables, and focus the file name."""
        super().on_mount()
        self.query_one("#import-pieces", DataTable).add_columns("part", "content", "layer", "size mm", "item")
        self.query_one("#import-joints", DataTable).add_columns("joint", "kind", "connects")
        for hidden in ("#import-progress", "#import-item", "#import-settings", "#import-joints"):
            self.query_one(hidden).display = False
        self.query_one("#import-file", Input).focus()
        importers = self.workbench.session.plugins.all(Importer)
        endings = {ending for importer in importers for ending in importer.endings}
        # Some old formats number their files.
        known = sorted(ending for ending in endings if not ending[1:].isdigit())
        self._show_message(f"Supported files: {' '.join(known)}")

    def _show_message(self, text: str, style: str = "") -> None:
        self.query_one("#message", Static).update(Text(text, style))

    @on(Input.Submitted, "#import-file")
    async def _open(self, event: Input.Submitted) -> None:
        try:
            self._path = path_in(self.workbench.session.folder, event.value)
            self._importer = importer_for(self._path, self.workbench.session.plugins)
            self._recipe = read_recipe(self._path) if self._importer.survey is not None else Recipe()
        except (RckError, OSError) as error:
            self._show_message(in_words(error), "red")
            return
        await self._show_options(self._importer)
        self._start_reading()

    async def _show_options(self, importer: Importer) -> None:
        box = self.query_one("#import-settings", VerticalScroll)
        box.display = True
        await box.remove_children()
        await box.mount(Static(Text.assemble((importer.name, "bold"), f"\n{importer.summary}\n")))
        for option in importer.options:
            await box.mount(Static(Text(option.name, "dim"), classes="setting-label"))
            default = "" if option.default is None else str(option.default)
            hint = default or option.help
            field = Input(value="", placeholder=hint, compact=True, classes="setting", name=option.name)
            field.tooltip = option.help
            await box.mount(field)

    @on(Input.Submitted, ".setting")
    def _change_option(self) -> None:
        self._start_reading()

    def _options(self) -> dict[str, str]:
        """Return the typed options; lengths and angles without a unit are in the units of the assembly."""
        fields = self.query("Input.setting").results(Input)
        values = {field.name or "": field.value for field in fields if field.value.strip()}
        options = () if self._importer is None else self._importer.options
        return state_units(options, values, self.workbench.assembly.units.of)

    def _start_reading(self) -> None:
        """Read the file in a thread; cancel an earlier read."""
        if self._job is not None:
            self._job.cancel()
        self.run_worker(self._read(), exclusive=True, group="import")

    async def _read(self) -> None:
        importer, path = self._importer, self._path
        if importer is None or path is None:
            return
        bar = self.query_one("#import-progress", ProgressBar)
        bar.display = True
        self._job = job = Job(lambda fraction, _: self.app.call_from_thread(bar.update, progress=fraction))
        try:
            values = import_values(importer, path, self._options(), self._recipe)
            if importer.survey is not None:
                survey = await asyncio.to_thread(importer.survey, path, values, job)
            else:
                plugins = self.workbench.session.plugins
                survey = survey_of(await asyncio.to_thread(read_with, importer, path, plugins, values, job))
        except (RckError, OSError) as error:
            self._show_message(in_words(error), "red")
            return
        finally:
            bar.display = False
            self._job = None
        self._show(survey)

    def _show(self, survey: Survey) -> None:
        self._source.survey = survey
        table = self.query_one("#import-pieces", DataTable)
        row = table.cursor_row
        table.clear()
        for part in survey.pieces:
            style = "red" if part.refused else "bold" if part.name in self._source.chosen else ""
            table.add_row(*(Text(cell, style) for cell in part_row(part)), key=part.name)
        table.move_cursor(row=row)
        joints = self.query_one("#import-joints", DataTable)
        joints.clear()
        for joint in survey.joints:
            joints.add_row(*joint_row(joint), key=joint.name)
        joints.display = bool(survey.joints)
        errors = errors_of(survey.findings)
        refused = [part.refused for part in survey.pieces if part.refused]
        problem = str(errors[0]) if errors else ""
        if not errors and refused and len(refused) == len(survey.pieces):
            problem = f"{refused[0]}; press o for the options"
        message = problem or survey.summary or f"{counted(len(survey.pieces), 'part')}; press ctrl+a to import"
        self._show_message(message, "red" if problem else "")
        self.query_one("#import-view", SceneView).redraw()
        if not table.has_focus and not self.query("Input.setting:focus"):
            table.focus()

    @on(DataTable.RowHighlighted, "#import-pieces")
    def _highlight(self, event: DataTable.RowHighlighted) -> None:
        if not self._assigning and event.row_key.value is not None:
            self._source.chosen = frozenset({str(event.row_key.value)})
            self.query_one("#import-view", SceneView).redraw()

    def action_choose(self) -> None:
        """Select the part under the cursor in addition to the others, or deselect it."""
        name = self._focused_part()
        if not name:
            return
        self._assigning ^= {name}
        self._source.chosen = self._assigning
        self._show(self._source.survey)

    @on(DataTable.RowSelected, "#import-pieces")
    def _assign(self) -> None:
        """Ask for the item of the selected parts."""
        chosen = [part for part in self._source.survey.pieces if part.name in self._source.chosen]
        self._ask("Item of the selected parts; leave empty to exclude them.", chosen[0].item if chosen else "")

    def _ask(self, question: str, value: str) -> None:
        box = self.query_one("#import-item", Input)
        box.display = True
        box.value = value
        box.focus()
        self._show_message(question)

    @on(Input.Submitted, "#import-item")
    def _take_answer(self, event: Input.Submitted) -> None:
        survey = self._source.survey
        try:
            if self._connecting:
                joint = next(joint for joint in survey.joints if joint.name == self._connecting)
                items = frozenset(part.item for part in survey.pieces if part.item)
                survey = connect_joint(survey, joint.name, *read_connection(event.value, joint, items))
                self._recipe = with_joint(
                    self._recipe, next(one for one in survey.joints if one.name == self._connecting)
                )
            else:
                survey = assign_item(survey, self._source.chosen, event.value.strip())
                names = [part.region or part.name for part in survey.pieces if part.name in self._source.chosen]
                self._recipe = with_item(self._recipe, names, event.value.strip())
        except RckError as error:
            self._show_message(in_words(error), "red")
            return
        self.query_one("#import-item").display = False
        self._assigning, self._connecting = frozenset(), ""
        self._show(survey)
        self.query_one("#import-pieces", DataTable).focus()

    @on(DataTable.RowSelected, "#import-joints")
    def _connect(self, event: DataTable.RowSelected) -> None:
        """Ask for the items that a joint connects."""
        self._connecting = str(event.row_key.value)
        joint = next(joint for joint in self._source.survey.joints if joint.name == self._connecting)
        items = f"{joint.base} > {', '.join(joint.moves)}" if joint.base else ""
        self._ask("Base and moving items: [kind] BASE > ITEM, ITEM", f"{joint.kind.value} {items}")

    def _focused_part(self) -> str:
        """Return the part under the cursor if the table of parts has the focus, else an empty string."""
        table = self.query_one("#import-pieces", DataTable)
        if not table.has_focus or not table.row_count:
            return ""
        return str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value)

    def action_joint(self) -> None:
        """Turn the part under the cursor into a joint."""
        if name := self._focused_part():
            survey = declare_joint(self._source.survey, name)
            self._recipe = with_joint(self._recipe, survey.joints[-1])
            self._show(survey)
            self.query_one("#import-joints", DataTable).focus()

    @on(SceneView.Picked)
    def _pick(self, event: SceneView.Picked) -> None:
        if event.thing is not None:
            names = [part.name for part in self._source.survey.pieces]
            if event.thing.name in names:
                self.query_one("#import-pieces", DataTable).move_cursor(row=names.index(event.thing.name))

    def action_accept(self) -> None:
        """Store the recipe, and import the file with one command."""
        if self._path is None or self._importer is None:
            self._show_message("Choose a file first.", "red")
            return
        if self._importer.survey is not None:
            try:
                # Check the options first: a recipe must not store options that are refused.
                read_options(self._importer.options, self._options())
                recipe = with_options(self._recipe, self._options())
                if recipe != read_recipe(self._path):
                    write_recipe(self._path, recipe)
            except (RckError, OSError) as error:
                self._show_message(in_words(error), "red")
                return
        words = [f"import {quote(str(self._path))}"]
        words += [quote_setting(name, value) for name, value in self._options().items()]
        bar = self.query_one("#import-progress", ProgressBar)
        bar.display = True
        timer = self.set_interval(_PROGRESS_INTERVAL, lambda: bar.update(progress=self.workbench.progress[0]))

        def done(succeeded: bool) -> None:
            timer.stop()
            bar.display = False
            if not succeeded:
                self._show_message(self.workbench.messages[-1].text, "red")
            elif self.is_current:
                self.app.call_later(self.app.run_action, "go('build')")

        self.workbench.run_in_background(" ".join(words), done)

    def action_file(self) -> None:
        """Focus the file name."""
        self.query_one("#import-file", Input).focus()

    def action_options(self) -> None:
        """Focus the first option of the importer."""
        for field in self.query("Input.setting").results(Input):
            field.focus()
            break

    def action_back(self) -> None:
        """Stop reading or importing, close the help or the question, or return to the Build screen."""
        if self._job is not None:
            self._job.cancel()
            self._show_message("stopped")
        elif self.workbench.busy:
            self.workbench.stop()
        elif self.close_help():
            return
        elif self.query_one("#import-item").display:
            self.query_one("#import-item").display = False
            self.query_one("#import-pieces", DataTable).focus()
        else:
            self.app.call_later(self.app.run_action, "go('build')")
