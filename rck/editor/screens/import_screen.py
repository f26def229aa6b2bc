"""The Import screen: a file as drawn or in 3D, the proposed use of its contents, and the importer's options."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.widgets import Input, OptionList, ProgressBar, Static
from textual.widgets.option_list import Option as OptionLine

from rck.editor.dialogs.basic import Choice, ChoiceDialog, ListChoice, ListDialog
from rck.editor.file_import import FileImport, ImportDraft, require_usable, unusable
from rck.editor.import_rows import Entry, content_rows, describe_entry, entry_of, layer_rows, problems
from rck.editor.screens.editor_screen import WIDE, EditorScreen
from rck.editor.survey_scene import SurveySceneBuilder
from rck.editor.widgets.drawing_view import DrawingView
from rck.editor.widgets.file_chooser import FileChooser
from rck.editor.widgets.findings_panel import finding_text
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.option_editor import OptionEditor
from rck.editor.widgets.row_list import RowList
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.title_bar import TitleBar
from rck.grammar import quote, quote_setting
from rck.hooks import REGION_ROLES, Importer, Job, Option, RegionRole, Survey
from rck.hooks.options import state_units
from rck.model import RckError
from rck.support.files import in_words, path_in
from rck.support.finding import Cancelled
from rck.support.units import UNITS, counted, from_si, si_from

_PROGRESS_INTERVAL = 0.1
"""Seconds between two updates of the progress bar."""
_TALL = 34
"""Minimum number of lines for panels above each other."""
PANELS = {"1": "files", "2": "contents", "3": "layers", "4": "options", "5": "problems"}
_ROLES = {
    "plate": "a part; a group becomes one part",
    "hole": "cut out; what lies in it is a part",
    "counterbore": "not cut through; the holes in it are",
    "pocket": "not cut through; the holes in it are",
    "sheet border": "not a part; what lies in it counts by itself",
    "view": "another view of a part; not a part, with all that lies in it",
    "title block": "not a part, with all that lies in it",
    "ignored": "not a part, with all that lies in it",
}
_LENGTH_UNIT = "length-unit"
"""Option of importers for the unit of the lengths in a file."""


class ImportScreen(EditorScreen):
    """The screen that imports a file of another format."""

    NAME = "import"
    HELP = """
# Import

Choose a file. The view shows it as drawn, or its solids in 3D; **d** switches. The list shows what each region and
solid becomes. **Enter** changes it: the role of a region, the item of a solid, what a joint connects. **p** makes a
plate of a region, **h** a hole, **c** a counterbore, **b** a sheet border, **x** leaves it out. **i** sets the item,
**space** selects several, **j** turns a solid into a joint about its long axis. **u** changes the unit. **ctrl+z**
undoes the last decision, **ctrl+y** restores it.

