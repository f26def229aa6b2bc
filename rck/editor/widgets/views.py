"""One, two or four views of the assembly side by side."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Grid

from rck.editor.scenery import SceneSource
from rck.editor.widgets.scene_view import SceneView
from rck.editor.workbench import Workbench

_LAYOUTS = ((("home",), 1), (("home", "front"), 2), (("home", "top", "front", "right"), 2))
"""The standard views of each layout, and how many stand side by side."""


class Views(Grid):
    """Holds the views; `|` in one of them goes on to the next layout."""

    def __init__(
        self, workbench: Workbench, live: bool = False, scenery: SceneSource | None = None, **options: object
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._live = live
        self._scenery = scenery
        self._layout = 0

    def compose(self) -> ComposeResult:
        """The first view, which is always there."""
        yield SceneView(self._workbench, live=self._live, scenery=self._scenery, id="view")

    def look_again(self) -> None:
        """Draw all views anew."""
        for view in self.query(SceneView):
            view.look_again()

    async def on_mount(self) -> None:
        """The layout that the user had last."""
        self._layout = self.app.settings.layout % len(_LAYOUTS)  # type: ignore[attr-defined]
        if self._layout:
            await self._arrange()

    @on(SceneView.Split)
    async def _split(self) -> None:
        """Show the next layout, and remember it."""
        self._layout = (self._layout + 1) % len(_LAYOUTS)
        self.app.remember_layout(self._layout)  # type: ignore[attr-defined]
        await self._arrange()

    async def _arrange(self) -> None:
        """Show the views of the layout; the first one stays as it is."""
        names, columns = _LAYOUTS[self._layout]
        await self.query(SceneView).exclude("#view").remove()
        self.styles.grid_size_columns = columns
        self.styles.grid_size_rows = -(-len(names) // columns)
        await self.mount_all([SceneView(self._workbench, name, self._live, self._scenery) for name in names[1:]])
        self.look_again()
