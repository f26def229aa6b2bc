"""The 3D view."""

from textual.message import Message
from textual.widget import Widget

from rck.editor.workbench import Selected, Workbench


class SceneView(Widget, can_focus=True):
    """Shows the assembly."""

    class Picked(Message):
        """The user clicked on something, or on nothing."""

        def __init__(self, thing: Selected | None, several: bool) -> None:
            super().__init__()
            self.thing = thing
            self.several = several

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    def look_again(self) -> None:
        self.refresh()

    def render(self):
        p = self._workbench.placing
        return "view " + (p.line if p else "")