**ctrl+a** imports the file with one command that you can undo. Your decisions are stored in a recipe next to the file,
for the next import; **r** stores them without importing. **Escape** stops reading, or returns to the Build screen.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "accept", "Import", show=True, priority=True),
        Binding("p", "role('plate')", "Plate", show=True),
        Binding("h", "role('hole')", "Hole", show=True),
        Binding("c", "role('counterbore')", "Counterbore", show=True),
        Binding("b", "role('sheet border')", "Border", show=True),
        Binding("x", "leave_out", "Not a part", show=True),
        Binding("i", "item", "Item", show=True),
        Binding("space", "choose", "Select several", show=True),
        Binding("j", "joint", "Make joint", show=True),
        Binding("u", "unit", "Unit", show=True),
        Binding("d", "switch_view", "2D/3D", show=True),
        Binding("n", "step(1)", "Next", show=False),
        Binding("N", "step(-1)", "Previous", show=False),
        Binding("f", "panel('files')", "File", show=True),
        Binding("o", "panel('options')", "Options", show=True),
        Binding("r", "save_recipe", "Save recipe", show=False),
        Binding("ctrl+z", "undo", "Undo", show=False),
        Binding("ctrl+y", "redo", "Redo", show=False),
        *(Binding(key, f"panel('{name}')", name.capitalize(), show=False) for key, name in PANELS.items()),
        Binding("escape", "back", "Stop / back", show=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._source = SurveySceneBuilder()
        self._file: FileImport | None = None
        self._job: Job | None = None
        self._marked: frozenset[str] = frozenset()
        """Keys of the entries that are selected together."""
        self._asked: tuple[str, ...] = ()
        """The parts whose item is being asked for, or the joint whose connection is."""
        self._in_3d = False

    def compose(self) -> ComposeResult:
        """Add the views on the left, the panels on the right, the summary and the messages below."""
        importers = self.workbench.session.plugins.all(Importer)
        endings = {ending for importer in importers for ending in importer.endings}
        # Some old formats number their files.
        self._endings = sorted(ending for ending in endings if not ending[1:].isdigit())
        yield TitleBar(id="title")
        with Horizontal(id="import-work"):
            with Vertical(id="import-main"):
                yield Static(Text("Choose a file to import.", "dim"), id="import-empty")
                yield DrawingView(id="drawing")
                yield SceneView(self.workbench, source=self._source, id="import-view")
            with Vertical(id="import-side"):
                yield FileChooser(self.workbench.session.folder, endings, id="files")
                yield RowList(id="contents")
                yield RowList(1, id="layers")
                yield OptionEditor(id="options")
                yield OptionList(id="problems")
        yield ProgressBar(id="import-progress", total=1.0, show_eta=False)
        yield Input(placeholder="item name", id="import-item", compact=True)
        yield Static(id="import-summary")
        yield Static(id="message")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the files."""
        super().on_mount()
        self._list("contents").border_title = "Contents"
        self._list("layers").border_title = "Layers"
        self.query_one("#problems").border_title = "Findings"
        for hidden in ("#import-progress", "#import-item", "#drawing", "#import-view"):
            self.query_one(hidden).display = False
        self.action_panel("files")
        self._say(f"Supported files: {' '.join(self._endings)}")

    def on_screen_resume(self) -> None:
        """List the files again: other programs may have added some."""
        if self._file is None and self.query("#files"):
            self.query_one(FileChooser).rebuild()

    def on_resize(self, event: events.Resize) -> None:
        """Show the panels above each other if there is room, else one of them."""
        self.set_class(event.size.width >= WIDE and event.size.height >= _TALL, "stacked")
        self.set_class(event.size.width < WIDE, "narrow")
        self.set_class(event.size.width < WIDE // 2, "tiny")

    def _list(self, name: str) -> RowList:
        return self.query_one(f"#{name}", RowList)

    def _say(self, text: str, style: str = "") -> None:
        self.query_one("#message", Static).update(Text(text, style))

    def _refuse(self, error: Exception) -> None:
        self._say(in_words(error), "red")

    # The file and its survey.

    @on(FileChooser.Opened)
    def _open(self, event: FileChooser.Opened) -> None:
        try:
            path = path_in(self.workbench.session.folder, event.typed)
            self._file = FileImport(path, self.workbench.session.plugins)
        except (RckError, OSError) as error:
            self._refuse(error)
            return
        self._marked, self._source.survey = frozenset(), Survey()
        self._show_survey()
        self._read()

    def _read(self) -> None:
        """Ask the importer for the survey of the current draft, in a thread; cancel an earlier read."""
        if self._job is not None:
            self._job.cancel()
        if self._file is not None and not self._file.draft.is_current:
            self.run_worker(self._read_draft(self._file, self._file.draft), exclusive=True, group="import")

    async def _read_draft(self, file: FileImport, draft: ImportDraft) -> None:
        bar = self.query_one("#import-progress", ProgressBar)

        def show_progress(fraction: float, step: str) -> None:
            bar.update(progress=fraction)
            bar.display = True
            self._say(f"reading {file.path.name}: {step}" if step else f"reading {file.path.name}", "dim")

        def report(fraction: float, step: str) -> None:
            self.app.call_from_thread(show_progress, fraction, step)

        self._job = job = Job(report)
        try:
            survey = await asyncio.to_thread(file.read, draft, job)
        except Cancelled:
            if self._job is job:
                self._say("stopped")
            return
        except (RckError, OSError) as error:
            self._refuse(error)
            return
        finally:
            if self._job is job:
                bar.display = False
                self._job = None
        file.take(draft, survey)
        if self._file is file and file.draft.is_current:
            self._show_survey()
            self._describe_current()
            self._ask_for_missing_option(survey)

    def _ask_for_missing_option(self, survey: Survey) -> None:
        """Move to the option that all parts need, if they need the same one."""
        missing = {part.option for part in survey.pieces if part.refused or part.item}
        if len(missing) == 1 and (name := missing.pop()):
            self.action_panel("options")
            self.query_one(OptionEditor).move_to(name)
            part = next(part for part in survey.pieces if part.option == name)
            self._say(
                f"{part.region or part.name}: {part.refused}. Type the option {name}, then press Enter.", "yellow"
            )

    def _show_survey(self) -> None:
        """Show the current draft everywhere."""
        file = self._file
        if file is None:
            return
        survey = file.survey
        was_empty = self._source.survey.pieces == () and self._source.survey.drawing is None
        self._source.survey = survey
        drawing = survey.drawing
        refused = frozenset(part.region for part in survey.pieces if part.refused and part.region)
        if drawing is not None:
            self.query_one(DrawingView).show(drawing, refused)
        if was_empty:
            self._in_3d = drawing is None or (not drawing.regions and any(part.shapes for part in survey.pieces))
        rows = content_rows(survey)
        contents = self._list("contents")
        self._marked &= {row.key for row in rows}
        contents.show(rows)
        contents.mark(self._marked)
        self._list("layers").show(
            [] if drawing is None else layer_rows(drawing, self.query_one(DrawingView).flat_colours())
        )
        self.query_one(OptionEditor).use(file.importer.options, file.draft.recipe.given, self.workbench.assembly.units)
        self._show_problems(survey)
        self._show_titles(file)
        self._show_view()
        self._highlight()
        if self.has_class("panel-files") and (survey.pieces or drawing is not None or survey.findings):
            self.action_panel("contents")
        self.refresh_bindings()

    def _show_problems(self, survey: Survey) -> None:
        box = self.query_one("#problems", OptionList)
        found = list(problems(survey))
        box.clear_options()
        box.add_options(OptionLine(finding_text(finding)) for finding in found)
        box.border_title = f"Findings: {len(found)}" if found else "Findings"

    def _show_titles(self, file: FileImport) -> None:
        survey = file.survey
        unit = f" · {survey.length_unit}" if survey.length_unit else ""
        contents = self._list("contents")
        contents.border_title = Text(f"{file.path.name} · {file.importer.name}{unit}")
        state = "" if not file.keeps_recipe or file.is_saved else "recipe not saved · "
        regions = 0 if survey.drawing is None else len(survey.drawing.regions)
        counts = [(len(survey.pieces), "part"), (regions, "region"), (len(survey.joints), "joint")]
        contents.border_subtitle = state + ", ".join(counted(count, word) for count, word in counts if count)
        self.query_one("#import-summary", Static).update(Text(survey.summary, "bold"))

    def _show_view(self) -> None:
        drawing = self._source.survey.drawing
        shows_drawing = drawing is not None and not self._in_3d
        self.query_one("#import-empty").display = self._file is None
        self.query_one(DrawingView).display = shows_drawing
        view = self.query_one("#import-view", SceneView)
        view.display = self._file is not None and not shows_drawing
        if view.display:
            view.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys that apply to the file and to the object under the cursor."""
        survey = self._source.survey
        if action in ("accept", "unit", "save_recipe", "undo", "redo"):
            return self._file is not None
        if action == "role":
            return survey.drawing is not None and bool(survey.drawing.roles) and self._current.kind == "region"
        if action == "leave_out":
            return self._current.kind in ("region", "part")
        if action == "joint":
            return self._current.kind == "part"
        if action == "switch_view":
            return survey.drawing is not None and any(part.shapes for part in survey.pieces)
        return True

    # The selection.

    @property
    def _current(self) -> Entry:
        """The object under the cursor."""
        try:
            return entry_of(self._list("contents").key)
        except NoMatches:
            return Entry("", "")

    def _chosen(self) -> list[Entry]:
        """Return the objects that are selected together, or else the one under the cursor."""
        keys = [row.key for row in self._list("contents").rows if row.key in self._marked]
        return [entry_of(key) for key in keys] or ([self._current] if self._current.name else [])

    def _parts(self, entries: Sequence[Entry]) -> list[str]:
        """Return the names of the parts among these objects, also of those made of regions."""
        names = {entry.name for entry in entries if entry.kind == "part"}
        regions = {entry.name for entry in entries if entry.kind == "region"}
        return [part.name for part in self._source.survey.pieces if part.name in names or part.region in regions]

    def _highlight(self) -> None:
        """Show the selection in the views."""
        chosen = self._chosen()
        self.query_one(DrawingView).choose([entry.name for entry in chosen if entry.kind == "region"])
        self._source.chosen = frozenset(self._parts(chosen))
        if self._in_3d:
            self.query_one("#import-view", SceneView).redraw()
        self.refresh_bindings()

    @on(RowList.Highlighted, "#contents")
    def _follow_cursor(self) -> None:
        self._highlight()
        if self._list("contents").has_focus:
            self._describe_current()

    def _describe_current(self) -> None:
        """Describe the object under the cursor, unless the progress of reading is shown."""
        if self._job is None:
            self._say(describe_entry(self._source.survey, self._current) if self._current.name else "")

    @on(RowList.Highlighted, "#layers")
    def _follow_layer(self, event: RowList.Highlighted) -> None:
        if self._list("layers").has_focus:
            self.query_one(DrawingView).highlight_layer(event.key)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Stop highlighting a layer when its list loses the focus."""
        if event.widget.id == "layers":
            self.query_one(DrawingView).highlight_layer("")

    @on(DrawingView.Picked)
    def _pick_region(self, event: DrawingView.Picked) -> None:
        key = Entry("region", event.region).key
        if event.region and event.add:
            self._mark(key)
        else:
            self._unmark()
        if event.region:
            self._list("contents").move_to(key)
            self._highlight()
            self._describe_current()
            if event.twice:
                self._change_current()

    @on(SceneView.Picked)
    def _pick_part(self, event: SceneView.Picked) -> None:
        part = next((one for one in self._source.survey.pieces if event.thing and one.name == event.thing.name), None)
        if part is not None:
            entry = Entry("region", part.region) if part.region else Entry("part", part.name)
            if event.add:
                self._mark(entry.key)
            self._list("contents").move_to(entry.key)

    def action_choose(self) -> None:
        """Select the object under the cursor in addition to the others, or deselect it; or switch a layer."""
        layers = self._list("layers")
        if layers.has_focus:
            self._switch_layer(layers.key)
        elif self._current.name:
            self._mark(self._current.key)
            self._list("contents").action_step(1)

    def _mark(self, key: str) -> None:
        self._marked ^= {key}
        self._list("contents").mark(self._marked)
        self._highlight()

    def _unmark(self) -> None:
        self._marked = frozenset()
        self._list("contents").mark(self._marked)
        self._highlight()

    def action_step(self, step: int) -> None:
        """Move to the next object of the list."""
        self._list("contents").action_step(step)

    # Decisions.

    def _decide(self, decide: Callable[[FileImport], object], message: str = "") -> None:
        """Make a decision, show it, and let the importer follow."""
        if self._file is None:
            return
        try:
            decide(self._file)
        except RckError as error:
            self._refuse(error)
            return
        self._marked = frozenset()
        self._show_survey()
        if message:
            self._say(message)
        self._read()

    def action_role(self, role: RegionRole) -> None:
        """Set the role of the selected regions."""
        names = [entry.name for entry in self._chosen() if entry.kind == "region"]
        if names:
            self._decide(lambda file: file.set_role(names, role), f"{', '.join(names[:3])}: {role}")

    def action_leave_out(self) -> None:
        """Leave out the selected regions and parts, or take them in again."""
        chosen = self._chosen()
        regions = [entry.name for entry in chosen if entry.kind == "region"]
        parts = [entry.name for entry in chosen if entry.kind == "part"]
        if regions:
            self._decide(lambda file: file.leave_out_regions(regions))
        elif parts:
            self._decide(lambda file: file.leave_out_parts(parts))

    @on(RowList.Chosen, "#contents")
    def _change_current(self) -> None:
        """Ask for the role of a region, the item of a part, or what a joint connects."""
        current = self._current
        if current.kind == "region":
            self._ask_role()
        elif current.kind == "part":
            self.action_item()
        elif current.kind == "joint":
            joint = next(joint for joint in self._source.survey.joints if joint.name == current.name)
            items = f"{joint.base} > {', '.join(joint.moves)}" if joint.base else ""
            self._ask((current.key,), "Base and moving items: [kind] BASE > ITEM, ITEM", f"{joint.kind.value} {items}")

    def _ask_role(self) -> None:
        drawing, names = self._source.survey.drawing, [one.name for one in self._chosen() if one.kind == "region"]
        if drawing is None or not drawing.roles:
            return
        region = next(one for one in drawing.regions if one.name == names[0])
        choices = [ListChoice(role, role, _ROLES.get(role, "")) for role in drawing.roles]
        if self._file is not None and any(name in self._file.draft.recipe.regions for name in names):
            choices.append(ListChoice("", "as proposed", "what the importer proposes"))

        def decide(answer: str | None) -> None:
            role = next((role for role in REGION_ROLES if role == answer), None)
            if role is not None:
                self.action_role(role)
            elif answer is not None:
                self._decide(lambda file: file.restore_regions(names))

        title = names[0] if len(names) == 1 else counted(len(names), "region")
        self.app.push_screen(ListDialog(f"Role of {title}", choices, region.role), decide)

    def action_item(self) -> None:
        """Ask for the item of the selected parts."""
        parts = self._parts(self._chosen())
        items = [part.item for part in self._source.survey.pieces if part.name in parts]
        if parts:
            question = f"Item of {counted(len(parts), 'part')}; leave empty to leave them out."
            self._ask(tuple(parts), question, items[0])

    def _ask(self, about: tuple[str, ...], question: str, value: str) -> None:
        self._asked = about
        box = self.query_one("#import-item", Input)
        box.display = True
        box.value = value
        box.cursor_position = len(value)
        box.focus()
        self._say(question)

    @on(Input.Submitted, "#import-item")
    def _take_answer(self, event: Input.Submitted) -> None:
        asked, text = self._asked, event.value.strip()
        if self._file is None:
            return
        try:
            if entry_of(asked[0]).kind == "joint":
                self._file.connect_joint(entry_of(asked[0]).name, text)
            else:
                self._file.set_item(asked, text)
        except RckError as error:
            self._refuse(error)
            return
        self._close_question()
        self._decide(lambda file: None, f"{len(asked)} assigned to {text}" if text else "")

    def _close_question(self) -> None:
        self.query_one("#import-item").display = False
        self._asked = ()
        self._list("contents").focus()

    def action_joint(self) -> None:
        """Turn the part under the cursor into a joint."""
        name = self._current.name
        self._decide(lambda file: file.declare_joint(name))
        self._list("contents").move_to(Entry("joint", name).key)

    @on(OptionEditor.Changed)
    def _change_option(self, event: OptionEditor.Changed) -> None:
        self._decide(lambda file: file.set_option(event.name, event.value))

    @on(RowList.Chosen, "#layers")
    def _choose_layer(self, event: RowList.Chosen) -> None:
        self._switch_layer(event.key)

    def _switch_layer(self, layer: str) -> None:
        """Exclude a layer, or import it again."""
        if layer and self._option("skip") is not None:
            self._decide(lambda file: file.switch_layer(layer))

    def _option(self, name: str) -> Option | None:
        options = self._file.importer.options if self._file is not None else ()
        return next((option for option in options if option.name == name), None)

    def action_unit(self) -> None:
        """Ask for the length unit of the file, with the resulting sizes."""
        option, survey = self._option(_LENGTH_UNIT), self._source.survey
        if option is None:
            self._say("the format has a fixed unit of length")
            return
        size = _size_of(survey)

        def detail(unit: str) -> str:
            if unit not in UNITS["length"] or survey.length_unit not in UNITS["length"] or not size:
                return "as the file states, or else as the importer assumes" if unit == "auto" else ""
            metres = si_from(from_si(size, "length", survey.length_unit), "length", unit)
            return f"{1000 * metres:.4g} mm large"

        choices = [ListChoice(unit, unit, detail(unit)) for unit in option.choices]

        def decide(unit: str | None) -> None:
            if unit is not None:
                self._decide(lambda file: file.set_option(_LENGTH_UNIT, unit))

        self.app.push_screen(ListDialog("Length unit of the file", choices, survey.length_unit), decide)

    def action_undo(self) -> None:
        """Undo the last decision."""
        self._go_back(FileImport.undo, "undone", "no decision to undo")

    def action_redo(self) -> None:
        """Restore the decision that was undone last."""
        self._go_back(FileImport.redo, "restored", "no decision to restore")

    def _go_back(self, change: Callable[[FileImport], bool], done: str, nothing: str) -> None:
        if self._file is not None:
            changed = change(self._file)
            self._show_survey()
            self._say(done if changed else nothing)
            self._read()

    def action_save_recipe(self) -> None:
        """Store the decisions in the recipe next to the file."""
        self._save_recipe()

    def _save_recipe(self) -> bool:
        """Write the recipe; return False if that is not possible."""
        file = self._file
        if file is None:
            return False
        try:
            path = file.save()
        except (RckError, OSError) as error:
            self._refuse(error)
            return False
        self._show_titles(file)
        if path is not None:
            self._say(f"saved {path.name}")
        return True

    # The import.

    def action_accept(self) -> None:
        """Settle open questions, store the recipe, and import the file with one command."""
        if self._file is None:
            self._say("Choose a file first.", "red")
            return
        survey = self._file.survey
        try:
            require_usable(survey)
        except RckError as error:
            self._refuse(error)
            return
        if survey.question is not None:
            self._ask_question(survey)
            return
        refused = unusable(survey)
        names = [name for _, _, group in refused for name in group]
        left = [part for part in survey.pieces if part.item and not part.refused]
        if refused and not left:
            why, fix, _ = refused[0]
            self._say(f"nothing can be imported: {why}{f' ({fix})' if fix else ''}", "red")
        elif refused:
            self._ask_to_leave_out(names, refused[0][0])
        else:
            self._import()

    def _ask_question(self, survey: Survey) -> None:
        question = survey.question
        assert question is not None
        choices = [ListChoice(label, label) for label in question.answers]

        def decide(label: str | None) -> None:
            if label is not None:
                self._decide(lambda file: file.set_options(question.answers[label]))
                self._say("check the size, then press ctrl+a to import")

        self.app.push_screen(ListDialog(question.text, choices), decide)

    def _ask_to_leave_out(self, names: list[str], why: str) -> None:
        def decide(answer: str | None) -> None:
            if answer == "leave":
                self._decide(lambda file: file.leave_out(names))
                self._import()

        text = f"{counted(len(names), 'part')} cannot be used: {', '.join(names[:4])}. {why}."
        choices = (Choice("leave", "Leave out"), Choice("cancel", "Cancel"))
        self.app.push_screen(ChoiceDialog(text, choices), decide)

    def _import(self) -> None:
        file = self._file
        if file is None or not self._save_recipe():
            return
        words = [f"import {quote(str(file.path))}"]
        given = state_units(file.importer.options, file.changed_options, self.workbench.assembly.units.of)
        words += [quote_setting(name, value) for name, value in given.items()]
        bar = self.query_one("#import-progress", ProgressBar)
        bar.display = True
        timer = self.set_interval(_PROGRESS_INTERVAL, lambda: bar.update(progress=self.workbench.progress[0]))

        def done(succeeded: bool) -> None:
            timer.stop()
            bar.display = False
            if not succeeded:
                self._say(self.workbench.messages[-1].text, "red")
            elif self.is_current:
                self.app.call_later(self.app.run_action, "go('build')")

        self.workbench.run_in_background(" ".join(words), done)

    # Panels.

    def action_panel(self, name: str) -> None:
        """Show and focus a panel; without room for all, it replaces the visible one."""
        if name != "files" and self._file is None:
            name = "files"
        for other in PANELS.values():
            self.set_class(other == name, f"panel-{other}")
        self.set_class(name != "files", "-open")
        if name == "files":
            self.query_one(FileChooser).focus_path()
        else:
            target = "#options PropertyTable" if name == "options" else f"#{name}"
            self.set_focus(self.query_one(target))

    def action_switch_view(self) -> None:
        """Show the drawing or the solids."""
        self._in_3d = not self._in_3d
        self._show_view()

    def action_back(self) -> None:
        """Stop reading or importing, close the help or the question, or return to the Build screen."""
        if self._job is not None:
            self._job.cancel()
            self._say("stopped")
        elif self.workbench.busy:
            self.workbench.stop()
        elif self.close_help():
            return
        elif self.query_one("#import-item").display:
            self._close_question()
        elif self._marked:
            self._unmark()
        elif self._file is not None and not self._list("contents").has_focus:
            self.action_panel("contents")
        else:
            self.app.call_later(self.app.run_action, "go('build')")


def _size_of(survey: Survey) -> float:
    """Return the longest side of all contents in metres; 0 without contents."""
    corners = [corner for part in survey.pieces for corner in (part.low, part.high)]
    if survey.drawing is not None:
        corners += [curve.points.min(axis=0) for curve in survey.drawing.curves if curve.use == "outline"]
        corners += [curve.points.max(axis=0) for curve in survey.drawing.curves if curve.use == "outline"]
    return float(np.ptp(np.array(corners), axis=0).max()) if corners else 0.0
