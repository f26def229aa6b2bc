"""The Import screen: changes the proposed use of the contents of a file, and imports it."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import Input, ProgressBar

from rck.editor.dialogs.basic import Choice, ChoiceDialog
from rck.editor.dialogs.import_choices import LEAVE_OUT, AnswerDialog, RoleDialog, UnitDialog
from rck.editor.file_import import FileImport, require_usable, unusable
from rck.editor.import_rows import Entry
from rck.editor.screens.editor_screen import AssemblyScreen
from rck.editor.screens.survey_screen import SurveyScreen
from rck.editor.widgets.import_panels import PANELS
from rck.editor.widgets.option_editor import OptionEditor
from rck.editor.widgets.row_list import RowList
from rck.grammar import quote, quote_setting
from rck.hooks import REGION_ROLES, Option, RegionRole, Survey, SurveyPart
from rck.hooks.options import state_units
from rck.model import RckError
from rck.support.units import counted

_PROGRESS_INTERVAL = 0.1
"""Seconds between two updates of the progress bar."""
_MOST_NAMES = 4
"""Maximum number of parts that a question names."""
_LENGTH_UNIT = "length-unit"
"""Option of importers for the unit of the lengths in a file."""


class ImportScreen(SurveyScreen):
    """The screen that imports a file of another format."""

    NAME = "import"
    HELP = """
# Import

Choose a file. The view shows it as drawn, or its solids in 3D; **d** switches. The list shows what each region and
solid becomes. **Enter** changes it: the role of a region, the item of a solid, the use of an open shell, what a joint
connects. **p** makes a plate of a region, **h** a hole, **c** a counterbore, **b** a sheet border, **v** another view,
**x** leaves it out. **i** sets the item, **space** selects several, **j** turns a solid into a joint about its long
axis. **u** changes the unit. **ctrl+z** undoes the last decision, **ctrl+y** restores it. **1** to **5** show the
files, contents, layers, options and findings.

