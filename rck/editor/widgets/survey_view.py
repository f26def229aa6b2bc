"""The view of a file that is to be imported: its drawing as drawn, or its solids in 3D with the axes of its joints."""

from collections.abc import Collection, Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from rck.editor.survey_scene import SurveySceneBuilder
from rck.editor.widgets.drawing_view import DrawingView
from rck.editor.widgets.scene_view import SceneView
from rck.editor.workbench import Workbench
from rck.hooks import Survey


class SurveyView(Vertical):
    """A drawing view and a 3D view, one of which is visible."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._source = SurveySceneBuilder()
        self._in_3d: bool | None = None
        """None until the content of the file is known."""

    def compose(self) -> ComposeResult:
        """Add the views, and a line for when there is nothing to show."""
        yield Static(id="import-empty")
        yield DrawingView(id="drawing")
        yield SceneView(self._workbench, source=self._source, id="import-view")

    @property
    def drawing(self) -> DrawingView:
        """The view of the drawing."""
        return self.query_one(DrawingView)

    @property
    def _scene(self) -> SceneView:
        return self.query_one("#import-view", SceneView)

    def clear(self, text: str) -> None:
        """Show a line of text instead of a file."""
        self._source.survey, self._in_3d = Survey(), None
        self.query_one("#import-empty", Static).update(Text(text, "dim"))
        self._show_chosen()

    def show(self, survey: Survey) -> None:
        """Show the content of a file; the drawing first if it has regions, or no solids."""
        self._source.survey = survey
        if survey.drawing is not None:
            refused = frozenset(part.region for part in survey.pieces if part.refused and part.region)
            self.drawing.show(survey.drawing, refused)
        if self._in_3d is None and (survey.drawing is not None or self._has_solids):
            self._in_3d = survey.drawing is None or (not survey.drawing.regions and self._has_solids)
        self._show_chosen()

    @property
    def _has_solids(self) -> bool:
        return any(part.shapes or part.visuals for part in self._source.survey.pieces)

    @property
    def can_switch(self) -> bool:
        """True if the file has a drawing and solids."""
        return self._source.survey.drawing is not None and self._has_solids

    def switch(self) -> None:
        """Show the solids instead of the drawing, or the drawing instead of the solids."""
        self._in_3d = not self._in_3d
        self._show_chosen()

    def _show_chosen(self) -> None:
        has_drawing = self._source.survey.drawing is not None
        shows_drawing = has_drawing and not self._in_3d
        self.query_one("#import-empty").display = not has_drawing and not self._has_solids
        self.drawing.display = shows_drawing
        self._scene.display = self._has_solids and not shows_drawing
        if self._scene.display:
            self._scene.redraw()

    def highlight(self, regions: Sequence[str], parts: Collection[str]) -> None:
        """Highlight regions of the drawing, and parts in the 3D view."""
        self.drawing.choose(regions)
        self._source.chosen = frozenset(parts)
        if self._scene.display:
            self._scene.redraw()
