"""The screen that shows a file before its import: its drawing or solids, its contents, and the importer's options."""

import asyncio
from collections.abc import Sequence

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.css.query import NoMatches
from textual.widgets import Input, ProgressBar, Static

from rck.editor.file_import import FileImport, ImportDraft
from rck.editor.import_rows import Entry, describe_entry, entry_of, problems
from rck.editor.screens.editor_screen import WIDE, TitledScreen
from rck.editor.widgets.drawing_view import DrawingView
from rck.editor.widgets.file_chooser import FileChooser
from rck.editor.widgets.import_panels import ImportPanels
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.row_list import RowList
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.survey_view import SurveyView
from rck.editor.widgets.title_bar import TitleBar
from rck.hooks import Importer, Job, Survey, SurveyPart
from rck.model import RckError
from rck.support.files import in_words, path_in
from rck.support.finding import Cancelled, Severity

_TALL = 34
"""Minimum number of lines for panels above each other."""


class SurveyScreen(TitledScreen):
    """Chooses and reads a file, and shows and selects its contents; the base of :class:`ImportScreen`."""

    def __init__(self) -> None:
        super().__init__()
        self._file: FileImport | None = None
        self._job: Job | None = None
        self._marked: frozenset[str] = frozenset()
        """Keys of the entries that are selected together."""

    def change_current(self) -> None:
        """Change the object under the cursor, which was chosen by Enter or a double click."""

    def compose(self) -> ComposeResult:
        """Add the views on the left, the panels on the right, the summary and the messages below."""
        importers = self.workbench.session.plugins.all(Importer)
        endings = {ending for importer in importers for ending in importer.endings}
        # Some old formats number their files.
        self._endings = sorted(ending for ending in endings if not ending[1:].isdigit())
        yield TitleBar(id="title")
        with Horizontal(id="import-work"):
            yield SurveyView(self.workbench, id="import-main")
            yield ImportPanels(self.workbench.session.folder, endings, id="import-side")
        yield PluginPanels(self.workbench, self.NAME, id="extras")
        yield ProgressBar(id="import-progress", total=1.0, show_eta=False)
        yield Input(placeholder="item name", id="import-item", compact=True)
        yield Static(id="import-summary")
        yield Static(id="message")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the files."""
        super().on_mount()
        for hidden in ("#import-progress", "#import-item"):
            self.query_one(hidden).display = False
        self._view.clear("Choose a file to import.")
        self.action_panel("files")
        self._say(f"Supported files: {' '.join(self._endings)}")

    def on_screen_resume(self) -> None:
        """List the files again: other programs may have added some."""
        if self._file is None and self.query("#files"):
            self._panels.files.rebuild()

    def on_resize(self, event: events.Resize) -> None:
        """Show the panels above each other if there is room, else one of them."""
        self.set_class(event.size.width >= WIDE and event.size.height >= _TALL, "stacked")
        self.set_class(event.size.width < WIDE, "narrow")
        self.set_class(event.size.width < WIDE // 2, "tiny")

    @property
    def _view(self) -> SurveyView:
        return self.query_one(SurveyView)

    @property
    def _panels(self) -> ImportPanels:
        return self.query_one(ImportPanels)

    @property
    def _contents(self) -> RowList:
        return self._panels.contents

    @property
    def _survey(self) -> Survey:
        return Survey() if self._file is None else self._file.survey

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
        self._marked = frozenset()
        self._view.clear(f"Reading {path.name}.")
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
                self._say("stopped; f reads a file again")
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
            self._point_to_problem(survey)

    def _point_to_problem(self, survey: Survey) -> None:
        """Show why a file without parts is refused, or move to the option that all parts need."""
        first = next(problems(survey), None)
        if not survey.pieces and first is not None and first.severity is Severity.ERROR:
            self._say(str(first), "red")
            self.action_panel("problems")
        needed = [part for part in survey.pieces if part.refused or part.item]
        if needed and needed[0].option and not needed[0].answers and len({part.option for part in needed}) == 1:
            part = needed[0]
            self.action_panel("options")
            self._panels.options.move_to(part.option)
            name = part.region or part.name
            self._say(f"{name}: {part.refused}. Type the option {part.option}, then press Enter.", "yellow")

    def _show_survey(self) -> None:
        """Show the current draft everywhere."""
        file = self._file
        if file is None:
            return
        self._view.show(file.survey)
        self._panels.show(file, self._view.drawing.flat_colours(), self.workbench.assembly.units)
        self._marked &= {row.key for row in self._contents.rows}
        self._contents.mark(self._marked)
        self.query_one("#import-summary", Static).update(Text(file.survey.summary, "bold"))
        self._highlight()
        if self._panels.shows_files and (self._contents.rows or file.survey.drawing is not None):
            self.action_panel("contents")
        self.refresh_bindings()

    # The selection.

    @property
    def _current(self) -> Entry:
        """The object under the cursor."""
        try:
            return entry_of(self._contents.key)
        except NoMatches:
            return Entry("", "")

    def _chosen(self) -> list[Entry]:
        """Return the objects that are selected together, or else the one under the cursor."""
        keys = [row.key for row in self._contents.rows if row.key in self._marked]
        return [entry_of(key) for key in keys] or ([self._current] if self._current.name else [])

    def _parts(self, entries: Sequence[Entry]) -> list[SurveyPart]:
        """Return the parts among these objects, also those made of regions."""
        names = {entry.name for entry in entries if entry.kind == "part"}
        regions = {entry.name for entry in entries if entry.kind == "region"}
        return [part for part in self._survey.pieces if part.name in names or part.region in regions]

    def _highlight(self) -> None:
        """Show the selection in the views; a joint by the items that it moves."""
        chosen = self._chosen()
        joints = {entry.name for entry in chosen if entry.kind == "joint"}
        moved = {item for joint in self._survey.joints if joint.name in joints for item in joint.moves}
        parts = {part.name for part in self._parts(chosen)}
        parts |= {part.name for part in self._survey.pieces if part.item in moved}
        self._view.highlight([entry.name for entry in chosen if entry.kind == "region"], parts)
        self.refresh_bindings()

    @on(RowList.Highlighted, "#contents")
    def _follow_cursor(self) -> None:
        self._highlight()
        if self._contents.has_focus:
            self._describe_current()

    def _describe_current(self) -> None:
        """Describe the object under the cursor, unless the progress of reading is shown."""
        if self._job is None:
            self._say(describe_entry(self._survey, self._current) if self._current.name else "")

    @on(RowList.Highlighted, "#layers")
    def _follow_layer(self, event: RowList.Highlighted) -> None:
        if self._panels.layer_list.has_focus:
            self._view.drawing.highlight_layer(event.key)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Stop highlighting a layer when its list loses the focus."""
        if event.widget.id == "layers":
            self._view.drawing.highlight_layer("")

    @on(DrawingView.Picked)
    def _pick_region(self, event: DrawingView.Picked) -> None:
        key = Entry("region", event.region).key
        if event.region and event.add:
            self._mark(key)
        else:
            self._unmark()
        if event.region:
            self._contents.move_to(key)
            self._highlight()
            self._describe_current()
            if event.twice:
                self.change_current()

    @on(SceneView.Picked)
    def _pick_part(self, event: SceneView.Picked) -> None:
        part = next((one for one in self._survey.pieces if event.thing and one.name == event.thing.name), None)
        if part is not None:
            entry = Entry("region", part.region) if part.region else Entry("part", part.name)
            if event.add:
                self._mark(entry.key)
            self._contents.move_to(entry.key)
            self._describe_current()

    def _mark(self, key: str) -> None:
        self._marked ^= {key}
        self._contents.mark(self._marked)
        self._highlight()

    def _unmark(self) -> None:
        self._marked = frozenset()
        self._contents.mark(self._marked)
        self._highlight()

    @on(RowList.Chosen, "#contents")
    def _change(self) -> None:
        self.change_current()

    def action_step(self, step: int) -> None:
        """Move to the next object of the list."""
        self._contents.action_step(step)

    # Panels.

    def action_panel(self, name: str) -> None:
        """Show and focus a panel; without room for all, it replaces the visible one."""
        self._panels.open(name if self._file is not None else "files")

    def action_switch_view(self) -> None:
        """Show the drawing or the solids."""
        self._view.switch()