**ctrl+a** imports the file with one command that you can undo, and lets you mount the new parts on free ports. Your
decisions are stored in a recipe next to the file, for the next import; **r** stores them without importing. **Escape**
stops reading, or returns to the Build screen.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "accept", "Import", show=True, priority=True),
        Binding("p", "role('plate')", "Plate", show=True),
        Binding("h", "role('hole')", "Hole", show=True),
        Binding("c", "role('counterbore')", "Counterbore", show=True),
        Binding("b", "role('sheet border')", "Border", show=True),
        Binding("v", "role('view')", "View", show=True),
        Binding("x", "leave_out", "Not a part", show=True),
        Binding("i", "item", "Item", show=True),
        Binding("space", "choose", "Select several", show=True),
        Binding("j", "joint", "Make joint", show=True),
        Binding("u", "unit", "Unit", show=True),
        Binding("d", "switch_view", "2D/3D", show=True),
        Binding("f", "panel('files')", "File", show=True),
        Binding("o", "panel('options')", "Options", show=True),
        *(Binding(key, f"panel('{name}')", name.capitalize(), show=False) for key, name in PANELS.items()),
        Binding("n", "step(1)", "Next", show=False),
        Binding("N", "step(-1)", "Previous", show=False),
        Binding("r", "save_recipe", "Save recipe", show=False),
        Binding("ctrl+z", "undo", "Undo", show=False),
        Binding("ctrl+y", "redo", "Redo", show=False),
        Binding("escape", "back", "Stop / back", show=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._answer: Callable[[FileImport, str], object] = lambda file, text: None
        """Decision that the text in the input line makes."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys that apply to the file and to the object under the cursor."""
        file, current, drawing = self._file, self._current, self._survey.drawing
        if file is None:
            return action in ("panel", "back", "step")
        if action == "unit":
            return self._option(_LENGTH_UNIT) is not None
        if action == "role":
            return drawing is not None and bool(drawing.roles) and current.kind == "region"
        if action in ("leave_out", "item"):
            return file.keeps_recipe and current.kind in ("region", "part")
        if action == "joint":
            return file.keeps_recipe and current.kind == "part"
        if action == "choose":
            return file.keeps_recipe
        if action == "switch_view":
            return self._view.can_switch
        return True

    def action_choose(self) -> None:
        """Select the object under the cursor in addition to the others, or deselect it; or switch a layer."""
        layers = self._panels.layer_list
        if layers.has_focus:
            self._switch_layer(layers.key)
        elif self._current.name:
            self._mark(self._current.key)
            self._contents.action_step(1)

    def _decide(self, decide: Callable[[FileImport], object], message: str = "") -> bool:
        """Make a decision, show it, and let the importer follow; return False if it is refused."""
        if self._file is None:
            return False
        try:
            decide(self._file)
        except RckError as error:
            self._refuse(error)
            return False
        self._marked = frozenset()
        self._show_survey()
        if message:
            self._say(message)
        self._read()
        return True

    def action_role(self, role: RegionRole) -> None:
        """Set the role of the selected regions."""
        names = [entry.name for entry in self._chosen() if entry.kind == "region"]
        if names:
            self._decide(lambda file: file.set_role(names, role), f"{', '.join(names[:_MOST_NAMES])}: {role}")

    def action_leave_out(self) -> None:
        """Leave out the selected regions and parts, or take them in again."""
        chosen = self._chosen()
        regions = [entry.name for entry in chosen if entry.kind == "region"]
        parts = [entry.name for entry in chosen if entry.kind == "part"]
        if regions:
            self._decide(lambda file: file.leave_out_regions(regions))
        elif parts:
            self._decide(lambda file: file.leave_out_parts(parts))

    def change_current(self) -> None:
        """Ask for the role of a region, the item of a part, the use of an open shell, or what a joint connects."""
        current = self._current
        if self._file is None or not self._file.keeps_recipe:
            self._say(f"{self._current.name} comes in as the file states; change it after the import")
        elif current.kind == "region":
            self._ask_role()
        elif current.kind == "part":
            refused = [part for part in self._parts([current]) if part.refused and part.answers]
            if refused:
                self._ask_to_use(refused)
            else:
                self.action_item()
        elif current.kind == "joint":
            self._ask_connection(current.name)

    def _ask_role(self) -> None:
        drawing, names = self._survey.drawing, [one.name for one in self._chosen() if one.kind == "region"]
        if drawing is None or not drawing.roles or self._file is None:
            return
        region = next(one for one in drawing.regions if one.name == names[0])
        title = names[0] if len(names) == 1 else counted(len(names), "region")
        is_changed = any(name in self._file.draft.recipe.regions for name in names)

        def decide(answer: str | None) -> None:
            role = next((role for role in REGION_ROLES if role == answer), None)
            if role is not None:
                self._decide(lambda file: file.set_role(names, role), f"{title}: {role}")
            elif answer is not None:
                self._decide(lambda file: file.restore_regions(names))

        self.app.push_screen(RoleDialog(title, drawing.roles, region.role, is_changed), decide)

    def _ask_to_use(self, refused: Sequence[SurveyPart], *, then_import: bool = False) -> None:
        """Ask what becomes of parts that can be used in one of several ways, or whether to leave them out."""
        names = [part.region or part.name for part in refused]
        answers = refused[0].answers

        def decide(answer: str | None) -> None:
            if answer == LEAVE_OUT:
                if self._decide(lambda file: file.leave_out(names)) and then_import:
                    self._import()
            elif answer is not None:
                self._decide(lambda file: file.set_options(answers[answer]))

        title = f"What becomes of {', '.join(names[:_MOST_NAMES])}{' ...' if len(names) > _MOST_NAMES else ''}?"
        self.app.push_screen(AnswerDialog(title, answers, "nothing: leave it out"), decide)

    def action_item(self) -> None:
        """Ask for the item of the selected parts."""
        parts = self._parts(self._chosen())
        names = [part.name for part in parts]
        if parts:
            question = f"Item of {counted(len(parts), 'part')}; leave empty to leave them out."
            self._ask(question, parts[0].item, lambda file, text: file.set_item(names, text))

    def _ask_connection(self, name: str) -> None:
        joint = next(joint for joint in self._survey.joints if joint.name == name)
        items = f"{joint.base} > {', '.join(joint.moves)}" if joint.base else ""
        question = "Base and moving items: [kind] BASE > ITEM, ITEM"
        self._ask(question, f"{joint.kind.value} {items}", lambda file, text: file.connect_joint(name, text))

    def _ask(self, question: str, value: str, answer: Callable[[FileImport, str], object]) -> None:
        self._answer = answer
        box = self.query_one("#import-item", Input)
        box.display = True
        box.value = value
        box.cursor_position = len(value)
        box.focus()
        self._say(question)

    @on(Input.Submitted, "#import-item")
    def _take_answer(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if self._decide(lambda file: self._answer(file, text)):
            self._close_question()

    def _close_question(self) -> None:
        self.query_one("#import-item").display = False
        self._contents.focus()
        self._describe_current()

    def action_joint(self) -> None:
        """Turn the part under the cursor into a joint."""
        name = self._current.name
        self._decide(lambda file: file.declare_joint(name))
        self._contents.move_to(Entry("joint", name).key)

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
        option = self._option(_LENGTH_UNIT)
        if option is None:
            return

        def decide(unit: str | None) -> None:
            if unit is not None:
                self._decide(lambda file: file.set_option(_LENGTH_UNIT, unit))

        self.app.push_screen(UnitDialog(option, self._survey), decide)

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
        self._panels.show_state(file)
        if path is not None:
            self._say(f"saved {path.name}")
        return True

    # The import.

    def action_accept(self) -> None:
        """Settle open questions, store the recipe, and import the file with one command."""
        survey = self._survey
        if self._file is None:
            self._say("Choose a file first.", "red")
            return
        if self._job is not None:
            self._say("the file is being read; import it when that is done")
            return
        try:
            require_usable(survey)
        except RckError as error:
            self._refuse(error)
            return
        if survey.question is not None:
            self._ask_question(survey)
            return
        refused = [part for part in survey.pieces if part.refused]
        convertible = [part for part in refused if part.answers]
        if convertible:
            self._ask_to_use(convertible, then_import=len(convertible) == len(refused))
        elif refused and not any(part.item and not part.refused for part in survey.pieces):
            fix = f" ({refused[0].fix})" if refused[0].fix else ""
            self._say(f"nothing can be imported: {refused[0].refused}{fix}", "red")
        elif refused:
            self._ask_to_leave_out(survey)
        else:
            self._import()

    def _ask_question(self, survey: Survey) -> None:
        question = survey.question
        assert question is not None

        def decide(answer: str | None) -> None:
            if answer is not None:
                chosen = question.answers[answer]
                self._decide(lambda file: file.set_options(chosen), "check the size, then press ctrl+a to import")

        self.app.push_screen(AnswerDialog(question.text, question.answers), decide)

    def _ask_to_leave_out(self, survey: Survey) -> None:
        refused = unusable(survey)
        names = [name for _, _, group in refused for name in group]

        def decide(answer: str | None) -> None:
            if answer == "leave" and self._decide(lambda file: file.leave_out(names)):
                self._import()

        text = f"{counted(len(names), 'part')} cannot be used: {', '.join(names[:_MOST_NAMES])}. {refused[0][0]}."
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
        before = frozenset(self.workbench.assembly.parts)

        def done(succeeded: bool) -> None:
            timer.stop()
            bar.display = False
            if not succeeded:
                self._say(self.workbench.messages[-1].text, "red")
            elif self.is_current:
                new = [name for name in self.workbench.assembly.parts if name not in before]
                self.app.call_later(self._show_imported, new if before else [])

        self.workbench.run_in_background(" ".join(words), done)

    async def _show_imported(self, unmounted: Sequence[str]) -> None:
        """Show the Build screen, and start mounting the imported instances on those that were there before."""
        await self.app.run_action("go('build')")
        if isinstance(screen := self.app.screen, AssemblyScreen):
            screen.focus_view()
        self.workbench.start_mounting(unmounted)

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
        elif self._file is not None and not self._contents.has_focus:
            self.action_panel("contents")
        else:
            self.app.call_later(self.app.run_action, "go('build')")
