"""The Import screen: what is in a file, what would become of it, and the answers to what it leaves open."""

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Input, ProgressBar, Static

from rck.editor.screens.editor_screen import EditorScreen
from rck.editor.surveying import (
    SurveyScenery,
    assigned,
    connected,
    joint_line,
    marked_as_joint,
    piece_line,
    read_connection,
    survey_of,
)
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.hooks import Importer, Job
from rck.hooks.exchange import importer_for
from rck.hooks.options import read_options, state_units
from rck.hooks.recipe import read_recipe, recipe_of, with_options, write_recipe
from rck.hooks.survey import Survey
from rck.language.words import quote, quote_setting
from rck.model import RckError
from rck.model.files import in_words, path_in
from rck.model.finding import errors_of
from rck.model.units import counted

_TICK = 0.1
"""Seconds between two looks at how far an import is."""


class ImportScreen(EditorScreen):
    """Reads a file of another format into the assembly."""

    NAME = "import"
    HELP = """
# Import

Type the name of a file and press **Enter**. Its pieces are listed and shown; **Enter** on a piece gives it to an item,
**space** chooses several, **j** declares it a joint, whose axis is the long axis of the piece. **Enter** on a joint
says what it connects. Settings of the importer are on the right, **o** goes there: change one and the file is looked at
again. **f** goes back to the name of the file. **ctrl+a** accepts: the file becomes a piece of the assembly, as one
command that undoes, and the answers are kept in a recipe beside the file, for the next time. **Escape** stops what is
being read, or goes back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "accept", "Accept", show=True, priority=True),
        Binding("space", "choose", "Choose several", show=True),
        Binding("j", "joint", "Joint", show=True),
        Binding("f", "file", "File", show=True),
        Binding("o", "options", "Settings", show=True),
        Binding("escape", "leave", "Stop / back", show=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._scenery = SurveyScenery()
        self._importer: Importer | None = None
        self._path: Path | None = None
        self._job: Job | None = None
        self._assigning: frozenset[str] = frozenset()
        self._connecting = ""
        """The joint that is being asked about."""
        self._answered = False
        """Whether the user decided something that the file does not say."""

    def compose(self) -> ComposeResult:
        """File on top; pieces on the left; the view on the right, over the settings."""
        yield TitleBar(id="title")
        with Horizontal(id="import-file-row"):
            yield Static("file ", id="import-label")
            yield Input(placeholder="a file to import, such as side.dxf", id="import-file", compact=True)
        with Horizontal(id="import-work"):
            with Vertical(id="import-left"):
                yield DataTable(id="import-pieces", cursor_type="row", zebra_stripes=True)
                yield DataTable(id="import-joints", cursor_type="row")
            with Vertical(id="import-right"):
                yield SceneView(self.workbench, scenery=self._scenery, id="import-view")
                yield VerticalScroll(id="import-settings")
        yield ProgressBar(id="import-progress", total=1.0, show_eta=False)
        yield Input(placeholder="name of the item", id="import-item", compact=True)
        yield Static(id="message")
        yield KeyBar()

    def on_mount(self) -> None:
        """The file first."""
        super().on_mount()
        self.query_one("#import-pieces", DataTable).add_columns("piece", "what", "layer", "size mm", "item")
        self.query_one("#import-joints", DataTable).add_columns("joint", "kind", "connects")
        for hidden in ("#import-progress", "#import-item", "#import-settings", "#import-joints"):
            self.query_one(hidden).display = False
        self.query_one("#import-file", Input).focus()
        endings = {ending for one in self.workbench.session.plugins.all(Importer) for ending in one.endings}
        # Some old formats number their files.
        known = sorted(ending for ending in endings if not ending[1:].isdigit())
        self._say(f"Known files: {' '.join(known)}")

    def _say(self, text: str, style: str = "") -> None:
        self.query_one("#message", Static).update(Text(text, style))

    @on(Input.Submitted, "#import-file")
    async def _opened(self, event: Input.Submitted) -> None:
        try:
            self._path = path_in(self.workbench.session.folder, event.value)
            self._importer = importer_for(self._path, self.workbench.session.plugins)
        except (RckError, OSError) as error:
            self._say(in_words(error), "red")
            return
        await self._show_settings(self._importer)
        self._look()

    async def _show_settings(self, importer: Importer) -> None:
        box = self.query_one("#import-settings", VerticalScroll)
        box.display = True
        await box.remove_children()
        await box.mount(Static(Text.assemble((importer.name, "bold"), f"\n{importer.summary}\n")))
        for option in importer.options:
            await box.mount(Static(Text(option.name, "dim"), classes="setting-label"))
            shown = "" if option.default is None else str(option.default)
            field = Input(value="", placeholder=shown or option.help, compact=True, classes="setting", name=option.name)
            field.tooltip = option.help
            await box.mount(field)

    @on(Input.Submitted, ".setting")
    def _setting_changed(self) -> None:
        self._look()

    def _settings(self) -> dict[str, str]:
        """The options that were typed; bare lengths and angles in the units of the assembly."""
        fields = self.query("Input.setting").results(Input)
        given = {one.name or "": one.value for one in fields if one.value.strip()}
        options = () if self._importer is None else self._importer.options
        return state_units(options, given, self.workbench.assembly.units.of)

    def _look(self) -> None:
        """Read the file anew, beside the interface."""
        if self._job is not None:
            self._job.cancel()
        self.run_worker(self._read(), exclusive=True, group="import")

    async def _read(self) -> None:
        importer, path = self._importer, self._path
        if importer is None or path is None:
            return
        bar = self.query_one("#import-progress", ProgressBar)
        bar.display = True
        self._job = job = Job(lambda share, what: self.app.call_from_thread(bar.update, progress=share))
        try:
            values = read_options(importer.options, self._settings())
            if importer.survey is not None:
                survey = await asyncio.to_thread(importer.survey, path, values, job)
            else:
                survey = survey_of(await asyncio.to_thread(importer.read, path, values, job))
        except (RckError, OSError) as error:
            self._say(in_words(error), "red")
            return
        finally:
            bar.display = False
            self._job = None
        self._show(survey)

    def _show(self, survey: Survey) -> None:
        self._scenery.survey = survey
        table = self.query_one("#import-pieces", DataTable)
        place = table.cursor_row
        table.clear()
        for piece in survey.pieces:
            style = "red" if piece.refused else "bold" if piece.name in self._scenery.chosen else ""
            table.add_row(*(Text(cell, style) for cell in piece_line(piece)), key=piece.name)
        table.move_cursor(row=place)
        joints = self.query_one("#import-joints", DataTable)
        joints.clear()
        for joint in survey.joints:
            joints.add_row(*joint_line(joint), key=joint.name)
        joints.display = bool(survey.joints)
        broken = errors_of(survey.findings)
        refused = [piece.refused for piece in survey.pieces if piece.refused]
        wrong = str(broken[0]) if broken else ""
        if not broken and refused and len(refused) == len(survey.pieces):
            wrong = f"{refused[0]}; o goes to the settings"
        said = wrong or survey.summary or f"{counted(len(survey.pieces), 'piece')}; ctrl+a imports them"
        self._say(said, "red" if wrong else "")
        self.query_one("#import-view", SceneView).look_again()
        if not table.has_focus and not self.query("Input.setting:focus"):
            table.focus()

    @on(DataTable.RowHighlighted, "#import-pieces")
    def _highlighted(self, event: DataTable.RowHighlighted) -> None:
        if not self._assigning and event.row_key.value is not None:
            self._scenery.chosen = frozenset({str(event.row_key.value)})
            self.query_one("#import-view", SceneView).look_again()

    def action_choose(self) -> None:
        """Add the piece under the cursor to those that are chosen, or take it out."""
        table = self.query_one("#import-pieces", DataTable)
        if not table.has_focus or not table.row_count:
            return
        name = str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value)
        self._assigning ^= {name}
        self._scenery.chosen = self._assigning
        self._show(self._scenery.survey)

    @on(DataTable.RowSelected, "#import-pieces")
    def _assign(self) -> None:
        """Ask for the item that the chosen pieces belong to."""
        box = self.query_one("#import-item", Input)
        box.display = True
        first = next((one for one in self._scenery.survey.pieces if one.name in self._scenery.chosen), None)
        box.value = first.item if first is not None else ""
        box.focus()
        self._say("The item that the chosen pieces belong to; empty leaves them out.")

    @on(Input.Submitted, "#import-item")
    def _assigned(self, event: Input.Submitted) -> None:
        box = self.query_one("#import-item", Input)
        survey = self._scenery.survey
        try:
            if self._connecting:
                joint = next(one for one in survey.joints if one.name == self._connecting)
                items = frozenset(piece.item for piece in survey.pieces if piece.item)
                survey = connected(survey, joint.name, *read_connection(event.value, joint, items))
            else:
                survey = assigned(survey, self._scenery.chosen, event.value.strip())
        except RckError as error:
            self._say(in_words(error), "red")
            return
        box.display = False
        self._assigning, self._connecting, self._answered = frozenset(), "", True
        self._show(survey)
        self.query_one("#import-pieces", DataTable).focus()

    @on(DataTable.RowSelected, "#import-joints")
    def _connect(self, event: DataTable.RowSelected) -> None:
        """Ask what a joint connects."""
        self._connecting = str(event.row_key.value)
        joint = next(one for one in self._scenery.survey.joints if one.name == self._connecting)
        box = self.query_one("#import-item", Input)
        box.display = True
        box.value = (
            f"{joint.kind.value} {joint.base} > {', '.join(joint.moves)}" if joint.base else f"{joint.kind.value} "
        )
        box.focus()
        self._say("What stays and what moves: [kind] BASE > ITEM")

    def action_joint(self) -> None:
        """Declare the piece under the cursor a joint."""
        table = self.query_one("#import-pieces", DataTable)
        if table.has_focus and table.row_count:
            name = str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value)
            self._answered = True
            self._show(marked_as_joint(self._scenery.survey, name))
            self.query_one("#import-joints", DataTable).focus()

    @on(SceneView.Picked)
    def _picked(self, event: SceneView.Picked) -> None:
        if event.thing is not None:
            names = [piece.name for piece in self._scenery.survey.pieces]
            if event.thing.name in names:
                self.query_one("#import-pieces", DataTable).move_cursor(row=names.index(event.thing.name))

    def action_accept(self) -> None:
        """Import with these answers: one command, which undoes."""
        if self._path is None or self._importer is None:
            self._say("Choose a file first.", "red")
            return
        if self._importer.survey is not None and (self._answered or self._settings()):
            try:
                # What is refused must not be kept for the next time.
                read_options(self._importer.options, self._settings())
                recipe = with_options(read_recipe(self._path), self._settings())
                write_recipe(self._path, recipe_of(self._scenery.survey, recipe) if self._answered else recipe)
            except (RckError, OSError) as error:
                self._say(in_words(error), "red")
                return
        words = [f"import {quote(str(self._path))}"]
        words += [quote_setting(name, value) for name, value in self._settings().items()]
        bar = self.query_one("#import-progress", ProgressBar)
        bar.display = True
        ticking = self.set_interval(_TICK, lambda: bar.update(progress=self.workbench.progress[0]))

        def done(imported: bool) -> None:
            ticking.stop()
            bar.display = False
            if not imported:
                self._say(self.workbench.said[-1].text, "red")
            elif self.is_current:
                self.app.call_later(self.app.run_action, "go('build')")

        self.workbench.do_beside(" ".join(words), done)

    def action_file(self) -> None:
        """Name another file."""
        self.query_one("#import-file", Input).focus()

    def action_options(self) -> None:
        """Change a setting of the importer."""
        for field in self.query("Input.setting").results(Input):
            field.focus()
            break

    def action_leave(self) -> None:
        """Stop what is being read, or go back to building."""
        if self._job is not None:
            self._job.cancel()
            self._say("stopped")
        elif self.workbench.busy:
            self.workbench.stop()
        elif self.help_was_closed():
            return
        elif self.query_one("#import-item").display:
            self.query_one("#import-item").display = False
            self.query_one("#import-pieces", DataTable).focus()
        else:
            self.app.call_later(self.app.run_action, "go('build')")
