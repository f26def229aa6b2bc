"""One, two or four views of the assembly side by side."""

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Grid
from textual.widgets import Static

from rck.editor.scene_source import SceneSource
from rck.editor.widgets.scene_view import SceneView
from rck.editor.workbench import Workbench

_LAYOUTS = ((("home",), 1), (("home", "front"), 2), (("home", "top", "front", "right"), 2))
"""The standard views of each layout, and its number of columns."""


class ViewGrid(Grid):
    """The views; `|` switches to the next layout."""

    def __init__(
        self, workbench: Workbench, live: bool = False, source: SceneSource | None = None, **options: object
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._live = live
        self._source = source
        self._layout = 0

    def compose(self) -> ComposeResult:
        """Add the first view, which every layout has."""
        yield SceneView(self._workbench, live=self._live, source=self._source, id="view")
        yield Static(id="legend")

    def redraw(self) -> None:
        """Redraw all views, and the legend of the overlays."""
        text = Text("  ", end="").join(
            Text.assemble(("■", "rgb({},{},{})".format(*entry.colour)), " ", entry.text)
            for layer in self._workbench.layers.values()
            for entry in layer.legend
        )
        legend = self.query_one("#legend", Static)
        if text != legend.content:
            legend.update(text)
        legend.display = bool(text)
        for view in self.query(SceneView):
            view.redraw()

    async def on_mount(self) -> None:
        """Restore the layout of the last session."""
        self._layout = self.app.settings.layout % len(_LAYOUTS)  # type: ignore[attr-defined]
        if self._layout:
            await self._arrange()

    @on(SceneView.Split)
    async def _split(self) -> None:
        """Switch to the next layout, and store it."""
        self._layout = (self._layout + 1) % len(_LAYOUTS)
        self.app.remember_layout(self._layout)  # type: ignore[attr-defined]
        await self._arrange()

    async def _arrange(self) -> None:
        """Create the views of the layout; the first one stays."""
        names, columns = _LAYOUTS[self._layout]
        await self.query(SceneView).exclude("#view").remove()
        self.styles.grid_size_columns = columns
        self.styles.grid_size_rows = -(-len(names) // columns)
        await self.mount_all([SceneView(self._workbench, name, self._live, self._source) for name in names[1:]])
        self.redraw()
